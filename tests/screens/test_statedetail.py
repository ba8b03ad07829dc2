"""One state on the screen: what is wrong first, a tree that opens to values, masked everywhere, revealed one at a time."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from kumoss_console.errors import AccessDenied, NotFound
from kumoss_console.services.states.detail import opened_file
from kumoss_console.text import MASK
from screens.registry import homes
from screens.statedetail.commands import COMMANDS
from screens.statedetail.opening import ask_for_file, open_file, open_state
from screens.statedetail.raw import RawScreen
from screens.statedetail.screen import StateDetailScreen
from screens.widgets.typed_line import CommandLine
from tests.hostile import HOSTILE
from tests.model.state_generated import generated
from tests.screens.objects import INFRA, NET, NET_KEY, ORPHAN_KEY, calm, lock, resource
from tests.screens.world import LARGE, SMALL, World, console_of, painted, settle, view_of
from tests.waiting import wait_until

FIXTURES = Path(__file__).parent.parent / "model" / "fixtures" / "state"
DOCUMENTS = sorted(path for path in FIXTURES.iterdir() if not path.name.endswith(".expected.json"))
SECRET, OUTPUT = "hunter2-hunter2", "hunter3-hunter3"
AWS = 'provider["registry.terraform.io/hashicorp/aws"]'


def document(*resources: dict[str, Any], **members: Any) -> bytes:
    shape = {
        "version": 4,
        "terraform_version": "1.11.4",
        "serial": 41,
        "lineage": "7d1e0000-0000-4000-8000-00000000000a",
        "outputs": {
            "db_url": {"value": OUTPUT, "type": "string", "sensitive": True},
            "zones": {"value": ["a", "b"], "type": ["tuple", ["string", "string"]]},
        },
        "resources": resources,
    }
    return json.dumps(shape | members).encode()


DATABASE = {
    "mode": "managed",
    "module": 'module.data["eu"]',
    "type": "aws_db_instance",
    "name": "db",
    "provider": AWS,
    "instances": [
        {
            "index_key": 0,
            "status": "tainted",
            "attributes": {"id": "db-X", "login": SECRET, "copy": SECRET, "tags": {"Name": "web"}, "size": 20},
            "sensitive_attributes": [[{"type": "get_attr", "value": "login"}]],
            "private": "bm90aGluZw==",
        },
        {"index_key": 0, "deposed": "1a2b3c4d", "attributes": {"id": "db-old"}},
    ],
}
CHECK = {
    "object_kind": "check",
    "config_addr": "check.health",
    "status": "fail",
    "objects": [{"object_addr": "check.health", "status": "fail", "failure_messages": ["it answers 503"]}],
}
STATE = document(resource("main"), DATABASE, resource("u", type="aws_ami", mode="data"), check_results=[CHECK])


@asynccontextmanager
async def showing(world: World, raw: bytes = STATE, *, size: tuple[int, int] = LARGE) -> AsyncIterator[Pilot[None]]:
    world.contexts = (replace(world.contexts[0], projects=(INFRA, NET)), *world.contexts[1:])
    world.store.objects[NET_KEY] = raw
    async with world.console(size=size, view="jobs") as pilot:
        await settle(pilot)
        open_state(console_of(pilot), NET_KEY)
        await settle(pilot)
        yield pilot


def screen_of(pilot: Pilot[None]) -> StateDetailScreen:
    assert isinstance(pilot.app.screen, StateDetailScreen)
    return pilot.app.screen


def raw_of(pilot: Pilot[None]) -> RawScreen:
    assert isinstance(pilot.app.screen, RawScreen)
    return pilot.app.screen


def tree_of(pilot: Pilot[None]) -> list[str]:
    lines = painted(pilot).splitlines()
    start = next(number for number, line in enumerate(lines) if line.lstrip().startswith("ADDRESS"))
    end = next(number for number, line in enumerate(lines) if line.startswith("────"))
    return [line.rstrip(" ▁▂▃▄▅▆▇█").rstrip() for line in lines[start + 1 : end]]


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
    await settle(pilot)


async def find(pilot: Pilot[None], text: str) -> None:
    await screen_of(pilot).run_action(f"search({text!r})")
    await settle(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_what_is_wrong_comes_first_and_the_header_says_whose_it_is_and_who_holds_it(
    world: World, size: tuple[int, int]
) -> None:
    world.store.objects[f"{NET_KEY}.tflock"] = lock(world)
    async with showing(world, size=size) as pilot:
        shown = painted(pilot).splitlines()[2:]
        assert 'module.data["eu"].aws_db_instance.db[0]: tainted: the next' in shown[0]
        text = "\n".join(shown)
        for words in ("net · scope prod · path envs/eu", "serial 41", "1.11.4", "7d1e0000", "locked by ci@runner-7", "kB"):
            assert words in text, words
        assert tree_of(pilot)[0].strip().startswith("▾ findings (2)")


async def test_the_tree_has_modules_objects_and_the_other_parts_beside_them(world: World) -> None:
    async with showing(world) as pilot:
        lines = [line.strip() for line in tree_of(pilot)]
        for line in (
            "▾ resources (2)",
            "▸ aws_vpc.main",
            '▾ module.data["eu"]',
            "▾ aws_db_instance.db",
            "▸ data sources (1)",
            "▸ outputs (2)",
            "▸ providers (1)",
            "▸ check results (1)",
            "▸ identifiers (3)",
        ):
            assert any(one.startswith(line) for one in lines), line
        assert any("[0]" in line and "tainted" in line and "db-X" in line for line in lines)
        assert any("deposed 1a2b3c4d · db-old" in line for line in lines)
        assert any("2 objects · 1 tainted · 1 deposed" in line for line in lines)
        await press(pilot, "E", "g", "j", "j", "j", "j", "j", "enter", "j", "enter")
        assert any("it answers 503" in line for line in tree_of(pilot))


async def test_sensitive_values_are_masked_wherever_they_could_be_read(world: World) -> None:
    async with showing(world) as pilot:
        await find(pilot, "login")
        screen = screen_of(pilot)
        assert "marked sensitive" in painted(pilot)
        saved = screen.saved()
        assert saved is not None
        pieces = saved[1]
        assert not isinstance(pieces, str)
        taken = "".join([*pieces(), *(copy.text for copy in screen.copies())])
        shown = painted(pilot)
        await press(pilot, "v")
        assert raw_of(pilot).age().startswith("masked · read ")
        shown += painted(pilot)
        assert f'"login": "{MASK}"' in shown
        await press(pilot, "escape", "g", "v")
        shown += painted(pilot)
        assert f'"copy": "{MASK}"' in taken
        for secret in (SECRET, OUTPUT, "bm90aGluZw=="):
            assert secret not in shown + taken


async def test_a_search_is_no_oracle_on_what_is_masked(world: World) -> None:
    async with showing(world) as pilot:
        for text in (SECRET, OUTPUT, SECRET[:4]):
            await find(pilot, text)
            assert "no match; masked values are not searched" in painted(pilot)


async def test_a_search_goes_into_closed_lines_and_on(world: World) -> None:
    async with showing(world) as pilot:
        await press(pilot, "E", "slash", *"WEB", "enter")
        assert "match 1 of 1 · found in: value" in painted(pilot)
        selected = screen_of(pilot).selected
        assert selected is not None
        assert selected.path == ("tags", "Name")
        await find(pilot, "aws_")
        assert "match 1 of 4" in painted(pilot)
        await press(pilot, "n")
        assert "match 2 of 4" in painted(pilot)
        await press(pilot, "N", "N")
        assert "match 4 of 4" in painted(pilot)


async def test_one_value_is_revealed_on_purpose_and_hidden_again_by_itself(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StateDetailScreen, "revealed_for", 0.5)
    async with showing(world) as pilot:
        await find(pilot, "login")
        assert SECRET not in painted(pilot)
        await pilot.press("x")
        await wait_until(lambda: SECRET in painted(pilot))
        assert OUTPUT not in painted(pilot)
        assert SECRET not in "".join(copy.text for copy in screen_of(pilot).copies())
        said = [flash.text for flash in console_of(pilot).flashes]
        assert any("on this screen only" in text and "aws_db_instance.db[0].login" in text for text in said)
        assert not any(SECRET in text for text in said)
        await wait_until(lambda: SECRET not in painted(pilot))


async def test_x_again_hides_it_and_so_does_whatever_covers_the_screen(world: World) -> None:
    async with showing(world) as pilot:
        await find(pilot, "db_url")
        await press(pilot, "x")
        assert OUTPUT in painted(pilot)
        await press(pilot, "x")
        assert OUTPUT not in painted(pilot)
        await press(pilot, "x")
        assert OUTPUT in painted(pilot)
        await press(pilot, "question_mark")
        await press(pilot, "escape")
        assert OUTPUT not in painted(pilot)


async def test_revealing_another_value_hides_the_first(world: World) -> None:
    async with showing(world) as pilot:
        await find(pilot, "db_url")
        await press(pilot, "x")
        await find(pilot, "login")
        await press(pilot, "x")
        await press(pilot, "slash", "escape")
        shown = painted(pilot)
        assert SECRET in shown
        assert OUTPUT not in shown


async def test_reading_again_keeps_what_is_open_and_where_the_cursor_is(world: World) -> None:
    async with showing(world) as pilot:
        await find(pilot, "web")
        before = screen_of(pilot).selected
        assert before is not None
        world.store.objects[NET_KEY] = document(resource("new"), DATABASE)
        await press(pilot, "r")
        after = screen_of(pilot).selected
        assert after is not None
        assert after.id == before.id
        assert any("aws_vpc.new" in line for line in tree_of(pilot))


async def test_every_document_of_the_collection_opens(world: World) -> None:
    now = world.clock()
    async with world.console(view="jobs") as pilot:
        open_file(console_of(pilot), DOCUMENTS[0])
        await settle(pilot)
        screen = screen_of(pilot)
        for path in DOCUMENTS:
            screen.show(opened_file(path.name, path.read_bytes(), now))
            assert screen.outline is not None
            for top in screen.outline.tree.tops:
                screen.outline.open_below(top)
            await pilot.press("G")
            await pilot.pause()
            text = calm(pilot)
            assert path.name in text
            assert screen.opened is not None
            errors = [one for one in screen.opened.findings if one.severity.value == "error"]
            if errors:
                assert errors[0].message[:20] in text, path.name


@pytest.mark.parametrize("name", ["s06-sensitive-attributes", "s23-v3-legacy", "s33-truncated", "s35-xml-error-body", "s38-gzip"])
async def test_the_raw_view_opens_for_whatever_a_document_is(world: World, name: str) -> None:
    async with world.console(view="jobs") as pilot:
        open_file(console_of(pilot), FIXTURES / f"{name}.tfstate")
        await settle(pilot)
        await press(pilot, "E", "v")
        assert raw_of(pilot).lines.text
        assert "not-a-real-password" not in calm(pilot)
        await press(pilot, "escape", "escape")
        assert view_of(pilot).view_name == "jobs"


async def test_a_file_is_asked_for_and_one_that_cannot_be_read_says_so(world: World, tmp_path: Path) -> None:
    (tmp_path / "old.tfstate").write_bytes(STATE)
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        ask_for_file(view_of(pilot))
        await settle(pilot)
        pilot.app.screen.query_one(Input).value = str(tmp_path / "old.tfstate")
        await pilot.press("enter")
        await settle(pilot)
        assert screen_of(pilot).opened is not None
        await screen_of(pilot).run_action(f"open_state_file({str(tmp_path / 'absent')!r})")
        await settle(pilot)
        assert "cannot be read" in painted(pilot)


async def test_an_object_that_cannot_be_read_says_why_and_what_to_do(world: World) -> None:
    world.store.errors[ORPHAN_KEY] = AccessDenied("The store said no", hint="ask for s3:GetObject")
    world.store.objects[ORPHAN_KEY] = STATE
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        open_state(console_of(pilot), ORPHAN_KEY)
        await settle(pilot)
        shown = painted(pilot)
        assert "The store said no" in shown
        assert "ask for s3:GetObject" in shown
        await press(pilot, "v", "x", "n", "slash", "a", "escape", "escape", "escape")
        assert not isinstance(pilot.app.screen, StateDetailScreen)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_long_refusal_stands_once_with_its_next_step_and_on_lines_of_its_own(world: World, size: tuple[int, int]) -> None:
    hint = "grant these credentials s3:ListBucket on the bucket and s3:GetObject on its objects"
    world.store.objects[ORPHAN_KEY] = STATE
    world.store.errors[ORPHAN_KEY] = AccessDenied(
        f"kumoss-terraform-state at store.acme:9000 refused us access to {ORPHAN_KEY}",
        detail="403 AccessDenied: Access Denied\nthe object may not be there: without s3:ListBucket a store says 403, too",
        hint=hint,
    )
    async with world.console(view="jobs", size=size) as pilot:
        await settle(pilot)
        open_state(console_of(pilot), ORPHAN_KEY)
        await settle(pilot)
        shown = painted(pilot)
        assert shown.count("refused us access") == 1
        assert "\N{SYMBOL FOR LINE FEED}" not in shown
        assert "403 AccessDenied: Access Denied" in shown
        assert hint in " ".join(word for word in shown.split() if word not in "▌▊█"), "the frame of the banner left out"
        assert "It could not be read; r tries again." in shown


async def test_an_object_that_is_gone_is_not_said_to_be_unreadable(world: World) -> None:
    world.store.errors["head"] = NotFound("the store has no such object", code="store.object_missing")
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        open_state(console_of(pilot), ORPHAN_KEY)
        await settle(pilot)
        assert "There is no such object." in painted(pilot)
        assert "could not be read" not in painted(pilot)


async def test_one_object_of_one_resource_is_counted_as_one(world: World) -> None:
    world.store.objects[ORPHAN_KEY] = document(resource("main"), outputs={"one": {"value": 1, "type": "number"}})
    async with world.console(view="jobs", size=LARGE) as pilot:
        await settle(pilot)
        open_state(console_of(pilot), ORPHAN_KEY)
        await settle(pilot)
        assert "1 object of 1 resource · 0 data · 1 output" in " ".join(painted(pilot).split())


async def test_a_lock_that_cannot_be_looked_at_is_not_called_unlocked(world: World) -> None:
    world.store.errors[f"{NET_KEY}.tflock"] = AccessDenied("The store said no")
    async with showing(world) as pilot:
        assert "? could not look: The store said no" in painted(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_hostile_text_is_shown_and_never_obeyed(world: World, size: tuple[int, int]) -> None:
    rows = [
        {
            "mode": "managed",
            "type": text,
            "name": text,
            "module": f"module.{number}",
            "provider": text,
            "instances": [{"index_key": text, "attributes": {"id": text, text: text}}],
        }
        for number, text in enumerate(HOSTILE)
    ]
    outputs = {text: {"value": {text: text}} for text in HOSTILE}
    checks = [{"object_kind": text, "config_addr": text, "status": text} for text in HOSTILE]
    async with showing(world, document(*rows, outputs=outputs, check_results=checks, lineage=HOSTILE[0]), size=size) as pilot:
        calm(pilot)
        outline = screen_of(pilot).outline
        assert outline is not None
        for top in outline.tree.tops:
            outline.open_below(top)
        for text in HOSTILE[:-1]:
            await find(pilot, text[:20])
            calm(pilot)
        await press(pilot, "G", "enter", "v")
        calm(pilot)


async def test_a_large_state_makes_lines_only_for_what_is_opened(world: World) -> None:
    async with showing(world, generated(3.0)) as pilot:
        screen = screen_of(pilot)
        assert screen.outline is not None
        assert len(screen.outline.lines) < 60
        widgets = len(screen.query("*"))
        await press(pilot, "g", "e")
        await wait_until(lambda: screen.outline is not None and len(screen.outline.lines) > 1_500)
        assert len(screen.query("*")) == widgets
        await find(pilot, "node-000042")
        assert "match 1 of 1 · found in: value" in painted(pilot)
        await press(pilot, "v")
        assert "node-000042" in raw_of(pilot).lines.text


async def test_its_words_are_known_on_the_command_line_of_every_view(world: World) -> None:
    assert COMMANDS in [commands for _, commands in homes()]


async def test_enter_in_the_bucket_opens_the_state_and_file_opens_one_at_hand(world: World, tmp_path: Path) -> None:
    (tmp_path / "old.tfstate").write_bytes(STATE)
    world.store.objects[ORPHAN_KEY] = STATE
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        await press(pilot, "enter")
        assert screen_of(pilot).opened is not None
        await press(pilot, "escape", "colon")
        pilot.app.screen.query_one(CommandLine).value = f"file {tmp_path / 'old.tfstate'}"
        await press(pilot, "enter")
        opened = screen_of(pilot).opened
        assert opened is not None
        assert opened.file == str(tmp_path / "old.tfstate")
        assert "? no known project" not in painted(pilot)


async def test_what_another_view_points_at_is_looked_for_in_the_view_below(world: World) -> None:
    async with showing(world) as pilot:
        screen_of(pilot).show_subject("#1")
        await settle(pilot)
        assert view_of(pilot).view_name == "jobs"
