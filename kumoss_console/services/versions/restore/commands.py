"""The commands that carry out a planned restore, in the order in which they are safe. Nobody runs them from here.

A backend takes any state of the same lineage with a higher serial, also where somebody wrote after the plan was made. So the plan
that is written is pinned to what was the newest then, and the push is joined to a check of what is active right before it.
"""

from __future__ import annotations

import json
import shlex

from kumoss_console.services.versions.restore.expectation import expectation
from kumoss_console.services.versions.restore.value import Command, Restore
from kumoss_console.services.workspaces.places import Binding
from kumoss_console.text import printable


def where_to_run(restore: Restore) -> str:
    """The sentence above the commands: in which workspace they are right."""
    apart = "".join(f". {_apart(one, restore)}" for one in restore.apart[:1])
    if not restore.folders:
        return f"In a workspace that is bound to this key (trace and workspaces tell which is){apart}"
    others = f", and {len(restore.folders) - 1} more are" if len(restore.folders) > 1 else ""
    chosen = "" if restore.selected == "default" else f" in the engine's workspace {restore.selected}"
    bound = f"The engine in {printable(restore.folders[0])} is bound to this key{chosen}{others}"
    return f"{bound}; run them from any folder{apart}"


def _apart(one: Binding, restore: Restore) -> str:
    """What is known of a folder that the engine cannot be used in as it is."""
    folder = printable(one.folder)
    if one.bound == restore.bound_as:
        return f"The engine in {folder} is bound to this key, and the override there names another place: init would lead there"
    to = f"is bound to {printable(one.bound)}" if one.bound else "is bound to no key of this store"
    return f"The override in {folder} names this key, but the engine there {to}: terraform init comes first there"


def restore_commands(restore: Restore) -> tuple[Command, ...]:
    """In the folder that is bound to the key where one is known, else in whichever the operator stands, and in the engine's
    workspace of the key: named also where it is the default one, for the folder may have another one selected.

    Files are named without a folder: the engine writes and reads them where the shell stands, wherever ``-chdir`` points, except
    for the one to push, which is given to it on stdin.
    """
    plan, files = restore.plan, restore.files
    engine = "tofu" if plan.newest.document.engine == "opentofu" else "terraform"
    engine = f"TF_WORKSPACE={shlex.quote(restore.selected)} {engine}"
    copies = [files.damaged] if any(files.damaged in command.text for command in restore.clearing) else []
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
        Command(f"{engine} plan", expectation(restore)),
        Command(
            f"test -s {files.pushed} && rm {' '.join((files.pushed, files.backup, *copies))}",
            "once the plan shows what you expect: they hold secrets",
        ),
    )


def _prepare(restore: Restore) -> str:
    if printable(restore.key) != restore.key:
        return "# no command line can carry this key: its characters are not printable"
    pinned = ["--expect-serial", str(restore.plan.newest.document.serial), "--expect-version", restore.top]
    options = [*(["--config", restore.config] if restore.config else []), "--context", restore.context]
    options += ["--write", restore.files.prepared, *pinned]
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
    plan, files = restore.plan, restore.files
    never = (
        "never with -force. A push with a higher serial is taken even where somebody wrote meanwhile: let no job and no engine "
        "run on this key until it is done. "
    )
    if restore.deleted or restore.damaged:
        # An engine that finds nothing writes a state all the same: without lineage, of serial 0.
        empty = f"{_has(files.backup, 'serial', 0)} && {_has(files.backup, 'lineage', '')}"
        check = f"{{ ! test -s {files.backup} || {{ {empty}; }}; }}"
        stopped = "the key holds a state by now"
        told = (
            "Pulls first and stops unless the engine finds nothing there; onto a key that holds nothing, the engine may begin a "
            "new lineage at serial 1"
        )
    else:
        serial = plan.newest.document.serial
        check = f"{_has(files.backup, 'lineage', plan.lineage)} && {_has(files.backup, 'serial', serial)}"
        stopped = "another state is active by now"
        told = (
            f"Keeps a copy of what is active and stops unless that shows serial {serial} and lineage {plan.lineage}; the store "
            f"then has serial {plan.serial}, or {plan.serial + 1} where the engine counts on while it writes"
        )
    say = shlex.quote(f"Nothing was pushed: {stopped} ({files.backup}). Make the plan anew.")
    checked = f"{{ {check} || {{ echo {say} >&2; false; }}; }}"
    push = f"{engine} state push - < {files.prepared} && mv {files.prepared} {files.pushed}"
    steps = f"{files.ready()} && {engine} state pull > {files.backup} && {checked} && {push}"
    return Command(f"(umask 077; {steps})", never + told)


def _has(file: str, member: str, value: str | int | None) -> str:
    """Whether the copy has that member at its top: engines write one a line, two blanks deep."""
    return f"grep -qxF {shlex.quote(f'  {json.dumps(member)}: {json.dumps(value)},')} {file}"
