"""Heads on disk, in the cache folder: one file for each store, so that a second look asks only for what changed.

Nothing in here is secret (keys, ETags, serials, lineages), nothing is needed: a file that cannot be read or written is as good
as none, and any of them may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Literal

import msgspec

from kumoss_console.model.state.head import HeadFacts, HeadStatus, KnownHead

FORMAT: Literal[2] = 2
"""Of the file, and of what is concluded from bytes: where that changes, what was kept before is found out anew."""

MAX_HEADS = 100_000
"""Heads of one store that are kept: some 20 MB."""

MAX_STORES = 8
"""Files that are kept, the ones written last."""

_LARGEST = 2**64

MAX_BYTES = 64 * 1024 * 1024
"""Bytes of a file that is read: a larger one is not ours."""


class _Row(msgspec.Struct, array_like=True, frozen=True):
    key: str
    etag: str
    size: int
    status: HeadStatus
    serial: int | None
    lineage: str | None
    engine_version: str | None
    format_version: int | None
    certain: bool
    reason: str
    managed: int | None
    ended: bool | None


class _File(msgspec.Struct, frozen=True):
    format: Literal[2]
    store: str
    heads: list[_Row]


class HeadFiles:
    """:class:`~kumoss_console.ports.headcache.HeadCache` in ``folder``, which is made when something is to be kept."""

    def __init__(self, folder: Path, *, heads: int = MAX_HEADS, stores: int = MAX_STORES) -> None:
        """``heads`` are kept of each store, and files of ``stores``."""
        self._folder = folder
        self._heads = heads
        self._stores = stores

    def load(self, store: str) -> dict[tuple[str, str], KnownHead]:
        """Empty for a file that is damaged, foreign, too large, or of another console."""
        path = self._file(store)
        try:
            with path.open("rb") as opened:
                raw = opened.read(MAX_BYTES + 1)
            found = msgspec.json.decode(raw, type=_File) if len(raw) <= MAX_BYTES else None
        except (OSError, msgspec.DecodeError, RecursionError):
            return {}
        if found is None or found.store != store:
            return {}
        return {(row.key, row.etag): _known(row) for row in found.heads}

    def save(self, store: str, heads: Mapping[tuple[str, str], KnownHead]) -> None:
        """The newest of them, in one step, readable by this user alone."""
        try:
            raw = msgspec.json.encode(_File(format=FORMAT, store=store, heads=list(_rows(heads, self._heads))))
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._write(self._file(store), raw)
            self._forget_the_oldest()
        except (OSError, UnicodeEncodeError, OverflowError):
            return

    def _file(self, store: str) -> Path:
        return self._folder / f"{hashlib.sha256(store.encode(errors='surrogatepass')).hexdigest()[:24]}.json"

    def _write(self, path: Path, raw: bytes) -> None:
        # Made readable by this user alone.
        with NamedTemporaryFile(dir=self._folder, prefix=".heads-", delete=False) as made:
            try:
                made.write(raw)
                made.close()
                os.replace(made.name, path)
            except OSError:
                with suppress(OSError):
                    os.unlink(made.name)
                raise

    def _forget_the_oldest(self) -> None:
        files = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for path in files[: -self._stores]:
            path.unlink(missing_ok=True)


def _rows(heads: Mapping[tuple[str, str], KnownHead], limit: int) -> Iterator[_Row]:
    for (key, etag), known in islice(heads.items(), max(0, len(heads) - limit), None):
        facts = known.facts
        if max(facts.serial or 0, facts.format_version or 0) >= _LARGEST:
            continue  # no engine counts so far, and JSON of ours cannot hold it
        yield _Row(
            key=key,
            etag=etag,
            size=known.size,
            status=facts.status,
            serial=facts.serial,
            lineage=facts.lineage,
            engine_version=facts.engine_version,
            format_version=facts.format_version,
            certain=facts.certain,
            reason=facts.reason,
            managed=facts.managed,
            ended=known.ended,
        )


def _known(row: _Row) -> KnownHead:
    facts = HeadFacts(
        status=row.status,
        serial=row.serial,
        lineage=row.lineage,
        engine_version=row.engine_version,
        format_version=row.format_version,
        certain=row.certain,
        reason=row.reason,
        managed=row.managed,
    )
    return KnownHead(row.size, facts, row.ended)
