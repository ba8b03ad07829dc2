"""The rules by which a store deletes objects, or puts them where nobody reads them, and what that means for states."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from kumoss_console.model.finding import Finding, Severity

_DIGEST = re.compile(r"[0-9a-f]{0,64}")
_SIBLINGS = "env:/"
"""What the s3 backend puts before the key for a workspace that is not the default one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleRule:
    """A rule by which the store acts by itself. Days and dates are ``None`` where it does not do that; ``prefix`` empty for all.

    ``expire_*`` deletes, ``archive_*`` moves to ``tier``, from where an object has to be restored before anybody reads it; each
    for what is current after days or on a date, and for old versions after days. The newest ``keep_old`` old versions are spared.

    ``soon`` is whether the date has come, or comes within months.

    ``narrowed`` says that tags or sizes narrow it further, so that it may not concern any state. ``states`` is whether it can
    concern one by its prefix, ``None`` where that was not found out.
    """

    name: str
    prefix: str
    expire_days: int | None
    expire_old_days: int | None
    narrowed: bool = False
    expire_on: date | None = None
    keep_old: int | None = None
    archive_days: int | None = None
    archive_on: date | None = None
    archive_old_days: int | None = None
    soon: bool = True
    tier: str = ""
    states: bool | None = True

    @property
    def deletes(self) -> bool:
        """Whether it deletes what is current."""
        return self.expire_days is not None or self.expire_on is not None

    @property
    def archives(self) -> bool:
        """Whether it takes what is current out of reach."""
        return self.archive_days is not None or self.archive_on is not None


def may_begin_a_state(prefix: str, filename: str) -> bool:
    """Whether a key of the core, or one that an engine puts beside it, can begin with ``prefix``: those are ``DIGEST/FILENAME``,
    with more behind it for a lock, and ``env:/NAME/DIGEST/FILENAME``."""
    digest, rest, named = prefix[:64], prefix[64:], f"/{filename}"
    if _DIGEST.fullmatch(digest) and (named.startswith(rest) or rest.startswith(named)):
        return True
    return _SIBLINGS.startswith(prefix) or prefix.startswith(_SIBLINGS)


def about_rules(rules: Iterable[LifecycleRule], store: str) -> Iterator[Finding]:
    """What follows from them, rule by rule."""
    for rule in rules:
        where = _where(rule)
        if rule.deletes:
            yield Finding(
                code="endpoint.lifecycle_deletes_states",
                severity=_severity(rule),
                subject=store,
                message=f"rule {rule.name} deletes objects {where} {_when(rule.expire_days, rule.expire_on)}"
                + _then(rule, "a state nobody applies for that long is gone", "whatever states are there by then are gone"),
                remedy="" if rule.states is False else "take states out of the rule; expire old versions only",
            )
        if rule.archives:
            yield Finding(
                code="endpoint.lifecycle_archives_states",
                severity=_severity(rule),
                subject=store,
                message=f"rule {rule.name} moves objects {where} to {rule.tier} {_when(rule.archive_days, rule.archive_on)}"
                + _then(rule, *2 * ("engines cannot read a state there before somebody restores it",)),
                remedy="" if rule.states is False else "take states out of the rule; a tier that is read at once does no harm",
            )
        if rule.expire_old_days is not None:
            yield _about_old(
                rule, store, f"deletes old versions {where} after {_days(rule.expire_old_days)}", "there is no way back"
            )
        if rule.archive_old_days is not None:
            yield _about_old(
                rule,
                store,
                f"moves old versions {where} to {rule.tier} after {_days(rule.archive_old_days)}",
                "the way back needs a restore",
            )


def _about_old(rule: LifecycleRule, store: str, does: str, then: str) -> Finding:
    kept = rule.keep_old
    beyond = "beyond that" if not kept else "beyond those" if kept > 1 else "beyond that one"
    spared = f", all but the newest {kept if kept > 1 else 'one'}" if kept else ""
    return Finding(
        code="endpoint.lifecycle_deletes_versions" if does.startswith("deletes") else "endpoint.lifecycle_archives_versions",
        severity=Severity.INFO,
        subject=store,
        message=f"rule {rule.name} {does}{spared}{_perhaps(rule)}: {then} {beyond}",
    )


def _severity(rule: LifecycleRule) -> Severity:
    if rule.states is False:
        return Severity.INFO
    return Severity.WARNING if rule.narrowed or rule.states is None or not rule.soon else Severity.ERROR


def _then(rule: LifecycleRule, after_days: str, on_a_date: str) -> str:
    perhaps = _perhaps(rule)
    if rule.states is False:
        return f"{perhaps}: no key of a state begins so"
    if rule.states is None:
        return f"{perhaps}: whether states lie there could not be seen"
    return f"{perhaps}: {on_a_date if rule.expire_on is not None else after_days}"


def _where(rule: LifecycleRule) -> str:
    return f"below {rule.prefix}" if rule.prefix else "of the whole bucket"


def _when(days: int | None, on: date | None) -> str:
    return f"on {on:%Y-%m-%d}" if on is not None else f"{_days(days or 0)} after they were written"


def _perhaps(rule: LifecycleRule) -> str:
    return " (tags or sizes narrow it)" if rule.narrowed else ""


def _days(count: int) -> str:
    return "1 day" if count == 1 else f"{count} days"
