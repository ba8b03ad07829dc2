"""Histories, differences and planned restores as data. Sensitive values are not in any of it; times are UTC with ``Z``."""

from __future__ import annotations

from typing import Any

from kumoss_console.model.moment import iso_or_none
from kumoss_console.model.plan.leaves import Diff, Leaf
from kumoss_console.model.plan.values import Value
from kumoss_console.model.state import finding_shape
from kumoss_console.model.statediff import ObjectChange, OutputDifference, RecordedState, StateDiff
from kumoss_console.services.versions.remarks import VersionRow
from kumoss_console.services.versions.restore.commands import restore_commands
from kumoss_console.services.versions.restore.value import Restore
from kumoss_console.services.versions.timelines import Timeline


def timeline_shape(timeline: Timeline) -> dict[str, Any]:
    """``versions`` newest first; ``job`` is likely the writer, for its time alone."""
    return {
        "key": timeline.key,
        "versions": [row_shape(row) for row in timeline.rows],
        "unread": timeline.unread,
        "findings": [finding_shape(finding) for finding in timeline.findings],
        "at": iso_or_none(timeline.at),
    }


def row_shape(row: VersionRow) -> dict[str, Any]:
    """One version of a history."""
    version = row.version
    return {
        "number": row.number,
        "version_id": version.version_id,
        "kind": version.kind,
        "latest": version.latest,
        "serial": row.serial,
        "lineage": row.lineage,
        "engine_version": row.engine_version,
        "size": version.size,
        "modified": iso_or_none(version.modified),
        "etag": version.etag,
        "read": not row.unread and row.error is None,
        "reason": row.reason or None,
        "damaged": row.damaged,
        "error": None if row.error is None else {"code": row.error.code, "title": row.error.title},
        "job": None if row.job is None else {"job_id": row.job.job_id, "kind": row.job.kind, "proven": False},
    }


def diff_shape(found: StateDiff) -> dict[str, Any]:
    """Two states against each other. CPU work in the size of what changed."""
    return {
        "before": side_shape(found.before),
        "after": side_shape(found.after),
        "differ": found.differ,
        "counts": {kind.value: count for kind, count in found.counted().items()},
        "unchanged": found.unchanged,
        "notes": list(found.notes),
        "changes": [change_shape(change) for change in found.changes],
        "outputs": [output_shape(output) for output in found.outputs],
        "findings": [finding_shape(finding) for finding in found.findings],
    }


def side_shape(side: RecordedState) -> dict[str, Any]:
    """Which state it is, and whose history it belongs to."""
    document = side.document
    return {
        "label": side.label,
        "serial": document.serial,
        "lineage": document.lineage,
        "engine_version": document.engine_version,
        "size": document.size,
    }


def change_shape(change: ObjectChange) -> dict[str, Any]:
    """One object that differs, with the attributes that do."""
    return {
        "action": change.kind.value,
        "address": change.address,
        "before_address": change.before_address,
        "mode": change.mode,
        "type": change.type,
        "deposed": change.deposed or None,
        "before_id": change.before_id,
        "after_id": change.after_id,
        "notes": list(change.notes),
        **_leaves(change.leaves()),
    }


def output_shape(output: OutputDifference) -> dict[str, Any]:
    """One output that differs."""
    return {"action": output.kind.value, "name": output.name, "notes": list(output.notes), **_leaves(output.leaves())}


def restore_shape(restore: Restore) -> dict[str, Any]:
    """The plan, without the content that would be pushed: that one holds every secret of the state."""
    plan = restore.plan
    return {
        "key": restore.key,
        "version_id": restore.version.version_id,
        "newest_version_id": restore.newest.version_id,
        "lineage": plan.lineage,
        "serial": plan.serial,
        "locked": restore.locked,
        "workspaces": list(restore.folders),
        "deleted": restore.deleted,
        "damaged": restore.damaged,
        "unmanaged": [object_shape(one, one.before_id) for one in plan.unmanaged],
        "returning": [object_shape(one, one.after_id) for one in plan.returning],
        "destroyed": [
            {
                "address": one.address,
                "type": one.type,
                "id": one.identifier,
                "deposed": one.deposed or None,
                "now": one.now or None,
            }
            for one in plan.doomed
        ],
        "created": list(plan.anew),
        "replaced": list(plan.tainted),
        "diff": diff_shape(plan.diff),
        "commands": [command.text for command in restore_commands(restore)],
        "findings": [finding_shape(finding) for finding in restore.findings],
        "at": iso_or_none(restore.at),
    }


def object_shape(change: ObjectChange, identifier: str | None) -> dict[str, Any]:
    """One object that a restore would let go of, or bring back; ``deposed`` is its deposed key."""
    return {"address": change.address, "type": change.type, "id": identifier, "deposed": change.deposed or None}


def _leaves(found: Diff) -> dict[str, Any]:
    return {"attributes": [_leaf(leaf) for leaf in found.leaves], "same": found.same, "left_out": found.left_out}


def _leaf(leaf: Leaf) -> dict[str, Any]:
    return {
        "path": leaf.name,
        "sign": leaf.sign.value,
        "before": _text(leaf.before),
        "after": _text(leaf.after),
        "hidden": (leaf.before or leaf.after or Value("")).hidden or None,
        "note": leaf.note or None,
    }


def _text(value: Value | None) -> str | None:
    return None if value is None else value.text
