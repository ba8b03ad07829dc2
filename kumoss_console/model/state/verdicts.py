"""Documents an engine does not take: what they are, what it says, and what to do."""

from __future__ import annotations

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.state.document import DocumentKind, Form, StateDocument

NO_VERSION = 'The state file does not have a "version" attribute, which is required to identify the format version.'

_PREVIOUS = "look for an earlier version of the object, or a terraform.tfstate.backup, and push that"
_REMEDY = {
    Form.EMPTY: f"engines take this for no state and would propose to create everything: {_PREVIOUS}",
    Form.NOT_A_STATE: f"something else was stored under this key: {_PREVIOUS}",
    Form.DAMAGED: _PREVIOUS,
    Form.STATE: "use an engine that knows this format",
    Form.COMPRESSED: "find what compresses uploads on the way to the store, and store the unpacked document",
    Form.PLAN_FILE: f"a saved plan does not belong under a state key: {_PREVIOUS}",
    Form.ENCRYPTED: "OpenTofu with the same encryption settings reads it; Terraform cannot",
    Form.BACKEND_CACHE: "this is .terraform/terraform.tfstate: the real state is where it points",
}
_WHAT = {
    Form.EMPTY: "the object is empty",
    Form.NOT_A_STATE: "this is not a state",
    Form.DAMAGED: "the state is damaged",
    Form.STATE: "this state cannot be read",
    Form.COMPRESSED: "the object is compressed, and engines do not unpack it",
    Form.PLAN_FILE: "this is not a state",
    Form.ENCRYPTED: "the state is encrypted",
}


def not_json(offset: int) -> str:
    """What an engine says of bytes that are not JSON; ``offset`` counts from one, as it does."""
    return f"The state file could not be parsed as JSON: syntax error at byte offset {offset}."


def not_a_number(kind: str) -> str:
    return f"The version in the state file is {kind}. A positive whole number is required."


def refused(form: Form, reason: str, *, severity: Severity = Severity.ERROR) -> Finding:
    """The finding that goes with a document an engine does not take."""
    message = f"{_WHAT[form]}: {reason}" if reason else _WHAT[form]
    code = f"state.{'unreadable' if form is Form.STATE else form.value.replace('-', '_')}"
    return Finding(code=code, severity=severity, subject="document", message=message, remedy=_REMEDY[form])


def unreadable(
    raw: bytes, form: Form, reason: str, engine_error: str | None, *, kind: DocumentKind = DocumentKind.UNKNOWN
) -> StateDocument:
    """A document an engine does not take, with the finding that says so."""
    return StateDocument(
        kind=kind,
        form=form,
        readable=False,
        size=len(raw),
        reason=reason,
        engine_error=engine_error,
        findings=(refused(form, reason),),
    )


def too_large(size: int) -> StateDocument:
    """An object of ``size`` bytes that was not read, being larger than any state."""
    reason = f"not read: {size:,} bytes are more than this console reads"
    message = Finding(code="state.too_large", severity=Severity.ERROR, subject="document", message=reason, remedy=_PREVIOUS)
    return StateDocument(
        kind=DocumentKind.UNKNOWN, form=Form.NOT_A_STATE, readable=False, size=size, reason=reason, findings=(message,)
    )


def backend_cache_finding() -> Finding:
    return Finding(
        code="state.backend_cache",
        severity=Severity.WARNING,
        subject="document",
        message="this holds backend settings and no resources, and an engine would take it for an empty state",
        remedy=_REMEDY[Form.BACKEND_CACHE],
    )


def note(code: str, severity: Severity, message: str, remedy: str = "") -> Finding:
    """A finding about the document as a whole."""
    return Finding(code=code, severity=severity, subject="document", message=message, remedy=remedy)
