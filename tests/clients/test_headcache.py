"""Heads on disk: what comes back, what does not, and that no file of any kind upsets anybody."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from kumoss_console.clients.headcache import HeadFiles
from kumoss_console.model.state.head import HeadFacts, KnownHead

LABEL = "states at store.test:9000"
FACTS = HeadFacts(status="state", serial=2**64 - 1, lineage="7d1e\x1b", engine_version="1.9.0", format_version=4)
HEADS = {
    ("a\n", "e1"): KnownHead(4096, FACTS, True),
    ("b", "e2"): KnownHead(0, HeadFacts(status="empty", certain=True, reason="zero bytes")),
}


def only(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_what_was_saved_comes_back_for_that_store_alone(tmp_path: Path) -> None:
    cache = HeadFiles(tmp_path / "heads")
    cache.save(LABEL, HEADS)
    assert HeadFiles(tmp_path / "heads").load(LABEL) == HEADS
    assert cache.load("another") == {}
    assert stat.S_IMODE(only(tmp_path / "heads").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "heads").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "content", [b"", b"{", b"null", b"[[1]]", b'{"format":1,"store":"x","heads":[]}', b"\0" * 99, b'{"a":' * 9999]
)
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    cache = HeadFiles(tmp_path / "heads")
    cache.save(LABEL, HEADS)
    only(tmp_path / "heads").write_bytes(content)
    assert cache.load(LABEL) == {}
    cache.save(LABEL, HEADS)
    assert cache.load(LABEL) == HEADS


def test_one_head_that_cannot_be_kept_costs_no_other_one_its_place(tmp_path: Path) -> None:
    cache = HeadFiles(tmp_path / "heads")
    odd = {("odd", "e"): KnownHead(9, HeadFacts(status="state", format_version=10**30))}
    cache.save(LABEL, {**odd, **HEADS})
    assert cache.load(LABEL) == HEADS


def test_a_file_of_another_store_under_this_ones_name_is_not_believed(tmp_path: Path) -> None:
    folder = tmp_path / "heads"
    cache = HeadFiles(folder)
    cache.save("another", HEADS)
    others = only(folder)
    cache.save(LABEL, {})
    mine = next(path for path in folder.iterdir() if path != others)
    mine.write_bytes(others.read_bytes())
    assert cache.load("another") == HEADS
    assert cache.load(LABEL) == {}


def test_only_the_newest_heads_and_stores_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "heads"
    cache = HeadFiles(folder, heads=3, stores=2)
    for place, label in enumerate(("old", "older", LABEL)):
        cache.save(label, {(f"k{number}", "e"): KnownHead(1, FACTS) for number in range(9)})
        for file in folder.iterdir():
            if file.stat().st_mtime > 100:
                os.utime(file, (place, place))
    assert [key for key, _ in cache.load(LABEL)] == ["k6", "k7", "k8"]
    assert len(list(folder.iterdir())) == 2


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "heads").write_text("a file where the folder should be")
    cache = HeadFiles(tmp_path / "heads")
    cache.save(LABEL, HEADS)
    assert cache.load(LABEL) == {}
