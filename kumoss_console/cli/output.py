"""The only writer of stdout: one envelope, a stream of items, or plain text. Bytes are UTF-8 whatever the locale says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

from kumoss_console.cli.blocks import Block, render
from kumoss_console.errors import ConsoleError, ExitCode, Unusable


class ReaderGone(Exception):
    """Nobody reads stdout any more: ``| head`` has what it wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a command found: ``data`` for machines, ``blocks`` for people, and how it ends.

    ``data`` is made of JSON values, dates, paths and enums; its keys are printed in the order they have. ``warnings`` go into
    the envelope, or to stderr in plain mode; ``notes`` are hints for people and go to stderr in plain mode only.
    """

    data: object
    blocks: Sequence[Block] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    exit_code: ExitCode = ExitCode.OK


@dataclass(slots=True)
class Output:
    """``columns`` as in :class:`~kumoss_console.cli.world.World`."""

    stream: BinaryIO
    json: bool = False
    columns: int | None = None
    colour: bool = False

    def envelope(self, data: object, warnings: Sequence[str] = ()) -> None:
        """The whole answer of a command, as one line of JSON."""
        self._json({"ok": True, "data": data, "warnings": list(warnings)})

    def failure(self, error: ConsoleError, data: object = None) -> None:
        """The error of a command, as one line of JSON; in a stream it is the last line. ``data`` is what was found before."""
        found = {} if data is None else {"data": data}
        self._json({"ok": False, "error": error_data(error), **found})

    def items(self, items: Sequence[object]) -> None:
        """Items of a stream, one JSON document a line, sent at once."""
        from kumoss_console.cli.encode import to_json

        self._write("".join(to_json(item) + "\n" for item in items))

    def blocks(self, blocks: Sequence[Block]) -> None:
        """Plain blocks with an empty line between them."""
        texts = [render(block, columns=self.columns, colour=self.colour) for block in blocks]
        self._write("\n".join(text for text in texts if text))

    def text(self, text: str) -> None:
        """Text of our own making, as it is."""
        self._write(text if text.endswith("\n") else text + "\n")

    def _json(self, value: object) -> None:
        from kumoss_console.cli.encode import to_json

        self._write(to_json(value) + "\n")

    def _write(self, text: str) -> None:
        """Raises :class:`ReaderGone`, and :class:`Unusable` where the text cannot get out: a full disk, a closed stdout."""
        if not text:
            return
        try:
            self.stream.write(text.encode("utf-8", "backslashreplace"))
            self.stream.flush()
        except BrokenPipeError:
            raise ReaderGone from None
        except OSError as error:
            raise Unusable(
                f"The answer cannot be written to stdout: {error.strerror or error}",
                hint="Give stdout a place that takes it; what the command did besides is done.",
                code="output.unwritable",
            ) from None


def error_data(error: ConsoleError) -> dict[str, str]:
    """The ``error`` member of the envelope."""
    return {"code": error.code, "title": error.title, "detail": error.detail, "hint": error.hint}
