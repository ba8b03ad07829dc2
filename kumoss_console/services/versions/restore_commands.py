"""The commands that carry out a planned restore, in the order in which they are safe. Nobody runs them from here.

A backend takes any state of the same lineage with a higher serial, also where somebody wrote after the plan was made. So the plan
that is written is pinned to what was the newest then, and the push is joined to a check of what is active right before it.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass

from kumoss_console.services.versions.service import Restore
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
    plan = restore.plan
    engine = "tofu" if plan.newest.document.engine == "opentofu" else "terraform"
    if restore.folders:
        engine += f" {shlex.quote('-chdir=' + restore.folders[0])}"
    return (
        Command(
            _prepare(restore),
            f"the old content with the active lineage and serial {plan.serial}, refused where the newest version is another one "
            "by then; it holds secrets, delete it afterwards",
        ),
        *(Command(text, purpose) for text, purpose in restore.removal),
        _push(restore, engine),
        Command(f"{engine} plan", _expectation(restore)),
        Command(f"rm {PREPARED} {BACKUP}", "once the plan shows what you expect"),
    )


def _prepare(restore: Restore) -> str:
    if printable(restore.key) != restore.key:
        return "# no command line can carry this key: its characters are not printable"
    pinned = ["--expect-serial", str(restore.plan.newest.document.serial), "--expect-version", restore.top]
    options = ["--context", restore.context, "--write", PREPARED, *pinned]
    # Ids of versions are the store's: one may begin with a hyphen.
    return shlex.join(
        ["kumoss-console", "state", "restore-plan", *_joined(options), "--", restore.key, restore.version.version_id]
    )


def _joined(options: list[str]) -> list[str]:
    """A value that begins with a hyphen is joined to its option: it would be read as one of its own."""
    joined: list[str] = []
    for name, value in zip(options[::2], options[1::2], strict=True):
        joined += [f"{name}={value}"] if value.startswith("-") else [name, value]
    return joined


def _push(restore: Restore, engine: str) -> Command:
    """The copy of what is active, the check of it, and the push, joined: where one fails nothing behind it is run."""
    plan = restore.plan
    pull = f"(umask 077; {engine} state pull > {BACKUP})"
    push = f"{engine} state push - < {PREPARED}"
    never = (
        "never with -force. A push with a higher serial is taken even where somebody wrote meanwhile: let no job and no engine "
        "run on this key until it is done. "
    )
    if restore.deleted or restore.damaged:
        return Command(
            f"{pull} && ! test -s {BACKUP} && {push}",
            never + "Pulls first and stops unless the engine finds nothing there; onto a key that holds nothing, the engine may "
            "begin a new lineage at serial 1",
        )
    lineage = json.dumps(plan.lineage)
    serial = plan.newest.document.serial
    check = f"""grep -xF {shlex.quote(f'  "lineage": {lineage},')} {BACKUP} && grep -xF '  "serial": {serial},' {BACKUP}"""
    return Command(
        f"{pull} && {check} && {push}",
        never + f"Keeps a copy of what is active and stops unless that shows serial {serial} and lineage {plan.lineage}; "
        f"the store then has serial {plan.serial}, or {plan.serial + 1} where the engine counts on while it writes",
    )


def _expectation(restore: Restore) -> str:
    gone, back = len(restore.plan.unmanaged), len(restore.plan.returning)
    parts = []
    if gone:
        parts.append(f"{gone} that exist and are no longer managed: import them, or they will be created a second time")
    if back:
        parts.append(f"{back} that the old state brings back: the plan shows which of them do not exist any more")
    if restore.damaged:
        parts.append("everything it creates: what was applied since the last whole version is not known, and may exist already")
    elif restore.deleted:
        parts.append("everything it creates: what became of the objects since the deletion is not known")
    return "look for " + "; and ".join(parts) if parts else "expect changes of attributes only"
