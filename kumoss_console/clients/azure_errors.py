"""What a storage account, or the way to it, answered: as errors an operator can act on.

Rules are data: the account's code, else the HTTP status, else the kind of the exception. The codes of ours are those of every
store (see :mod:`kumoss_console.clients.s3_errors`), and four more:

    store.firewall           the account's network rules do not let us in
    store.not_yet_valid      a shared access signature that begins later
    store.leased             an engine, or somebody, holds a lease on the blob
    store.has_snapshots      the blob has snapshots, which would go with it

A URL of a request may carry a signature, and the SDK's exceptions carry URLs: none of them is quoted, chained or kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kumoss_console.errors import AccessDenied, BadAnswer, ConsoleError, InputError, NotFound, Refused, ServiceError, Unreachable
from kumoss_console.text import Secret, printable, redact

Way = Literal["key", "sas", "entra"]
"""How requests are authorised: with the account's key, a shared access signature, or a token of Entra ID."""

_DETAIL = 400
SILENT = "connected, and no answer came in time"
CLOSED = "the connection was closed before an answer came"
HANGS = "the store is overloaded or hangs; storage.read_timeout sets the patience"


@dataclass(frozen=True, slots=True)
class AzureTarget:
    """What was asked, in words. ``where`` is the account's host, ``key`` the blob, empty for the container itself.

    ``variable`` is the environment's name for the key or the signature.
    """

    where: str
    container: str
    account: str = ""
    key: str = ""
    way: Way = "key"
    variable: str = ""
    secrets: tuple[Secret, ...] = ()

    @property
    def subject(self) -> str:
        return printable(self.key) if self.key else f"container {printable(self.container)}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of error: title and hint may name ``{where}``, ``{subject}``, ``{container}``, ``{account}``, ``{variable}``."""

    error: type[ConsoleError]
    code: str
    title: str
    hint: str


DENIED = Rule(
    AccessDenied,
    "store.access_denied",
    "{where} refused us access to {subject}",
    "grant this identity the role Storage Blob Data Reader on the container (Contributor to write); with a SAS, the permissions "
    "read and list",
)
_CONTRIBUTOR = "grant this identity the role Storage Blob Data Contributor on the container; with a SAS, the permission "
TO_WRITE: Mapping[str, str] = {"PUT": f"{_CONTRIBUTOR}write", "DELETE": f"{_CONTRIBUTOR}delete"}
"""The next step where a request of that method was denied, leases and metadata among them: other ones only read."""
FIREWALL = Rule(
    AccessDenied,
    "store.firewall",
    "the network rules of {where} do not let this machine in",
    "add this network to the account's firewall, or ask from where its private endpoint is known; a SAS may be bound to an "
    "address, too",
)
NOT_LET_IN = Rule(
    AccessDenied,
    "store.access_denied",
    "{where} does not let us in: its network rules do not, or it does not take the key or SAS in {variable}",
    "list the container (state list): the answer to that says which of them it is",
)
KEYS_OFF = Rule(
    AccessDenied,
    "store.access_denied",
    "{where} takes no shared keys",
    "use Entra ID (azure: {{entra_id: true}} in the context), or allow shared key access on the account",
)
PUBLIC_OFF = Rule(
    AccessDenied,
    "store.access_denied",
    "our credentials did not arrive at {where}, and it lets nobody in without any",
    "look for a proxy on the way that drops the Authorization header or the query of a URL",
)
NEEDS_HTTPS = Rule(
    ServiceError, "store.settings", "{where} wants https", "begin storage.endpoint_url with https://, as the core needs it, too"
)
# Not a NotFound: whoever asks for an object would take it for "no such object here", and nobody has looked.
NO_CONTAINER = Rule(
    ServiceError,
    "store.bucket_missing",
    "there is no container {container} at {where}",
    "compare storage.terraform_state_bucket, and the account that storage.endpoint_url names, with the core's; the core creates "
    "the container when it starts",
)
NO_BLOB = Rule(NotFound, "store.object_missing", "{where} has no object {subject}", "list the container to see what is there")
ARCHIVED = Rule(
    ServiceError,
    "store.archived",
    "{subject} is in the archive tier and cannot be read",
    "rehydrate it (az storage blob set-tier --tier Hot), which takes hours, and look for the rule that archived it",
)
EXPIRED = Rule(AccessDenied, "store.expired_token", "the credentials for {where} have expired", "{renew}")
NOT_YET = Rule(
    AccessDenied,
    "store.not_yet_valid",
    "the SAS in {variable} is not valid yet",
    "wait until it begins, or make a new one without a start (st), or with one some minutes ago: clocks differ",
)
OUT_OF_TIME = Rule(AccessDenied, "store.expired_token", "the SAS in {variable} does not hold at this time", "{renew}")
THROTTLED = Rule(
    ServiceError, "store.throttled", "{where} asks us to slow down", "wait a moment; many clients read this account at once"
)
SKEW = Rule(
    AccessDenied,
    "store.clock_skew",
    "the clock of this machine and that of {where} disagree",
    "set the clock of this machine (NTP)",
)
FAULT = Rule(ServiceError, "store.fault", "{where} failed", "look at the health of the storage account, then try again")
BAD = Rule(
    BadAnswer,
    "store.bad_answer",
    "{where} gave an answer that is not Azure Blob Storage's",
    "check storage.endpoint_url: a proxy, a web page or another service may be listening there",
)
CUT = Rule(
    BadAnswer,
    "store.cut_off",
    "the answer of {where} about {subject} broke off before its end",
    "read it once more; where it breaks off again, look for a proxy or a firewall on the way that cuts long or slow answers",
)
OTHER = Rule(
    ServiceError,
    "store.refused",
    "{where} did not do what was asked about {subject}",
    "look the code up in the error codes of Azure Blob Storage",
)
OLD_EMULATOR = Rule(
    ServiceError,
    "store.settings",
    "{where} does not know the version of the interface that this SDK speaks",
    "update it; Azurite takes any version with --skipApiVersionCheck",
)
SETTINGS = Rule(InputError, "store.settings", "the storage settings make no valid request", "correct the storage section")
WRONG_KEY = Rule(
    AccessDenied,
    "store.wrong_credentials",
    "{where} does not take the key in {variable}",
    "check that it is a key of the account {account}, not rotated since, without blanks around it",
)
WRONG_SAS = Rule(
    AccessDenied,
    "store.wrong_credentials",
    "{where} does not take the SAS in {variable}",
    "make a new one for this account and container; the key it was signed with may have been rotated",
)
WRONG_TOKEN = Rule(
    AccessDenied,
    "store.wrong_credentials",
    "{where} does not take the token of this identity",
    "sign in to the tenant of this storage account (az login --tenant TENANT)",
)
LEASED = Rule(
    Refused,
    "store.leased",
    "{subject} is leased, most likely by an engine that holds its lock: nothing was written or removed",
    "look at its lock (state locks); wait for the run, or remove the lock on purpose",
)
SNAPSHOTS = Rule(
    Refused,
    "store.has_snapshots",
    "{subject} has snapshots, which would go with it: nothing was removed",
    "remove the snapshots one by one first (state versions names them)",
)
IMMUTABLE = Rule(
    Refused, "store.immutable", "{subject} is under a retention policy or a legal hold: nothing was written or removed", "ask "
    "whoever keeps the policy; a container for state must not have one"
)  # fmt: skip
EXISTS = Rule(
    Refused, "store.exists", "{where} has an object {subject} already: nothing was written", "look at what is there first"
)
CHANGED = Rule(
    Refused, "store.changed", "{subject} changed since it was looked at: nothing was removed", "look again, then decide again"
)
NO_VERSIONS = Rule(
    ServiceError,
    "store.versions_unsupported",
    "{where} does not list versions of objects",
    "without a list there is no way back to an older state through this store: keep copies (state pull) elsewhere",
)
TOO_LARGE = Rule(
    InputError,
    "store.object_too_large",
    "{subject} is too large to be read whole: more than 512 MiB",
    "no state is this large: look at the first bytes, or download it with the store's own tools",
)
ENDLESS = Rule(Unreachable, "store.unreachable", "{where} does not come to an end", HANGS)

BY_CODE: Mapping[str, Rule] = {
    **dict.fromkeys(
        (
            "AuthorizationPermissionMismatch",
            "InsufficientAccountPermissions",
            "AuthorizationResourceTypeMismatch",
            "AuthorizationServiceMismatch",
            "AccountIsDisabled",
            "ContainerDisabled",
            "InvalidOperation",
        ),
        DENIED,
    ),
    **dict.fromkeys(("AuthorizationFailure", "AuthorizationSourceIPMismatch", "IpAuthorizationError"), FIREWALL),
    "AuthorizationProtocolMismatch": NEEDS_HTTPS,
    "AccountRequiresHttps": NEEDS_HTTPS,
    "KeyBasedAuthenticationNotPermitted": KEYS_OFF,
    **dict.fromkeys(("PublicAccessNotPermitted", "NoAuthenticationInformation"), PUBLIC_OFF),
    **dict.fromkeys(("ContainerNotFound", "ContainerBeingDeleted"), NO_CONTAINER),
    "BlobNotFound": NO_BLOB,
    **dict.fromkeys(("BlobArchived", "BlobBeingRehydrated"), ARCHIVED),
    **dict.fromkeys(("ServerBusy", "TooManyRequests", "AccountThrottled"), THROTTLED),
    **dict.fromkeys(("InternalError", "OperationTimedOut"), FAULT),
    **dict.fromkeys(
        (
            "LeaseIdMissing",
            "LeaseIdMismatchWithBlobOperation",
            "LeaseLost",
            "LeaseAlreadyPresent",
            "LeaseIdMismatchWithLeaseOperation",
        ),
        LEASED,
    ),
    "SnapshotsPresent": SNAPSHOTS,
    **dict.fromkeys(("BlobImmutableDueToPolicy", "BlobImmutableDueToLegalHold", "OperationNotAllowedOnArchivedBlob"), IMMUTABLE),
    **dict.fromkeys(("ConditionNotMet", "UnmodifiedSinceConditionNotMet"), CHANGED),
    **dict.fromkeys(("BlobAlreadyExists", "BlobOverwritten"), EXISTS),
    **dict.fromkeys(("InvalidResourceName", "InvalidUri", "OutOfRangeInput", "InvalidInput"), SETTINGS),
    **dict.fromkeys(
        ("FeatureNotYetSupportedForHierarchicalNamespaceAccounts", "FeatureVersionMismatch", "FeatureNotSupported"), NO_VERSIONS
    ),
}
BY_STATUS: Mapping[int, Rule] = {429: THROTTLED}

_RENEW: Mapping[Way, str] = {
    "key": "put the account's present key into {variable}",
    "sas": "make a new SAS and put it into {variable}",
    "entra": "sign in again (az login), then try again",
}
_CONTAINER_NAME = re.compile(r"\$?[a-z0-9](?:-?[a-z0-9])+")


def made(rule: Rule, target: AzureTarget, detail: str, *, hint: str = "") -> ConsoleError:
    """The error of that kind about ``target``. ``detail`` is the evidence, as it came: it is redacted and made printable here."""
    words = {
        "where": target.where,
        "subject": target.subject,
        "container": printable(target.container),
        "account": printable(target.account),
        "variable": target.variable or "the environment",
    }
    words["renew"] = _RENEW[target.way].format(**words)
    shown = printable(redact(detail, target.secrets), newlines=True).strip()
    return rule.error(
        rule.title.format(**words), detail=shown[:_DETAIL], hint=(hint or rule.hint).format(**words), code=rule.code
    )


def bad_answer(target: AzureTarget, detail: str) -> ConsoleError:
    """The account answered, and the answer cannot be."""
    return made(BAD, target, detail)


def never_ending(target: AzureTarget, seconds: float | None = None) -> ConsoleError:
    """The account keeps talking and never comes to an end."""
    return made(ENDLESS, target, "gave up" if seconds is None else f"gave up after {seconds:.0f} s")


def unusable_key(target: AzureTarget) -> ConsoleError | None:
    """Why no request can name ``target.key``: URLs are shortened on their way, and another blob would be read."""
    parts = target.key.split("/")
    if not target.key or {".", ".."} & set(parts):
        rule = Rule(InputError, "store.key", "no request can name the key {subject}", "no state of an engine has such a key")
        return made(rule, target, "a key that is empty, or has . or .. as a part, is another one in a URL")
    try:
        target.key.encode()
    except UnicodeEncodeError:
        rule = Rule(InputError, "store.key", "no request can name the key {subject}", "no blob has such a name")
        return made(rule, target, "it holds bytes that are not UTF-8")
    return None


def usable_container(name: str) -> bool:
    """Whether a container can have that name, by Azure's rule: 3 to 63 small letters, digits and single hyphens."""
    return 3 <= len(name) <= 63 and _CONTAINER_NAME.fullmatch(name) is not None
