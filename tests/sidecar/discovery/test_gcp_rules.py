from __future__ import annotations

from typing import Any

import pytest

from kumoss_console.sidecar.discovery.gcp_rules import asset_id, grants, normalised
from tests.hostile import HOSTILE

P, N = "acme-prod-1", "123456789012"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("//storage.googleapis.com/my-app-data", "my-app-data"),
        (f"//compute.googleapis.com/projects/{P}/zones/z/instances/i", f"projects/{P}/zones/z/instances/i"),
        (f"//pubsub.googleapis.com/projects/{N}/topics/t", f"projects/{P}/topics/t"),
        (f"//x.googleapis.com/projects/{N}/a/projects/{N}/b", f"projects/{P}/a/projects/{P}/b"),
        (f"//x.googleapis.com/a/projects/{N}", f"a/projects/{P}"),
        (f"//x.googleapis.com/projects/{N}0/b", f"projects/{N}0/b"),
        ("projects/other/topics/t", "projects/other/topics/t"),
        ("//host-alone", "//host-alone"),
    ],
)
def test_a_name_loses_its_host_and_the_projects_number(name: str, told: str) -> None:
    assert normalised(name, P, N) == told


def test_an_unknown_number_is_replaced_nowhere() -> None:
    assert normalised(f"//x.googleapis.com/projects//b/projects/{N}", P, "") == f"projects//b/projects/{N}"


@pytest.mark.parametrize(
    "asset",
    [
        {},
        {"name": 7},
        {"name": ""},
        {"assetType": "x.googleapis.com/Thing"},
        {
            "name": f"//cloudresourcemanager.googleapis.com/projects/{N}",
            "assetType": "cloudresourcemanager.googleapis.com/Project",
        },
        {"name": f"//compute.googleapis.com/projects/{P}", "assetType": "compute.googleapis.com/Project"},
        {"name": "//x.googleapis.com/a", "labels": {"team": "a", "goog-managed-by": "gke"}},
        {
            "name": f"//compute.googleapis.com/projects/{P}/zones/z/instances/gke-pool-1",
            "assetType": "compute.googleapis.com/Instance",
        },
        *(
            {"name": f"//storage.googleapis.com/{bucket}", "assetType": "storage.googleapis.com/Bucket"}
            for bucket in (
                "dataproc-staging-1",
                "dataproc-temp-1",
                "gcf-sources-1",
                "gcf-v2-1",
                "run-sources-1",
                f"{P}_cloudbuild",
            )
        ),
    ],
)
def test_what_nobody_would_import_is_left_out(asset: dict[str, Any]) -> None:
    assert asset_id(asset, P, N) is None


@pytest.mark.parametrize(
    "asset",
    [
        {"name": "//x.googleapis.com/keep", "labels": {"team": "goog-1", "my-goog-": "x"}},
        {"name": "//x.googleapis.com/keep", "labels": ["goog-x"], "assetType": ["x"]},
        {"name": "//x.googleapis.com/gke-cluster/keep"},
        {"name": "//x.googleapis.com/run-sources-1", "assetType": "pubsub.googleapis.com/Topic"},
        {"name": "//x.googleapis.com/not-gcf-sources-", "assetType": "storage.googleapis.com/Bucket"},
    ],
)
def test_what_only_looks_like_it_stays(asset: dict[str, Any]) -> None:
    assert asset_id(asset, P, N) is not None


def test_grants_are_told_as_project_role_and_member() -> None:
    ours, foreign = f"serviceAccount:app@{P}.iam.gserviceaccount.com", "serviceAccount:app@other.iam.gserviceaccount.com"
    members = [
        "user:ops@example.com",
        "group:g@example.com",
        "domain:example.com",
        ours,
        "serviceAccount:app@vendor.example",
        "principalSet://iam.googleapis.com/x",
        foreign,
        f"serviceAccount:{N}-compute@developer.gserviceaccount.com",
        f"serviceAccount:service-{N}@gcp-sa-pubsub.iam.gserviceaccount.com",
        "deleted:user:gone@example.com?uid=1",
        f"deleted:{ours}?uid=2",
        "",
        7,
    ]
    policy = {"bindings": [{"role": "roles/viewer", "members": members, "condition": {"title": "until friday"}}]}
    assert list(grants(policy, P)) == [f"{P} roles/viewer {member}" for member in members[:6]]


@pytest.mark.parametrize(
    "bindings", ["text", 7, None, [None, "x", {"role": 7, "members": ["user:a"]}, {"role": "r", "members": "user:a"}]]
)
def test_a_policy_of_another_form_grants_nothing(bindings: object) -> None:
    assert list(grants({"bindings": bindings}, P)) == []


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_kept_as_they_are(name: str) -> None:
    assert asset_id({"name": f"//x.googleapis.com/a/{name}", "labels": {name: name}}, P, N) == f"a/{name}"
