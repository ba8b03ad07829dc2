"""Scopes that a state's own resources name: the subscription, project or account in their identifiers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from kumoss_console.model.contract import CloudProvider

_AZURE = re.compile(r"/subscriptions/([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?:/|\Z)", re.IGNORECASE)
# A self link, a full resource name, or the relative name that most Google resources have for an id.
_GCP = re.compile(r"(?:\A|/)projects/([a-z][a-z0-9-]{4,28}[a-z0-9]|[0-9]{6,19})(?:/|\Z)")
_AWS = re.compile(r"\Aarn:aws[a-z-]*:[^:]*:[^:]*:([0-9]{12}):")
_READERS = ((CloudProvider.AZURE, _AZURE), (CloudProvider.GCP, _GCP), (CloudProvider.AWS, _AWS))


@dataclass(frozen=True, slots=True, kw_only=True)
class InferredScope:
    """A scope in its hashed form, the cloud it is of, and how many identifiers name it."""

    scope: str
    provider: CloudProvider
    count: int


def scopes_in(identifiers: Iterable[str]) -> tuple[InferredScope, ...]:
    """What the identifiers name, most often named first: resources of the project's own scope are the many.

    A state may also name scopes it only refers to (a peering, a shared image): they come with their lower counts.
    """
    counts = Counter(
        (provider, match[1].lower()) for text in identifiers for provider, reader in _READERS if (match := reader.search(text))
    )
    return tuple(InferredScope(scope=scope, provider=provider, count=count) for (provider, scope), count in counts.most_common())
