"""Text that comes from outside, and text that must not get out.

Object keys, job output, lock holders and state values are written by strangers. A terminal obeys control sequences in them:
ESC and the C1 range can repaint the screen or write the clipboard, bidirectional controls can show ``txt.exe`` as ``exe.txt``.
:func:`printable` is the one gate such text passes before it reaches a screen, a log or a terminal.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

MASK = "********"

# Cc and Cf hold every control, bidirectional override and invisible joiner; Zl and Zp break lines; Cs cannot be encoded.
_HOSTILE_CATEGORIES = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"})
# Zero width joiner and variation selectors shape emoji and Indic scripts and move nothing: they stay.
_HARMLESS = frozenset("\u200d\ufe0f\ufe0e")
_PLAIN = re.compile(r"[\x20-\x7e]*\Z")


@lru_cache(maxsize=4096)
def _shown(char: str) -> str:
    if unicodedata.category(char) not in _HOSTILE_CATEGORIES or char in _HARMLESS:
        return char
    point = ord(char)
    if point < 0x20:
        return chr(0x2400 + point)
    if point == 0x7F:
        return "\u2421"
    return f"<U+{point:04X}>"


def printable(text: str, *, newlines: bool = False) -> str:
    """Text that a terminal shows and never obeys.

    C0 controls become their control pictures (``␛``), other hostile points ``<U+XXXX>``. Line feeds and tabs survive only with
    ``newlines=True``, where CR LF is folded to LF. The result of ``printable`` passes through it unchanged.
    """
    if _PLAIN.match(text):
        return text
    if newlines:
        kept = text.replace("\r\n", "\n")
        return "".join(char if char in "\n\t" else _shown(char) for char in kept)
    return "".join(map(_shown, text))


class Secret:
    """A value that is never shown by accident: ``repr``, ``str`` and formatting give a mask.

    Not a dataclass on purpose: crash reports print locals, dataclass fields and mappings, and none of them may leak it.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value itself. Call it where it is sent or written, never where it could be kept."""
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __str__(self) -> str:
        return MASK

    def __format__(self, spec: str) -> str:
        return format(MASK, spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __reduce__(self) -> str:
        raise TypeError("a Secret does not travel")


_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+(?!token\b)[A-Za-z0-9._~+/=-]{6,}")
_SIGNED = re.compile(r"(?i)\b(sig|se|x-amz-signature|x-amz-credential|x-amz-security-token)=[^&\s\"']+")
_USERINFO = re.compile(r"(?i)\b([a-z][a-z0-9+.-]*://)[^/\s@\"']+@")
_NAMED = re.compile(
    r"(?i)\b(secret_key|access_key|account_key|accountkey|sas_token|client_secret|password|secret_access_key|session_token)"
    r"(\"?\s*[:=]\s*\"?)([^\s\"',;]+)"
)


def conceal(text: str, secrets: Iterable[Secret]) -> str:
    """Text without the given secrets. Those of fewer than four characters stay: they are in every other word."""
    for value in sorted((secret.reveal() for secret in secrets if len(secret.reveal()) >= 4), key=len, reverse=True):
        text = text.replace(value, MASK)
    return text


def redact(text: str, secrets: Iterable[Secret] = ()) -> str:
    """Text without the given secrets and without what looks like one (bearer tokens, signatures, userinfo, named keys)."""
    text = conceal(text, secrets)
    text = _BEARER.sub(lambda m: f"{m[1]} {MASK}", text)
    text = _SIGNED.sub(lambda m: f"{m[1]}={MASK}", text)
    text = _USERINFO.sub(lambda m: f"{m[1]}{MASK}@", text)
    return _NAMED.sub(lambda m: f"{m[1]}{m[2]}{MASK}", text)


@lru_cache(maxsize=8192)
def _char_width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def width(text: str) -> int:
    """Terminal cells that ``text`` takes; text must be printable."""
    return len(text) if text.isascii() else sum(map(_char_width, text))


def clip(text: str, cells: int, *, middle: bool = False) -> str:
    """``text`` in at most ``cells`` terminal cells, an ellipsis where something was left out.

    With ``middle=True`` both ends stay: digests and paths are told apart by their ends.
    """
    if width(text) <= cells:
        return text
    if cells <= 1:
        return "…"[:cells]
    if middle:
        tail = _take(text[::-1], (cells - 1) // 2)[::-1]
        return _take(text, cells - 1 - width(tail)) + "…" + tail
    return _take(text, cells - 1) + "…"


def _take(text: str, cells: int) -> str:
    used = 0
    for index, char in enumerate(text):
        used += _char_width(char)
        if used > cells:
            return text[:index]
    return text
