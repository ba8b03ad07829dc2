"""A workspace of 2,000 files traced, beside the time it takes to read those files, in one run."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from kumoss_console.config import LoadedConfig
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context
from kumoss_console.services.build import Services
from kumoss_console.services.wiring.adapters import GivenAdapters
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar
from tests.fakes.store import FakeStore

FILES = 2_000
ROUNDS = 5
_RESOURCE = 'resource "null_resource" "r{}" {{\n  triggers = {{\n    a = "b${{var.x}}"\n  }}\n}}\n'
_BACKEND = 'terraform {\n  backend "s3" {\n    bucket = "b"\n    key = "k"\n    region = "r"\n  }\n}\n'
_BLOCK = 'terraform {\n  required_version = ">= 1.3"\n  required_providers {\n    null = { source = "hashicorp/null" }\n  }\n}\n'


def workspace(folder: Path, *, blocks: bool) -> Path:
    """2,000 files of eight resources; with ``blocks`` a ``terraform`` block in each."""
    folder.mkdir(parents=True)
    for number in range(FILES):
        resources = "".join(_RESOURCE.format(number * 10 + item) for item in range(8))
        (folder / f"f{number}.tf").write_text((_BLOCK if blocks else "") + resources)
    (folder / "z.tf").write_text(_BACKEND)
    return folder


def services(folder: Path) -> Services:
    clock = FakeClock()
    context = Context(name="bench", backend_config="")
    adapters = GivenAdapters(sidecar=FakeSidecar(clock), store=FakeStore(), journal=Journal.open(folder / "jobs.sqlite3"))
    return Services(
        config=LoadedConfig(contexts=(context,), default="bench"), context=context, adapters=adapters, clock=clock, environ={}
    )


def read_all(folder: Path) -> float:
    """Seconds of processor time to read every file, nothing else: what others do on the machine does not count."""
    start = time.process_time()
    for path in sorted(folder.iterdir()):
        path.read_bytes()
    return time.process_time() - start


async def traced(desk: Services, folder: Path) -> float:
    start = time.process_time()
    await desk.trace.trace(folder=folder)
    return time.process_time() - start


async def measure(folder: Path) -> tuple[float, float]:
    """The fastest reading and the fastest trace, in turns."""
    desk = services(folder.parent)
    readings, traces = [], []
    await traced(desk, folder)
    for _ in range(ROUNDS):
        readings.append(read_all(folder))
        traces.append(await traced(desk, folder))
    await desk.aclose()
    return min(readings), min(traces)


async def main() -> list[tuple[str, str]]:
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for what, blocks in (("2,000 files traced", False), ("2,000 files with a terraform block each traced", True)):
            folder = Path(name, f"at-{blocks}")
            reading, trace = await measure(workspace(folder / "ws", blocks=blocks))
            figure = f"{trace * 1000:.0f} ms, {trace / reading:.2f} times the {reading * 1000:.0f} ms of reading them"
            rows.append((what, figure))
    return rows
