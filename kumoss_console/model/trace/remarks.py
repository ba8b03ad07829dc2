"""What an operator should know beside the verdict."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from kumoss_console.model.backend.doubts import endpoint_unreachable_finding
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.storage import StorageProvider
from kumoss_console.model.trace.evidence import Evidence
from kumoss_console.model.trace.localbeside import STOPS
from kumoss_console.model.trace.place import Place, outside, parted
from kumoss_console.model.trace.wording import locked, serial, short, stored_at, where

_SAID_BY_THE_VERDICT = {
    "backend.bound_differs",
    "backend.override_not_written",
    "backend.core_override_beaten",
    "backend.key_in_shared_file",
    "backend.leftover_override",
}


def remarks(evidence: Evidence, core: Place | None, cause: str) -> tuple[Finding, ...]:
    """Gravest kinds first; what the verdict says already is not said again."""
    skipped = _SAID_BY_THE_VERDICT if cause else {"backend.override_not_written"}
    if cause == "mixed_ownership":
        skipped = skipped | {"backend.mixed_ownership"}
    inspected = [
        finding for finding in evidence.inspection if finding.severity is not Severity.INFO and finding.code not in skipped
    ]
    return (
        *_places(evidence, core if cause != "other_project" else None),
        *_regions(evidence),
        *_aliases(evidence),
        *_unreachable(evidence),
        *(_beside(evidence) if cause != "local_state_beside" else ()),
        *_locks(evidence),
        *_init(evidence),
        *_log(evidence),
        *(_mixed(evidence) if evidence.workspace is None and cause != "mixed_ownership" else ()),
        *inspected,
        *(_weak(evidence) if cause != "left_behind" else ()),
    )


def _places(evidence: Evidence, core: Place | None) -> Iterator[Finding]:
    bound = evidence.engine.place
    for place in dict.fromkeys(place for place in (core, bound) if place is not None):
        reason = outside(place, evidence.reads)
        if reason and place.type != "local":
            yield _remark(
                "elsewhere",
                Severity.WARNING,
                where(place),
                f"this console cannot look there: {reason}",
                "Look with the tools of that store, or with a context whose configuration names it.",
            )
    if core is None or bound is None or not parted(core, bound):
        return
    here, there = stored_at(evidence, core), stored_at(evidence, bound)
    if here.status == there.status == "present" and here.key != there.key:
        same = here.lineage is not None and here.lineage == there.lineage
        yield _remark(
            "copied" if same else "two_states",
            Severity.WARNING,
            short(here.key),
            f"{'the same state' if same else 'two different states'} at both keys: {serial(here)} where the core writes, "
            f"{serial(there)} where the engine is bound",
            "The higher serial was written last." if same else "Compare their resources first; never push one over the other.",
        )


def _regions(evidence: Evidence) -> Iterator[Finding]:
    """Another region is no other place for a bucket, and yet the engine asks there."""
    core, bound = evidence.derived, evidence.engine.place
    written = evidence.written.place if evidence.written is not None else None
    for place, who in ((bound, "the engine is bound with"), (written, "the override on disk names")):
        if core is None or place is None or place.type != "s3" or None in {core.region, place.region}:
            continue
        if core.region != place.region:
            own = evidence.storage.provider is StorageProvider.S3
            yield _remark(
                "region_differs",
                Severity.WARNING if own else Severity.INFO,
                f"region {place.region}",
                f"{who} region {place.region}, and this context's configuration names {core.region}",
                "Compare this context with what the core runs with; the next init binds what the core writes then.",
            )
            return


def _aliases(evidence: Evidence) -> Iterator[Finding]:
    core, bound = evidence.derived, evidence.engine.place
    if core is None or bound is None or not core.store or not bound.store or core.store == bound.store:
        return
    if "store" not in parted(core, bound) and bound.type == core.type:
        yield _remark(
            "store_alias",
            Severity.INFO,
            bound.store,
            f"the engine is bound at {bound.store}, and this context names {core.store}: both are this machine, so they are "
            "taken for one store; in a container the name means the container itself",
        )


def _beside(evidence: Evidence) -> Iterator[Finding]:
    """A local state in the folder: an init without a backend block left it, or a migration did."""
    found = evidence.beside
    if found is None:
        return
    if found.status == "unknown":
        yield _remark(
            "local_beside", Severity.INFO, found.key, f"a file of that name is in the workspace and was not read: {found.detail}"
        )
        return
    if not found.readable:
        yield _remark("local_beside", Severity.INFO, found.key, "a file of that name is in the workspace, and is no state")
        return
    empty = not found.resources
    bound = evidence.engine.status == "bound"
    where_else = "while the engine is bound elsewhere" if bound else "and nothing else is bound"
    yield _remark(
        "local_beside",
        Severity.INFO if empty else Severity.WARNING,
        found.key,
        f"a local state ({serial(found)}) lies in the workspace, {where_else}, as an engine without a backend block writes it"
        + ("" if empty else f", and its resources are in no store; {STOPS}"),
        "" if empty else f"Look at it before the workspace goes: kumoss-console state show --file {_path(evidence, found.key)}",
    )


def _path(evidence: Evidence, name: str) -> str:
    return shlex.quote(f"{evidence.workspace}/{name}")


def _unreachable(evidence: Evidence) -> Iterator[Finding]:
    """Said once: that nobody answers here says nothing of the sidecar."""
    silent = next((stored for stored in evidence.stored.values() if stored.unreachable), None)
    if silent is not None:
        yield endpoint_unreachable_finding(evidence.store_label or "the store", silent.why)


def _locks(evidence: Evidence) -> Iterator[Finding]:
    for stored in evidence.stored.values():
        if lock := locked(evidence, stored):
            yield _remark(
                "locked",
                Severity.WARNING,
                short(stored.key),
                f"the state at key {short(stored.key)} is {lock}",
                "Wait for its holder; if nothing runs any more: kumoss-console state locks",
            )


def _init(evidence: Evidence) -> Iterator[Finding]:
    init, engine = evidence.engine.init, evidence.engine
    if init is None:
        return
    if init.good is False and (engine.at is None or init.at >= engine.at):
        yield _remark(
            "init_failed",
            Severity.WARNING,
            f"init {init.name}",
            f"the last init of this workspace failed ({init.summary}): what is bound is from before",
            f"kumoss-console jobs show {init.name}",
        )
    if init.missing_block:
        yield _remark(
            "silent_local",
            Severity.ERROR,
            f"init {init.name}",
            "init warned that a file was given and no backend block exists: the state is a file of the workspace",
            'Add terraform { backend "s3" {} } to the module.',
        )


def _log(evidence: Evidence) -> Iterator[Finding]:
    logged = evidence.logged
    if logged is None:
        return
    if not logged.lines:
        yield _remark(
            "log_silent",
            Severity.INFO,
            "core log",
            "no line 'Terraform state:' is in it: the core logs one per init, and none where managed state is off",
        )
        return
    own = evidence.storage.terraform_state_bucket
    if own and logged.found is not None and logged.found.bucket != own:
        yield _remark(
            "log_other_bucket",
            Severity.WARNING,
            f"core log, line {logged.found.line}",
            f"the core writes to bucket {logged.found.bucket}, and this context names {own}",
            "Use the configuration that the core runs with, or choose another context.",
        )


def _mixed(evidence: Evidence) -> Iterator[Finding]:
    if evidence.ownership.model == "mixed":
        yield _remark(
            "mixed_ownership",
            Severity.ERROR,
            "IAC_BACKEND_CONFIG",
            evidence.ownership.explanation,
            "Unset IAC_BACKEND_CONFIG on the sidecar, or turn managed state off.",
        )


def _weak(evidence: Evidence) -> Iterator[Finding]:
    for candidate in evidence.candidates[:3]:
        yield _remark(
            "near_miss",
            Severity.WARNING if candidate.strong else Severity.INFO,
            short(candidate.stored.key),
            f"a state ({serial(candidate.stored)}) is under another key: {candidate.why}",
        )


def _remark(code: str, severity: Severity, subject: str, message: str, remedy: str = "") -> Finding:
    return Finding(code=f"trace.{code}", severity=severity, subject=subject, message=message, remedy=remedy)
