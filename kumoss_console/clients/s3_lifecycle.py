"""The rules by which an S3 store deletes by itself, or moves objects to where nobody reads them at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from kumoss_console.clients.s3_errors import Target
from kumoss_console.clients.s3_listing import listing_page
from kumoss_console.model.endpoint import Aspect, LifecycleRule
from kumoss_console.model.endpoint.lifecycle import may_begin_a_state
from kumoss_console.model.storage import StorageSettings
from kumoss_console.model.storedkey import stored_key
from kumoss_console.text import printable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_OUT_OF_REACH = ("GLACIER", "DEEP_ARCHIVE")
"""Classes that have to be restored before an object is read; Glacier Instant Retrieval (GLACIER_IR) is read at once."""
_NARROWING = ("Tag", "Tags", "ObjectSizeGreaterThan", "ObjectSizeLessThan")
_LOOKED_AT = 1000
"""Keys below a prefix of a rule that are looked at for one of a state."""
_FAR = timedelta(days=100)
"""A date that is further away is nothing to be alarmed at today."""
_STATES = frozenset({"state", "workspace", "lock", "elsewhere"})


def lifecycle(client: S3Client, target: Target, storage: StorageSettings) -> Aspect:
    """Every enabled rule that deletes or archives objects, or old versions of them."""
    from botocore.exceptions import ClientError

    try:
        answer: Mapping[str, Any] = client.get_bucket_lifecycle_configuration(Bucket=target.bucket)
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") == "NoSuchLifecycleConfiguration":
            return Aspect(name="lifecycle", standing="good", said="none", evidence="GetBucketLifecycleConfiguration: none")
        raise
    told = answer.get("Rules", [])
    rules = tuple(
        replace(rule, prefix=printable(rule.prefix), states=_concerns_states(client, target, rule, storage))
        for rule in _rules(told)
    )
    endangers = any((rule.deletes or rule.archives) and rule.states is not False for rule in rules)
    count = f"{len(told)} rule{'' if len(told) == 1 else 's'}"
    return Aspect(
        name="lifecycle",
        standing="bad" if endangers else "plain" if rules else "good",
        said=_said(rules),
        evidence=f"GetBucketLifecycleConfiguration: {count}",
        rules=rules,
    )


def _said(rules: Sequence[LifecycleRule]) -> str:
    deleting = sum(rule.deletes or rule.expire_old_days is not None for rule in rules)
    archiving = sum(rule.archives or rule.archive_old_days is not None for rule in rules)
    told = [f"{deleting} that delete{'s' if deleting == 1 else ''}"] if deleting else []
    told += [f"{archiving} that archive{'s' if archiving == 1 else ''}"] if archiving else []
    return ", ".join(told) or "none that deletes"


def _rules(told: Sequence[Mapping[str, Any]]) -> Iterator[LifecycleRule]:
    today = datetime.now(UTC).date()
    for number, rule in enumerate(told, 1):
        if rule.get("Status") != "Enabled":
            continue
        where = rule.get("Filter", {})
        together = where.get("And", {})
        expiration, old = rule.get("Expiration", {}), rule.get("NoncurrentVersionExpiration", {})
        archive = _out_of_reach(rule.get("Transitions", ()))
        archive_old = _out_of_reach(rule.get("NoncurrentVersionTransitions", ()))
        found = LifecycleRule(
            name=printable(str(rule.get("ID") or f"number {number}")),
            prefix=str(where.get("Prefix") or together.get("Prefix") or rule.get("Prefix") or ""),
            expire_days=_days(expiration, "Days"),
            expire_on=_date(expiration),
            expire_old_days=_days(old, "NoncurrentDays"),
            keep_old=_days(old, "NewerNoncurrentVersions") or _days(archive_old, "NewerNoncurrentVersions"),
            archive_days=_days(archive, "Days"),
            archive_on=_date(archive),
            archive_old_days=_days(archive_old, "NoncurrentDays"),
            soon=all(day - today < _FAR for day in (_date(expiration), _date(archive)) if day is not None),
            tier=str(archive.get("StorageClass") or archive_old.get("StorageClass") or ""),
            narrowed=any(where.get(name) or together.get(name) for name in _NARROWING),
        )
        if found.deletes or found.archives or found.expire_old_days is not None or found.archive_old_days is not None:
            yield found


def _concerns_states(client: S3Client, target: Target, rule: LifecycleRule, storage: StorageSettings) -> bool | None:
    """Whether keys of states can begin with its prefix: those of the core by their form, others where one is seen there."""
    from botocore.exceptions import ClientError

    filename = storage.terraform_state_filename
    if may_begin_a_state(rule.prefix, filename):
        return True
    try:
        page = listing_page(client, target, rule.prefix, None, "", _LOOKED_AT)
    except ClientError:
        return None  # without the permission to look, say
    return any(stored_key(info.key, filename, storage.provider).kind in _STATES for info in page.objects)


def _out_of_reach(transitions: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The first one after which an object is not read at once; empty for none."""
    return next((one for one in transitions if one.get("StorageClass") in _OUT_OF_REACH), {})


def _days(told: Mapping[str, Any], name: str) -> int | None:
    days = told.get(name)
    return days if isinstance(days, int) else None


def _date(told: Mapping[str, Any]) -> date | None:
    """The day on which whatever is there goes."""
    moment = told.get("Date")
    return moment.date() if isinstance(moment, datetime) else None
