"""The only writer of stderr: notes, warnings, errors with their next step, questions, and the report of a crash."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

from kumoss_console.errors import ConsoleError
from kumoss_console.text import Secret, printable, redact


@dataclass(slots=True)
class Diagnostics:
    stream: BinaryIO
    colour: bool = False

    def note(self, text: str) -> None:
        """Narration: what is being done, or how to go on."""
        self._line(printable(text))

    def warning(self, text: str) -> None:
        self._line(f"{self._toned('warning', '33')}: {printable(text)}")

    def usage(self, text: str) -> None:
        """The help of a command that was not told what to do."""
        self._line(text.rstrip("\n"))

    def error(self, error: ConsoleError) -> None:
        """One short block: what happened to what, the evidence, the next step."""
        self._line(f"{self._toned('error', '31')}: {printable(error.title)}")
        for line in printable(error.detail, newlines=True).splitlines():
            self._line(f"  {line}")
        if error.hint:
            self._line(f"  → {printable(error.hint)}")

    def ask(self, question: str) -> None:
        """A question without a line end: the answer stands behind it."""
        self._write(printable(question))

    def interrupted(self) -> None:
        """After ``^C`` the terminal's line is not empty."""
        self._write("\ninterrupted\n")

    def crash(self, error: BaseException, secrets: Iterable[Secret]) -> None:
        """Where a bug of ours happened: frames without locals, and no secret we know of."""
        for line in crash_report(error, secrets):
            self._line(line)

    def _toned(self, text: str, sgr: str) -> str:
        return f"\x1b[{sgr}m{text}\x1b[0m" if self.colour else text

    def _line(self, text: str) -> None:
        self._write(text + "\n")

    def _write(self, text: str) -> None:
        try:
            self.stream.write(text.encode("utf-8", "backslashreplace"))
            self.stream.flush()
        except OSError:
            # Nobody listens on stderr (closed pipe, full disk): there is no further place to say so.
            return


def crash_report(error: BaseException, secrets: Iterable[Secret] = ()) -> list[str]:
    """Printable lines: what was raised, and the frames it came through, innermost last."""
    import traceback

    from kumoss_console import __version__

    said = redact(f"{type(error).__name__}: {error}", secrets)
    lines = [f"error: kumoss-console {__version__} has a bug: {said}"]
    lines += [
        f"  {frame.filename.rpartition('site-packages/')[2]}:{frame.lineno} in {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        lines.append(redact(f"  caused by {type(cause).__name__}: {cause}", secrets))
    lines.append("  → Please report this with the lines above; they hold no secrets of this configuration.")
    return [printable(line) for line in lines]


def crash_error(error: BaseException, secrets: Iterable[Secret] = ()) -> ConsoleError:
    """The same for machines."""
    return ConsoleError(
        "kumoss-console has a bug",
        detail=printable(redact(f"{type(error).__name__}: {error}", secrets)),
        hint="Run the command again without --json for the report.",
        code="internal.bug",
    )
