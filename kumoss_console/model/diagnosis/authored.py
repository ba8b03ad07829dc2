"""Words in an error that are not the engine's: what somebody wrote into a condition, and what a provisioner's command printed.

They can say anything ("No space left on device?"), so they are shown and never searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

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
_NARRATED = re.compile(r"[^ ]{1,400} \((?:local|remote)-exec\): ")


def runs_on(lines: Sequence[Line]) -> bool:
    """Whether a line like ``Error: x`` right after ``lines`` is a part of what a command printed: an engine leaves a line free
    before an error of its own."""
    return bool(lines) and bool(_COMMAND.match(lines[0].words)) and bool(lines[-1].text.strip())


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
