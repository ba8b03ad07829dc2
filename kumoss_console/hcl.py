"""A second reading of native syntax, by python-hcl2: the only module that imports it.

The console reads workspaces with :mod:`kumoss_console.model.hcl`, which knows lines and recovers from errors as the engines do.
What the console *writes* is proved by a reader that is not its own: an override whose values come back the same from both is
what it claims to be. CPU work (1.4 s when the grammar is built for the first time, 0.1 s later): call it off the event loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kumoss_console.errors import InputError
from kumoss_console.text import printable

LARGEST = 256 * 1024
"""Characters of a text that is read; an override has a few hundred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondReading:
    """The one backend block of a text. ``unread`` names arguments whose value is an expression: python-hcl2 computes none."""

    type: str
    values: Mapping[str, object]
    unread: tuple[str, ...] = ()


def second_reading(text: str, *, cache: Path | None = None) -> SecondReading:
    """The backend block in ``text``, which must hold exactly one.

    ``cache`` is a folder of the user's own for the built grammar; ``None`` leaves it beside the library, where a read-only
    installation cannot keep it. Raises :class:`InputError` for what is no native syntax and for another number of blocks.
    """
    if len(text) > LARGEST:
        raise InputError(f"The text has {len(text):,} characters: too many for a second reading", code="hcl.too_large")
    blocks = [
        (name, body)
        for outer in _list(_loaded(text, cache).get("terraform"))
        for inner in _list(outer.get("backend"))
        for name, body in inner.items()
    ]
    if len(blocks) != 1:
        raise InputError(f"The text holds {len(blocks)} backend blocks, not one", code="hcl.no_backend")
    name, body = blocks[0]
    values = {key: _plain(value) for key, value in body.items()} if isinstance(body, dict) else {}
    unread = tuple(key for key, value in values.items() if _is_expression(value))
    return SecondReading(type=name, values={key: values[key] for key in values if key not in unread}, unread=unread)


def _loaded(text: str, cache: Path | None) -> Mapping[str, object]:
    import hcl2
    import hcl2.parser
    from lark.exceptions import LarkError, UnexpectedInput

    if cache is not None:
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        # The library reads this name when it builds its parser, once a process.
        hcl2.parser.PARSER_FILE = cache / "hcl2-grammar.bin"
    options = hcl2.SerializationOptions(
        strip_string_quotes=True, explicit_blocks=False, preserve_heredocs=False, with_comments=False
    )
    try:
        loaded: Mapping[str, object] = hcl2.loads(text if text.endswith("\n") else f"{text}\n", serialization_options=options)
    except UnexpectedInput as error:
        raise InputError(
            "The text is not valid HCL",
            detail=f"line {error.line}, column {error.column}",
            hint="Compare the text at that place with what was meant to be written.",
            code="hcl.invalid",
        ) from None
    except (LarkError, RecursionError, ValueError) as error:
        raise InputError("The text is not valid HCL", detail=printable(type(error).__name__), code="hcl.invalid") from None
    return loaded


def _list(value: object) -> list[dict[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _plain(value: object) -> object:
    """Keys without the quotes that the library leaves on them."""
    if isinstance(value, dict):
        return {str(key).strip('"'): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return tuple(_plain(item) for item in value)
    return value


def _is_expression(value: object) -> bool:
    """Whether the library gave source text back. It leaves the escapes of templates doubled, so any opener counts."""
    if isinstance(value, dict):
        return any(map(_is_expression, value.values()))
    if isinstance(value, tuple):
        return any(map(_is_expression, value))
    return isinstance(value, str) and ("${" in value or "%{" in value)
