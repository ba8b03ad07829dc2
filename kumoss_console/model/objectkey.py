"""Keys that a person types, before a store is asked for them."""

from __future__ import annotations

import re

from kumoss_console.errors import InputError
from kumoss_console.text import clip, printable

_DIGEST = re.compile(r"[0-9a-f]{64}")
LONGEST = 1024
"""Bytes of a key in UTF-8, as S3 has it."""


def typed_key(text: str) -> str:
    """``text`` where an object can have it as its key. Raises :class:`InputError` naming KEY.

    ``.`` and ``..`` as parts are legal to S3, and stores that keep objects as files resolve them: what was asked for is then
    not what is read.
    """
    shown = clip(printable(text), 80)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise _refused(f"KEY {shown} holds bytes that are not UTF-8") from None
    if not text.strip():
        raise _refused("KEY is empty")
    if size > LONGEST:
        raise _refused(f"KEY is too long: {size:,} bytes, and a key has at most {LONGEST:,}")
    if "\0" in text:
        raise _refused(f"KEY {shown} holds a NUL character")
    if {".", ".."} & set(text.split("/")):
        raise _refused(f"KEY {shown} leads out of the bucket: . and .. are no parts of a key")
    return text


def state_key(text: str, filename: str) -> str:
    """The key of a state: ``text`` itself, or that of the project whose id it is. ``filename`` is the core's name of a state.

    Raises as :func:`typed_key`.
    """
    return typed_key(f"{text}/{filename}" if _DIGEST.fullmatch(text) else text)


def _refused(title: str) -> InputError:
    return InputError(title, hint="state list shows the keys; a project id alone will do, too.", code="input.key")
