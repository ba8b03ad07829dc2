"""The main promise, on real parts: the override we render is where the engine puts the state, and we read it back from there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kumoss_console.clients.s3 import S3Store
from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.errors import NotFound
from kumoss_console.journal import Journal
from kumoss_console.local.chain import Chain
from kumoss_console.local.sidecar import SidecarEndpoint
from kumoss_console.model.context import Context, IacSettings
from kumoss_console.model.contract import CloudProvider, SubmitRequest
from kumoss_console.model.job import Job, ServicePlane, Verdict
from kumoss_console.model.state.parse import parse_state
from kumoss_console.services.backend.override import BackendService
from kumoss_console.services.jobs.service import JobService
from kumoss_console.services.wiring.ground import utc_now
from tests.stack import RealStore

REPO, SCOPE, PATH = "https://github.com/acme/infra.git", "11111111-2222-3333-4444-555555555555", "/envs//dev/"

MAIN = """
variable "names" {
  default = ["one", "two"]
}

resource "terraform_data" "each" {
  for_each = toset(var.names)
  input    = each.value
}

output "token" {
  value     = "not for your eyes"
  sensitive = true
}
"""


@pytest.fixture
def context(real_store: RealStore, real_sidecar: SidecarEndpoint) -> Context:
    return Context(
        name="real",
        storage=real_store.settings,
        credentials=real_store.credentials,
        iac=IacSettings(endpoint=real_sidecar.url, job_poll_interval=0.2),
        token=real_sidecar.token,
        backend_config="",
    )


async def run(jobs: JobService, request: SubmitRequest) -> Job:
    """Submit and watch to the end, as every front end does; the command must have succeeded."""
    job = await jobs.submit(request)
    async for seen in jobs.watch(str(job.job_id)):
        job = seen
    assert job.service is ServicePlane.ANSWERED
    assert job.verdict is Verdict.GOOD, job.stdout + job.stderr
    return job


async def test_a_workspace_with_our_override_is_applied_and_its_state_read_back_under_the_derived_key(
    context: Context, real_sidecar: SidecarEndpoint, tmp_path: Path
) -> None:
    workspace = tmp_path / "infra_1a2b3c4d"
    workspace.mkdir()
    (workspace / "main.tf").write_text(MAIN)
    backend = BackendService(context)
    preview = backend.preview(REPO, SCOPE, PATH)
    backend.write(preview, workspace)
    store = S3Store(context.storage, context.credentials)
    client = SidecarClient(real_sidecar.url, real_sidecar.token, timeout=10)
    journal = Journal.open(tmp_path / "jobs.sqlite3")
    jobs = JobService(context, client, journal, utc_now)
    chain = Chain(workspace=workspace, scope=SCOPE, provider=CloudProvider.AZURE, plan_file=context.paths.session_plan_filename)
    try:
        await run(jobs, chain.init())
        await run(jobs, chain.validate())
        await run(jobs, chain.plan())
        shown = await run(jobs, chain.show())
        with pytest.raises(NotFound):
            await store.head(preview.object_key)
        await run(jobs, chain.apply())
        listed = await run(jobs, chain.state_resource_ids())
        body = await store.get(preview.object_key)
        keys = [info.key async for page in store.pages() for info in page]
    finally:
        await client.aclose()
        await store.aclose()
        journal.close()

    planned = json.loads(shown.stdout)["resource_changes"]
    assert {change["address"] for change in planned} == {'terraform_data.each["one"]', 'terraform_data.each["two"]'}
    assert preview.object_key == "4d0b438762a8fce1c1c68b140b25918c18260a45144a76f651cbaf16b250034c/terraform.tfstate"
    assert keys == [preview.object_key], "the lock is released, and nothing else was written"
    state = parse_state(body)
    assert state.readable
    assert (state.serial, bool(state.lineage)) == (1, True)
    assert state.counts is not None
    assert (state.counts.instances_managed, state.counts.outputs_sensitive) == (2, 1)
    assert sorted(json.loads(listed.stdout)) == sorted(state.ids)
    assert not (workspace / "terraform.tfstate").exists()
