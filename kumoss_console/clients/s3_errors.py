"""What an S3 store, or the way to it, answered: as errors an operator can act on.

Rules are data: the store's code, else the HTTP status, else the kind of the exception. Request URLs are never quoted, they
carry signatures; the store's own words are, printable and redacted.

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
    store.fault              the store failed (5xx)
    store.settings           the settings cannot make a request
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kumoss_console.clients.s3_wire import STATUS_HEADER, NoEnd, Silence
from kumoss_console.errors import AccessDenied, BadAnswer, ConsoleError, InputError, NotFound, Refused, ServiceError, Unreachable
from kumoss_console.text import Secret, printable, redact

_DETAIL = 400
UNSUPPORTED = frozenset({"NotImplemented", "MethodNotAllowed", "UnsupportedOperation", "XNotImplemented"})
"""Codes by which stores say that they have no such operation."""
NO_KIND = "no content type"
"""Stands for the kind of an answer that has none: neither a document of S3's, nor a page of anybody else."""
_SILENT = "connected, and no answer came in time"
_HANGS = "the store is overloaded or hangs; storage.read_timeout sets the patience"


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


@dataclass(frozen=True, slots=True)
class _Rule:
    error: type[ConsoleError]
    code: str
    title: str
    hint: str


_DENIED = _Rule(
    AccessDenied,
    "store.access_denied",
    "{where} refused us access to {subject}",
    "grant these credentials s3:ListBucket on the bucket and s3:GetObject on its objects",
)
# Not a NotFound: whoever asks for an object would take it for "no such object here", and nobody has looked.
_NO_BUCKET = _Rule(
    ServiceError,
    "store.bucket_missing",
    "there is no bucket {bucket} at {where}",
    "compare storage.terraform_state_bucket and the endpoint with the core's; the core creates the bucket when it starts",
)
_NO_OBJECT = _Rule(NotFound, "store.object_missing", "{where} has no object {subject}", "list the bucket to see what is there")
_EXPIRED = _Rule(
    AccessDenied, "store.expired_token", "the credentials for {where} have expired", "renew the session, then try again"
)
_THROTTLED = _Rule(
    ServiceError, "store.throttled", "{where} asks us to slow down", "wait a moment; many clients read this bucket at once"
)
_REDIRECTED = _Rule(
    ServiceError, "store.redirected", "{subject} is not in this region", "set storage.region to the region of the bucket"
)
_SKEW = _Rule(
    AccessDenied,
    "store.clock_skew",
    "the clock of this machine and that of {where} disagree",
    "set the clock of this machine (NTP)",
)
_FAULT = _Rule(ServiceError, "store.fault", "{where} failed", "look at the store's own log, then try again")
_BAD = _Rule(
    BadAnswer,
    "store.bad_answer",
    "{where} gave an answer that is not S3's",
    "check storage.endpoint_url: a proxy, a web page or a store's console may be listening there",
)
_SETTINGS = _Rule(InputError, "store.settings", "the storage settings make no valid request", "correct the storage section")
_NO_CREDENTIALS = _Rule(
    AccessDenied,
    "store.no_credentials",
    "there are no credentials for {where}",
    "set both variables that storage.access_key_env and storage.secret_key_env name, or give the SDK a profile",
)
_WRONG_KEY = _Rule(
    AccessDenied,
    "store.wrong_credentials",
    "{where} does not know our access key",
    "check the variable that storage.access_key_env names; a default such as rustfsadmin does not work elsewhere",
)
_WRONG_SECRET = _Rule(
    AccessDenied,
    "store.wrong_credentials",
    "{where} knows our access key, and the secret key does not match it",
    "check the variable that storage.secret_key_env names, also for blanks around it",
)
_WRONG_TOKEN = _Rule(
    AccessDenied,
    "store.wrong_credentials",
    "{where} does not take our session token",
    "renew the session, or unset the session token where the keys are permanent ones",
)

_BY_CODE: Mapping[str, _Rule] = {
    **dict.fromkeys(("AccessDenied", "AllAccessDisabled", "AccountProblem", "Forbidden", "UnauthorizedAccess"), _DENIED),
    **dict.fromkeys(("InvalidAccessKeyId", "InvalidClientTokenId", "UnrecognizedClientException"), _WRONG_KEY),
    "SignatureDoesNotMatch": _WRONG_SECRET,
    "InvalidToken": _WRONG_TOKEN,
    **dict.fromkeys(("ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired"), _EXPIRED),
    "NoSuchBucket": _NO_BUCKET,
    **dict.fromkeys(("NoSuchKey", "NoSuchVersion"), _NO_OBJECT),
    **dict.fromkeys(
        ("SlowDown", "Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequests", "TooManyRequestsException"),
        _THROTTLED,
    ),
    **dict.fromkeys(
        (
            "PermanentRedirect",
            "TemporaryRedirect",
            "Redirect",
            "AuthorizationHeaderMalformed",
            "IllegalLocationConstraintException",
        ),
        _REDIRECTED,
    ),
    "RequestTimeTooSkewed": _SKEW,
    **dict.fromkeys(("InternalError", "ServiceUnavailable"), _FAULT),
    **dict.fromkeys(("InvalidBucketName", "KeyTooLongError"), _SETTINGS),
}
_ELSEWHERE = frozenset({301, 307, 400})
"""What a bucket of another region answers; the header that names its region comes without a document, too."""

_BY_STATUS: Mapping[int, _Rule] = {301: _REDIRECTED, 307: _REDIRECTED, 429: _THROTTLED}


def exists(target: Target) -> ConsoleError:
    """Something lies at a key that was to be empty."""
    rule = _Rule(
        Refused, "store.exists", "{where} has an object {subject} already: nothing was written", "look at what is there first"
    )
    return _made(rule, target, "")


def changed(target: Target) -> ConsoleError:
    """Another object lies at the key than the one that was looked at."""
    rule = _Rule(
        Refused, "store.changed", "{subject} changed since it was looked at: nothing was removed", "look again, then decide again"
    )
    return _made(rule, target, "")


def versions_unsupported(target: Target, said: str) -> ConsoleError:
    """The store does not list versions, which says nothing of whether it keeps any."""
    rule = _Rule(
        ServiceError,
        "store.versions_unsupported",
        "{where} does not list versions of objects",
        "without a list there is no way back to an older state through this store: keep copies (state pull) elsewhere",
    )
    return _made(rule, target, said)


def conditions_unsupported(target: Target, said: str) -> ConsoleError:
    """The store refuses a deletion on a condition, whatever lies there."""
    rule = _Rule(
        ServiceError,
        "store.conditions_unsupported",
        "{where} does not delete on a condition: nothing was removed",
        "look at the object again right before it is deleted",
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
    return _made(_SETTINGS, target, detail)


def bad_answer(target: Target, detail: str) -> ConsoleError:
    """The store answered 200, and the answer cannot be."""
    return _made(_BAD, target, detail)


def cut_off(target: Target, came: int, of: int) -> ConsoleError:
    """The object ended before all of it had arrived."""
    hint = "read it again; a proxy on the way may cut long answers"
    return _made(_BAD, target, f"the answer ended after {came} of {of} bytes", hint=hint)


def object_missing(target: Target) -> ConsoleError:
    """The bucket is there, the object is not."""
    return _made(_NO_OBJECT, target, "the bucket is there, and nothing under this key")


def never_ending(target: Target, seconds: float | None = None) -> ConsoleError:
    """The store keeps talking and never comes to an end."""
    return _made(
        _Rule(Unreachable, "store.unreachable", "{where} does not come to an end", _HANGS),
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
        return _made(_BAD, target, f"200, without an S3 document in it ({_kind(meta)})")
    if bare:
        said = f"{status} {error.get('Message', '')}".strip()
        if status in _ELSEWHERE and (region := _region(_REDIRECTED, target, error, meta)):
            return _made(_REDIRECTED, target, said + region)
        return _without_a_reason(status, said, target) if target.head else _without_a_document(status, said, meta, target)
    rule = _BY_CODE.get(code) or (_FAULT if status >= 500 else _BAD)
    hidden = "\nthe object may not be there: without s3:ListBucket a store says 403 for that, too"
    also = hidden if rule is _DENIED and target.reading else ""
    return _made(rule, target, f"{status} {code}: {error.get('Message', '')}{also}" + _region(rule, target, error, meta))


def _without_a_reason(status: int, said: str, target: Target) -> ConsoleError:
    """The answer to a HEAD: the reason stays with the store, so say what that leaves open."""
    if status == 404:
        detail = f"{said}\nthe answer carries no reason: the object is not there, or the whole bucket is not"
        return _made(_NO_OBJECT, target, detail)
    if status in (401, 403):
        detail = (
            f"{said}\nthe answer carries no reason: the key may be wrong, the permission missing, or the object not there "
            "(without s3:ListBucket a store says 403 for that, too)"
        )
        return _made(_DENIED, target, detail)
    return _made(_BY_STATUS.get(status) or (_FAULT if status >= 500 else _BAD), target, said)


def _without_a_document(status: int, said: str, meta: Mapping[str, Any], target: Target) -> ConsoleError:
    """Something answered that is no S3 store, or a proxy answered for it."""
    kind = _kind(meta)
    if status == 429:
        return _made(_THROTTLED, target, said)
    if status >= 500:
        return _made(_FAULT, target, f"{said} ({kind}): a proxy in front of the store may say so")
    moved = meta.get("HTTPHeaders", {}).get("location", "").partition("?")[0]
    return _made(_BAD, target, f"{said} ({kind})" + (f"\nit points to {moved}" if moved else ""))


def _kind(meta: Mapping[str, Any]) -> str:
    return meta.get("HTTPHeaders", {}).get("content-type") or NO_KIND


def _region(rule: _Rule, target: Target, error: Mapping[str, Any], meta: Mapping[str, Any]) -> str:
    if rule is not _REDIRECTED:
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
        return _made(_NO_CREDENTIALS, target, str(error))
    if isinstance(error, sdk.TokenRetrievalError | sdk.UnauthorizedSSOTokenError | sdk.SSOTokenLoadError):
        return _made(_EXPIRED, target, str(error))
    if isinstance(
        error, sdk.ParamValidationError | sdk.NoRegionError | sdk.InvalidRegionError | sdk.InvalidEndpointConfigurationError
    ):
        return _made(_SETTINGS, target, str(error))
    if isinstance(error, ResponseParserError):
        return _made(_BAD, target, "the body is not the XML that was asked for")
    if isinstance(error, sdk.IncompleteReadError | sdk.ResponseStreamingError):
        return _made(
            _BAD,
            target,
            "the answer ended before all of it had arrived",
            hint="read it again; a proxy on the way may cut long answers",
        )
    why, hint = _reason(error)
    title = "{where} accepted the connection and does not answer" if why == _SILENT else "{where} cannot be reached"
    return _made(_Rule(Unreachable, "store.unreachable", title, hint), target, why)


def _reason(error: BaseException) -> tuple[str, str]:
    from botocore import exceptions as sdk

    chain = tuple(_chain(error))
    network = "check storage.endpoint_url and the way to it"
    if isinstance(error, sdk.ProxyConnectionError):
        return (
            "the proxy cannot be reached, or does not let us through",
            "check HTTP_PROXY and HTTPS_PROXY, or put the store into NO_PROXY",
        )
    if any(isinstance(link, socket.gaierror) for link in chain):
        return (
            "the host name is not known here",
            "check the host in storage.endpoint_url; a service name is known in its own network only",
        )
    if any(isinstance(link, ConnectionRefusedError) for link in chain):
        return (
            "the connection was refused: the host is there, nothing listens on that port",
            "start the store, or correct the port",
        )
    if isinstance(error, sdk.ConnectTimeoutError):
        return "nobody answered in time to open a connection", "a firewall or a wrong address swallows the packets; " + network
    if isinstance(error, sdk.ReadTimeoutError):
        return _SILENT, _HANGS
    if isinstance(error, sdk.SSLError):
        text = " ".join(str(link) for link in chain)
        if "CERTIFICATE_VERIFY_FAILED" in text:
            return "its TLS certificate is not trusted", "name the CA in AWS_CA_BUNDLE, or correct the host name"
        return "TLS could not be agreed on", "check whether the endpoint speaks https or plain http on this port"
    if isinstance(error, sdk.ConnectionClosedError):
        return (
            "the connection was closed before an answer came",
            "check whether the endpoint speaks https or plain http on this port",
        )
    return type(error).__name__, network


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from; botocore hands the original on as an argument as well."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        link = waiting.pop()
        if isinstance(link, BaseException) and id(link) not in seen:
            seen.add(id(link))
            yield link
            waiting += [link.__cause__, link.__context__, getattr(link, "reason", None), *link.args]
            waiting.append(getattr(link, "kwargs", {}).get("error"))


def _made(rule: _Rule, target: Target, detail: str, *, hint: str = "") -> ConsoleError:
    title = rule.title.format(where=target.where, subject=target.subject, bucket=printable(target.bucket))
    shown = printable(redact(detail, target.secrets), newlines=True).strip()
    return rule.error(title, detail=shown[:_DETAIL], hint=hint or rule.hint, code=rule.code)
