"""Resource addresses as the engines print them."""

from __future__ import annotations

import re
from typing import Any

from kumoss_console.model.state.numbers import ENCODER, as_int64

_SIMPLE = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
MODULE_STEP = re.compile(r'\.?module\.[^\s.\["]+(?:\[(?:-?\d+|"(?:[^"\\]|\\.)*")\])?')
_PLAIN = re.compile(r'[^\\"$%\x00-\x1f\x7f-\uffff\U00010000-\U0010ffff]*\Z')


def resource_address(module: str, mode: str, type_: str, name: str) -> str:
    """``module.net["a"].data.aws_ami.ubuntu``; the root module is the empty string."""
    address = f"data.{type_}.{name}" if mode == "data" else f"{type_}.{name}"
    return f"{module}.{address}" if module else address


def module_steps(address: str) -> tuple[str, ...]:
    """The addresses of a module and of those it lies in, outermost first; what is no module address is one step."""
    if not address:
        return ()
    ends = [found.end() for found in MODULE_STEP.finditer(address)]
    if not ends or ends[-1] != len(address):
        return (address,)
    return tuple(address[:end] for end in ends)


def instance_address(resource: str, key: Any) -> str:
    """The address with its key: ``[0]``, ``["a"]``, or nothing for ``None``."""
    if key is None:
        return resource
    if isinstance(key, str):
        return f'{resource}["{_quoted(key)}"]'
    # Engines cut the fraction off a number, and refuse whatever is none.
    number = as_int64(key)
    return f"{resource}[{ENCODER.encode(key).decode() if number is None else number}]"


def _quoted(key: str) -> str:
    if _PLAIN.match(key):
        return key
    out: list[str] = []
    for index, char in enumerate(key):
        if char in "$%" and key[index + 1 : index + 2] == "{":
            out.append(char + char)
        elif char in _SIMPLE:
            out.append(_SIMPLE[char])
        elif char.isprintable():
            out.append(char)
        else:
            point = ord(char)
            out.append(f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}")
    return "".join(out)
