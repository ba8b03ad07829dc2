from __future__ import annotations

import json
import os
from dataclasses import dataclass

import pytest

from kumoss_console.model.contract import CloudProvider, JobResult
from kumoss_console.sidecar.discovery.scope import list_scope
from tests.fakes.clouds import ACCOUNT, PROJECT, SUBSCRIPTION, Cloud

SCOPES = {CloudProvider.AZURE: SUBSCRIPTION, CloudProvider.GCP: PROJECT, CloudProvider.AWS: ACCOUNT}


@dataclass
class Asking:
    """Lists scopes in this process, whose environment is all that leads to a cloud."""

    monkeypatch: pytest.MonkeyPatch

    async def __call__(self, cloud: Cloud, provider: CloudProvider, scope_id: str | None = None, **environ: str) -> JobResult:
        cloud.lead(self.monkeypatch)
        for name, value in environ.items():
            self.monkeypatch.setenv(name, value)
        return await list_scope(provider, SCOPES[provider] if scope_id is None else scope_id, os.environ)

    async def ids(self, cloud: Cloud, provider: CloudProvider) -> list[str]:
        """The identifiers, of a listing that must succeed."""
        result = await self(cloud, provider)
        assert (result.exit_code, result.stderr) == (0, ""), result.stderr
        listed: list[str] = json.loads(result.stdout)
        return listed

    async def refusal(self, cloud: Cloud, provider: CloudProvider, scope_id: str | None = None, **environ: str) -> str:
        """The message, of a listing that must fail."""
        result = await self(cloud, provider, scope_id, **environ)
        assert (result.exit_code, result.stdout) == (1, "")
        return result.stderr


@pytest.fixture
def asking(monkeypatch: pytest.MonkeyPatch) -> Asking:
    # Nobody looks for a machine of Google's or Amazon's around a test.
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    for name in (
        "IDENTITY_ENDPOINT",
        "IDENTITY_HEADER",
        "CLOUDSDK_CONFIG",
        "MSI_ENDPOINT",
        "REQUESTS_CA_BUNDLE",
        "SSL_CERT_FILE",
    ):
        monkeypatch.delenv(name, raising=False)
    return Asking(monkeypatch)
