"""What an S3 store, or the way to it, answered: as errors an operator can act on.

Rules are data (:mod:`kumoss_console.clients.s3_rules`): the store's code, else the HTTP status, else the kind of the exception.
Request URLs are never quoted, they carry signatures; the store's own words are, printable and redacted.

    store.unreachable        nobody answered: refused, name unknown, timeout, TLS
    store.access_denied      known to the store, and not allowed
    store.wrong_credentials  the access key or the secret is not the store's
    store.expired_token      temporary credentials have run out
    store.no_credentials     nothing to sign with
    store.bucket_missing     no such bucket
    store.object_missing     no such object
    store.throttled          slow down
    store.redirected         the bucket is in another region
    store.clock_skew         our clock and the store's disagree
    store.bad_answer         an answer that is not S3's
    store.cut_off            an answer that ended before its end
    store.archived           the object lies where nothing is read at once
    store.encryption_key     the key that the object is encrypted with cannot be used
    store.refused            any other refusal, in the store's own words
    store.fault              the store failed (5xx)
    store.settings           the settings cannot make a request
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kumoss_console.clients.s3_rules import (
    BAD,
    BY_STATUS,
    CUT,
    DENIED,
    EXPIRED,
    FAULT,
    NO_CREDENTIALS,
    NO_OBJECT,
    REDIRECTED,
    SETTINGS,
    THROTTLED,
    Rule,
    meaning,
)
from kumoss_console.clients.s3_silence import CLOSED, HANGS, SILENT, chained, reason
from kumoss_console.clients.s3_wire import STATUS_HEADER, BrokeOff, NoEnd, Silence
from kumoss_console.errors import ConsoleError, HungUp, Refused, ServiceError, Unreachable
from kumoss_console.text import Secret, printable, redact

_DETAIL = 400
UNSUPPORTED = frozenset({"NotImplemented", "MethodNotAllowed", "UnsupportedOperation", "XNotImplemented"})
"""Codes by which stores say that they have no such operation."""
NO_KIND = "no content type"
"""Stands for the kind of an answer that has none: neither a document of S3's, nor a page of anybody else."""


@dataclass(frozen=True, slots=True)
class Target:
    """What was asked, in words: ``where`` is the store's label, ``key`` the object, empty for the bucket itself.

    ``head`` asks what the object is, and ``reading`` for the object or a part of it."""

    where: str
    bucket: str
    key: str = ""
    head: bool = False
    reading: bool = False
    region: str = ""
    secrets: tuple[Secret, ...] = ()

    @property
    def subject(self) -> str:
        return printable(self.key) if self.key else f"bucket {printable(self.bucket)}"


_ELSEWHERE = frozenset({301, 307, 400})
"""What a bucket of another region answers; the header that names its region comes without a document, too."""


def exists(target: Target) -> ConsoleError:
    """Something lies at a key that was to be empty."""
    rule = Rule(
        Refused, "store.exists", "{where} has an object {subject} already: nothing was written", "look at what is there first"
    )
    return _made(rule, target, "")


def changed(target: Target) -> ConsoleError:
    """Another object lies at the key than the one that was looked at."""
    rule = Rule(
        Refused, "store.changed", "{subject} changed since it was looked at: nothing was removed", "look again, then decide again"
    )
    return _made(rule, target, "")


def versions_unsupported(target: Target, said: str) -> ConsoleError:
    """The store does not list versions, which says nothing of whether it keeps any."""
    rule = Rule(
        ServiceError,
        "store.versions_unsupported",
        "{where} does not list versions of objects",
        "without a list there is no way back to an older state through this store: keep copies (state pull) elsewhere",
    )
    return _made(rule, target, said)


def conditions_unsupported(target: Target, said: str, *, writing: bool = False) -> ConsoleError:
    """The store refuses a deletion on a condition, or ``writing`` on one, whatever lies there."""
    what, was = ("write", "written") if writing else ("delete", "removed")
    rule = Rule(
        ServiceError,
        "store.conditions_unsupported",
        f"{{where}} does not {what} on a condition: nothing was {was}",
        f"look at the object again right before it is {was if writing else 'deleted'}",
    )
    return _made(rule, target, said)


def does_not_know(response: Mapping[str, Any]) -> bool:
    """Whether the store says that it has no such operation, which tells nothing of what was asked about."""
    unknown = response.get("Error", {}).get("Code") in UNSUPPORTED
    return unknown or response.get("ResponseMetadata", {}).get("HTTPStatusCode") == 501


@contextmanager
def translated(target: Target) -> Iterator[None]:
    """Raise what boto3, botocore and urllib3 raise within as a :class:`ConsoleError`."""
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.parsers import ResponseParserError
    from urllib3.exceptions import HTTPError

    try:
        yield
    except ClientError as error:
        raise _answered(error.response, target) from error
    except NoEnd as error:
        raise (never_ending(target) if error.slow else bad_answer(target, str(error))) from error
    except Silence as error:
        raise _not_answered(error.__cause__ or error, target) from error
    except (BotoCoreError, ResponseParserError, HTTPError, OSError) as error:
        raise _not_answered(error, target) from error
    except ValueError as error:
        # A number or a time of the answer that is none; settings were looked at before.
        raise bad_answer(target, f"a value in the answer cannot be: {error}") from error


def bad_settings(target: Target, detail: str) -> ConsoleError:
    """No request can be made from the settings."""
    return _made(SETTINGS, target, detail)


def bad_answer(target: Target, detail: str) -> ConsoleError:
    """The store answered 200, and the answer cannot be."""
    return _made(BAD, target, detail)


def cut_off(target: Target, came: int, of: int | None) -> ConsoleError:
    """The answer ended before all of it had arrived; ``of`` is ``None`` where nobody said how long it would be."""
    return _made(
        CUT, target, f"the answer ended after {came:,} bytes" if of is None else f"the answer ended after {came} of {of} bytes"
    )


def object_missing(target: Target) -> ConsoleError:
    """The bucket is there, the object is not."""
    return _made(NO_OBJECT, target, "the bucket is there, and nothing under this key")


def never_ending(target: Target, seconds: float | None = None) -> ConsoleError:
    """The store keeps talking and never comes to an end."""
    return _made(
        Rule(Unreachable, "store.unreachable", "{where} does not come to an end", HANGS),
        target,
        "gave up" if seconds is None else f"gave up after {seconds:.0f} s",
    )


def _answered(response: Mapping[str, Any], target: Target) -> ConsoleError:
    error = response.get("Error", {})
    meta = response.get("ResponseMetadata", {})
    code, status = str(error.get("Code", "")), int(meta.get("HTTPStatusCode", 0))
    # botocore puts the status where there is no S3 document. A HEAD never has one.
    bare = code in ("", str(status))
    # It also calls a 200 that it cannot read a 500: what came on the wire is what is told.
    status = int(meta.get("HTTPHeaders", {}).get(STATUS_HEADER, status))
    if bare and status == 200:
        return _made(BAD, target, f"200, without an S3 document in it ({_kind(meta)})")
    if bare:
        said = f"{status} {error.get('Message', '')}".strip()
        if status in _ELSEWHERE and (region := _region(REDIRECTED, target, error, meta)):
            return _made(REDIRECTED, target, said + region)
        return _without_a_reason(status, said, target) if target.head else _without_a_document(status, said, meta, target)
    rule = meaning(code, status, str(error.get("Message", "")))
    hidden = "\nthe object may not be there: without s3:ListBucket a store says 403 for that, too"
    also = hidden if rule is DENIED and target.reading else ""
    return _made(rule, target, f"{status} {code}: {error.get('Message', '')}{also}" + _region(rule, target, error, meta))


def _without_a_reason(status: int, said: str, target: Target) -> ConsoleError:
    """The answer to a HEAD: the reason stays with the store, so say what that leaves open."""
    if status == 404:
        detail = f"{said}\nthe answer carries no reason: the object is not there, or the whole bucket is not"
        return _made(NO_OBJECT, target, detail)
    if status in (401, 403):
        detail = (
            f"{said}\nthe answer carries no reason: the key may be wrong, the permission missing, or the object not there "
            "(without s3:ListBucket a store says 403 for that, too)"
        )
        return _made(DENIED, target, detail)
    return _made(BY_STATUS.get(status) or (FAULT if status >= 500 else BAD), target, said)


def _without_a_document(status: int, said: str, meta: Mapping[str, Any], target: Target) -> ConsoleError:
    """Something answered that is no S3 store, or a proxy answered for it."""
    kind = _kind(meta)
    if status == 429:
        return _made(THROTTLED, target, said)
    if status >= 500:
        return _made(FAULT, target, f"{said} ({kind}): a proxy in front of the store may say so")
    moved = meta.get("HTTPHeaders", {}).get("location", "").partition("?")[0]
    return _made(BAD, target, f"{said} ({kind})" + (f"\nit points to {moved}" if moved else ""))


def _kind(meta: Mapping[str, Any]) -> str:
    return meta.get("HTTPHeaders", {}).get("content-type") or NO_KIND


def _region(rule: Rule, target: Target, error: Mapping[str, Any], meta: Mapping[str, Any]) -> str:
    if rule is not REDIRECTED:
        return ""
    headers = meta.get("HTTPHeaders", {})
    region = headers.get("x-amz-bucket-region") or error.get("Region")
    return f"\nthe bucket is in {region}, the settings say {target.region}" if region else ""


def _not_answered(error: BaseException, target: Target) -> ConsoleError:
    from botocore import exceptions as sdk
    from botocore.parsers import ResponseParserError

    if isinstance(
        error, sdk.NoCredentialsError | sdk.PartialCredentialsError | sdk.CredentialRetrievalError | sdk.ProfileNotFound
    ):
        return _made(NO_CREDENTIALS, target, str(error))
    if isinstance(error, sdk.TokenRetrievalError | sdk.UnauthorizedSSOTokenError | sdk.SSOTokenLoadError):
        return _made(EXPIRED, target, str(error))
    if isinstance(
        error, sdk.ParamValidationError | sdk.NoRegionError | sdk.InvalidRegionError | sdk.InvalidEndpointConfigurationError
    ):
        return _made(SETTINGS, target, str(error))
    if isinstance(error, ResponseParserError):
        return _made(BAD, target, "the body is not the XML that was asked for")
    if isinstance(error, sdk.IncompleteReadError | sdk.ResponseStreamingError):
        return _made(CUT, target, "the answer ended before all of it had arrived")
    if (broke := next((link for link in chained(error) if isinstance(link, BrokeOff)), None)) is not None:
        return cut_off(target, broke.came, broke.of)
    why, hint = reason(error)
    title = "{where} accepted the connection and does not answer" if why == SILENT else "{where} cannot be reached"
    kind = HungUp if why == CLOSED else Unreachable
    return _made(Rule(kind, "store.unreachable", title, hint), target, why)


def _made(rule: Rule, target: Target, detail: str) -> ConsoleError:
    title = rule.title.format(where=target.where, subject=target.subject, bucket=printable(target.bucket))
    shown = printable(redact(detail, target.secrets), newlines=True).strip()
    return rule.error(title, detail=shown[:_DETAIL], hint=rule.hint, code=rule.code)
