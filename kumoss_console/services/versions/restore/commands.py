"""The commands that carry out a planned restore, in the order in which they are safe. Nobody runs them from here.

A backend takes any state of the same lineage with a higher serial, also where somebody wrote after the plan was made. So the plan
that is written is pinned to what was the newest then, and the push is joined to a check of what is active right before it.
"""

from __future__ import annotations

import json
import shlex

from kumoss_console.services.versions.restore.value import PREPARED, Command, Restore
from kumoss_console.text import printable

BACKUP = "before-restore.tfstate"


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
        *restore.clearing,
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
    """The copy of what is active, the check of it, and the push, joined: where one fails nothing behind it is run. In brackets,
    so that a script that ends at the first failure (``sh -e``) ends there, too."""
    plan = restore.plan
    never = (
        "never with -force. A push with a higher serial is taken even where somebody wrote meanwhile: let no job and no engine "
        "run on this key until it is done. "
    )
    if restore.deleted or restore.damaged:
        # An engine that finds nothing writes a state all the same: without lineage, of serial 0.
        check = f"{{ ! test -s {BACKUP} || {{ {_has('serial', 0)} && {_has('lineage', '')}; }}; }}"
        stopped = "the key holds a state by now"
        told = (
            "Pulls first and stops unless the engine finds nothing there; onto a key that holds nothing, the engine may begin a "
            "new lineage at serial 1"
        )
    else:
        serial = plan.newest.document.serial
        check = f"{_has('lineage', plan.lineage)} && {_has('serial', serial)}"
        stopped = "another state is active by now"
        told = (
            f"Keeps a copy of what is active and stops unless that shows serial {serial} and lineage {plan.lineage}; the store "
            f"then has serial {plan.serial}, or {plan.serial + 1} where the engine counts on while it writes"
        )
    say = shlex.quote(f"Nothing was pushed: {stopped} ({BACKUP}). Make the plan anew.")
    checked = f"{{ {check} || {{ echo {say} >&2; false; }}; }}"
    steps = f"{engine} state pull > {BACKUP} && {checked} && {engine} state push - < {PREPARED}"
    return Command(f"(umask 077; {steps})", never + told)


def _has(member: str, value: str | int | None) -> str:
    """Whether the copy has that member at its top: engines write one a line, two blanks deep."""
    return f"grep -qxF {shlex.quote(f'  {json.dumps(member)}: {json.dumps(value)},')} {BACKUP}"


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
