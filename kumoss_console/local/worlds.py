"""The small world of the local stack: whose projects there are, and what each of them declares.

The modules are files under ``world/``, made of ``terraform_data`` alone, which every engine brings with it: no provider is
downloaded, and nothing outside this machine is touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from kumoss_console.model.context import KnownProject
from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.project import ProjectKey, derive

MODULES = Path(__file__).with_name("world")

Part = Literal["applied", "locked", "orphan", "failing"]
Value = str | int | list[str] | Mapping[str, str] | Mapping[str, int]

_PROD = "11111111-2222-3333-4444-555555555555"
_STAGING = "66666666-7777-8888-9999-000000000000"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedProject:
    """One project and the part it plays. ``variables`` go into ``terraform.tfvars.json``.

    ``locked``: an apply of it is still running. ``orphan``: applied, but not among the known projects. ``failing``: its plan
    answers exit code 1.
    """

    name: str
    repo: str
    scope: str
    path: str = ""
    provider: CloudProvider
    module: str
    variables: Mapping[str, Value]
    part: Part = "applied"
    key: ProjectKey = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", derive(self.repo, self.scope, self.path))

    @property
    def known(self) -> KnownProject:
        return KnownProject(repo=self.repo, scope=self.scope, path=self.path, provider=self.provider, name=self.name)

    def workspace(self, root: Path) -> Path:
        """``<root>/<name>_<hash>/<path>``: the clone as the core lays it out, and the root module in it."""
        name = self.key.repo.rpartition("/")[2]
        return root / f"{name}_{self.key.project_id[:8]}" / self.key.path


def _network(name: str, scope: str, path: str, cidr: str, *peers: str) -> SeedProject:
    subnets = {"frontend": 0, "backend": 1, "data": 2, "management": 3}
    return SeedProject(
        name=name,
        repo="https://github.com/acme/net",
        scope=scope,
        path=path,
        provider=CloudProvider.AZURE,
        module="network",
        variables={"region": path.rpartition("/")[2], "cidr": cidr, "subnets": subnets, "peers": list(peers)},
    )


def _service(
    name: str,
    scope: str,
    provider: CloudProvider,
    *components: str,
    replicas: int = 2,
    path: str = "",
    part: Part = "applied",
    repo: str = "",
) -> SeedProject:
    service = repo or name.split()[0]
    return SeedProject(
        name=name,
        repo=f"https://github.com/acme/{service}",
        scope=scope,
        path=path,
        provider=provider,
        module="service",
        variables={"service": service, "replicas": replicas, "components": list(components)},
        part=part,
    )


PROJECTS: tuple[SeedProject, ...] = (
    _network("net prod eu", _PROD, "envs/eu", "10.0.0.0/8", "us", "partners"),
    _network("net prod us", _PROD, "envs/us", "20.0.0.0/8", "eu"),
    _network("net staging eu", _STAGING, "envs/eu", "30.0.0.0/8"),
    SeedProject(
        name="dns prod",
        repo="https://github.com/acme/dns",
        scope="acme-dns-prod",
        provider=CloudProvider.GCP,
        module="zone",
        variables={
            "zone": "acme.example",
            "records": {
                "www": "192.0.2.10",
                "api": "192.0.2.11",
                "mail": "192.0.2.25",
                "vpn": "192.0.2.40",
                "status": "192.0.2.80",
            },
        },
    ),
    _service("web prod", "123456789012", CloudProvider.AWS, "cdn", "bucket", "certificate", replicas=6),
    _service("web staging", "210987654321", CloudProvider.AWS, "cdn", "bucket"),
    _service("data warehouse", "acme-data-prod", CloudProvider.GCP, "lake", "catalog", "scheduler", path="stacks/warehouse"),
    _service("identity prod", _PROD, CloudProvider.AZURE, "directory", "vault"),
    _service("monitoring prod", "prod-eu-1", CloudProvider.KUBERNETES, "prometheus", "loki", "tempo", "grafana", replicas=3),
    # The same root module under two keys: an empty path and "." are different projects.
    _service("platform", _PROD, CloudProvider.AZURE, "registry", "runners", replicas=3),
    _service("platform (path .)", _PROD, CloudProvider.AZURE, "registry", "runners", replicas=3, path="."),
    SeedProject(
        name="billing prod",
        repo="https://github.com/acme/billing",
        scope="123456789012",
        provider=CloudProvider.AWS,
        module="gate",
        variables={"service": "billing", "release": 42},
        part="locked",
    ),
    _service("legacy", "acme-legacy-2019", CloudProvider.GCP, "cron", "ftp", part="orphan"),
    SeedProject(
        name="payments prod",
        repo="https://github.com/acme/payments",
        scope="123456789012",
        path="infra",
        provider=CloudProvider.AWS,
        module="failing",
        variables={"replicas": 1},
        part="failing",
    ),
)
