"""A card as data."""

from __future__ import annotations

from typing import Any

from kumoss_console.model.endpoint import Aspect
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
        "rules": [
            {
                "name": rule.name,
                "prefix": rule.prefix,
                "expire_days": rule.expire_days,
                "expire_old_days": rule.expire_old_days,
                "narrowed": rule.narrowed,
            }
            for rule in aspect.rules
        ],
    }
