"""Which identifiers name one object and no other, by their form alone.

Most ids of a state do not: ``none`` of a ``random_password``, a name within a namespace, the hash of a file's content. Only of
those that do can be said that one object is managed at two addresses.
"""

from __future__ import annotations

import re
from functools import lru_cache

_UNIQUE = re.compile(
    r"arn:aws[a-z-]*:[a-z0-9-]+:[^:]*:[^:]*:.+"
    r"|/subscriptions/[0-9a-fA-F-]{36}/(?:resource[gG]roups/.+|providers/.+)"
    r"|(?:https?:)?//(?:[a-z0-9-]+\.)*googleapis\.com/.*projects/.+"
    r"|projects/[^/]+/(?:global|locations|regions|zones)/.+/.+"
    # Ids that AWS gives: vpc-0a1b2c3d, i-0123456789abcdef0, rtbassoc-…, eipalloc-…
    r"|[a-z]{1,12}(?:-[a-z]{2,10}){0,2}-(?=[0-9a-f]*[0-9])(?:[0-9a-f]{8}|[0-9a-f]{17})"
)
_BORROWED = re.compile(
    r"_(?:version|attachment|association|membership|member|binding|permission|grant|assignment|rule)s?(?:_v\d+)?\Z"
)
"""Types whose objects often carry the identifier of what they belong to."""


@lru_cache(maxsize=4096)
def _lends(type_: str) -> bool:
    return _BORROWED.search(type_) is not None


def reads_as_a_name(text: str) -> bool:
    """Whether ``text`` has the form of what a cloud names one of its objects by: an ARN, a path, an id that it gave."""
    return _UNIQUE.fullmatch(text) is not None


def names_one_object(type_: str, identifier: str) -> bool:
    """Whether no two objects of ``type_`` can have ``identifier``: an ARN, a path of Azure or Google, an id that a cloud gave."""
    return not _lends(type_) and _UNIQUE.fullmatch(identifier) is not None
