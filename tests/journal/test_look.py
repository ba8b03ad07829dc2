"""A look at the journal finds what a command would meet, and leaves nothing behind."""

from __future__ import annotations

import os
import sqlite3
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kumoss_console.journal import Journal
from kumoss_console.journal.look import look_at
from kumoss_console.journal.schema import VERSION
from kumoss_console.model.contract import ValidateRequest

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
async def file(tmp_path: Path) -> Path:
    file = tmp_path / "state" / "jobs.sqlite3"
    journal = Journal.open(file)
    await journal.record("prod", ValidateRequest(workspace_path="/w"), NOW)
    journal.close()
    return file


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_journal_is_opened_and_nothing_is_changed(file: Path) -> None:
    before = everything(file.parent)

    assert look_at(file).status == "well"
    assert everything(file.parent) == before


async def test_a_journal_in_use_is_looked_at_beside_its_user(file: Path) -> None:
    journal = Journal.open(file)
    await journal.record("prod", ValidateRequest(workspace_path="/w"), NOW)
    beside = sorted(file.parent.iterdir())

    assert look_at(file).status == "well"
    assert sorted(file.parent.iterdir()) == beside
    await journal.record("prod", ValidateRequest(workspace_path="/w"), NOW)
    assert len(await journal.jobs("prod", 10)) == 3
    journal.close()


def test_what_is_no_database_is_damaged(file: Path) -> None:
    content = b"not a database, and long enough to be read as one" * 50
    file.write_bytes(content)

    assert look_at(file).status == "damaged"
    assert file.read_bytes() == content


def test_a_page_that_was_overwritten_is_found(file: Path) -> None:
    raw = bytearray(file.read_bytes())
    raw[4096 * 2 :] = b"\xa5" * (len(raw) - 4096 * 2)
    file.write_bytes(raw)

    assert look_at(file).status == "damaged"


def test_a_database_of_something_else_and_a_newer_one_are_unusable(tmp_path: Path) -> None:
    other = "CREATE TABLE t (x); PRAGMA user_version ="
    for name, script in (("foreign", f"{other} {VERSION}"), ("old", f"{other} 1"), ("newer", "PRAGMA user_version = 99")):
        with sqlite3.connect(tmp_path / name) as connection:
            connection.executescript(script)
        connection.close()
        assert look_at(tmp_path / name).status == "unusable"


def test_a_place_where_there_is_none_yet_is_tried_without_a_trace(tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()

    assert look_at(folder / "a" / "b" / "jobs.sqlite3").status == "absent"
    assert list(folder.iterdir()) == []


def test_a_folder_in_its_place_and_a_file_on_the_way_are_unusable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    for place in (tmp_path, tmp_path / "file" / "jobs.sqlite3"):
        look = look_at(place)
        assert look.status == "unusable"
        assert "folder" in look.why


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_place_that_nobody_can_write_is_found_out_by_root_as_well() -> None:
    look = look_at(Path("/proc/nope/jobs.sqlite3"))

    assert look.status == "unusable"
    assert look.why.startswith("/proc cannot be written")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_this_user_may_not_write_is_unusable(file: Path) -> None:
    file.chmod(0o400)

    assert look_at(file).status == "unusable"
