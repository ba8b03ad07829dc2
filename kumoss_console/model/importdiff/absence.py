"""What it means that a listing does not show what a state has: that it is missing, or only that nobody can tell.

Missing is claimed of whole identifiers of kinds that the listing shows, and where the state tells the resource type, only of
types whose own identifier that is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.importdiff.held import Managed
from kumoss_console.model.importdiff.kinds import OFTEN_TAGGED, group_of, is_foreign, left_out, outside
from kumoss_console.model.importids.azure import shown_kinds
from kumoss_console.model.importids.forms import Form

_FORMS = {
    CloudProvider.AZURE: "the listing knows resource ids only",
    CloudProvider.GCP: "the listing knows asset names only",
    CloudProvider.AWS: "the listing knows ARNs only, and the state has none of it",
}
NOTHING_SHOWN = "nothing_shown"

Why = tuple[str, str]
_CAN_TELL: Why = ("", "")


@dataclass(frozen=True, slots=True)
class Sought:
    """What a state has under one identifier: ``spelling`` is the folded one to look for, ``form`` that of a whole identifier."""

    spelling: str
    kind: str
    form: Form | None
    objects: Sequence[Managed]

    @property
    def own(self) -> bool:
        """Whether it is one of the objects' own identifier, and of the form that a listing shows."""
        form = self.form
        return form is not None and any(form.is_of(held.type) if held.type else form.sure for held in self.objects)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a listing shows. ``forms`` and ``regions`` are of all in it; ``proven`` and ``types`` are the kinds and resource types
    of which it shows something that this very state has; ``groups`` are groups that the state knows to be managed by another
    resource. ``nothing`` is why its silence tells nothing."""

    kinds: Collection[str]
    forms: Collection[str]
    regions: Collection[str]
    proven: Collection[str]
    types: Collection[str]
    groups: Collection[str] = ()
    doubt: str = ""
    nothing: str = ""


class Absence:
    """Judges what a listing of ``scope`` does not show."""

    def __init__(self, provider: CloudProvider, scope: str, seen: Seen) -> None:
        self._provider = provider
        self._scope = scope
        self._seen = seen

    def never_shown(self, sought: Sought) -> Why:
        """Code and reason why no listing of this scope shows it; empty where one can."""
        objects = sought.objects
        if all(is_foreign(self._provider, held.type) for held in objects):
            return "other_provider", f"{objects[0].type} belongs to another provider than the listing's"
        if not sought.kind:
            return "other_form", _FORMS.get(self._provider, "the listing knows no such identifiers")
        if other := outside(self._provider, self._scope, sought.spelling):
            return "other_scope", f"it belongs to {other}, which was not listed"
        if reason := left_out(self._provider, sought.kind, sought.spelling, self._scope):
            return "left_out", reason
        if self._provider is CloudProvider.AZURE and group_of(sought.spelling) in self._seen.groups:
            return "left_out", "its group is managed by another resource, and such groups are left out"
        if any(held.hidden for held in objects):
            return "left_out_by_tags", "it carries tags or labels whose bearers a listing leaves out"
        return _CAN_TELL if sought.own else self._not_own(sought)

    def why(self, sought: Sought) -> Why:
        """Code and reason why it cannot be called missing; the code is empty where it can."""
        if (never := self.never_shown(sought))[0]:
            return never
        if self._seen.doubt:
            return "doubt", f"the listing may not be whole: {self._seen.doubt}"
        if self._seen.nothing:
            return NOTHING_SHOWN, self._seen.nothing
        return self._by_kind(sought)

    def _not_own(self, sought: Sought) -> Why:
        types = [held.type for held in sought.objects if held.type]
        if sought.kind not in self._seen.kinds and not self._always(sought.kind):
            return self._kind_not_shown(sought.kind)
        if types:
            return "type_not_shown", f"a listing is not known to show such an identifier of {types[0]}, whatever it begins with"
        return "form_not_known", "without its resource type nothing tells what it is: it is no whole identifier known here"

    def _by_kind(self, sought: Sought) -> Why:
        kind, form = sought.kind, sought.form
        known = all(held.hidden is False for held in sought.objects)
        always = self._always(kind)
        if form is None or (form.name not in self._seen.forms and not always):
            return self._kind_not_shown(kind)
        if self._provider is CloudProvider.AWS and (region := region_of(sought.spelling)) not in self._seen.regions and region:
            return "region_not_shown", f"the listing shows nothing in {region}: perhaps that region is not indexed"
        if form.shared and not any(held.type in self._seen.types for held in sought.objects):
            return (
                "kind_not_shown",
                f"services share the form {kind}, and the listing shows nothing of this one that the state has",
            )
        if known or (always and kind not in OFTEN_TAGGED):
            return _CAN_TELL
        if kind in OFTEN_TAGGED:
            return (
                "tags_unknown",
                "a listing leaves out what bears certain tags, as many of its kind do, and its tags are not known",
            )
        if kind not in self._seen.proven:
            return (
                "tags_unknown",
                f"the listing shows nothing of the kind {kind} that this state has: it may leave them out by tag",
            )
        return _CAN_TELL

    def _always(self, kind: str) -> bool:
        return self._provider is CloudProvider.AZURE and kind in shown_kinds()

    @staticmethod
    def _kind_not_shown(kind: str) -> Why:
        return "kind_not_shown", f"the listing shows nothing of the kind {kind}: perhaps it never does"


def region_of(arn: str) -> str:
    """The region of an ARN, empty where it has none."""
    parts = arn.split(":", 4)
    return parts[3] if len(parts) == 5 and parts[0] == "arn" else ""
