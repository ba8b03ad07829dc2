"""The failure that is an answer: the cloud, or how we are set up to ask it, does not let us list the scope."""

from __future__ import annotations

from collections.abc import Iterable

from kumoss_console.text import Secret, printable, redact

LIMIT = 1000
"""Characters of a cloud's own words that are repeated."""

UNREADABLE = (LookupError, TypeError, AttributeError)
"""What SDKs raise where an answer has another form than they walk through, such as the page of a proxy that wants a login."""

OTHER_FORM = "the answer has another form than the service gives it"


class DiscoveryError(Exception):
    """Its text is the job's ``stderr``; the job ends with exit code 1. Never holds a token, nor an exception that does."""


def told(text: str, secrets: Iterable[Secret] = ()) -> str:
    """Words of a cloud or a library as they may be repeated: at most ``LIMIT`` characters, no control but line feed and tab,
    no secret.

    Secrets go first: one that the cut went through would not be known again.
    """
    return printable(redact(text, secrets)[:LIMIT], newlines=True)


def shown(scope_id: str) -> str:
    """A scope as a message repeats it: whole, and nothing that a terminal obeys."""
    return printable(scope_id, newlines=True)


def extra_missing(cloud: str, extra: str) -> DiscoveryError:
    """The packages that get a token for ``cloud`` are not there."""
    return DiscoveryError(
        f"{cloud} scope discovery needs packages that are not installed; install them: pip install 'kumoss-console[{extra}]'"
    )
