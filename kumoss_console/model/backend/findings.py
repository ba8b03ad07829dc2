"""What an operator should know about a workspace's backend: the engine's own words first, then what no engine says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kumoss_console.model.backend.bound import Bound, Difference
from kumoss_console.model.backend.doubts import bundled_keys, setting_unknown
from kumoss_console.model.backend.remedies import REMEDIES
from kumoss_console.model.backend.result import BackendAttribute, Binding, EffectiveBackend
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.hcl import Problem
from kumoss_console.model.hcl.types import Unresolved
from kumoss_console.model.storage import Ownership, StorageProvider
from kumoss_console.text import Secret, printable

SIDECAR_UID = 10001
"""The user of the sidecar's image."""

_PLACE = {"s3": "key", "azurerm": "key", "oss": "key", "cos": "key", "gcs": "prefix", "local": "path", "consul": "path"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is known beyond the folder. ``override_name`` is the core's file; ``options`` as they were given to the engine."""

    ownership: Ownership
    override_name: str
    provider: StorageProvider = StorageProvider.RUSTFS
    options: tuple[str, ...] = ()
    what_if: bool = False
    """Whether the options were typed, and are not what the sidecar is known to have."""
    terragrunt: bool = False
    unreadable: tuple[str, ...] = ()
    """Option files that the sidecar's user may not read."""


def backend_findings(
    effective: EffectiveBackend, bound: Bound, parted: tuple[Difference, ...], around: Surroundings
) -> tuple[Finding, ...]:
    """Gravest causes first within each part."""
    found = [
        *_unknown(effective),
        *map(_engine, effective.problems),
        *_ownership(effective, around),
        *setting_unknown(around.ownership),
        *_blocks(effective, around),
        *_files(effective),
        *_options(effective, around),
        *_values(effective, around),
        *bundled_keys(effective, around.provider),
        *_bound(effective, bound, parted),
    ]
    if around.terragrunt:
        found.append(_terragrunt(effective))
    return tuple(found)


def _unknown(effective: EffectiveBackend) -> Iterator[Finding]:
    for name in effective.unknown:
        yield Finding(
            code="backend.unknown",
            severity=Severity.ERROR,
            subject=printable(name),
            message="the backend is not known, since this file was not read to its end and may decide it",
            remedy="Make the file smaller or less nested, or run init and look at what it binds.",
        )


def _engine(problem: Problem) -> Finding:
    slug = re.sub(r"[^a-z0-9]+", "_", problem.summary.lower()).strip("_")
    limit = problem.kind == "limit"
    severity = Severity.ERROR if problem.kind == "error" else Severity.WARNING
    detail = f": {problem.detail}" if problem.detail else ""
    return Finding(
        code=f"{'reader' if limit else 'engine'}.{slug}",
        severity=severity,
        subject=printable(problem.at or "init"),
        message=printable(f"{problem.summary}{detail}"),
        remedy=REMEDIES.get(problem.summary, "The file may still be right for the engine: run init." if limit else ""),
    )


def _ownership(effective: EffectiveBackend, around: Surroundings) -> Iterator[Finding]:
    owner = around.ownership
    if owner.model == "mixed":
        yield Finding(
            code="backend.mixed_ownership",
            severity=Severity.WARNING if around.what_if else Severity.ERROR,
            subject="IAC_BACKEND_CONFIG",
            message=owner.explanation,
            remedy="Unset IAC_BACKEND_CONFIG on the sidecar, or turn managed state off.",
        )
    written = any(block.origin.file == around.override_name for block in effective.blocks)
    if owner.model == "managed" and not written:
        yield Finding(
            code="backend.override_not_written",
            severity=Severity.INFO,
            subject=around.override_name,
            message="the core writes this file before init; it is not here yet, and init would find the backend without it",
            remedy="See the file with: kumoss-console override --repo URL --scope ID",
        )
    if effective.bound is not None and effective.bound.at is None:
        yield _no_block(around, written=written)


def _no_block(around: Surroundings, *, written: bool) -> Finding:
    if around.options:
        return Finding(
            code="backend.silent_local",
            severity=Severity.ERROR,
            subject="backend block",
            message="-backend-config is given but no backend block exists: init ends with 0 and the state stays in the workspace",
            remedy='Add an empty block to the module: terraform { backend "s3" {} } with the type that the file is for.',
        )
    severity = Severity.INFO if around.ownership.model == "managed" and not written else Severity.ERROR
    return Finding(
        code="backend.none",
        severity=severity,
        subject="backend block",
        message="no backend block: the state is the file terraform.tfstate in the workspace, and is lost with it",
        remedy="Declare a backend in the module, or turn managed state on.",
    )


def _blocks(effective: EffectiveBackend, around: Surroundings) -> Iterator[Finding]:
    winner = next((block for block in effective.blocks if block.wins), None)
    if winner is None:
        return
    files = [block.origin.file for block in effective.blocks if block.origin.layer == "override"]
    if around.override_name in files and winner.origin.file != around.override_name:
        yield Finding(
            code="backend.core_override_beaten",
            severity=Severity.ERROR,
            subject=printable(winner.origin.at),
            message=f"{printable(winner.origin.file)} sorts after {around.override_name} and replaces what the core wrote",
            remedy="Remove its backend block, or give the file a name that sorts before the core's.",
        )
    elif len(files) > 1:
        yield Finding(
            code="backend.several_overrides",
            severity=Severity.WARNING,
            subject=printable(winner.origin.at),
            message=f"override files {printable(', '.join(files))}: the last in byte order wins as a whole",
        )
    types = dict.fromkeys(block.type for block in effective.blocks)
    if len(types) > 1:
        yield Finding(
            code="backend.type_differs",
            severity=Severity.WARNING,
            subject=printable(winner.origin.at),
            message=f"the layers name different types: {printable(', '.join(types))}; {printable(winner.type)} is in force",
            remedy="A -backend-config file that was written for another type does not fit.",
        )
    lost = tuple(dict.fromkeys(shadow.name for shadow in effective.erased if shadow.erased))
    if lost:
        yield Finding(
            code="backend.erased",
            severity=Severity.INFO if winner.origin.file == around.override_name else Severity.WARNING,
            subject=printable(winner.origin.at),
            message=f"an override replaces the whole block: {printable(', '.join(lost))} of the blocks below are gone",
            remedy="Repeat in the override file what must stay: backend blocks are never merged.",
        )


def _files(effective: EffectiveBackend) -> Iterator[Finding]:
    for item in effective.files:
        if item.role == "hidden" and not item.mentions:
            yield Finding(
                code="backend.hidden_file",
                severity=Severity.INFO,
                subject=printable(item.name),
                message=f"is not read: {printable(item.reason)}; it says nothing about a backend",
            )
        if item.role not in {"hidden", "ignored"} or not item.mentions:
            continue
        yield Finding(
            code=f"backend.{item.role}_file",
            severity=Severity.WARNING,
            subject=printable(item.name),
            message=f"is not read: {printable(item.reason)}",
            remedy="Check that both files say the same about the backend." if item.role == "hidden" else "",
        )


def _options(effective: EffectiveBackend, around: Surroundings) -> Iterator[Finding]:
    for name in around.unreadable:
        yield Finding(
            code="backend.file_not_readable",
            severity=Severity.WARNING,
            subject=printable(name),
            message=f"is closed to others and not owned by uid {SIDECAR_UID}: the sidecar's user may not be able to read it",
            remedy=f"Give the file to uid {SIDECAR_UID}, or to a group that the sidecar is in.",
        )
    for origin in effective.dropped:
        yield Finding(
            code="backend.dropped_silently",
            severity=Severity.WARNING,
            subject=printable(origin.at),
            message="the engine does not know this argument or block, and drops it without a word since -backend-config is given",
            remedy="Run init once without -backend-config to see the engine's complaint, and correct the block.",
        )
    binding = effective.bound or effective.written
    place = _PLACE.get(binding.type) if binding else None
    for attribute in binding.attributes if binding else ():
        shared = attribute.origin.layer == "backend-config" and attribute.origin.file.startswith("/")
        if shared and attribute.name == place:
            yield Finding(
                code="backend.key_in_shared_file",
                severity=Severity.WARNING,
                subject=printable(attribute.origin.at),
                message=f'"{place}" stands in a file that every workspace gets: they would all use one state',
                remedy=f'Take "{place}" out of the shared file and set it in each module.',
            )


def _values(effective: EffectiveBackend, around: Surroundings) -> Iterator[Finding]:
    binding = effective.bound or effective.written
    if binding is None:
        return
    for attribute in binding.attributes:
        yield from _value(attribute, around)
    names = {attribute.name for attribute in binding.attributes}
    if binding.type == "s3" and effective.bound is not None:
        yield from _s3(binding, names)
    if binding.type == "azurerm" and effective.bound is not None and not names & {"access_key", "sas_token", "subscription_id"}:
        yield Finding(
            code="backend.azure_subscription",
            severity=Severity.WARNING,
            subject="subscription_id",
            message="without it the backend looks in the job's scope: the sidecar sets ARM_SUBSCRIPTION_ID to it for each job",
            remedy="Set subscription_id to the subscription of the storage account.",
        )


def _s3(binding: Binding, names: set[str]) -> Iterator[Finding]:
    if not names & {"access_key", "profile", "assume_role", "assume_role_with_web_identity", "shared_credentials_files"}:
        yield Finding(
            code="backend.ambient_credentials",
            severity=Severity.INFO,
            subject="access_key",
            message="no keys are written down: the sidecar's own identity must have access to the bucket",
            remedy="Give the sidecar a role or AWS_* variables that may read and write the bucket, or name a profile it has.",
        )
    lockfile = next((a.value for a in binding.attributes if a.name == "use_lockfile"), None)
    if lockfile is not True and not isinstance(lockfile, Unresolved) and "dynamodb_table" not in names:
        yield Finding(
            code="backend.no_lock",
            severity=Severity.WARNING,
            subject="use_lockfile",
            message="neither use_lockfile nor dynamodb_table is set: two runs at once may overwrite each other's state",
            remedy="Set use_lockfile = true, where the store honours conditional writes.",
        )


def _value(attribute: BackendAttribute, around: Surroundings) -> Iterator[Finding]:
    value, subject = attribute.value, printable(f"{attribute.name} ({attribute.origin.at})")
    if isinstance(value, Secret) and attribute.origin.file != around.override_name:
        where = "a -backend-config value" if attribute.origin.layer == "backend-config" else "a file of the repository"
        yield Finding(
            code="backend.credentials_in_files",
            severity=Severity.WARNING,
            subject=subject,
            message=f"a credential stands in {where}; init copies it in clear text into .terraform and into plan files",
            remedy="Give it to the sidecar as an environment variable, and replace the one that was written down.",
        )
    if isinstance(value, Unresolved):
        yield Finding(
            code="backend.unresolved",
            severity=Severity.INFO,
            subject=subject,
            message=f"only the engine knows this value, since {printable(value.reason)}: {printable(attribute.expression)}",
        )
    if isinstance(value, str) and (value != value.strip() or printable(value) != value):
        yield Finding(
            code="backend.invisible_characters",
            severity=Severity.WARNING,
            subject=subject,
            message=f"the value has blanks, line breaks or invisible characters in it: {printable(value)!r}",
            remedy="A heredoc keeps its last line break: write the value in quotes." if "\n" in value else "",
        )


def _bound(effective: EffectiveBackend, bound: Bound, parted: tuple[Difference, ...]) -> Iterator[Finding]:
    if effective.kept is not None:
        yield Finding(
            code="backend.kept_despite_error",
            severity=Severity.WARNING,
            subject=".terraform/terraform.tfstate",
            message=f"init fails, but not before it has bound {printable(effective.kept.type)} with what it could read",
            remedy="Correct the file, then run init with -reconfigure.",
        )
    if bound.status == "unreadable":
        yield Finding(
            code="backend.bound_unreadable",
            severity=Severity.WARNING,
            subject=".terraform/terraform.tfstate",
            message=f"cannot be read: {printable(bound.detail)}",
            remedy="Run init with -reconfigure.",
        )
    if parted:
        names = printable(", ".join(difference.name for difference in parted))
        yield Finding(
            code="backend.bound_differs",
            severity=Severity.WARNING,
            subject=".terraform/terraform.tfstate",
            message=f"the engine is bound to something else than the files say now: {names}",
            remedy="Before any init, find out which is right: kumoss-console trace names the cause. A file given to "
            "init that is not read here may have set it; init -reconfigure binds what the files say, and moves no state.",
        )
    elif bound.status == "bound" and effective.bound is not None and effective.bound.at is None:
        yield Finding(
            code="backend.bound_stale",
            severity=Severity.WARNING,
            subject=".terraform/terraform.tfstate",
            message=f"the engine is bound to {printable(bound.type or '')}, but no file declares a backend any more",
            remedy="Trace the workspace first: init -reconfigure leaves that state behind, and a plain init asks to move it into "
            "the workspace, where nobody keeps it.",
        )


def _terragrunt(effective: EffectiveBackend) -> Finding:
    empty = effective.written is not None and not effective.written.attributes
    what = "the backend's values come from it" if empty else "it may write the backend file anew on each run"
    return Finding(
        code="backend.terragrunt",
        severity=Severity.INFO,
        subject="terragrunt.hcl",
        message=f"this is a Terragrunt unit: {what}, and the engines never read it",
        remedy="Run terragrunt to see the generated backend; the sidecar runs the engine alone.",
    )
