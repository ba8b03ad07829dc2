"""A grant on a Google Cloud project, as a listing names it and as a state does."""

from __future__ import annotations

import re

GRANT = re.compile(r"(?P<project>[^\s/]+) (?P<role>\S+) (?P<member>\S.*)", re.DOTALL)
"""A grant on a project as a listing names it: project, role and member with blanks between."""

_ROLE = r"(?:roles|(?:projects|organizations)/[^/\s]+/roles)/[^/\s]+"
WHOLE_GRANT = re.compile(rf"(?P<project>[^\s/]+)/(?P<role>{_ROLE})/(?P<member>(?:user|group|domain|serviceAccount):[^/\s|:]+)")
"""The same with slashes, as states name it, and nothing behind the member: a condition's title would be there."""

_ACCOUNT, _ACCOUNT_HOST = "serviceAccount:", ".gserviceaccount.com"


def is_services_own(member: str, project: str) -> bool:
    """Whether a listing leaves a grant to that member out: a deleted one, a service agent or a default account of Google's."""
    if member.startswith("deleted:"):
        return True
    agent = member.startswith(_ACCOUNT) and member.endswith(_ACCOUNT_HOST)
    return agent and not member.endswith(f"@{project}.iam{_ACCOUNT_HOST}")
