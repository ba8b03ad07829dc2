"""What to do next, in words and as commands. Nothing of it is ever run from here.

Commands that carry a state are given only where they can be right: the old state was read, the new place was looked at and is
empty, and what the files bind next differs from the old place in nothing but the key. Everything else is said in a sentence.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from kumoss_console.model.trace.evidence import Evidence, Stored
from kumoss_console.model.trace.inuse import in_use
from kumoss_console.model.trace.place import Place, outside, parted
from kumoss_console.model.trace.wording import full, held_at, serial


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """One command with what it is for."""

    purpose: str
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Moving:
    """How a state gets from an old place to a new one: ``words`` end in a full stop; ``steps`` are empty where none are safe."""

    words: str
    steps: tuple[NextStep, ...] = ()


KEPT = "old-state.tfstate"
"""What the carried state is called on its way. The seeded .gitignore leaves ``*.tfstate`` out."""

DEFAULT_FILE = "terraform.tfstate"
KEPT_LOCAL = "local-state.tfstate"
"""What a local state is called once it was moved aside."""

_CARRIED = frozenset({"s3", "azurerm"})
"""Types whose place is told by a key that ``-backend-config=key=…`` names."""
_LINEAGE = re.compile(r"[0-9A-Za-z-]{1,64}")
_NAMES = {"type": "type of backend", "store": "endpoint or account", "bucket": "bucket", "region": "region"}


def moving(evidence: Evidence, old: Place, new: Place) -> Moving:
    """From ``old`` to ``new``, as far as it is safe to say how."""
    before, after = held_at(evidence, old), held_at(evidence, new)
    locked = "Let the holder of the lock finish first. " if "locked" in {before.lock_status, after.lock_status} else ""
    if after.status == "present":
        return Moving(words=locked + _occupied(before, after), steps=compare(evidence, old, new))
    if before.status == "absent":
        return Moving(words=f"{locked}Run init -reconfigure: there is nothing to carry over.", steps=rebind(evidence))
    why = _why_by_hand(evidence, old, new)
    if why:
        return Moving(words=locked + why)
    if old.type == "local":
        words = "Init, push that very file to the new place, then plan and expect no changes; init alone moves nothing."
        return Moving(words=locked + words, steps=_push_file(evidence, old.key or "", new, before))
    words = "Pull from the old place, init, push to the new one, then plan and expect no changes; init alone moves nothing."
    return Moving(words=locked + words, steps=_carry(evidence, old, new, before))


def _why_by_hand(evidence: Evidence, old: Place, new: Place) -> str:
    """One sentence on why no commands are given; empty where they are."""
    if used := in_use(evidence, old):
        return used
    both = "carry the state by hand, with both backends configured; no commands are given for that."
    if old.type != "local" and (others := _differing(old, new)):
        return f"The old place has another {' and '.join(_NAMES[name] for name in others)} than the new one: {both}"
    if new.type not in _CARRIED or old.type not in {*_CARRIED, "local"}:
        return f"The places are of types {old.type} and {new.type}: {both}"
    after, before = held_at(evidence, new), held_at(evidence, old)
    if after.status != "absent":
        return f"What is at the new place is not known ({after.detail}): look there first, and push nothing before that."
    if before.status != "present":
        return f"What is at the old place is not known ({before.detail}): look there before anything is carried."
    if before.serial is None or before.lineage is None or not _LINEAGE.fullmatch(before.lineage):
        return "What is at the old place was not read as a state with lineage and serial: look at it before anything is carried."
    if evidence.selected != "default":
        return f"The engine's workspace {evidence.selected} is selected: {both}"
    if (evidence.sidecar_file or "").strip():
        return f"The sidecar lays a file over what the files say, which commands typed by hand would miss: {both}"
    if evidence.workspace is None:
        return "No workspace was given, so what its files name is not known: no commands are given; trace the workspace as well."
    declared = evidence.declared
    if declared is None or declared.place is None or not declared.complete or _apart(declared.place, new):
        return (
            "The files of the workspace do not name the new place yet, or not all of them could be read: no commands are given. "
            "Where the project is right, the core writes it with its next init; trace the workspace again after that."
        )
    return ""


def _differing(old: Place, new: Place) -> tuple[str, ...]:
    """In what the two differ beside the key. What is known of one of them only counts as different."""
    if old.type != new.type:
        return ("type",)
    return tuple(name for name in ("store", "bucket", "region") if getattr(old, name) != getattr(new, name))


def _apart(one: Place, other: Place) -> bool:
    return bool(parted(one, other)) or bool(_differing(one, other)) or one.key is None


def _occupied(before: Stored, after: Stored) -> str:
    there = f"A state ({serial(after)}) is at the new place too: "
    if before.status != "present":
        return f"{there}push nothing over it; look at it, and find out what is at the old place."
    if before.lineage is not None and before.lineage == after.lineage:
        return f"{there}it is a copy of the same one, {_newer(before, after)}; keep the one with the higher serial."
    return f"{there}compare their resources, and push neither over the other; {_later(before, after)}."


def _newer(before: Stored, after: Stored) -> str:
    if before.serial is None or after.serial is None or before.serial == after.serial:
        return "and neither has the higher serial"
    old = before.serial > after.serial
    return f"and the one at the {'old' if old else 'new'} place is newer ({max(before.serial, after.serial)} over " + (
        f"{min(before.serial, after.serial)})"
    )


def _later(before: Stored, after: Stored) -> str:
    if before.modified is None or after.modified is None or before.modified == after.modified:
        return "which is newer is not known"
    return f"the one at the {'old' if before.modified > after.modified else 'new'} place was written last"


def compare(evidence: Evidence, *places: Place) -> tuple[NextStep, ...]:
    """Commands that show what lies at each place that can be looked at here. They change nothing."""
    return tuple(_shown(evidence, places))


def _shown(evidence: Evidence, places: tuple[Place, ...]) -> Iterator[NextStep]:
    context = f" --context {shlex.quote(evidence.context)}" if evidence.context else ""
    for which, place in zip(("old", "new"), places, strict=False):
        if place.key is None or held_at(evidence, place).status == "absent":
            continue
        purpose = f"look at the state at the {which} place"
        if place.type == "local" and evidence.workspace is not None:
            file = shlex.quote(f"{evidence.workspace}/{place.key}" if not place.key.startswith("/") else place.key)
            yield NextStep(purpose=purpose, command=f"kumoss-console state show --file {file}")
        elif not outside(place, evidence.storage):
            yield NextStep(purpose=purpose, command=f"kumoss-console state show {shlex.quote(place.key)}{context}")


def keep_copy(evidence: Evidence) -> NextStep:
    """Of what is bound now, never over a file that is there."""
    return NextStep(purpose=f"keep a copy in {KEPT}", command=_pull(evidence))


def _pull(evidence: Evidence) -> str:
    """A state holds secrets in clear: the file is its owner's alone. ``set -C`` fails where it is there already."""
    return f"(umask 077; set -C; {_engine(evidence)} state pull > {KEPT})"


def rebind(evidence: Evidence) -> tuple[NextStep, ...]:
    """For an old place that holds nothing."""
    engine = _engine(evidence)
    return (
        NextStep(purpose="bind what the files say now", command=f"{engine} init -input=false -reconfigure"),
        NextStep(purpose="plan, and look at what it would create", command=f"{engine} plan"),
    )


def _carry(evidence: Evidence, old: Place, new: Place, held: Stored) -> tuple[NextStep, ...]:
    """The old key is bound once more, whatever is bound: the engines refuse to pull where the files name another place than
    the one they have bound, and options are no part of what they compare."""
    engine = _engine(evidence)
    option = f"-backend-config={shlex.quote(f'key={old.key}')}"
    check = _check(KEPT, held)
    return (
        NextStep(
            purpose=f"bind the old place once more ({full(old)})", command=f"{engine} init -input=false -reconfigure {option}"
        ),
        NextStep(
            purpose=f"pull from the old place into {KEPT}, which is never written over",
            command=_pull(evidence),
        ),
        _guard(check, held),
        NextStep(purpose=f"bind the new place ({full(new)})", command=f"{check} && {engine} init -input=false -reconfigure"),
        NextStep(purpose="push to the new place, which must be empty", command=f"{check} && {engine} state push - < {KEPT}"),
        NextStep(purpose="plan, and expect no changes", command=f"{engine} plan"),
    )


def _push_file(evidence: Evidence, path: str, new: Place, held: Stored) -> tuple[NextStep, ...]:
    engine = _engine(evidence)
    file = path if path.startswith("/") or evidence.workspace is None else f"{evidence.workspace}/{path}"
    aside: tuple[NextStep, ...] = ()
    if path == DEFAULT_FILE:  # init of another backend stops at it
        kept = file.removesuffix(path) + KEPT_LOCAL
        purpose = "move the local state aside, so that init does not stop at it; never over a file that is there"
        aside = (NextStep(purpose=purpose, command=f"mv -n {shlex.quote(file)} {shlex.quote(kept)}"),)
        file = kept
    check = _check(file, held)
    return (
        *aside,
        _guard(check, held),
        NextStep(purpose=f"bind the new place ({full(new)})", command=f"{check} && {engine} init -input=false -reconfigure"),
        NextStep(
            purpose="push that file to the new place, which must be empty",
            command=f"{check} && {engine} state push - < {shlex.quote(file)}",
        ),
        NextStep(purpose="plan, and expect no changes", command=f"{engine} plan"),
    )


def _guard(check: str, held: Stored) -> NextStep:
    purpose = f"check the file: must show lineage {held.lineage} and serial {held.serial}; stop otherwise"
    return NextStep(purpose=purpose, command=check)


def _check(file: str, held: Stored) -> str:
    """Prints the two lines, and fails where one is another: what is joined to it is then not run, however it was pasted."""
    name = shlex.quote(file)
    return f"""grep '^  "lineage": "{held.lineage}",' {name} && grep '^  "serial": {held.serial},' {name}"""


def _engine(evidence: Evidence) -> str:
    return f"{evidence.engine_name} -chdir={shlex.quote(evidence.workspace)}" if evidence.workspace else evidence.engine_name
