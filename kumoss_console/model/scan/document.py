"""What is wrong with one object, from its head."""

from __future__ import annotations

from collections.abc import Iterator

from kumoss_console.errors import NotFound
from kumoss_console.model.finding import Severity
from kumoss_console.model.scan.finding import STATES, ScanFinding, Subject, about, because
from kumoss_console.model.state.head import Head
from kumoss_console.model.storedkey import KeyKind
from kumoss_console.text import printable

_OLDEST_CURRENT = 4
_AND = " and "
_EARLIER = "look at its older versions (state versions), or for a backup, and push that"


def of_head(subject: Subject, head: Head) -> Iterator[ScanFinding]:
    """What the head of ``subject`` says. An object that could not be looked at is a finding, too."""
    if head.error is not None:
        yield _not_looked(subject, head)
    elif head.status in _BROKEN:
        code, severity, message, remedy = _BROKEN[head.status]
        because = f": {printable(head.reason)}" if head.reason else ""
        # At a key that is not named like a state, anything may lie.
        expected = subject.kind in STATES
        if head.status == "lock" and expected:
            message += " under a state's key"
        yield about(subject, code, severity if expected else Severity.INFO, f"{message}{because}", remedy if expected else "")
    elif head.status == "encrypted":
        clear = [name for name, value in (("serial", head.serial), ("lineage", head.lineage)) if value not in (None, "")]
        message = f"encrypted by OpenTofu: resources cannot be read here; {_AND.join(clear) or 'nothing of it'} can"
        yield about(subject, "encrypted", Severity.INFO, message)
    elif head.status == "state":
        yield from _of_state(subject, head)


def is_error(kind: KeyKind, head: Head) -> bool:
    """Whether :func:`of_head` tells an error of an object at a key of that kind."""
    subject = Subject(key=head.key, kind=kind, modified=None)
    return any(finding.severity is Severity.ERROR for finding in of_head(subject, head))


def _not_looked(subject: Subject, head: Head) -> ScanFinding:
    error = head.error
    if isinstance(error, NotFound):
        message = "deleted while the bucket was scanned: it was listed, and is gone"
        return about(subject, "gone", Severity.INFO, message)
    reason, hint = (because(error), error.hint) if error is not None else ("", "")
    return about(subject, "not_looked", Severity.ERROR, f"could not be looked at: {reason}", hint)


def _of_state(subject: Subject, head: Head) -> Iterator[ScanFinding]:
    if head.reason:
        yield about(
            subject,
            "unreadable",
            Severity.ERROR,
            f"no engine reads this state: {printable(head.reason)}",
            "use an engine that knows this format, or " + _EARLIER,
        )
        return
    if head.format_version is not None and head.format_version < _OLDEST_CURRENT:
        yield about(
            subject,
            "legacy_format",
            Severity.WARNING,
            f"format {head.format_version}, of an engine before 0.12; the next apply writes format 4, and there is no way back",
            "keep a copy before the next apply",
        )
    if head.lineage == "":
        yield about(subject, "no_lineage", Severity.WARNING, "no lineage: a push of any other state would be taken in its place")
    if head.managed == 0:
        yield about(
            subject,
            "no_resources",
            Severity.INFO,
            "holds no managed resource",
            "destroyed on purpose? else the first apply never came, or went elsewhere (trace)",
        )


_BROKEN: dict[str, tuple[str, Severity, str, str]] = {
    "empty": (
        "empty",
        Severity.ERROR,
        "empty: engines take this for no state, and would propose to create everything",
        _EARLIER,
    ),
    "damaged": ("damaged", Severity.ERROR, "a damaged state", _EARLIER),
    "not_a_state": ("not_a_state", Severity.ERROR, "not a state", f"something else was stored under this key: {_EARLIER}"),
    "plan": ("plan", Severity.ERROR, "a saved plan, not a state", _EARLIER),
    "compressed": (
        "compressed",
        Severity.ERROR,
        "compressed, and engines do not unpack it",
        "find what compresses uploads on the way to the store, and store the unpacked document",
    ),
    "backend_cache": (
        "backend_cache",
        Severity.ERROR,
        "backend settings (.terraform/terraform.tfstate), which an engine would take for an empty state",
        "the real state is where it points: " + _EARLIER,
    ),
    "lock": ("misplaced_lock", Severity.ERROR, "a lock document", _EARLIER),
    "dependency_lock": ("misplaced_lock", Severity.ERROR, "a dependency lock file, not a state", _EARLIER),
}
