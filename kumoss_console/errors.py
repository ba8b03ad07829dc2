"""What can go wrong, said once.

    ConsoleError
    ├── InputError            2  what the user typed, or a value that would break what we write
    ├── ConfigError           2  a configuration file: file, line, key, found, accepted
    ├── ServiceError          3  a service or a store that could not be reached, or refused us
    │   ├── Unreachable       3  nobody answered: refused, DNS, TLS, timeout
    │   ├── AccessDenied      3  somebody answered, and said no to us
    │   ├── NotFound          3  somebody answered, and does not know the subject
    │   └── BadAnswer         3  the answer is not what the contract promises
    ├── GaveUp                4  our patience ended; the work may go on elsewhere
    └── Refused               5  locked, read-only, confirmation missing, precondition failed
        └── Unusable          3  something on this machine that a command needs does not work: the journal, the output

The number is the exit code of the command line. Third-party exceptions are translated where they are met; anything that is
not a ``ConsoleError`` at an edge is a bug of ours.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command line."""

    OK = 0
    BAD_NEWS = 1
    INPUT = 2
    UNREACHABLE = 3
    GAVE_UP = 4
    REFUSED = 5
    INTERRUPTED = 130


BUG = 70
"""Exit code of a bug of ours (EX_SOFTWARE of sysexits.h): no answer, good or bad, was given."""


class ConsoleError(Exception):
    """An error an operator can act on.

    ``code`` is stable and dotted (``store.access_denied``), ``title`` says what happened to what, ``detail`` is the evidence
    and may be empty, ``hint`` is the next step. None of the four ever holds a secret; text that came from outside has been
    through :func:`kumoss_console.text.printable`.
    """

    exit_code: ExitCode = ExitCode.BAD_NEWS
    default_code: str = "error"

    def __init__(self, title: str, *, detail: str = "", hint: str = "", code: str | None = None) -> None:
        super().__init__(title)
        self.title = title
        self.detail = detail
        self.hint = hint
        self.code = code or self.default_code

    def __str__(self) -> str:
        return "\n".join(part for part in (self.title, self.detail, self.hint) if part)


class InputError(ConsoleError):
    exit_code = ExitCode.INPUT
    default_code = "input.invalid"


class ConfigError(ConsoleError):
    """A configuration file that cannot be used. ``file``, ``line`` (1-based) and ``key`` are ``None`` where unknown."""

    exit_code = ExitCode.INPUT
    default_code = "config.invalid"

    def __init__(
        self,
        title: str,
        *,
        detail: str = "",
        hint: str = "",
        code: str | None = None,
        file: str | None = None,
        line: int | None = None,
        key: str | None = None,
    ) -> None:
        super().__init__(title, detail=detail, hint=hint, code=code)
        self.file = file
        self.line = line
        self.key = key


class ServiceError(ConsoleError):
    exit_code = ExitCode.UNREACHABLE
    default_code = "service.error"


class Unreachable(ServiceError):
    default_code = "service.unreachable"


class HungUp(Unreachable):
    """Whoever was asked closed the connection before it answered. Another request may well be answered."""

    default_code = "service.hung_up"


class AccessDenied(ServiceError):
    default_code = "service.access_denied"


class NotFound(ServiceError):
    default_code = "service.not_found"


class BadAnswer(ServiceError):
    default_code = "service.bad_answer"


class GaveUp(ConsoleError):
    exit_code = ExitCode.GAVE_UP
    default_code = "gave_up"


class Refused(ConsoleError):
    exit_code = ExitCode.REFUSED
    default_code = "refused"


class Unusable(Refused):
    """The machine refused, not this console: as with a store that cannot be reached, the same command may do later."""

    exit_code = ExitCode.UNREACHABLE
    default_code = "unusable"
