"""What it means that a listing does not show what a state has: that it is missing, or only that nobody can tell."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.importdiff.held import Managed
from kumoss_console.model.importdiff.kinds import OFTEN_TAGGED, is_foreign, left_out, outside
from kumoss_console.model.importids.azure import shown_kinds

_FORMS = {
    CloudProvider.AZURE: "the listing knows resource ids only",
    CloudProvider.GCP: "the listing knows asset names only",
    CloudProvider.AWS: "the listing knows ARNs only, and the state has none of it",
}


class Absence:
    """``kinds`` are all that the listing shows; ``proven`` those of which it shows something that this very state has."""

    def __init__(self, provider: CloudProvider, scope: str, kinds: Collection[str], proven: Collection[str], doubt: str) -> None:
        self._provider = provider
        self._scope = scope
        self._kinds = kinds
        self._proven = proven
        self._doubt = doubt

    def why(self, spelling: str, kind: str, objects: Sequence[Managed]) -> tuple[str, str]:
        """Code and reason why it cannot be called missing; the code is empty where it can."""
        if all(is_foreign(self._provider, held.type) for held in objects):
            return "other_provider", f"{objects[0].type} belongs to another provider than the listing's"
        if not kind:
            return "other_form", _FORMS.get(self._provider, "the listing knows no such identifiers")
        if other := outside(self._provider, self._scope, spelling):
            return "other_scope", f"it belongs to {other}, which was not listed"
        if reason := left_out(self._provider, kind, spelling):
            return "left_out", reason
        if any(held.hidden for held in objects):
            return "left_out_by_tags", "it carries tags or labels whose bearers a listing leaves out"
        if self._doubt:
            return "doubt", f"the listing may not be whole: {self._doubt}"
        return self._by_kind(kind, known=all(held.hidden is False for held in objects))

    def _by_kind(self, kind: str, *, known: bool) -> tuple[str, str]:
        """``known`` is whether the tags of the objects are."""
        always = self._provider is CloudProvider.AZURE and kind in shown_kinds()
        if kind not in self._kinds and not always:
            return "kind_not_shown", f"the listing shows nothing of the kind {kind}: perhaps it never does"
        if known or (always and kind not in OFTEN_TAGGED):
            return "", ""
        if kind in OFTEN_TAGGED:
            return (
                "tags_unknown",
                "a listing leaves out what bears certain tags, as many of its kind do, and its tags are not known",
            )
        if kind not in self._proven:
            return (
                "tags_unknown",
                f"the listing shows nothing of the kind {kind} that this state has: it may leave them out by tag",
            )
        return "", ""
