"""Line 1: which world am I about to touch, in that world's colour."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from kumoss_console.model.context import Context
from kumoss_console.text import printable
from screens.addresses import host_of
from screens.widgets.cells import fit

READ_ONLY = " READ-ONLY "


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFacts:
    """What line 1 tells. ``health`` is the sidecar's state in words (``ok 12 ms``)."""

    name: str
    provider: str
    bucket: str
    store: str
    sidecar: str
    health: str
    identity: str
    read_only: bool


def facts_of(context: Context, *, health: str, identity: str, read_only: bool) -> ContextFacts:
    return ContextFacts(
        name=context.name,
        provider=context.storage.provider.name,
        bucket=context.storage.terraform_state_bucket,
        store=host_of(context.storage.endpoint_url) or f"AWS {context.storage.region}",
        sidecar=host_of(context.iac.endpoint),
        health=health,
        identity=identity,
        read_only=read_only,
    )


def context_line(facts: ContextFacts, width: int) -> str:
    """The line in at most ``width`` cells. Who I am, hosts and the middle of the bucket's name give way first."""
    bucket = facts.bucket or "no managed state"
    brief = fit(bucket, 20, middle=True).rstrip()
    health = f"sidecar {facts.health}"
    versions = (
        (facts.name, f"{facts.provider} {bucket} @ {facts.store}", f"sidecar {facts.sidecar} {facts.health}", facts.identity),
        (facts.name, f"{facts.provider} {bucket} @ {facts.store}", f"sidecar {facts.sidecar} {facts.health}"),
        (facts.name, f"{facts.provider} {bucket} @ {facts.store}", health),
        (facts.name, f"{facts.provider} {brief} @ {facts.store}", health),
        (facts.name, f"{facts.provider} {brief}", health),
        (facts.name, health),
        (facts.name,),
    )
    lines = [printable(" " + " · ".join(part for part in parts if part)) for parts in versions]
    return next((line for line in lines if cell_len(line) <= width), lines[-1])


class ContextBar(Widget):
    """Shows :class:`ContextFacts`; the badge for read-only mode stands at the right, where nothing pushes it out."""

    DEFAULT_CSS = """
    ContextBar { height: 1; background: $context-background; color: $context-foreground; text-style: bold; }
    """

    facts: reactive[ContextFacts | None] = reactive(None)

    def render(self) -> Content:
        width = self.size.width
        if self.facts is None:
            return Content(" " * width)
        badge = READ_ONLY if self.facts.read_only else ""
        room = width - len(badge)
        return Content.assemble(fit(context_line(self.facts, room), room), (badge, "reverse") if badge else "")
