"""The composition root: everything is there, nothing is made ahead of need, and what was made is closed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from kumoss_console.config import LoadedConfig
from kumoss_console.errors import InputError
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.services.build import Services, build
from kumoss_console.services.wiring.adapters import GivenAdapters, journal_file
from tests.fakes.sidecar import FakeSidecar
from tests.fakes.store import FakeStore


def config(*contexts: Context) -> LoadedConfig:
    return LoadedConfig(contexts=contexts, default=contexts[0].name)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}


def test_building_touches_neither_disk_nor_network(environ: dict[str, str], tmp_path: Path) -> None:
    before = set(tmp_path.rglob("*"))

    services = build(config(Context(name="prod")), environ=environ)
    for service in ("keys", "backend", "bucket", "jobs", "overview", "doctor"):
        assert getattr(services, service) is not None
    asyncio.run(services.aclose())

    assert set(tmp_path.rglob("*")) == before


async def test_a_service_is_made_once(environ: dict[str, str]) -> None:
    services = build(config(Context(name="prod")), environ=environ)

    assert services.jobs is services.jobs
    assert services.keys is services.keys
    await services.aclose()


def test_the_default_context_is_taken_unless_another_is_named(environ: dict[str, str]) -> None:
    both = config(Context(name="prod"), Context(name="dev"))

    assert build(both, environ=environ).context.name == "prod"
    assert build(both, "dev", environ=environ).context.name == "dev"
    with pytest.raises(InputError, match="qa"):
        build(both, "qa", environ=environ)


def test_read_only_can_be_added_and_never_lifted(environ: dict[str, str]) -> None:
    both = config(Context(name="open"), Context(name="shut", read_only=True))

    assert not build(both, "open", environ=environ).read_only
    assert build(both, "open", read_only=True, environ=environ).read_only
    assert build(both, "shut", read_only=False, environ=environ).read_only


@pytest.mark.parametrize(
    "storage",
    [
        StorageSettings(terraform_state_bucket=""),
        StorageSettings(provider=StorageProvider.STORAGE_ACCOUNT, endpoint_url="https://acme.blob.core.windows.net"),
    ],
    ids=["managed state off", "no adapter yet"],
)
async def test_without_a_readable_bucket_every_service_is_still_made(environ: dict[str, str], storage: StorageSettings) -> None:
    services = build(config(Context(name="prod", storage=storage)), environ=environ)

    assert services.keys.explain("https://github.com/acme/infra", "s").key.project_id
    assert services.bucket is not None
    await services.aclose()


async def test_closing_closes_every_adapter(tmp_path: Path) -> None:
    sidecar, store = FakeSidecar(), FakeStore()
    adapters = GivenAdapters(sidecar=sidecar, store=store, journal=Journal.open(tmp_path / "j.sqlite3"))
    context = Context(name="prod")
    services = Services(config=config(context), context=context, adapters=adapters)

    await services.aclose()

    assert sidecar.closed
    assert store.closed


def test_the_journal_is_one_file_in_the_state_folder(environ: dict[str, str], tmp_path: Path) -> None:
    assert journal_file(environ) == tmp_path / "state" / "kumoss-console" / "jobs.sqlite3"


@pytest.mark.parametrize(
    ("asked", "foreign"),
    [
        ("keys", {"httpx", "boto3", "botocore", "hcl2", "starlette", "textual"}),
        ("backend", {"httpx", "boto3", "botocore", "hcl2", "starlette", "textual"}),
        ("jobs", {"boto3", "botocore", "hcl2", "starlette", "textual"}),
        ("bucket", {"httpx", "boto3", "botocore", "hcl2", "starlette", "textual"}),
    ],
)
def test_a_service_imports_only_what_it_needs(asked: str, foreign: set[str]) -> None:
    program = (
        "import sys\n"
        "from kumoss_console.config.loaded import LoadedConfig\n"
        "from kumoss_console.model.context import Context\n"
        "from kumoss_console.services.build import build\n"
        "context = Context(name='prod')\n"
        f"build(LoadedConfig(contexts=(context,), default='prod'), environ={{'HOME': '/x'}}).{asked}\n"
        "print(*{name.partition('.')[0] for name in sys.modules})\n"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)

    assert not foreign & set(answer.stdout.split())
