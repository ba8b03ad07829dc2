"""Whether anybody may read an S3 bucket, from what the store tells of its policy, its access list and what blocks both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kumoss_console.clients.s3_errors import Target, does_not_know
from kumoss_console.model.endpoint import Aspect

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_ABSENT = frozenset({"NoSuchPublicAccessBlockConfiguration", "NoSuchBucketPolicy"})
_EVERYBODY = ("/groups/global/AllUsers", "/groups/global/AuthenticatedUsers")


def public_access(client: S3Client, target: Target) -> Aspect:
    """``good`` where everything public is blocked, ``bad`` where the policy or the access list lets anybody in."""
    bucket = target.bucket
    block = _told(lambda: client.get_public_access_block(Bucket=bucket))
    blocked = (block or {}).get("PublicAccessBlockConfiguration", {})
    if blocked and all(
        blocked.get(name) for name in ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets")
    ):
        return Aspect(name="public_access", standing="good", said="blocked", evidence="GetPublicAccessBlock: all four set")
    status = _told(lambda: client.get_bucket_policy_status(Bucket=bucket))
    if (status or {}).get("PolicyStatus", {}).get("IsPublic"):
        return Aspect(name="public_access", standing="bad", said="by its policy", evidence="GetBucketPolicyStatus: public")
    grants = (_told(lambda: client.get_bucket_acl(Bucket=bucket)) or {}).get("Grants", [])
    if any(str(grant.get("Grantee", {}).get("URI", "")).endswith(_EVERYBODY) for grant in grants):
        return Aspect(
            name="public_access", standing="bad", said="by its access list", evidence="GetBucketAcl: a grant to everybody"
        )
    if status is None and not grants:
        return Aspect(
            name="public_access",
            standing="unknown",
            said="the store does not know the question",
            evidence="GetBucketPolicyStatus and GetBucketAcl tell nothing",
            doubt="unsupported",
        )
    return Aspect(
        name="public_access", standing="plain", said="none found", evidence="neither the policy nor the access list is public"
    )


def _told(ask: Callable[[], Any]) -> Mapping[str, Any] | None:
    """The answer, empty where there is nothing to tell; ``None`` where the store does not know the question."""
    from botocore.exceptions import ClientError

    try:
        answer: Mapping[str, Any] = ask()
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") in _ABSENT:
            return {}
        if does_not_know(error.response):
            return None
        raise
    return answer
