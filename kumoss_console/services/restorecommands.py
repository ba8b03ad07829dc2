"""The commands that carry out a planned restore, in the order in which they are safe. Nobody runs them from here."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from kumoss_console.services.versions import Restore

BACKUP = "before-restore.tfstate"
PREPARED = "restored.tfstate"


@dataclass(frozen=True, slots=True)
class Command:
    """``text`` is for a shell, quoted; ``purpose`` says why it is there and what it must show."""

    text: str
    purpose: str


def restore_commands(restore: Restore) -> tuple[Command, ...]:
    """Run them in a workspace that is bound to the key of the plan (``backend WORKSPACE`` tells)."""
    plan = restore.plan
    engine = "tofu" if plan.newest.document.engine == "opentofu" else "terraform"
    version = restore.version.version_id
    return (
        Command(
            f"{engine} state pull > {BACKUP}",
            f"a copy of what is active; it must show serial {plan.newest.document.serial} and lineage {plan.lineage}",
        ),
        Command(
            f"kumoss-console state restore-plan {shlex.quote(restore.key)} {shlex.quote(version)} --write {PREPARED}",
            f"the old content with the active lineage and serial {plan.serial}; it holds secrets, delete it afterwards",
        ),
        Command(
            f"{engine} state push {PREPARED}",
            "never with -force: where it is refused, somebody wrote meanwhile, and the plan is to be made anew; "
            f"the store then has serial {plan.serial}, or {plan.serial + 1} where the engine counts on while it writes",
        ),
        Command(f"{engine} plan", _expectation(restore)),
        Command(f"rm {PREPARED} {BACKUP}", "once the plan shows what you expect"),
    )


def _expectation(restore: Restore) -> str:
    gone, back = len(restore.plan.unmanaged), len(restore.plan.returning)
    parts = []
    if gone:
        parts.append(f"{gone} that exist and are no longer managed: import them, or they will be created a second time")
    if back:
        parts.append(f"{back} that the old state brings back: the plan shows which of them do not exist any more")
    return "look for " + "; and ".join(parts) if parts else "expect changes of attributes only"
