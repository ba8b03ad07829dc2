from __future__ import annotations

import pytest

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.scopes import scopes_in

GUID = "11111111-2222-3333-4444-555555555555"


@pytest.mark.parametrize(
    ("identifier", "provider", "scope"),
    [
        (f"/subscriptions/{GUID.upper()}/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/v", "azure", GUID),
        (f"/subscriptions/{GUID}", "azure", GUID),
        ("https://www.googleapis.com/compute/v1/projects/acme-prod/global/networks/n", "gcp", "acme-prod"),
        ("projects/acme-prod/locations/europe-west1/clusters/c", "gcp", "acme-prod"),
        ("//cloudresourcemanager.googleapis.com/projects/123456789", "gcp", "123456789"),
        ("arn:aws:iam::123456789012:role/deploy", "aws", "123456789012"),
        ("arn:aws-us-gov:ec2:us-gov-west-1:123456789012:vpc/vpc-1", "aws", "123456789012"),
    ],
)
def test_an_identifier_names_the_scope_it_is_in(identifier: str, provider: str, scope: str) -> None:
    (found,) = scopes_in([identifier])
    assert (found.provider, found.scope) == (CloudProvider(provider), scope)


@pytest.mark.parametrize(
    "identifier",
    [
        "",
        "vpc-0a1b2c",
        "arn:aws:s3:::bucket",
        "/subscriptions/not-a-guid/x",
        "projects/",
        "myprojects/acme-prod/x",
        "arn:aws",
        "\x1b[",
    ],
)
def test_an_identifier_without_a_scope_names_none(identifier: str) -> None:
    assert scopes_in([identifier]) == ()


def test_the_scope_of_most_resources_comes_first() -> None:
    found = scopes_in([f"/subscriptions/{GUID}/x", "arn:aws:iam::123456789012:role/a", "arn:aws:sns:eu-west-1:123456789012:t"])
    assert [(one.scope, one.count) for one in found] == [("123456789012", 2), (GUID, 1)]
