"""One rule: what a text looks like, what it means, what probably caused it, what to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase

from kumoss_console.model.contract import JobKind
from kumoss_console.model.diagnosis.pattern import Hit, Pattern
from kumoss_console.model.finding import Severity


class Role(StrEnum):
    """What a rule tells.

    ``cause`` is why something failed. ``outcome`` is what became of it (a lock left behind, a state saved to a file): it stands
    beside the cause, unless a rule met anywhere in the text supersedes it by its id. ``fallback`` is the summary around an inner
    text: it gives way to anything in the same error that knows more, and to a rule elsewhere in the text that supersedes it.
    """

    CAUSE = "cause"
    OUTCOME = "outcome"
    FALLBACK = "fallback"

    @property
    def weight(self) -> int:
        return {Role.CAUSE: 50, Role.OUTCOME: 30, Role.FALLBACK: 10}[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """``any``: one of these must be found; ``every``: each of these; ``unless``: none of these. A rule without patterns speaks
    of an exit code alone.

    ``kinds`` and ``exit_codes`` narrow it to jobs of that kind or end; empty for all, and a text that did not come from a job
    has neither. ``narration`` rules also look at what an engine says outside of errors and warnings, even where it succeeded.
    ``weight`` orders findings, the most specific (highest) first. ``supersedes`` are ids, or globs of ids, that need not be
    told beside this one. Texts may hold ``{name}`` or ``{name|otherwise}``; ``subject`` names attributes, the first one known
    is the finding's subject, and ``label`` stands where none is.
    """

    id: str
    family: str
    severity: Severity
    title: str
    cause: str
    remedy: str
    any: tuple[Pattern, ...] = ()
    every: tuple[Pattern, ...] = ()
    unless: tuple[Pattern, ...] = ()
    kinds: frozenset[JobKind] = frozenset()
    exit_codes: frozenset[int] = frozenset()
    role: Role = Role.CAUSE
    weight: int = Role.CAUSE.weight
    narration: bool = False
    supersedes: tuple[str, ...] = ()
    subject: tuple[str, ...] = ()
    label: str = ""

    @property
    def by_exit_code(self) -> bool:
        """Whether the rule needs no text."""
        return not self.any and not self.every

    def may_match(self, text: str) -> bool:
        """A cheap look: ``False`` only where :meth:`search` would find nothing."""
        if not all(pattern.may_match(text) for pattern in self.every):
            return False
        return not self.any or any(pattern.may_match(text) for pattern in self.any)

    def search(self, text: str) -> Hit | None:
        """Where the rule is met in one block of text, ``None`` where it is not."""
        hits: list[Hit] = []
        for pattern in self.every:
            hit = pattern.search(text) if pattern.may_match(text) else None
            if hit is None:
                return None
            hits.append(hit)
        if self.any:
            hit = next((found for pattern in self.any if pattern.may_match(text) and (found := pattern.search(text))), None)
            if hit is None:
                return None
            hits.append(hit)
        if any(pattern.may_match(text) and pattern.search(text) for pattern in self.unless):
            return None
        spans = sorted(span for hit in hits for span in hit.spans)
        return Hit(tuple(spans), tuple(pair for hit in hits for pair in hit.attributes))

    def covers(self, other: Rule) -> bool:
        """Whether ``other`` need not be told beside this one."""
        return any(fnmatchcase(other.id, glob) for glob in self.supersedes)

    def applies(self, kind: JobKind | None, exit_code: int | None) -> bool:
        if self.kinds and kind not in self.kinds:
            return False
        return not self.exit_codes or exit_code in self.exit_codes


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules in force, in their order: of two that are equally specific the earlier one is told first."""

    rules: tuple[Rule, ...] = ()
    files: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.rules)

    def by_id(self, rule_id: str) -> Rule | None:
        return next((rule for rule in self.rules if rule.id == rule_id), None)
