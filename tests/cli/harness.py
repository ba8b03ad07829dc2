"""The command line in a world of the test's making: argv in, bytes and an exit code out, through the real edge."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from kumoss_console.cli.main import execute
from kumoss_console.cli.world import Load, World
from kumoss_console.config import LoadedConfig
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context
from kumoss_console.model.journal import JournalSettings
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.build import Services
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar


@dataclass(frozen=True)
class Run:
    """What one command did."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def out(self) -> str:
        return self.stdout.decode()

    @property
    def err(self) -> str:
        return self.stderr.decode()

    @property
    def envelope(self) -> dict[str, Any]:
        """The one JSON document on stdout."""
        assert self.out.endswith("\n")
        assert self.out.count("\n") == 1, self.out
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def data(self) -> Any:
        envelope = self.envelope
        assert envelope["ok"], envelope
        return envelope["data"]

    @property
    def error(self) -> dict[str, str]:
        envelope = self.envelope
        assert not envelope["ok"], envelope
        error = envelope["error"]
        assert isinstance(error, dict)
        return error

    @property
    def items(self) -> list[Any]:
        """The documents of a stream."""
        return [json.loads(line) for line in self.out.splitlines()]


class _Adapters:
    """The console's fakes, and a journal on disk that is opened when a command wants it."""

    def __init__(self, console: Console) -> None:
        self._console = console

    @property
    def sidecar(self) -> FakeSidecar:
        return self._console.sidecar

    @property
    def store(self) -> ObjectStore | None:
        return self._console.store

    @cached_property
    def journal(self) -> Journal:
        return Journal.open(self._console.journal_file, self._console.retention)

    async def aclose(self) -> None:
        await self.sidecar.aclose()
        if self.store is not None:
            await self.store.aclose()
        if "journal" in vars(self):
            self.journal.close()


def run_in(world: World, *argv: str) -> Run:
    """One run on the streams of ``world``; only what this run wrote is in the result."""
    ends = [stream.tell() if isinstance(stream, io.BytesIO) else 0 for stream in (world.stdout, world.stderr)]
    code = execute(argv, world)
    return Run(code, _written(world.stdout, ends[0]), _written(world.stderr, ends[1]))


def _written(stream: BinaryIO, since: int) -> bytes:
    return stream.getvalue()[since:] if isinstance(stream, io.BytesIO) else b""


@dataclass
class Console:
    """Contexts, and the fakes that stand behind each of them."""

    contexts: tuple[Context, ...]
    sidecar: FakeSidecar
    store: ObjectStore | None
    clock: FakeClock
    journal_file: Path
    warnings: tuple[str, ...] = ()
    retention: JournalSettings | None = None
    environ: dict[str, str] = field(default_factory=lambda: dict(os.environ))
    columns: int | None = None
    typed: str | None = None
    sleep: Callable[[float], Awaitable[None]] | None = None
    built: list[Services] = field(default_factory=list)

    def run(self, *argv: str, stdin: bytes = b"") -> Run:
        """Run ``kumoss-console *argv``."""
        return run_in(self.world(stdin=stdin), *argv)

    def world(self, *, load: Load | None = None, stdin: bytes = b"") -> World:
        """``typed`` makes the run interactive: it is the line that a person types."""
        return World(
            stdin=io.BytesIO(stdin if self.typed is None else f"{self.typed}\n".encode()),
            stdout=io.BytesIO(),
            stderr=io.BytesIO(),
            environ=self.environ,
            cwd=Path.cwd(),
            columns=self.columns,
            interactive=self.typed is not None,
            clock=self.clock,
            load=load or self._load,
            build=self._build,
        )

    def _load(self, *, config: Path | None, environ: Mapping[str, str], cwd: Path) -> LoadedConfig:
        return LoadedConfig(contexts=self.contexts, default=self.contexts[0].name, warnings=self.warnings)

    def _build(self, config: LoadedConfig, name: str | None, *, read_only: bool, environ: Mapping[str, str]) -> Services:
        context = config.context(name)
        services = Services(
            config=config,
            context=replace(context, read_only=context.read_only or read_only),
            adapters=_Adapters(self),
            clock=self.clock,
            sleep=self.sleep or self.clock.sleep,
            environ=environ,
        )
        self.built.append(services)
        return services
