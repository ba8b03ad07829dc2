"""A scan over a real store: ranged reads, ends, versions."""

from __future__ import annotations

from pathlib import Path

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.headcache import HeadFiles
from kumoss_console.clients.s3 import S3Store
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.services.bucket.service import BucketService
from kumoss_console.services.scan.service import ScanOptions, ScanProgress, ScanService
from kumoss_console.services.states.xray import XrayService
from kumoss_console.services.workspaces.places import Places
from tests.fakes.clock import FakeClock
from tests.services.states.test_xray import encrypted, state
from tests.stack import RealStore

A, B, C, D, E = (f"{digit * 64}/terraform.tfstate" for digit in "abcde")


async def nowhere() -> Places:
    return {}


async def scanned(real: RealStore, folder: Path) -> tuple[ScanProgress, dict[str, tuple[int | None, str | None]]]:
    """A whole scan as a new process would make it, and the heads it rests on."""
    store = S3Store(real.settings, real.credentials)
    context = Context(name="prod", storage=real.settings)
    owner = KnownProject(repo="https://github.com/acme/net", scope="prod")
    owners = {digit * 64: owner for digit in "abcde"}
    xray = XrayService(context, store, off_loop=run_blocking, cache=HeadFiles(folder / "heads"))
    bucket = BucketService(context, store, lambda: owners, FakeClock(), off_loop=run_blocking)
    scan = ScanService(
        context,
        store,
        bucket=bucket,
        xray=xray,
        owners=lambda: owners,
        journal=lambda: Journal.open(folder / "jobs.sqlite3"),
        places=nowhere,
        clock=FakeClock(),
        off_loop=run_blocking,
    )
    *_, last = [look async for look in scan.scan(ScanOptions(versions=True, stale_days=0))]
    rows = (await bucket.snapshot()).rows
    heads = {head.key: (head.serial, head.lineage) async for head in xray.heads(row.info for row in rows)}
    await store.aclose()
    return last, heads


async def test_a_bucket_in_which_everything_went_wrong(real_store: RealStore, tmp_path: Path) -> None:
    client, bucket = real_store.client, real_store.bucket
    client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})

    def put(key: str, body: bytes) -> None:
        client.put_object(Bucket=bucket, Key=key, Body=body)

    put(A, state(9, "old", resources=200))
    put(A, state(8, "old", resources=200))
    put(A, state(1, "new", resources=200))
    put(B, state(1, "new", resources=150))
    put(C, state(5, "cut", resources=200)[:-3000])
    put(D, b"")
    put(E, encrypted(19))
    last, heads = await scanned(real_store, tmp_path)
    assert {(finding.code, finding.key) for finding in last.findings} == {
        ("scan.shared_lineage", A),
        ("scan.shared_lineage", B),
        ("scan.lineage_changed", A),
        ("scan.serial_fell", A),
        ("scan.damaged", C),
        ("scan.empty", D),
        ("scan.encrypted", E),
    }
    assert heads == {A: (1, "new"), B: (1, "new"), C: (5, "cut"), D: (None, None), E: (19, "3f0c")}
    assert (await scanned(real_store, tmp_path))[0].findings == last.findings
    for found in client.list_object_versions(Bucket=bucket)["Versions"]:
        client.delete_object(Bucket=bucket, Key=found["Key"], VersionId=found["VersionId"])
