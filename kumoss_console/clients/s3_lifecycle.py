"""The rules by which an S3 store deletes by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from kumoss_console.clients.s3_errors import Target
from kumoss_console.model.endpoint import Aspect, LifecycleRule
from kumoss_console.text import printable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


def lifecycle(client: S3Client, target: Target) -> Aspect:
    """Every enabled rule that deletes objects or old versions of them."""
    from botocore.exceptions import ClientError

    try:
        answer: Mapping[str, Any] = client.get_bucket_lifecycle_configuration(Bucket=target.bucket)
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") == "NoSuchLifecycleConfiguration":
            return Aspect(name="lifecycle", standing="good", said="none", evidence="GetBucketLifecycleConfiguration: none")
        raise
    told = answer.get("Rules", [])
    rules = tuple(_rules(told))
    deletes = any(rule.expire_days is not None for rule in rules)
    return Aspect(
        name="lifecycle",
        standing="bad" if deletes else "plain" if rules else "good",
        said=f"{len(rules)} that delete" if rules else "none that deletes",
        evidence=f"GetBucketLifecycleConfiguration: {len(told)} rules",
        rules=rules,
    )


def _rules(told: list[Mapping[str, Any]]) -> Iterator[LifecycleRule]:
    for number, rule in enumerate(told, 1):
        if rule.get("Status") != "Enabled":
            continue
        where = rule.get("Filter", {})
        together = where.get("And", {})
        expires = _days(rule.get("Expiration", {}))
        old = rule.get("NoncurrentVersionExpiration", {}).get("NoncurrentDays")
        if expires is None and old is None:
            continue
        narrowing = ("Tag", "Tags", "ObjectSizeGreaterThan", "ObjectSizeLessThan")
        yield LifecycleRule(
            name=printable(str(rule.get("ID") or f"number {number}")),
            prefix=printable(str(where.get("Prefix") or together.get("Prefix") or rule.get("Prefix") or "")),
            expire_days=expires,
            expire_old_days=old,
            narrowed=any(where.get(name) or together.get(name) for name in narrowing),
        )


def _days(expiration: Mapping[str, Any]) -> int | None:
    """Days until an object is deleted. A fixed date counts as now: whatever is there on that day goes."""
    if expiration.get("Date") is not None:
        return 0
    days = expiration.get("Days")
    return days if isinstance(days, int) else None
