"""A real engine that holds a real lock for as long as a test wants: its apply waits at a named pipe."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from kumoss_console.local.sidecar import engine_environ
from kumoss_console.sidecar.engine import Engine
from tests.stack import RealStore

KEY = "net/terraform.tfstate"
_MODULE = """
variable "round" {
  default = "0"
}
resource "terraform_data" "it" {
  triggers_replace = var.round
  provisioner "local-exec" {
    command = "cat gate"
  }
}
"""


@dataclass
class Run:
    """One ``apply`` under way. ``output`` is complete once it has ended."""

    process: asyncio.subprocess.Process
    gate: Path
    output: str = ""

    async def let_go(self) -> int:
        """Let the apply finish; its exit code."""
        await asyncio.to_thread(self.gate.write_text, "go\n")
        return await self.ended()

    async def ended(self) -> int:
        said, _ = await self.process.communicate()
        self.output = said.decode()
        assert self.process.returncode is not None
        return self.process.returncode


@dataclass
class Workspace:
    """A workspace that keeps its state on the real store, with lock objects (and rows of a table, where it has one)."""

    engine: Engine
    store: RealStore
    folder: Path
    table: str = ""
    runs: list[Run] = field(default_factory=list)

    def write(self) -> None:
        (self.folder / "main.tf").write_text(_MODULE, encoding="utf-8")
        keys, settings = self.store.credentials, self.store.settings
        assert keys.access_key is not None
        assert keys.secret_key is not None
        flags = (
            "use_path_style skip_credentials_validation skip_region_validation skip_requesting_account_id skip_metadata_api_check"
        )
        locks = f'dynamodb_table = "tf-locks"\n    dynamodb_endpoint = "{self.table}"' if self.table else ""
        lines = "\n    ".join(f"{flag} = true" for flag in (*flags.split(), "skip_s3_checksum", "use_lockfile"))
        (self.folder / "backend.tf").write_text(
            f"""terraform {{
  backend "s3" {{
    bucket = "{self.store.bucket}"
    key = "{KEY}"
    region = "{settings.region}"
    access_key = "{keys.access_key.reveal()}"
    secret_key = "{keys.secret_key.reveal()}"
    endpoints = {{ s3 = "{settings.endpoint_url}" }}
    {locks}
    {lines}
  }}
}}
""",
            encoding="utf-8",
        )
        os.mkfifo(self.folder / "gate")

    async def start(self, *argv: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *self.engine.argv0,
            *argv,
            cwd=self.folder,
            env=engine_environ(os.environ, self.folder),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )

    async def init(self) -> None:
        process = await self.start("init", "-no-color", "-input=false")
        said, _ = await process.communicate()
        assert process.returncode == 0, said.decode()

    async def apply(self, number: int) -> Run:
        """An apply that takes the lock and waits at the gate."""
        argv = ("apply", "-no-color", "-input=false", "-auto-approve", f"-var=round={number}")
        run = Run(await self.start(*argv), self.folder / "gate")
        self.runs.append(run)
        return run


@asynccontextmanager
async def workspace(engine: Engine, store: RealStore, folder: Path, *, table: str = "") -> AsyncIterator[Workspace]:
    """Initialised; what it still runs at the end is killed."""
    made = Workspace(engine, store, folder, table)
    made.write()
    await made.init()
    try:
        yield made
    finally:
        for run in made.runs:
            if run.process.returncode is None:
                kill(run)
                await run.process.wait()


def kill(run: Run) -> None:
    """The whole session, as a container ends that runs out of memory: nothing gives the lock back."""
    os.killpg(run.process.pid, 9)
