"""What a single value must be. A rule turns a scalar into a value of the domain, or says what it accepts instead.

The text of ``accepted`` is the one an error shows and the one the reference documentation prints.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from kumoss_console.config.elements import Scalar


class Rejected(Exception):
    """The value breaks the rule. ``hide`` keeps it out of the error; ``accepted`` overrides the rule's own text."""

    def __init__(self, *, found: str = "", accepted: str = "", hint: str = "", hide: bool = False) -> None:
        super().__init__(accepted)
        self.found = found
        self.accepted = accepted
        self.hint = hint
        self.hide = hide


class Rule(Protocol):
    @property
    def accepted(self) -> str: ...

    def read(self, value: Scalar) -> object:
        """The value to use; raises :class:`Rejected`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text, never a number that looks like one. ``pattern`` must match the whole of it, a trailing newline included."""

    accepted: str = "text"
    pattern: str = ""
    trimmed: bool = False
    at_least: int = 0
    at_most: int = 4096

    def read(self, value: Scalar) -> str:
        if not isinstance(value, str):
            hint = "" if value is None else "put it in quotes to make it a text"
            raise Rejected(hint=hint)
        _refuse_unencodable(value)
        text = value.strip() if self.trimmed else value
        if not self.at_least <= len(text) <= self.at_most:
            raise Rejected(found="" if text else "found an empty text")
        if self.pattern and not re.fullmatch(self.pattern, text):
            raise Rejected(hint="it ends in a line break" if text.endswith("\n") else "")
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A boolean. YAML 1.1 takes ``yes`` and ``on`` for one too; a text in quotes is none."""

    accepted: str = "true or false"

    def read(self, value: Scalar) -> bool:
        if isinstance(value, bool):
            return value
        raise Rejected(hint="without quotes" if isinstance(value, str) else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A finite number within bounds, both included; ``above`` is a bound that is not.

    ``as_core`` also takes what the core's parser takes: a number in quotes, and 3.0 for an integer. The core runs on such a
    file, so refusing it would keep an operator from a working system. A boolean is refused everywhere: the core would read
    ``true`` as 1, which nobody means.
    """

    accepted: str
    integer: bool = False
    as_core: bool = False
    above: float | None = None
    low: float = -math.inf
    high: float = math.inf

    def read(self, value: Scalar) -> float | int:
        number = self._number(value)
        if not math.isfinite(number) or not self.low <= number <= self.high:
            raise Rejected
        if self.above is not None and number <= self.above:
            raise Rejected
        return number

    def _number(self, value: Scalar) -> float | int:
        if isinstance(value, str) and self.as_core:
            value = _number_in(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Rejected(hint="without quotes" if isinstance(value, str) and _is_numeric(value) else "")
        try:
            number = float(value)
        except OverflowError:
            raise Rejected from None
        if not self.integer:
            return number
        if isinstance(value, int):
            return value
        if not self.as_core or not number.is_integer():
            raise Rejected
        return int(number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of some spellings, each with the value it stands for. Spelling is exact, as the core's is."""

    spellings: Mapping[str, object]
    accepted: str = ""

    def __post_init__(self) -> None:
        if not self.accepted:
            object.__setattr__(self, "accepted", ", ".join(self.spellings))

    def read(self, value: Scalar) -> object:
        if isinstance(value, str) and value in self.spellings:
            return self.spellings[value]
        from kumoss_console.config.nearest import did_you_mean

        raise Rejected(hint=did_you_mean(value, self.spellings) if isinstance(value, str) else "")


_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,255}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """The name of an environment variable; blank for none. What is no name may be the secret itself and is never shown."""

    accepted: str = "the name of an environment variable"

    def read(self, value: Scalar) -> str:
        if not isinstance(value, str):
            raise Rejected(hide=value is not None)
        if value and not _VARIABLE.fullmatch(value):
            raise Rejected(hide=True, hint="put the secret into an environment variable, and the variable's name here")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Url:
    """A base URL that requests can be sent to: http or https, a host, nothing secret and nothing after the path."""

    accepted: str = "a URL that begins with http:// or https:// and names a host"
    empty: str = ""

    def read(self, value: Scalar) -> str:
        if not isinstance(value, str):
            raise Rejected
        _refuse_unencodable(value)
        if not value and self.empty:
            raise Rejected(found="found an empty text", hint=self.empty)
        if hint := url_fault(value):
            raise Rejected(hint=hint)
        return value


def url_fault(url: str) -> str:
    """Why no request can be sent to ``url``, in words; empty where one can."""
    if any(char.isspace() or not char.isprintable() for char in url):
        return "it holds blanks or control characters"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "its host or port is malformed"
    if parts.scheme not in {"http", "https"}:
        bare = re.fullmatch(r"[A-Za-z0-9.-]+(:[0-9]+)?/?", url)
        return f"write http://{url} or https://{url}" if bare else "it begins with neither http:// nor https://"
    if not host or port == 0:
        return "it names no host" if not host else "0 is no port"
    if "@" in parts.netloc:
        return "leave the user name and password out: they would be shown wherever the endpoint is"
    if parts.query or parts.fragment:
        return "leave out what follows the path"
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nested:
    """Not a scalar: a section or a list that is read on its own. Only there to be documented."""

    accepted: str

    def read(self, value: Scalar) -> object:
        raise Rejected


def _refuse_unencodable(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Rejected(hint="it holds characters that UTF-8 cannot carry") from None


_NUMERIC = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


def _is_numeric(text: str) -> bool:
    return len(text) <= 40 and bool(_NUMERIC.fullmatch(text.strip()))


def _number_in(text: str) -> float | int | str:
    if not _is_numeric(text):
        return text
    stripped = text.strip()
    return int(stripped) if stripped.lstrip("+-").isdigit() else float(stripped)
