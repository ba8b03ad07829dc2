"""What the overview says, made from a snapshot. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kumoss_console.model.context import Context
from kumoss_console.model.finding import Severity
from kumoss_console.services.asking.probe import Probe
from kumoss_console.services.locks.judgement import judged
from kumoss_console.services.overview.attention import Attention
from kumoss_console.services.overview.service import OverviewSnapshot
from kumoss_console.services.overview.words import job_words
from kumoss_console.text import clip, printable
from screens.addresses import host_of
from screens.durations import latency
from screens.flash import SIGNS
from screens.views import view_named
from screens.widgets.cells import Cell, Tone
from screens.widgets.columns import Column
from screens.widgets.facts import Fact, fact

COLUMNS = (
    Column(key="text", title="NEEDS ATTENTION", width=40, stretch=1, sortable=False),
    Column(key="view", title="OPENS", width=8, priority=2, sortable=False),
)
_TONES: dict[Severity, Tone] = {Severity.ERROR: "bad", Severity.WARNING: "warn", Severity.INFO: ""}
_LOCKS_NAMED = 3
_OWNER, _HOLDER = 40, 30
"""Cells of names that strangers gave themselves; the whole ones stand in the bucket."""
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


def cells(line: Attention | Looking) -> Sequence[Cell]:
    if isinstance(line, Looking):
        return (Cell(f"… still looking: {', '.join(line.parts)}", "busy"), Cell(""))
    view = view_named(line.view)
    opens = view.title if view else line.view.capitalize()
    return (Cell(f"{SIGNS[line.severity]} {brief(line.text)}", _TONES[line.severity]), Cell(opens, "dim"))


def brief(text: str) -> str:
    """The text with digests shortened to both ends: 64 hexadecimal digits would push out what is said about them."""
    return _DIGEST.sub(lambda found: f"{found[0][:4]}…{found[0][-4:]}", text)


@dataclass(frozen=True, slots=True)
class Looking:
    """The row that says what nobody has answered yet."""

    parts: tuple[str, ...]


def lines(snapshot: OverviewSnapshot) -> tuple[Attention | Looking, ...]:
    """What needs attention as far as it is known, then what is still being looked at; empty where there is nothing to tell."""
    still = (Looking(snapshot.unheard),) if snapshot.attention and snapshot.unheard else ()
    return (*snapshot.attention, *still)


def looked_everywhere(snapshot: OverviewSnapshot) -> bool:
    """Whether an empty list means that nothing is wrong."""
    probes = (snapshot.sidecar, snapshot.token, snapshot.store)
    return not snapshot.unheard and snapshot.locks is not None and all(probe.status == "ok" for probe in probes)


def empty_words(snapshot: OverviewSnapshot | None) -> str:
    """What stands there instead of a list."""
    if snapshot is None:
        return "looking…"
    if snapshot.unheard:
        return f"looking… {', '.join(snapshot.unheard)}"
    if looked_everywhere(snapshot):
        return "✓ Nothing needs attention: all was looked at."
    return "? Nothing found, but not all could be looked at."


def facts(snapshot: OverviewSnapshot, context: Context, *, store_words: str = "") -> tuple[Fact, ...]:
    """Everything that was asked, with the answer or with why there is none. ``store_words`` say what else the store does."""
    owner = snapshot.ownership
    storage = context.storage
    store_name = (
        f"{storage.terraform_state_bucket} @ {host_of(storage.endpoint_url) or storage.region}" if storage.managed else ""
    )
    return (
        fact("Ownership", Cell(owner.model, "accent" if owner.certain else "warn"), f": {owner.explanation}"),
        *_answer("Sidecar", snapshot.sidecar, host_of(context.iac.endpoint)),
        *_answer(
            "Token", snapshot.token, (snapshot.token.note or "accepted") if snapshot.token.status == "ok" else "", timed=False
        ),
        *_answer("Store", snapshot.store, " · ".join(part for part in (store_name, store_words) if part)),
        _jobs(snapshot),
        *_locks(snapshot),
    )


def _answer(label: str, probe: Probe, what: str, *, timed: bool = True) -> tuple[Fact, ...]:
    if probe.status == "ok":
        words = [f"ok {latency(probe.seconds)}".strip()] if timed else []
        return (fact(label, Cell("✓ ", "good"), " · ".join([*words, what] if what else words)),)
    if probe.error is None:
        return (fact(label, Cell("… ", "busy"), Cell("asking" + (f" · {what}" if what else ""), "dim")),)
    sign = Cell("✗ ", "bad") if probe.status == "bad" else Cell("? ", "warn")
    hint = (fact("", Cell("→ ", "warn"), probe.error.hint),) if probe.error.hint else ()
    return (fact(label, sign, probe.error.title), *hint)


def _jobs(snapshot: OverviewSnapshot) -> Fact:
    told = job_words(snapshot.jobs)
    pieces: list[Cell] = []
    for text, weight in (*told.standing, *told.recent):
        pieces += [*([Cell(" · ")] if pieces else []), Cell(text, "" if weight == "plain" else weight)]
    if told.recent:
        pieces.append(Cell(" in the last hour", "dim"))
    # The sidecar has no list of its jobs: these are the ones this machine's journal has.
    pieces.append(Cell(" · known here", "dim"))
    return Fact("Jobs", tuple(pieces))


def _locks(snapshot: OverviewSnapshot) -> tuple[Fact, ...]:
    if snapshot.locks_error is not None:
        return (fact("Locks", Cell("? ", "warn"), "not known: ", snapshot.locks_error.title),)
    if snapshot.locks is None:
        return (fact("Locks", Cell("… ", "busy"), Cell("asking", "dim")),)
    if not snapshot.locks:
        return (fact("Locks", "none held"),)
    named = []
    for held in snapshot.locks[:_LOCKS_NAMED]:
        owner = held.owner.name or held.owner.repo if held.owner else brief(held.key)
        who = (
            f" by {clip(printable(held.lock.holder), _HOLDER, middle=True)}" if held.lock is not None and held.lock.holder else ""
        )
        age = judged(held, snapshot.at).held
        named.append(fact("", f"{clip(printable(owner), _OWNER, middle=True)}{' ' if age else ''}{age}{who}"))
    more = len(snapshot.locks) - _LOCKS_NAMED
    rest = (fact("", Cell(f"and {more} more", "dim")),) if more > 0 else ()
    return (fact("Locks", Cell(f"{len(snapshot.locks)} held", "warn")), *named, *rest)
