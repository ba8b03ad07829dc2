"""The commands that carry out a planned restore, in the order in which they are safe. Nobody runs them from here."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from kumoss_console.services.versions import Restore
from kumoss_console.text import printable

BACKUP = "before-restore.tfstate"
PREPARED = "restored.tfstate"


@dataclass(frozen=True, slots=True)
class Command:
    """``text`` is for a shell, quoted; ``purpose`` says why it is there and what it must show."""

    text: str
    purpose: str


def where_to_run(restore: Restore) -> str:
    """The sentence above the commands: in which workspace they are right."""
    if not restore.folders:
        return "In a workspace that is bound to this key (trace and workspaces tell which is)"
    others = f", and {len(restore.folders) - 1} more are" if len(restore.folders) > 1 else ""
    return f"The workspace {printable(restore.folders[0])} is bound to this key{others}; run them from any folder"


def restore_commands(restore: Restore) -> tuple[Command, ...]:
    """In the workspace that is bound to the key where one is known, else in whichever the operator stands.

    Files are named without a folder: the engine writes and reads them where the shell stands, wherever ``-chdir`` points, except
    for the one to push, which is given to it on stdin.
    """
    plan, nothing = restore.plan, restore.deleted or restore.damaged
    engine = "tofu" if plan.newest.document.engine == "opentofu" else "terraform"
    if restore.folders:
        engine += f" {shlex.quote('-chdir=' + restore.folders[0])}"
    if printable(restore.key) == restore.key:
        version = restore.version.version_id
        options = ["--context", restore.context, "--write", PREPARED]
        # Ids of versions are the store's: one may begin with a hyphen.
        prepare = shlex.join(["kumoss-console", "state", "restore-plan", *options, "--", restore.key, version])
    else:
        prepare = "# no command line can carry this key: its characters are not printable"
    backup = Command(
        f"{engine} state pull > {BACKUP}",
        f"a copy of what is active; it must show serial {plan.newest.document.serial} and lineage {plan.lineage}",
    )
    counted = f"the store then has serial {plan.serial}, or {plan.serial + 1} where the engine counts on while it writes"
    then = "onto a key that holds nothing, the engine may begin a new lineage at serial 1" if nothing else counted
    return (
        # Of a key that holds nothing, or nothing that an engine reads, it can pull nothing.
        *(() if nothing else (backup,)),
        Command(
            prepare,
            f"the old content with the active lineage and serial {plan.serial}; it holds secrets, delete it afterwards",
        ),
        Command(
            f"{engine} state push - < {PREPARED}",
            "never with -force: where it is refused, somebody wrote meanwhile, and the plan is to be made anew; " + then,
        ),
        Command(f"{engine} plan", _expectation(restore)),
        Command(f"rm {PREPARED}" if nothing else f"rm {PREPARED} {BACKUP}", "once the plan shows what you expect"),
    )


def _expectation(restore: Restore) -> str:
    gone, back = len(restore.plan.unmanaged), len(restore.plan.returning)
    parts = []
    if gone:
        parts.append(f"{gone} that exist and are no longer managed: import them, or they will be created a second time")
    if back:
        parts.append(f"{back} that the old state brings back: the plan shows which of them do not exist any more")
    return "look for " + "; and ".join(parts) if parts else "expect changes of attributes only"
