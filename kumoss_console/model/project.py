"""Repository, scope and path -> the project id, which begins the key of its state.

``project_id = sha256hex(host/path LF scope LF path)``, UTF-8, no line feed at the end. Source of the rule: the core.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from kumoss_console.errors import InputError
from kumoss_console.model.fields import Reading, Step, Trail, ambiguous, doubts_of_characters, doubts_of_edges, remark, trimmed
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.repository import read_repository
from kumoss_console.text import printable

__all__ = ["ProjectKey", "Step", "derive", "digest"]

STATE_FILENAME = "terraform.tfstate"
_FILENAME = re.compile(r"[A-Za-z0-9._-]{1,128}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectKey:
    """A project as the core identifies it: the three hashed lines, how they came about, and what is doubtful.

    ``hashed`` is the digested text, ``project_id`` its SHA-256 in 64 lower-case hex digits. No part holds a password.
    """

    repo: str
    scope: str
    path: str
    steps: tuple[Step, ...]
    hashed: str
    project_id: str
    findings: tuple[Finding, ...]

    def object_key(self, filename: str = STATE_FILENAME) -> str:
        """Key of the state object; :class:`InputError` where the core would not take the file name."""
        if not _FILENAME.fullmatch(filename):
            raise InputError(
                f"storage.terraform_state_filename is not a plain file name: {printable(filename)!r}",
                hint="Use 1 to 128 letters, digits, dots, underscores and hyphens.",
                code="key.bad_filename",
            )
        return f"{self.project_id}/{filename}"


def derive(repo: str, scope: str, path: str = "") -> ProjectKey:
    """The key of a project. Raises :class:`InputError` for what the core refuses; its hint names the https spelling."""
    readings = (read_repository(repo), _read_scope(scope), _read_path(path))
    names = tuple(reading.value for reading in readings)
    return ProjectKey(
        repo=names[0],
        scope=names[1],
        path=names[2],
        steps=tuple(step for reading in readings for step in reading.steps),
        hashed="\n".join(names),
        project_id=digest(*names),
        findings=tuple(finding for reading in readings for finding in reading.findings),
    )


def digest(repo: str, scope: str, path: str) -> str:
    """The project id of three normalised lines."""
    return sha256(f"{repo}\n{scope}\n{path}".encode()).hexdigest()


def _read_scope(raw: str) -> Reading:
    text = trimmed("scope", raw)
    trail = Trail("scope", raw)
    trail.to(text, "white space around goes", *(("white space around",) if raw != text else ()))
    trail.to(text.lower(), "in lower case", *(("upper case",) if text != text.lower() else ()))
    findings = (*doubts_of_edges("scope", raw), *_doubts_of_scope(text), *doubts_of_characters("scope", text))
    return Reading(value=text.lower(), steps=trail.steps(), findings=findings)


def _doubts_of_scope(text: str) -> Iterator[Finding]:
    if not text:
        yield remark(
            "no_scope",
            "scope",
            "the scope is empty; the core and the sidecar want one",
            "Give the subscription, project or account id.",
            severity=Severity.WARNING,
        )
    elif text == ".":
        yield ambiguous("scope_dot", "scope", "a scope is a plain word: '.' is hashed as '.', not as empty")
    elif not re.fullmatch(r"[A-Za-z0-9-]{1,64}", text):
        yield remark("unusual_scope", "scope", "the web application offers scopes of up to 64 letters, digits and hyphens only")
    if "SS" in text:
        yield ambiguous(
            "sharp_s",
            "scope",
            "the scope has SS, which is also a sharp s in capitals; lowered it is ss, and not the key of the spelling with ß",
            severity=Severity.INFO,
        )
    if text.casefold() != text.lower():
        yield ambiguous("case", "scope", "the scope has letters with more than one lower case; they are lowered, not folded")


def _read_path(raw: str) -> Reading:
    text = trimmed("path", raw)
    trail = Trail("path", raw)
    trail.to(text, "white space around goes", *(("white space around",) if raw != text else ()))
    bare = text.strip("/")
    around = ((text.startswith("/"), "leading slash"), (text.endswith("/") and bool(bare), "trailing slash"))
    trail.to(bare, "slashes around go", *(name for present, name in around if present))
    segments = [segment for segment in bare.split("/") if segment not in {"", "."}]
    value = "/".join(segments) or ("." if bare else "")
    inside = (("//" in bare, "duplicate slash"), (bare != value and "." in bare.split("/"), "'.' segment"))
    trail.to(value, "duplicate slashes and '.' segments go, a lone '.' stays", *(name for present, name in inside if present))
    findings = (*doubts_of_edges("path", raw), *_doubts_of_path(value), *doubts_of_characters("path", value))
    return Reading(value=value, steps=trail.steps(), findings=findings)


def _doubts_of_path(value: str) -> Iterator[Finding]:
    segments = value.split("/")
    if ".." in segments:
        yield ambiguous(
            "parent_segment",
            "path",
            "the path has a '..' segment; it is hashed, not resolved, and the core's API refuses it",
            "Give the path without '..'.",
        )
    if any(segment != segment.strip() for segment in segments):
        yield ambiguous("blank", "path", "a segment of the path begins or ends with white space; it stays")
    if "\\" in value:
        yield ambiguous("backslash", "path", "the path has a backslash; it is no separator")
    if value in {"", "."}:
        spelled, other = ("'.'", "an empty path") if value else ("empty", "'.'")
        yield remark("root_spelling", "path", f"the repository's root is spelled {spelled}; {other} is another project")
