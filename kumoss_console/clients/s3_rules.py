"""What the codes and statuses of an S3 store mean, as data: source is the list of error codes in AWS's S3 API reference.

A code that is not here is the store's word all the same: it refused, and its words are told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kumoss_console.errors import AccessDenied, BadAnswer, ConsoleError, InputError, NotFound, ServiceError


@dataclass(frozen=True, slots=True)
class Rule:
    """What an answer means: ``title`` has places for ``where``, ``subject`` and ``bucket``."""

    error: type[ConsoleError]
    code: str
    title: str
    hint: str


DENIED = Rule(
    AccessDenied,
    "store.access_denied",
    "{where} refused us access to {subject}",
    "grant these credentials s3:ListBucket on the bucket and s3:GetObject on its objects",
)
# Not a NotFound: whoever asks for an object would take it for "no such object here", and nobody has looked.
NO_BUCKET = Rule(
    ServiceError,
    "store.bucket_missing",
    "there is no bucket {bucket} at {where}",
    "compare storage.terraform_state_bucket and the endpoint with the core's; the core creates the bucket when it starts",
)
NO_OBJECT = Rule(NotFound, "store.object_missing", "{where} has no object {subject}", "list the bucket to see what is there")
EXPIRED = Rule(
    AccessDenied, "store.expired_token", "the credentials for {where} have expired", "renew the session, then try again"
)
THROTTLED = Rule(
    ServiceError, "store.throttled", "{where} asks us to slow down", "wait a moment; many clients read this bucket at once"
)
REDIRECTED = Rule(
    ServiceError, "store.redirected", "{subject} is not in this region", "set storage.region to the region of the bucket"
)
SKEW = Rule(
    AccessDenied,
    "store.clock_skew",
    "the clock of this machine and that of {where} disagree",
    "set the clock of this machine (NTP)",
)
CUT = Rule(
    BadAnswer,
    "store.cut_off",
    "the answer of {where} about {subject} broke off before its end",
    "read it again; a proxy on the way may cut long answers",
)
REFUSED = Rule(
    ServiceError,
    "store.refused",
    "{where} refused what was asked of {subject}",
    "the code is the store's own: its documentation says what it means",
)
AGAIN = Rule(
    ServiceError, "store.refused", "{where} did not do what was asked of {subject}", "nothing is wrong with it: try again"
)
ARCHIVED = Rule(
    ServiceError,
    "store.archived",
    "{subject} lies in an archive, from which {where} reads nothing",
    "restore the object (aws s3api restore-object), and see whether a lifecycle rule of the bucket moves states (state endpoint)",
)
ENCRYPTION_KEY = Rule(
    ServiceError,
    "store.encryption_key",
    "{where} cannot use the KMS key of {subject}",
    "look at the key in KMS: it has to be there and enabled, and these credentials need kms:Decrypt on it",
)
FAULT = Rule(ServiceError, "store.fault", "{where} failed", "look at the store's own log, then try again")
BAD = Rule(
    BadAnswer,
    "store.bad_answer",
    "{where} gave an answer that is not S3's",
    "check storage.endpoint_url: a proxy, a web page or a store's console may be listening there",
)
SETTINGS = Rule(InputError, "store.settings", "the storage settings make no valid request", "correct the storage section")
NO_CREDENTIALS = Rule(
    AccessDenied,
    "store.no_credentials",
    "there are no credentials for {where}",
    "set both variables that storage.access_key_env and storage.secret_key_env name, or give the SDK a profile",
)
WRONG_KEY = Rule(
    AccessDenied,
    "store.wrong_credentials",
    "{where} does not know our access key",
    "check the variable that storage.access_key_env names; a default such as rustfsadmin does not work elsewhere",
)
WRONG_SECRET = Rule(
    AccessDenied,
    "store.wrong_credentials",
    "{where} knows our access key, and the secret key does not match it",
    "check the variable that storage.secret_key_env names, also for blanks around it",
)
WRONG_TOKEN = Rule(
    AccessDenied,
    "store.wrong_credentials",
    "{where} does not take our session token",
    "renew the session, or unset the session token where the keys are permanent ones",
)

BY_CODE: Mapping[str, Rule] = {
    **dict.fromkeys(("AccessDenied", "AllAccessDisabled", "AccountProblem", "Forbidden", "UnauthorizedAccess"), DENIED),
    **dict.fromkeys(("InvalidAccessKeyId", "InvalidClientTokenId", "UnrecognizedClientException"), WRONG_KEY),
    "SignatureDoesNotMatch": WRONG_SECRET,
    "InvalidToken": WRONG_TOKEN,
    **dict.fromkeys(("ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired"), EXPIRED),
    "NoSuchBucket": NO_BUCKET,
    **dict.fromkeys(("NoSuchKey", "NoSuchVersion"), NO_OBJECT),
    **dict.fromkeys(
        ("SlowDown", "Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequests", "TooManyRequestsException"),
        THROTTLED,
    ),
    **dict.fromkeys(
        (
            "PermanentRedirect",
            "TemporaryRedirect",
            "Redirect",
            "AuthorizationHeaderMalformed",
            "IllegalLocationConstraintException",
        ),
        REDIRECTED,
    ),
    "RequestTimeTooSkewed": SKEW,
    "InvalidObjectState": ARCHIVED,
    **dict.fromkeys(("RequestTimeout", "OperationAborted"), AGAIN),
    **dict.fromkeys(("InternalError", "ServiceUnavailable"), FAULT),
    **dict.fromkeys(("InvalidBucketName", "KeyTooLongError"), SETTINGS),
}

BY_STATUS: Mapping[int, Rule] = {301: REDIRECTED, 307: REDIRECTED, 429: THROTTLED}


def meaning(code: str, status: int, message: str) -> Rule:
    """What a document of the store says: its ``code``, else the ``status`` it came with. ``message`` tells a key that may not be
    used from an object that may not be read: S3 calls both ``AccessDenied``."""
    if code.startswith("KMS.") or (code == "AccessDenied" and "kms:" in message):
        return ENCRYPTION_KEY
    return BY_CODE.get(code) or BY_STATUS.get(status) or (FAULT if status >= 500 else REFUSED)
