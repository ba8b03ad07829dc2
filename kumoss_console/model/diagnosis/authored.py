"""Words in an error that are not the engine's: what somebody wrote into a condition, and what a provisioner's command printed.

They can say anything ("No space left on device?"), so they are shown and never searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from kumoss_console.model.diagnosis.clean import Line

_CONDITION = re.compile(
    r"(?:Error|Warning): (?:Check block assertion failed|Test assertion failed"
    r"|(?:Resource|Module output value) (?:pre|post)condition failed)"
)
_VARIABLE = re.compile(r"Error: Invalid value for (?:input )?variable")
_VALIDATION = "This was checked by the validation rule"
# What the engine itself says in such an error.
_ENGINE = re.compile(rf"with [^ ]{{1,400}},$|on [^ ]{{0,300}} ?line \d{{1,7}}\b|{_VALIDATION}")
_COMMAND = re.compile(r"Error: (?:local-exec provisioner error|Error running command ')")
_COMMAND_RAN = re.compile(r"Error running command\b")
# The same words as they passed by while the command ran, coloured or not.
_PRINTED = re.compile(r"-exec\):(?:\x1b\[[\d;]{0,20}m|[ \t]){1,12}(Error: [^\r\n\x1b]{1,400})")
_MOST_PRINTED = 200
_NARRATED = re.compile(r"[^ ]{1,400} \((?:local|remote)-exec\): ")


def printed_errors(*texts: str) -> frozenset[str]:
    """What provisioners' commands printed that looks like an engine's error, single blanks between its words."""
    found = (match[1] for text in texts if "-exec):" in text for match in _PRINTED.finditer(text))
    return frozenset(" ".join(line.split()) for line in islice(found, _MOST_PRINTED))


def runs_on(lines: Sequence[Line], line: Line, printed: frozenset[str]) -> bool:
    """Whether ``line``, which looks like the start of an error, goes on with the output of a command that ``lines`` tell of.

    It does where the command is known to have printed it, and where no line is free before it: an engine leaves one before an
    error of its own.
    """
    if not lines or not _COMMAND.match(lines[0].words):
        return False
    return bool(lines[-1].text.strip()) or line.words in printed


def without_authored(lines: list[Line]) -> list[Line]:
    """The lines of one error, warning or stretch of narration, with nothing to match where the words are somebody else's."""
    head = lines[0].words if lines else ""
    if _CONDITION.match(head) or (_VARIABLE.match(head) and any(line.words.startswith(_VALIDATION) for line in lines)):
        return [lines[0], *(line if _ENGINE.match(line.words) else replace(line, words="") for line in lines[1:])]
    if _COMMAND.match(head):
        return list(_before_command(lines))
    return [replace(line, words="") if _NARRATED.match(line.words) else line for line in lines]


def _before_command(lines: list[Line]) -> Iterator[Line]:
    said = False
    for line in lines:
        ran = None if said else _COMMAND_RAN.search(line.words)
        if said:
            yield replace(line, words="")
        elif ran:
            said = True
            yield replace(line, words=line.words[: ran.end()])
        else:
            yield line
