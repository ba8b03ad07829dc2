"""From an answer of Azure's, or from none at all, to the error that it is."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from kumoss_console.clients.azure_errors import (
    BAD,
    BY_CODE,
    BY_STATUS,
    CLOSED,
    CUT,
    DENIED,
    ENDLESS,
    EXPIRED,
    FAULT,
    HANGS,
    NO_BLOB,
    NO_CONTAINER,
    NOT_LET_IN,
    NOT_YET,
    OLD_EMULATOR,
    OTHER,
    OUT_OF_TIME,
    SETTINGS,
    SILENT,
    SKEW,
    TO_WRITE,
    TOO_LARGE,
    WRONG_KEY,
    WRONG_SAS,
    WRONG_TOKEN,
    AzureTarget,
    Rule,
    bad_answer,
    made,
)
from kumoss_console.clients.azure_no_token import NoIdentity, no_token
from kumoss_console.clients.azure_sas import time_frame
from kumoss_console.clients.azure_wire import Cut, Heard, NotAzure, TooLarge, Waits, begin, forget, heard
from kumoss_console.clients.s3_wire import NoEnd, Silence
from kumoss_console.clients.tls import distrust
from kumoss_console.errors import ConsoleError, HungUp, Unreachable

_SKEW = 900.0
"""Seconds between the clocks beyond which the service takes no signature."""

_CODE = re.compile(r"<Code>([A-Za-z0-9]{1,80})</Code>")
_MESSAGE = re.compile(r"<Message>([^<]*)</Message>")
_REASON = re.compile(r"<AuthenticationErrorDetail>([^<]*)</AuthenticationErrorDetail>")
# From here on the service repeats what was signed, and the signature.
_SIGNED = re.compile(r"(?i)the mac signature|server used|string to sign|signature did not match")
_SECOND = "%Y-%m-%dT%H:%M:%SZ"
_T = TypeVar("_T")


def within(target: AzureTarget, call: Callable[..., _T], patience: Waits, *args: object) -> _T:
    """``call(*args)`` on this thread; what the SDK and what is beneath it raise, as a :class:`ConsoleError`.

    The error is raised where the SDK's own is forgotten: its text may hold a URL with a signature.
    """
    from azure.core.exceptions import AzureError
    from requests.exceptions import RequestException
    from urllib3.exceptions import HTTPError

    begin(patience)
    try:
        return call(*args)
    except ConsoleError as error:
        failure = error
    except (NoEnd, Silence, Cut, TooLarge, NotAzure, NoIdentity) as error:
        failure = _ours(error, target)
    except (AzureError, RequestException, HTTPError, OSError) as error:
        answer = heard()
        failure = _not_answered(error, target) if answer is None else answered(answer, target)
    except ValueError as error:
        failure = bad_answer(target, f"a value in the answer cannot be: {type(error).__name__}")
    finally:
        forget()
    failure.__cause__ = failure.__context__ = None
    raise failure


def answered(answer: Heard, target: AzureTarget) -> ConsoleError:
    """The error that this answer is."""
    text = answer.content[: 1 << 16].decode("utf-8", errors="replace")
    code = answer.headers.get("x-ms-error-code") or _found(_CODE, text)
    if answer.status < 300:
        return bad_answer(target, f"{answer.status} ({answer.kind}), and not what was asked for")
    if not code:
        return _without_a_code(answer, target)
    message = (_found(_MESSAGE, text) or "").partition("\n")[0]
    said = f"{answer.status} {code}: {message}".rstrip(": ")
    reason = _found(_REASON, text) or ""
    # The emulator has one code for a wrong signature and for the rest.
    if code in ("AuthenticationFailed", "InvalidAuthenticationInfo") or "failed to authenticate" in message:
        return _not_authenticated(answer, said, reason, target)
    if code == "AuthorizationFailure" and not text and target.way != "entra":
        return _not_let_in(answer, said, target)
    if code == "ResourceNotFound":
        return made(NO_BLOB if target.key else NO_CONTAINER, target, said)
    if code == "InvalidHeaderValue" and "x-ms-version" in text:
        return made(OLD_EMULATOR, target, said)
    rule = BY_CODE.get(code) or (FAULT if answer.status >= 500 else OTHER)
    return made(rule, target, said, hint=TO_WRITE.get(answer.method, "") if rule is DENIED else "")


def code_of(answer: Heard | None) -> str:
    """The service's own code in that answer; empty where there is none."""
    if answer is None:
        return ""
    return answer.headers.get("x-ms-error-code") or _found(_CODE, answer.content[:4096].decode("utf-8", errors="replace")) or ""


def _found(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return found[1].strip() if found else None


def _not_authenticated(answer: Heard, said: str, reason: str, target: AzureTarget) -> ConsoleError:
    """One code for four things: a wrong key, an expired signature or token, a token of elsewhere, and a clock that is wrong."""
    ours = _SIGNED.split(reason, maxsplit=1)[0].strip()
    told = f"{said}\n{ours}" if ours else said
    apart = skew(answer)
    behind = apart is not None and abs(apart) > _SKEW and target.way == "key"
    if behind or "date header" in reason.lower():
        ahead = "" if apart is None else f"\nour clock is {abs(apart):.0f} s {'ahead' if apart > 0 else 'behind'}"
        return made(SKEW, target, f"{said}{ahead}")
    if target.way == "sas":
        return _no_sas(answer, told, reason, target)
    if target.way == "entra":
        expired = "expired" in reason.lower() or "lifetime" in reason.lower()
        return made(EXPIRED if expired else WRONG_TOKEN, target, told)
    return made(WRONG_KEY, target, said)


def _not_let_in(answer: Heard, said: str, target: AzureTarget) -> ConsoleError:
    """An answer to a HEAD has no words, and this code stands for network rules, on the emulator for a wrong signature as well."""
    outside = _outside(answer, said, "", target) if target.way == "sas" else None
    return outside or made(NOT_LET_IN, target, f"{said}\nthe answer carries no reason")


def _no_sas(answer: Heard, told: str, reason: str, target: AzureTarget) -> ConsoleError:
    """A signature that is over, not yet valid, or none of this account's."""
    rule = OUT_OF_TIME if "time frame" in reason else WRONG_SAS
    return _outside(answer, told, reason, target) or made(rule, target, told)


def _outside(answer: Heard, told: str, reason: str, target: AzureTarget) -> ConsoleError | None:
    """A signature that is over or not yet valid; ``None`` for one that holds now, as far as is known."""
    for sas in target.secrets:
        frame = time_frame(sas, reason, _theirs(answer))
        if frame.outside == "over" and frame.ends is not None:
            return made(EXPIRED, target, f"{told}\nthe SAS ended at {frame.ends:{_SECOND}}")
        if frame.outside == "not yet" and frame.begins is not None:
            times = f"the SAS begins at {frame.begins:{_SECOND}}; by the store's clock it is {frame.now:{_SECOND}}"
            return made(NOT_YET, target, f"{told}\n{times}")
    return None


def skew(answer: Heard) -> float | None:
    """Seconds that our clock is ahead of the service's; ``None`` where it gave no time."""
    theirs = _theirs(answer)
    return None if theirs is None else (datetime.now(UTC) - theirs).total_seconds()


def _theirs(answer: Heard) -> datetime | None:
    """The service's time of that answer."""
    try:
        theirs = parsedate_to_datetime(answer.headers.get("date", ""))
    except ValueError:
        return None
    return theirs if theirs.tzinfo is not None else theirs.replace(tzinfo=UTC)


def _without_a_code(answer: Heard, target: AzureTarget) -> ConsoleError:
    """An answer of Azure's, or of a proxy before it, that does not say why: to a HEAD, say."""
    said = f"{answer.status} ({answer.kind})"
    if "x-ms-request-id" not in answer.headers:
        if answer.status >= 500:
            return made(FAULT, target, f"{said}: a proxy in front of the store may say so")
        return made(BY_STATUS.get(answer.status) or BAD, target, said)
    rules = {404: NO_BLOB if target.key else NO_CONTAINER, 401: DENIED, 403: DENIED, **BY_STATUS}
    rule = rules.get(answer.status) or (FAULT if answer.status >= 500 else BAD)
    hint = TO_WRITE.get(answer.method, "") if rule is DENIED else ""
    return made(rule, target, f"{said}\nthe answer carries no reason", hint=hint)


def _ours(error: Exception, target: AzureTarget) -> ConsoleError:
    if isinstance(error, NoEnd):
        return made(ENDLESS, target, "gave up") if error.slow else bad_answer(target, str(error))
    if isinstance(error, Silence):
        return _not_answered(error.__cause__ or error, target)
    if isinstance(error, Cut):
        return made(CUT, target, str(error))
    if isinstance(error, TooLarge):
        return made(TOO_LARGE, target, "")
    if isinstance(error, NoIdentity):
        return no_token(error, target)
    return bad_answer(target, str(error))


def _not_answered(error: BaseException, target: AzureTarget) -> ConsoleError:
    from azure.core.exceptions import DecodeError, HttpResponseError

    if isinstance(error, DecodeError | HttpResponseError):
        return bad_answer(target, "the body is not what was asked for")
    why, hint = _reason(tuple(_chain(error)), target)
    if why is None:
        return made(SETTINGS, target, type(error).__name__)
    title = "{where} accepted the connection and does not answer" if why == SILENT else "{where} cannot be reached"
    kind = HungUp if why == CLOSED else Unreachable
    return made(Rule(kind, "store.unreachable", title, hint), target, why)


def _reason(chain: tuple[BaseException, ...], target: AzureTarget) -> tuple[str | None, str]:
    from requests import exceptions as sdk

    kinds = {type(link).__name__ for link in chain}
    network = "check storage.endpoint_url and the way to it"
    speaks = "check whether the endpoint speaks https or plain http on this port"
    if any(isinstance(link, sdk.InvalidURL | sdk.MissingSchema | sdk.InvalidSchema) for link in chain):
        return None, ""
    if any(isinstance(link, sdk.ProxyError) for link in chain):
        return (
            "the proxy cannot be reached, or does not let us through",
            "check HTTP_PROXY and HTTPS_PROXY, or put the store into NO_PROXY",
        )
    if any(isinstance(link, socket.gaierror) for link in chain) or "NameResolutionError" in kinds:
        return (
            "the host name is not known here",
            "there may be no storage account {account}: compare storage.endpoint_url with the portal; the name of a private "
            "endpoint is known in its own network only",
        )
    if any(isinstance(link, ConnectionRefusedError) for link in chain):
        return (
            "the connection was refused: the host is there, nothing listens on that port",
            "start the store, or correct the port",
        )
    if any(isinstance(link, sdk.ConnectTimeout) for link in chain):
        return "nobody answered in time to open a connection", "a firewall or a wrong address swallows the packets; " + network
    if any(isinstance(link, sdk.ReadTimeout) for link in chain) or "ReadTimeoutError" in kinds:
        return SILENT, HANGS
    if any(isinstance(link, sdk.SSLError) for link in chain) or "SSLError" in kinds:
        if (untrusted := distrust(chain, "REQUESTS_CA_BUNDLE")) is not None:
            return untrusted
        return "TLS could not be agreed on", speaks
    if kinds & {"ProtocolError", "RemoteDisconnected", "ConnectionResetError", "BadStatusLine", "ConnectionError"}:
        return CLOSED, speaks
    return type(chain[0]).__name__, network


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from; the libraries hand the original on as an argument as well."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        link = waiting.pop(0)
        if isinstance(link, BaseException) and id(link) not in seen:
            seen.add(id(link))
            yield link
            waiting += [link.__cause__, link.__context__, getattr(link, "reason", None), getattr(link, "inner_exception", None)]
            waiting += link.args
