"""A card as data."""

from __future__ import annotations

from datetime import date
from typing import Any

from kumoss_console.model.endpoint import Aspect, LifecycleRule
from kumoss_console.model.moment import iso_or_none
from kumoss_console.model.state import finding_shape
from kumoss_console.services.endpoint.service import EndpointCard


def card_shape(card: EndpointCard) -> dict[str, Any]:
    """Aspects in their fixed order; ``doubt`` says why something is unknown."""
    return {
        "store": card.store,
        "aspects": [aspect_shape(aspect) for aspect in card.aspects],
        "findings": [finding_shape(finding) for finding in card.findings],
        "complete": card.complete,
        "tried_at": iso_or_none(card.tried_at),
        "leftovers": list(card.leftovers),
        "at": iso_or_none(card.at),
    }


def aspect_shape(aspect: Aspect) -> dict[str, Any]:
    return {
        "name": aspect.name,
        "standing": aspect.standing,
        "said": aspect.said,
        "evidence": aspect.evidence,
        "doubt": aspect.doubt or None,
        "error": None if aspect.error is None else aspect.error.code,
        "seconds": aspect.seconds,
        "fault": aspect.fault or None,
        "remark": aspect.remark or None,
        "rules": [_rule_shape(rule) for rule in aspect.rules],
    }


def _rule_shape(rule: LifecycleRule) -> dict[str, Any]:
    return {
        "name": rule.name,
        "prefix": rule.prefix,
        "expire_days": rule.expire_days,
        "expire_on": _day(rule.expire_on),
        "expire_old_days": rule.expire_old_days,
        "keep_old": rule.keep_old,
        "archive_days": rule.archive_days,
        "archive_on": _day(rule.archive_on),
        "archive_old_days": rule.archive_old_days,
        "tier": rule.tier or None,
        "narrowed": rule.narrowed,
        "states": rule.states,
    }


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
