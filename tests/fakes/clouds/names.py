"""Identifiers by the thousand, each of them one that a listing keeps."""

from __future__ import annotations

from tests.fakes.clouds.aws import ACCOUNT, REGION
from tests.fakes.clouds.azure import SUBSCRIPTION
from tests.fakes.clouds.gcp import NUMBER, PROJECT


def azure_ids(count: int) -> list[str]:
    """Storage accounts in a hundred groups."""
    group = f"/subscriptions/{SUBSCRIPTION}/resourceGroups"
    return [f"{group}/rg-{n % 100:02}/providers/Microsoft.Storage/storageAccounts/store{n:06}" for n in range(count)]


def gcp_names(count: int) -> list[str]:
    """Full resource names of topics, with the project's number where an inventory has it."""
    return [f"//pubsub.googleapis.com/projects/{NUMBER}/topics/topic-{n:06}" for n in range(count)]


def gcp_ids(count: int) -> list[str]:
    """What a listing makes of :func:`gcp_names`."""
    return [f"projects/{PROJECT}/topics/topic-{n:06}" for n in range(count)]


def aws_arns(count: int) -> list[str]:
    """Topics of SNS."""
    return [f"arn:aws:sns:{REGION}:{ACCOUNT}:topic-{n:06}" for n in range(count)]
