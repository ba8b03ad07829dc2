from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from kumoss_console.sidecar.auth import BearerGate
from tests.sidecar.answers import problem
from tests.sidecar.conftest import TOKEN, Serving

ANY_JOB = "/v1/jobs/00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", f"Bearer{TOKEN}"]
)
async def test_whoever_does_not_present_the_token_gets_a_challenge(header: str | None, serving: Serving) -> None:
    service = serving(KUMOSS_IAC_TOKEN=TOKEN)
    headers = {} if header is None else {"Authorization": header}
    for answer in (
        await service.client.post("/v1/init", json={}, headers=headers),
        await service.client.get(ANY_JOB, headers=headers),
    ):
        problem(answer, 401)
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
async def test_the_scheme_is_read_without_case(scheme: str, serving: Serving, workspace: Path) -> None:
    service = serving(KUMOSS_IAC_TOKEN=TOKEN)
    answer = await service.client.post(
        "/v1/validate", json={"workspace_path": str(workspace)}, headers={"Authorization": f"{scheme} {TOKEN}"}
    )
    assert answer.status_code == 202


async def test_health_is_open_to_everybody(serving: Serving) -> None:
    answer = await serving(KUMOSS_IAC_TOKEN=TOKEN).client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize("bearer", ["", "anything"])
async def test_without_a_configured_token_nobody_is_asked(bearer: str, serving: Serving) -> None:
    problem(await serving(bearer=bearer).client.get(ANY_JOB), 404)


def test_a_token_outside_ascii_is_compared_as_bytes() -> None:
    gate = BearerGate(hashlib.sha256("pässwörd".encode()).digest())
    assert gate.refusal("Bearer pässwörd".encode()) is None
    assert gate.refusal("Bearer pässwörd".encode("latin-1")) is not None


def test_the_gate_does_not_show_its_token() -> None:
    assert TOKEN not in repr(BearerGate(hashlib.sha256(TOKEN.encode()).digest()))
