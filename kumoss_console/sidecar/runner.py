"""One run of the engine in a workspace: what it was given, how long it took, how it ended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from functools import partial
from time import monotonic
from typing import NamedTuple

from kumoss_console.clients import process
from kumoss_console.clients.heirs import Heirs
from kumoss_console.model.contract import JobResult
from kumoss_console.sidecar.offspring import MARK, Lineage, Offspring
from kumoss_console.sidecar.settings import SidecarSettings
from kumoss_console.sidecar.variables import OUTPUT_LIMIT
from kumoss_console.text import printable, redact

_log = logging.getLogger(__name__)
_LOGGED_DIAGNOSTIC = 300
_FRAME = "│╷╵ "


class Ran(NamedTuple):
    """How a run ended, and whether the middle of its stdout is missing."""

    result: JobResult
    stdout_is_cut: bool


class EngineRunner:
    """Runs the engine of ``settings``. Failing is the engine's own answer: only a child that cannot start is an error."""

    def __init__(self, settings: SidecarSettings, heirs: Heirs | None = None, offspring: Offspring | None = None) -> None:
        """``heirs`` end an engine whose service was killed; ``offspring`` ends what engines leave behind."""
        self._settings = settings
        self._heirs = heirs
        self._offspring = offspring
        self.at_once = asyncio.Event()
        """Set where an engine that is to end gets no grace any more."""

    async def run(
        self, arguments: tuple[str, ...], workspace: str, overlay: Mapping[str, str], lineage: Lineage | None = None
    ) -> Ran:
        """Raises :class:`OSError` where the engine cannot be started. ``lineage`` is the job's, where there is offspring."""
        engine = self._settings.engine
        _log.info(
            "running %s in %s, scope %s", self._shown(engine.binary, *arguments), self._shown(workspace), self._scope(overlay)
        )
        began = monotonic()
        completed = await process.run(
            (*engine.argv0, *arguments),
            cwd=workspace,
            env={**self._settings.environ, **overlay, **({MARK: lineage.mark} if lineage else {})},
            grace=self._settings.stop_grace,
            heirs=self._heirs,
            limit=self._settings.output_limit,
            at_once=self.at_once,
            on_start=lineage.started if lineage else None,
            end_rest=partial(self._offspring.end, lineage) if self._offspring and lineage else None,
        )
        seconds = monotonic() - began
        name = " ".join(arguments[:2]) if arguments[0] == "state" else arguments[0]
        result = JobResult(completed.exit_code, _text(completed.stdout), _text(completed.stderr) + self._cut(completed))
        if result.exit_code == 0:
            _log.info("%s ended with exit code 0 after %.1f s", name, seconds)
        else:
            said = f"{len(completed.stdout)} bytes on stdout, {len(completed.stderr)} on stderr{self._diagnostic(result.stderr)}"
            _log.info("%s ended with exit code %d after %.1f s: %s", name, result.exit_code, seconds, said)
        return Ran(result, completed.stdout_cut > 0)

    def _cut(self, completed: process.Completed) -> str:
        """What is said of output that was cut: also on stderr, where it is read when stdout is meant for a program."""
        cuts = (("stdout", completed.stdout_cut), ("stderr", completed.stderr_cut))
        return "".join(
            f"\nThe service kept {self._settings.output_limit} bytes of {name} and left {cut} out ({OUTPUT_LIMIT.name}).\n"
            for name, cut in cuts
            if cut
        )

    def _diagnostic(self, stderr: str) -> str:
        """The first line that begins as the engine's errors do. The rest of its output is for the caller alone."""
        lines = (line.strip(_FRAME) for line in stderr.splitlines())
        first = next((line for line in lines if line.startswith("Error:")), None)
        # Concealed before it is cut: half a secret is one as well.
        return f"; {self._shown(first)[:_LOGGED_DIAGNOSTIC]}" if first else ""

    def _scope(self, overlay: Mapping[str, str]) -> str:
        return self._shown(*(f"{name}={value}" for name, value in overlay.items())) or "none"

    def _shown(self, *texts: str) -> str:
        return printable(redact(" ".join(texts), self._settings.secrets))


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace")
