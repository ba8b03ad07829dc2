"""One run of the engine in a workspace: what it was given, how long it took, how it ended."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from time import monotonic

from kumoss_console.clients import process
from kumoss_console.clients.heirs import Heirs
from kumoss_console.model.contract import JobResult
from kumoss_console.sidecar.settings import SidecarSettings
from kumoss_console.text import printable, redact

_log = logging.getLogger(__name__)
_LOGGED_STDERR = 500


class EngineRunner:
    """Runs the engine of ``settings``. Failing is the engine's own answer: only a child that cannot start is an error."""

    def __init__(self, settings: SidecarSettings, heirs: Heirs | None = None) -> None:
        """``heirs`` end an engine whose service was killed."""
        self._settings = settings
        self._heirs = heirs

    async def run(self, arguments: tuple[str, ...], workspace: str, overlay: Mapping[str, str]) -> JobResult:
        """Raises :class:`OSError` where the engine cannot be started."""
        engine = self._settings.engine
        _log.info(
            "running %s in %s, scope %s", self._shown(engine.binary, *arguments), self._shown(workspace), self._scope(overlay)
        )
        began = monotonic()
        completed = await process.run(
            (*engine.argv0, *arguments),
            cwd=workspace,
            env={**self._settings.environ, **overlay},
            grace=self._settings.stop_grace,
            heirs=self._heirs,
        )
        seconds = monotonic() - began
        result = JobResult(completed.exit_code, _text(completed.stdout), _text(completed.stderr))
        if result.exit_code == 0:
            _log.info("%s ended with exit code 0 after %.1f s", arguments[0], seconds)
        else:
            tail = self._shown(result.stderr[-_LOGGED_STDERR:].strip()) or "(empty)"
            _log.info("%s ended with exit code %d after %.1f s: %s", arguments[0], result.exit_code, seconds, tail)
        return result

    def _scope(self, overlay: Mapping[str, str]) -> str:
        return self._shown(*(f"{name}={value}" for name, value in overlay.items())) or "none"

    def _shown(self, *texts: str) -> str:
        return printable(redact(" ".join(texts), (self._settings.token,)))


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace")
