"""Reading one YAML file into elements, whatever the file turns out to be."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from kumoss_console.config.elements import Element
from kumoss_console.config.report import Problem
from kumoss_console.text import clip, printable

SIZE_LIMIT = 4 * 1024 * 1024
"""Bytes. The core's own file is 8 KiB with all its comments."""


class Unreadable(Exception):
    """The file cannot be used at all; the problem says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.title)
        self.problem = problem


def read_document(path: Path) -> Element | None:
    """The root element of a YAML file, ``None`` for a file without a document (empty, or comments alone).

    Raises :class:`Unreadable` for anything that is not one YAML document in UTF-8 of at most :data:`SIZE_LIMIT` bytes.
    """
    text = _decode(path, read_bytes(path))
    import yaml

    # libyaml where the wheel has it: 20 times the speed, and a nesting limit of its own.
    parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        # compose() disposes of its loader; it makes nodes and no values.
        node: Any = yaml.compose(text, Loader=parser)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _syntax(path, mark.line + 1 if mark else 0, error.problem or error.context or "") from None
    except yaml.reader.ReaderError as error:
        # libyaml counts bytes, the parser in Python counts characters.
        read = text if parser is yaml.SafeLoader else text.encode(errors="surrogatepass")
        raise _syntax(path, _line_of(read, error.position), "a control character that YAML does not allow") from None
    except RecursionError:
        raise _syntax(path, 0, "it is nested too deeply") from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise _syntax(path, 0, str(error)) from None
    return None if node is None else Element(printable(str(path)), "", node.start_mark.line + 1, node)


def read_bytes(path: Path) -> bytes:
    """The bytes of a regular file. Never waits: a pipe, a device or a folder is refused before it is opened."""
    try:
        # The name could be exchanged between looking and opening: O_NONBLOCK keeps even a pipe from holding us.
        _refuse_special(path, os.stat(path).st_mode)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        with os.fdopen(descriptor, "rb") as file:
            _refuse_special(path, os.fstat(descriptor).st_mode)
            content = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise _refused(path, f"cannot be read: {reason}", "a file this user may read", "config.unreadable") from None
    except ValueError:
        raise _refused(path, "is no path: it holds a NUL character", "a file", "config.unreadable") from None
    if len(content) > SIZE_LIMIT:
        raise _refused(path, "is larger than 4 MiB", "a YAML file of at most 4 MiB", "config.unreadable")
    return content


def _refuse_special(path: Path, mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
    raise _refused(path, f"is {what}", "a YAML file", "config.unreadable")


def _decode(path: Path, content: bytes) -> str:
    if b"\0" in content:
        raise _refused(path, "is binary", "a YAML file in UTF-8", "config.unreadable")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _refused(path, "is not UTF-8 text", "a YAML file in UTF-8", "config.unreadable", line=line) from None


def _line_of(read: str | bytes, position: int) -> int:
    before = read[:position]
    return (before.count("\n") if isinstance(before, str) else before.count(b"\n")) + 1


def _refused(path: Path, found: str, accepted: str, code: str, *, line: int = 0) -> Unreadable:
    return Unreadable(Problem(file=printable(str(path)), line=line, key="", found=found, accepted=accepted, code=code))


def _syntax(path: Path, line: int, reason: str) -> Unreadable:
    found = f"is not valid YAML: {clip(printable(reason), 200)}" if reason else "is not valid YAML"
    return _refused(path, found, "one YAML document", "config.syntax", line=line)
