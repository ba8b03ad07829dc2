"""Why a document cannot stand in a comparison or a restore."""

from __future__ import annotations

from kumoss_console.errors import ConsoleError
from kumoss_console.model.state import DocumentKind, StateDocument
from kumoss_console.text import printable


def not_comparable(label: str, document: StateDocument, why: str = "") -> ConsoleError:
    """No engine would take it as a state whose resources can be told apart."""
    what = why or document.reason or (f"format {document.format_version}" if document.format_version else document.form.value)
    known = []
    if document.serial is not None:
        known.append(f"serial {document.serial}")
    if document.lineage:
        known.append(f"lineage {printable(document.lineage)}")
    return ConsoleError(
        f"{printable(label)} cannot be compared: {printable(what)}",
        detail=f"known of it: {', '.join(known)}" if known else "",
        hint=_hint(document),
        code="state.not_comparable",
    )


def _hint(document: StateDocument) -> str:
    if document.kind is DocumentKind.ENCRYPTED:
        return "It is encrypted: state pull with the engine and its key gives the plain document; compare those with --file."
    if document.kind is DocumentKind.STATE and document.readable:
        return "An engine of today rewrites it in format 4 (state pull); compare that with --file."
    return "state show tells what it is; another version may be whole."
