"""Whether anybody may read an S3 bucket, from what the store tells of its policy, its access list and what blocks both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kumoss_console.clients.s3_errors import Target, does_not_know
from kumoss_console.model.endpoint import Aspect
from kumoss_console.model.endpoint.aspect import Doubt
from kumoss_console.text import printable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_ABSENT = frozenset({"NoSuchPublicAccessBlockConfiguration", "NoSuchBucketPolicy"})
_EVERYBODY = ("/groups/global/AllUsers", "/groups/global/AuthenticatedUsers")
_ALL_FOUR = ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets")


@dataclass(frozen=True, slots=True)
class _Told:
    """One answer, empty where there is nothing to tell; with ``doubt`` and ``why`` where nothing was told."""

    answer: Mapping[str, Any]
    doubt: Doubt = ""
    why: str = ""


def public_access(client: S3Client, target: Target) -> Aspect:
    """``good`` where everything public is blocked, ``bad`` where the policy or the access list lets anybody in.

    That nobody is let in is said only where both were told, or are of no effect.
    """
    bucket = target.bucket
    block = _told(lambda: client.get_public_access_block(Bucket=bucket))
    blocked = block.answer.get("PublicAccessBlockConfiguration", {})
    if all(blocked.get(name) for name in _ALL_FOUR):
        return Aspect(name="public_access", standing="good", said="blocked", evidence="GetPublicAccessBlock: all four set")
    policy, grants = _Told({}), _Told({})
    if not blocked.get("RestrictPublicBuckets"):
        policy = _told(lambda: client.get_bucket_policy_status(Bucket=bucket))
        if policy.answer.get("PolicyStatus", {}).get("IsPublic"):
            return Aspect(name="public_access", standing="bad", said="by its policy", evidence="GetBucketPolicyStatus: public")
    if not blocked.get("IgnorePublicAcls"):
        grants = _told(lambda: client.get_bucket_acl(Bucket=bucket))
        listed = grants.answer.get("Grants", [])
        if any(str(grant.get("Grantee", {}).get("URI", "")).endswith(_EVERYBODY) for grant in listed):
            evidence = "GetBucketAcl: a grant to everybody"
            return Aspect(name="public_access", standing="bad", said="by its access list", evidence=evidence)
    untold = [(name, told) for name, told in (("the policy", policy), ("the access list", grants)) if told.doubt]
    if untold:
        return Aspect(
            name="public_access",
            standing="unknown",
            said=f"{' and '.join(name for name, _ in untold)} {'were' if len(untold) > 1 else 'was'} not told",
            evidence="; ".join(told.why for _, told in untold),
            doubt=untold[0][1].doubt,
        )
    return Aspect(
        name="public_access", standing="plain", said="none found", evidence="neither the policy nor the access list is public"
    )


def _told(ask: Callable[[], Any]) -> _Told:
    """What the store says to that. One of the three that is refused does not hide the others."""
    from botocore.exceptions import ClientError

    from kumoss_console.clients.s3_documents import NotTheDocument

    try:
        answer: Mapping[str, Any] = ask()
    except NotTheDocument as error:
        return _Told({}, "unsupported" if error.root else "failed", printable(str(error)))
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        said = f"{error.operation_name}: {printable(code) or 'an error without a code'}"
        if code in _ABSENT:
            return _Told({})
        if does_not_know(error.response):
            return _Told({}, "unsupported", said)
        if code == "AccessDenied":
            return _Told({}, "forbidden", said)
        raise
    return _Told(answer)
