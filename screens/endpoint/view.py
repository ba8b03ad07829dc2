"""The card of an endpoint: its aspects as rows, one of them with its evidence, what follows from all. Pure."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from datetime import date, datetime

from kumoss_console.model.context import Context
from kumoss_console.model.duration import in_words
from kumoss_console.model.endpoint import Aspect, LifecycleRule, Standing
from kumoss_console.model.finding import Severity
from kumoss_console.services.endpoint.service import EndpointCard
from kumoss_console.services.endpoint.shape import aspect_shape
from kumoss_console.text import printable
from screens.copies import Copy
from screens.findings import TONES
from screens.flash import SIGNS
from screens.widgets.cells import Cell, Tone
from screens.widgets.columns import Column
from screens.widgets.facts import Fact, fact

COLUMNS = (
    Column(key="sign", title="", width=1, sortable=False),
    Column(key="aspect", title="ASPECT", width=18, sortable=False),
    Column(key="said", title="ANSWER", width=22, stretch=2, sortable=False),
    Column(key="evidence", title="EVIDENCE", width=24, priority=2, stretch=3, sortable=False),
)
_GRAVITY = tuple(Severity)
_STANDINGS: dict[Standing, tuple[str, Tone]] = {
    "good": ("✓", "good"),
    "bad": ("✗", "bad"),
    "plain": ("·", ""),
    "unknown": ("?", "dim"),
}


def name(aspect: Aspect) -> str:
    """``public access`` of ``public_access``."""
    return aspect.name.replace("_", " ")


def cells(aspect: Aspect) -> Sequence[Cell]:
    """One row, in the order of :data:`COLUMNS`."""
    sign, tone = _STANDINGS[aspect.standing]
    return Cell(sign, tone), Cell(name(aspect)), Cell(aspect.said, tone), Cell(aspect.evidence, "dim")


def shown(card: EndpointCard | None, *, only_wrong: bool) -> Sequence[Aspect]:
    """The rows, as narrow as asked for."""
    aspects = card.aspects if card is not None else ()
    return [aspect for aspect in aspects if not only_wrong or _is_news(aspect)]


def _is_news(aspect: Aspect) -> bool:
    """Bad, or asked for in vain; what nobody tried is neither."""
    return aspect.standing == "bad" or (aspect.standing == "unknown" and aspect.doubt != "not_tried")


def empty_words(*, asking: bool, failed: bool, narrowed: bool) -> str:
    """Why there is no row."""
    if asking:
        return "asking the store…"
    if failed:
        return "? What the store does is not known: see above."
    return "Nothing is wrong or unknown. ! shows all again." if narrowed else "Nothing was asked yet."


def can_be_tried(card: EndpointCard | None) -> bool:
    """Whether writing may tell more: not of a store that does not even list."""
    access = card.aspect("access") if card is not None else None
    return card is not None and (access is None or access.standing != "bad")


def summary(card: EndpointCard | None, now: datetime, *, asking: bool, read_only: bool = False) -> tuple[Cell, ...]:
    """The line above the rows: what is wrong with the store, and when writing was tried. Which store it is stands above."""
    if card is None:
        return (Cell("asking the store…", "busy"),) if asking else (Cell("the store was not asked", "dim"),)
    errors = sum(one.severity is Severity.ERROR for one in card.findings)
    warnings = sum(one.severity is Severity.WARNING for one in card.findings)
    told = [Cell("asking…", "busy")] if asking else []
    told += [
        Cell(f"{count} {word}{'' if count == 1 else 's'}", tone)
        for count, word, tone in ((errors, "error", TONES[Severity.ERROR]), (warnings, "warning", TONES[Severity.WARNING]))
        if count
    ]
    if card.complete and not errors and not warnings:
        told.append(Cell("nothing wrong found", "good"))
    if card.tried_at is not None:
        told.append(Cell(f"tried {in_words(now - card.tried_at)} ago", "dim"))
    elif not asking and not read_only and can_be_tried(card):
        told.append(Cell(":try finds out the rest", "dim"))
    parted = [part for cell in told for part in (Cell(" · ", "dim"), cell)]
    return tuple(parted[1:])


def facts(aspect: Aspect | None, card: EndpointCard | None) -> tuple[Fact, ...]:
    """One aspect in full, then everything that follows from the card."""
    found: list[Fact] = []
    if aspect is not None:
        sign, tone = _STANDINGS[aspect.standing]
        found += [fact(name(aspect), Cell(f"{sign} {aspect.said}", tone)), fact("evidence", Cell(aspect.evidence, "dim"))]
        if aspect.error is not None:
            found.append(fact("error", Cell(aspect.error.title, "bad"), Cell(f" → {aspect.error.hint}", "dim")))
        found += [fact("rule", f"{rule.name}: {', '.join(_does(rule))}, {rule.prefix or 'everywhere'}") for rule in aspect.rules]
    for finding in sorted(card.findings if card is not None else (), key=lambda one: _GRAVITY.index(one.severity)):
        found.append(fact(SIGNS[finding.severity], Cell(finding.message, TONES[finding.severity])))
        if finding.remedy:
            found.append(fact("", Cell(f"→ {finding.remedy}", "dim")))
    return tuple(found)


def _does(rule: LifecycleRule) -> Iterator[str]:
    """What a rule does, and when."""
    if rule.deletes:
        yield f"deletes objects {_when(rule.expire_days, rule.expire_on)}"
    if rule.archives:
        yield f"moves objects to {rule.tier} {_when(rule.archive_days, rule.archive_on)}"
    spared = f", all but {rule.keep_old}" if rule.keep_old else ""
    if rule.expire_old_days is not None:
        yield f"deletes old versions after {rule.expire_old_days} d{spared}"
    if rule.archive_old_days is not None:
        yield f"moves old versions to {rule.tier} after {rule.archive_old_days} d{spared}"


def _when(days: int | None, on: date | None) -> str:
    return f"after {days} d" if on is None else f"on {on:%Y-%m-%d}"


def copies(aspect: Aspect | None, context: Context) -> tuple[Copy, ...]:
    """For the aspect under the cursor."""
    command = f"kumoss-console state endpoint --context {shlex.quote(context.name)}"
    whole = Copy(label="the command that shows this", text=command, role="command")
    if aspect is None:
        return (whole,)
    document = json.dumps(aspect_shape(aspect), indent=2, ensure_ascii=False)
    return (
        Copy(label="the answer", text=printable(f"{name(aspect)}: {aspect.said} ({aspect.evidence})"), role="thing"),
        Copy(label="the aspect as JSON", text=document, role="json"),
        whole,
    )
