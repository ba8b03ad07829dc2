"""The functions of the language that can be computed here with certainty; for all others only the engine will do."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping

from kumoss_console.model.hcl.numbers import is_number
from kumoss_console.model.hcl.types import BOOL, NUMBER, STRING, ConversionError, Unresolved, convert, string_of

Function = Callable[..., object]


class FunctionError(Exception):
    """What the engine would complain about, as far as it is known."""


def _text(value: object) -> str:
    if value is None:
        raise FunctionError("argument must not be null")
    text = string_of(value)
    if text is None:
        raise FunctionError("string required")
    return text


def _number(value: object) -> int:
    number = convert(value, NUMBER)
    if not isinstance(number, int):
        raise FunctionError("a whole number is required")
    return number


def _list(value: object) -> tuple[object, ...]:
    if not isinstance(value, tuple):
        raise FunctionError("a list is required")
    return value


def _map(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise FunctionError("a map is required")
    return value


def _substr(text: object, offset: object, length: object) -> object:
    source, start, count = _text(text), _number(offset), _number(length)
    if not source.isascii():
        return Unresolved(reason="substr() counts grapheme clusters")
    if start < 0:
        start = max(0, start + len(source))
    return source[start:] if count == -1 else source[start : start + max(0, count)]


def _replace(text: object, old: object, new: object) -> object:
    pattern = _text(old)
    if len(pattern) > 1 and pattern.startswith("/") and pattern.endswith("/"):
        return Unresolved(reason="replace() with a regular expression")
    return _text(text).replace(pattern, _text(new))


def _join(separator: object, *lists: object) -> object:
    return _text(separator).join(_text(item) for values in lists for item in _list(values))


def _lookup(mapping: object, key: object, *default: object) -> object:
    values = _map(mapping)
    name = _text(key)
    if name in values:
        return values[name]
    if default:
        return default[0]
    raise FunctionError(f'the given object has no attribute "{name}"')


def _element(values: object, index: object) -> object:
    items = _list(values)
    if not items:
        raise FunctionError("cannot use element function with an empty list")
    return items[_number(index) % len(items)]


def _coalesce(*values: object) -> object:
    for value in values:
        if value is not None and value != "":
            return value
    raise FunctionError("no non-null, non-empty-string arguments")


def _merge(*maps: object) -> object:
    merged: dict[str, object] = {}
    for mapping in maps:
        if mapping is not None:
            merged.update(_map(mapping))
    return merged


def _length(value: object) -> object:
    if isinstance(value, str):
        return len(value) if value.isascii() else Unresolved(reason="length() counts grapheme clusters")
    if isinstance(value, tuple | dict):
        return len(value)
    raise FunctionError("argument must be a string, a collection type, or a structural type")


def _format(spec: object, *values: object) -> object:
    """The verbs ``%s``, ``%d``, ``%v`` on texts and whole numbers, and ``%%``."""
    text, rest, parts, index = _text(spec), list(values), [], 0
    while index < len(text):
        if text[index] != "%":
            parts.append(text[index])
            index += 1
            continue
        verb = text[index + 1 : index + 2]
        index += 2
        if verb == "%":
            parts.append("%")
        elif verb in {"s", "d", "v"} and rest:
            value = rest.pop(0)
            if verb == "d" and not (is_number(value) and isinstance(value, int)):
                return Unresolved(reason="format() with this verb")
            parts.append(_text(value))
        else:
            return Unresolved(reason="format() with this verb")
    return "".join(parts)


def _digest(algorithm: str) -> Function:
    return lambda value: hashlib.new(algorithm, _text(value).encode(), usedforsecurity=False).hexdigest()


def _title(value: object) -> object:
    return Unresolved(reason="title()") if not _text(value).isascii() else _title_ascii(_text(value))


def _title_ascii(text: str) -> str:
    out, start = [], True
    for char in text:
        out.append(char.upper() if start else char)
        start = not (char.isalnum() or char in "_'")
    return "".join(out)


def _conversion(kind: str) -> Function:
    wanted = {"string": STRING, "number": NUMBER, "bool": BOOL}[kind]
    return lambda value: convert(value, wanted)


FUNCTIONS: dict[str, Function] = {
    "abs": lambda value: abs(_number(value)),
    "base64encode": lambda value: base64.b64encode(_text(value).encode()).decode(),
    "basename": lambda value: _text(value).rstrip("/").rpartition("/")[2] or ("/" if "/" in _text(value) else "."),
    "chomp": lambda value: _text(value).rstrip("\r\n"),
    "coalesce": _coalesce,
    "concat": lambda *lists: tuple(item for values in lists for item in _list(values)),
    "element": _element,
    "endswith": lambda text, end: _text(text).endswith(_text(end)),
    "format": _format,
    "join": _join,
    "keys": lambda mapping: tuple(sorted(_map(mapping))),
    "length": _length,
    "lookup": _lookup,
    "lower": lambda value: _text(value).lower(),
    "max": lambda *values: max(_number(value) for value in values),
    "md5": _digest("md5"),
    "merge": _merge,
    "min": lambda *values: min(_number(value) for value in values),
    "replace": _replace,
    "sha1": _digest("sha1"),
    "sha256": _digest("sha256"),
    "sha512": _digest("sha512"),
    "split": lambda separator, text: tuple(_text(text).split(_text(separator))) if _text(separator) else tuple(_text(text)),
    "startswith": lambda text, start: _text(text).startswith(_text(start)),
    "strrev": lambda value: _text(value)[::-1] if _text(value).isascii() else Unresolved(reason="strrev()"),
    "substr": _substr,
    "title": _title,
    "tobool": _conversion("bool"),
    "tonumber": _conversion("number"),
    "tostring": _conversion("string"),
    "trim": lambda text, chars: _text(text).strip(_text(chars)),
    "trimprefix": lambda text, start: _text(text).removeprefix(_text(start)),
    "trimspace": lambda value: _text(value).strip(),
    "trimsuffix": lambda text, end: _text(text).removesuffix(_text(end)),
    "upper": lambda value: _text(value).upper(),
}

_ENGINE_ONLY = """
abspath alltrue anytrue base64decode base64gunzip base64gzip base64sha256 base64sha512 bcrypt can ceil chunklist
cidrcontains cidrhost cidrnetmask cidrsubnet cidrsubnets coalescelist compact contains csvdecode dirname distinct
ephemeralasnull file filebase64 filebase64sha256 filebase64sha512 fileexists filemd5 fileset filesha1 filesha256
filesha512 flatten floor formatdate formatlist indent index issensitive jsondecode jsonencode list log map matchkeys
nonsensitive one parseint pathexpand plantimestamp pow range regex regexall reverse rsadecrypt sensitive setintersection
setproduct setsubtract setunion signum slice sort strcontains sum templatefile templatestring textdecodebase64
textencodebase64 timeadd timecmp timestamp tolist tomap toset transpose try type urldecode urlencode uuid uuidv5 values
yamldecode yamlencode zipmap
"""
ENGINE_ONLY = frozenset(_ENGINE_ONLY.split())
"""Functions that exist, and that the engine alone computes."""


def call(name: str, arguments: list[object]) -> object:
    """The result, or :class:`Unresolved`. Raises :class:`FunctionError`, and :class:`KeyError` for an unknown name."""
    plain = name.removeprefix("core::")
    if any(isinstance(argument, Unresolved) for argument in arguments):
        return next(argument for argument in arguments if isinstance(argument, Unresolved))
    if plain in ENGINE_ONLY:
        return Unresolved(reason=f"{plain}() is computed by the engine")
    try:
        return FUNCTIONS[plain](*arguments)
    except ConversionError as error:
        raise FunctionError(str(error)) from None
    except TypeError:
        raise FunctionError("wrong number of arguments") from None
    except (ValueError, OverflowError):
        return Unresolved(reason=f"{plain}() is computed by the engine")
