"""The whole local stack: a real object store, the bundled sidecar, a real engine, and a small world in them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from kumoss_console.config import load
from kumoss_console.config.xdg import state_dir
from kumoss_console.errors import Unreachable
from kumoss_console.local.folder import StackFolder, claimed
from kumoss_console.local.guarded import Guarded
from kumoss_console.local.jobs import SeedJobs
from kumoss_console.local.objectstore import ObjectStoreEndpoint, object_store, require_weed
from kumoss_console.local.seed import Progress, Seed
from kumoss_console.local.settings import BUCKET, CONTEXT, environment, write_config, write_environment
from kumoss_console.local.sidecar import SidecarEndpoint, bundled_sidecar, engine_environ, require_packages
from kumoss_console.local.simulatedcloud import simulated_cloud
from kumoss_console.local.worlds import PROJECTS
from kumoss_console.model.storage import StorageSettings
from kumoss_console.sidecar.engine import find_engine

JOURNAL = "jobs.sqlite3"
_STARTS = 2
WATCH_SECONDS = 0.5
"""Between two looks whether the parts still run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalStack:
    """A running stack. ``environ`` is what a console on it needs beside its configuration file, secrets included."""

    config_file: Path
    environ: Mapping[str, str]
    environ_file: Path
    store: ObjectStoreEndpoint
    sidecar: SidecarEndpoint
    engine: str
    bucket: str
    workspaces: Path
    gate: Path
    """Write a line to it, and the apply that holds the lock goes on."""

    async def until_a_part_ends(self) -> None:
        """Raises :class:`~kumoss_console.errors.Unreachable` with its last words once one has; runs on until then."""
        parts = (("object store", self.store.process), ("sidecar", self.sidecar.process))
        running = [(name, process) for name, process in parts if process is not None]
        while True:
            for name, process in running:
                if (code := process.exit_code()) is not None:
                    raise _ended(name, process, code)
            await asyncio.sleep(WATCH_SECONDS)


def _ended(name: str, process: Guarded, code: int) -> Unreachable:
    signal = code - 128 if code > 128 else 0
    how = f"a signal ended it ({signal})" if signal else f"it ended with exit code {code}"
    return Unreachable(
        f"The {name} of the local stack has ended: {how}.",
        detail=process.said(),
        hint="Run the demo again; with --keep DIR its data and its logs stay.",
        code="local.part_ended",
    )


def silent(step: str, done: int, total: int, text: str) -> None:
    """A :class:`~kumoss_console.local.seed.Progress` that says nothing."""


@asynccontextmanager
async def local_stack(
    folder: Path, progress: Progress = silent, *, environ: Mapping[str, str] = os.environ, temporary: bool = False
) -> AsyncIterator[LocalStack]:
    """The stack until the block ends; no process outlives it, whatever ends this one.

    ``folder`` holds everything. One that held a stack before is started again with its data; a
    ``temporary`` one is removed at the end, also where this process is killed. ``environ`` is asked for PATH and
    IAC_BINARY only. Raises :class:`~kumoss_console.errors.ConfigError` where a part is not installed,
    :class:`~kumoss_console.errors.Refused` for a folder that is not ours, and what its parts raise.
    """
    require_weed(environ)
    require_packages()
    engine = find_engine(environ)
    with claimed(folder) as place:
        # By the sidecar's guard: when we are killed, its engines are the last to write there.
        leftovers = (str(place.path),) if temporary else ()
        progress("services", 0, _STARTS, "starting the object store")
        async with object_store(place.store, environ) as store:
            progress("services", 1, _STARTS, f"object store at {store.url}")
            async with AsyncExitStack() as parts:
                cloud = parts.enter_context(simulated_cloud(store, BUCKET, StorageSettings().terraform_state_filename))
                seen = engine_environ(environ, place.path) | cloud
                sidecar = await parts.enter_async_context(bundled_sidecar(seen, place.path, leftovers=leftovers))
                progress("services", 2, _STARTS, f"sidecar at {sidecar.url}, engine {engine.name}")
                variables = environment(place, store, sidecar)
                write_config(place, store, sidecar, [project.known for project in PROJECTS if project.part != "orphan"])
                write_environment(place.environ_file, variables)
                await _seed(place, store, sidecar, variables, progress)
                yield LocalStack(
                    config_file=place.config_file,
                    environ=variables,
                    environ_file=place.environ_file,
                    store=store,
                    sidecar=sidecar,
                    engine=engine.name,
                    bucket=BUCKET,
                    workspaces=place.workspaces,
                    gate=place.gate,
                )


async def _seed(
    place: StackFolder,
    store: ObjectStoreEndpoint,
    sidecar: SidecarEndpoint,
    variables: Mapping[str, str],
    progress: Progress,
) -> None:
    from kumoss_console.clients.sidecar import SidecarClient
    from kumoss_console.journal import Journal

    context = load(config=place.config_file, environ=variables, cwd=place.path).context(CONTEXT)
    client = SidecarClient(sidecar.url, sidecar.token, timeout=context.iac.timeout)
    journal = Journal.open(state_dir(variables) / JOURNAL)
    try:
        jobs = SeedJobs(client, journal, CONTEXT)
        seed = Seed(context=context, store=store, jobs=jobs, root=place.workspaces, gate=place.gate, progress=progress)
        if place.seeded():
            await seed.again()
        else:
            await seed.everything()
            place.mark(seeded=True)
    finally:
        journal.close()
        await client.aclose()
