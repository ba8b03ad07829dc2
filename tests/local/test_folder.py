"""Whose folder it is: nobody's data is touched, and one folder runs one stack."""

from __future__ import annotations

from pathlib import Path

import pytest

from kumoss_console.errors import InputError, Refused
from kumoss_console.local.folder import MARKER, claimed


def test_a_new_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    with claimed(tmp_path / "a" / "b") as folder:
        assert folder.path.stat().st_mode & 0o777 == 0o700
        assert not folder.seeded()


def test_a_folder_of_ours_is_known_again(tmp_path: Path) -> None:
    with claimed(tmp_path / "stack") as folder:
        folder.mark(seeded=True)

    with claimed(tmp_path / "stack") as folder:
        assert folder.seeded()


def test_a_marker_that_cannot_be_read_counts_as_not_seeded(tmp_path: Path) -> None:
    (tmp_path / MARKER).write_text("{")

    with claimed(tmp_path) as folder:
        assert not folder.seeded()


def test_somebody_elses_folder_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()

    with pytest.raises(Refused, match="not empty") as caught, claimed(tmp_path):
        pass

    assert caught.value.exit_code == 5
    assert [file.name for file in tmp_path.glob("*.*")] == ["thesis.tex"]


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    with claimed(tmp_path / "stack"), pytest.raises(Refused, match="already"), claimed(tmp_path / "stack"):
        pass


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(InputError, match="cannot hold"), claimed(tmp_path / "file"):
        pass
