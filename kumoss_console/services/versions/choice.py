"""Which version an operator means: by word, by its place in the list, or by (the beginning of) its id."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kumoss_console.errors import InputError
from kumoss_console.ports.objects import ObjectVersion
from kumoss_console.text import printable

NEWEST = "newest"
PREVIOUS = "previous"
_PLACE = re.compile(r"#(\d{1,9})\Z")


def holds_nothing(found: Sequence[ObjectVersion]) -> bool:
    """Whether the key is empty now. S3 puts a delete marker on top; an account of Azure that keeps versions just has none that
    is current any more."""
    return not any(version.latest and version.kind == "version" for version in found)


def chosen(found: Sequence[ObjectVersion], asked: str, key: str) -> ObjectVersion:
    """The one version of ``found`` (newest first) that ``asked`` names: ``newest``, ``previous``, ``#3``, an id or its beginning.

    ``newest`` and ``previous`` pass over delete markers, which hold nothing. Of a key that was deleted, ``previous`` is the last
    version before the deletion. Raises :class:`~kumoss_console.errors.InputError` where none or several are meant, and for a
    delete marker.
    """
    kept = [version for version in found if version.kind != "delete_marker"]
    if asked in (NEWEST, PREVIOUS):
        place = 0 if asked == NEWEST or holds_nothing(found) else 1
        if place < len(kept):
            return kept[place]
        raise _none(key, f"there is no {asked} version with content: {len(kept)} in all")
    if (numbered := _PLACE.match(asked)) is not None:
        place = int(numbered[1])
        if not 1 <= place <= len(found):
            raise _none(key, f"there is no {asked}: state versions counts {len(found)}, #1 is the newest")
        return _with_content(found[place - 1], key)
    exact = [version for version in found if version.version_id == asked]
    meant = exact or [version for version in found if asked and version.version_id.startswith(asked)]
    if not meant:
        raise _none(key, f"none of its {len(found)} versions has an id that begins with {printable(asked)}")
    if len(meant) > 1:
        raise InputError(
            f"{printable(asked)} means {len(meant)} versions of {printable(key)}",
            hint="give more of the id, or the number that state versions prints, as in #2",
            code="input.ambiguous_version",
        )
    return _with_content(meant[0], key)


def _with_content(version: ObjectVersion, key: str) -> ObjectVersion:
    if version.kind == "delete_marker":
        raise InputError(
            f"{printable(version.version_id)} of {printable(key)} is a delete marker: it holds nothing",
            hint="take the version before it",
            code="input.delete_marker",
        )
    return version


def _none(key: str, why: str) -> InputError:
    return InputError(
        f"No such version of {printable(key)}", detail=why, hint="state versions lists them", code="input.unknown_version"
    )
