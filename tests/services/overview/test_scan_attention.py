"""What a scan found, in the Overview: one line for each kind of error, with the age of the scan, and none without a scan."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from kumoss_console.config import LoadedConfig
from kumoss_console.errors import AccessDenied
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context, IacSettings, KnownProject
from kumoss_console.services.build import Services
from kumoss_console.services.overview.scan_attention import scan_attention
from kumoss_console.services.wiring.adapters import GivenAdapters
from kumoss_console.text import Secret
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar
from tests.fakes.store import FakeStore
from tests.hostile import HOSTILE
from tests.services.scan.test_service import A, B, C, Desk
from tests.services.states.test_xray import state


async def test_many_keys_are_one_line_one_key_is_named(tmp_path: Path) -> None:
    store = FakeStore({A: state(2, "one", resources=1), B: state(1, "one", resources=1), C: b""})
    last = await Desk(store, tmp_path).run()
    lines = [(line.text, line.view, line.subject) for line in scan_attention(last, last.at + timedelta(minutes=5))]
    assert lines == [
        (
            f"{C}: empty: engines take this for no state, and would propose to create everything: zero bytes (scanned 5 min ago)",
            "bucket",
            C,
        ),
        ("2 keys share a lineage with another: copied states (scanned 5 min ago)", "bucket", A),
    ]
    assert scan_attention(None, last.at) == ()


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_keys_stay_one_printable_line(tmp_path: Path, text: str) -> None:
    store = FakeStore({f"{text}.tfstate": state(1, resources=1)})
    store.errors["fetch_range"] = AccessDenied("refused")
    last = await Desk(store, tmp_path).run()
    (line,) = scan_attention(last, last.at)
    assert "\x1b" not in line.text
    assert "\n" not in line.text


async def test_the_overview_takes_what_is_at_hand_and_starts_no_scan(tmp_path: Path) -> None:
    clock, store = FakeClock(), FakeStore({A: b"", B: state(1, resources=1)})
    project = KnownProject(repo="https://github.com/acme/net", scope="prod")
    context = Context(
        name="prod", iac=IacSettings(endpoint="http://iac.test"), token=Secret("t"), backend_config="", projects=(project,)
    )
    adapters = GivenAdapters(sidecar=FakeSidecar(clock), store=store, journal=Journal.open(tmp_path / "jobs.sqlite3"))
    services = Services(
        config=LoadedConfig(contexts=(context,), default="prod", warnings=()),
        context=context,
        adapters=adapters,
        clock=clock,
        environ={},
    )
    assert (await services.overview.snapshot()).attention == ()
    assert not [call for call in store.calls if call[0] in {"fetch_range", "fetch"}]
    async for _ in services.scan.scan():
        pass
    assert [line.subject for line in (await services.overview.snapshot()).attention] == [A]
    await services.aclose()
