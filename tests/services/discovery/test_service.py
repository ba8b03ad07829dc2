"""Discovery on the real journal, a bucket in memory and a service that answers at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

import pytest

from kumoss_console.cli.discover_view import narration
from kumoss_console.config import LoadedConfig
from kumoss_console.errors import InputError, Refused, Unreachable
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.contract import CloudProvider, ImportRequest, InitRequest, JobKind
from kumoss_console.model.importids.worksheet import Row
from kumoss_console.model.project import derive
from kumoss_console.model.storage import StorageSettings
from kumoss_console.model.suppressions import Suppression
from kumoss_console.ports.sidecar import SubmissionUnclear
from kumoss_console.services.build import Services
from kumoss_console.services.discovery.given import read_given
from kumoss_console.services.discovery.imports import Imports
from kumoss_console.services.discovery.service import Discovery, DiscoveryRequest
from kumoss_console.services.wiring.adapters import GivenAdapters
from tests.fakes.clock import FakeClock
from tests.fakes.clouds import ACCOUNT, aws_arns
from tests.fakes.discovering import DiscoveringSidecar, Told
from tests.fakes.store import FakeStore
from tests.model.discovery.states import document, topics

WORKSPACE = "/workspaces/net"
AWS = CloudProvider.AWS
NET = KnownProject(repo="https://github.com/acme/net", scope=ACCOUNT, name="acme/net")
ARNS = aws_arns(6)
HERE = derive(NET.repo, NET.scope, NET.path).object_key()
OTHER = "0f" * 32 + "/terraform.tfstate"


@dataclass
class Desk:
    journal: Journal
    context: Context = field(default_factory=lambda: Context(name="prod", projects=(NET,)))
    store: FakeStore | None = field(default_factory=FakeStore)

    def __post_init__(self) -> None:
        self.clock = FakeClock()
        self.sidecar = DiscoveringSidecar(self.clock)
        self.sidecar.lists(ARNS[:2], ARNS[1:5])
        if self.store is not None:
            self.store.objects = {HERE: document(*topics(ARNS[:2])), OTHER: document(*topics(ARNS[2:4]))}

    @property
    def services(self) -> Services:
        adapters = GivenAdapters(sidecar=self.sidecar, store=self.store, journal=self.journal)
        config = LoadedConfig(contexts=(self.context,), default="prod")
        return Services(config=config, context=self.context, adapters=adapters, clock=self.clock, sleep=self.clock.sleep)

    async def discover(self, **changes: object) -> Discovery:
        asked = DiscoveryRequest(workspace=WORKSPACE, scope=ACCOUNT, provider=AWS)
        asked = replace(asked, **changes)  # type: ignore[arg-type]  # each test names fields of DiscoveryRequest
        seen = [one async for one in self.services.discovery.discover(asked)]
        assert [one.complete for one in seen] == [False] * (len(seen) - 1) + [True]
        return seen[-1]

    async def imports(self, *addresses: str, **options: bool) -> Imports:
        rows = [Row(identifier=f"id-{a}", address=a, import_id=f"id-{a}", certain=True) for a in addresses]
        run = self.services.imports.run(rows, workspace=WORKSPACE, scope=ACCOUNT, provider=AWS, **options)
        return [one async for one in run][-1]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    journal = Journal.open(tmp_path / "jobs.sqlite3")
    yield Desk(journal)
    journal.close()


def statuses(found: Discovery) -> dict[str, str]:
    assert found.comparison is not None
    return {item.id: item.status.value for item in found.comparison.items}


async def test_both_listings_run_as_jobs_and_everything_finds_its_heap(desk: Desk) -> None:
    found = await desk.discover()
    assert [job.kind for job in found.jobs] == [JobKind.STATE_RESOURCE_IDS, JobKind.SCOPE_RESOURCE_IDS]
    assert [job.job_id for job in reversed(await desk.services.jobs.list())] == [job.job_id for job in found.jobs]
    assert statuses(found) == {
        ARNS[4]: "unmanaged",
        ARNS[0]: "missing",
        ARNS[2]: "managed_elsewhere",
        ARNS[3]: "managed_elsewhere",
        ARNS[1]: "managed_here",
    }
    assert found.comparison is not None
    assert found.comparison.here == HERE
    (holder,) = next(item.holders for item in found.comparison.items if item.id == ARNS[1])
    assert (holder.key, holder.owner, holder.address) == (HERE, f"acme/net · {ACCOUNT}", "aws_sns_topic.t1")
    assert found.findings == ()


async def test_a_listing_that_failed_is_named_and_ends_the_comparison(desk: Desk) -> None:
    desk.sidecar.script.cloud = Told(exit_code=1, stderr="STS GetCallerIdentity failed: ExpiredToken: expired\n")
    found = await desk.discover()
    assert found.comparison is None
    assert found.stopped == (
        "the scope listing failed: the cloud could not be listed: STS GetCallerIdentity failed: ExpiredToken: expired"
    )


async def test_a_lost_listing_is_lost_and_not_failed(desk: Desk) -> None:
    desk.sidecar.script.forgotten = {JobKind.STATE_RESOURCE_IDS}
    found = await desk.discover()
    assert found.comparison is None
    assert found.stopped.startswith("the state listing has no answer: the service does not know this job any more")


@pytest.mark.parametrize("output", ['["arn:a", "arn:b', "{}", "", "[1]"])
async def test_an_answer_that_is_no_list_is_told_and_not_compared(desk: Desk, output: str) -> None:
    desk.sidecar.script.cloud = Told(output)
    found = await desk.discover()
    assert found.comparison is None
    assert "the scope listing is no list of identifiers" in found.stopped


async def test_a_listing_that_warns_lets_nothing_be_called_missing(desk: Desk) -> None:
    desk.sidecar.script.cloud.stderr = "page 3 was skipped"
    found = await desk.discover()
    assert statuses(found)[ARNS[0]] == "ambiguous"
    assert "discover.listing_doubtful" in {finding.code for finding in found.findings}


async def test_a_dead_service_is_raised_and_leaves_nothing_running(desk: Desk) -> None:
    desk.sidecar.errors["submit"] = Unreachable("nobody answers")
    with pytest.raises(Unreachable, match="nobody answers"):
        await desk.discover()


async def test_a_bucket_that_cannot_be_listed_is_told_and_not_taken_for_an_empty_one(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.errors["pages"] = Unreachable("the store is away", hint="wake it")
    found = await desk.discover()
    assert statuses(found)[ARNS[2]] == "unmanaged"
    told = next(finding for finding in found.findings if finding.code == "discover.bucket_not_looked")
    assert "the store is away; what another state manages is called unmanaged" in told.message
    assert told.remedy == "wake it"


async def test_a_context_without_a_bucket_says_so(desk: Desk) -> None:
    desk.store = None
    desk.context = replace(desk.context, storage=StorageSettings(terraform_state_bucket=""))
    found = await desk.discover()
    assert statuses(found)[ARNS[1]] == "managed_here"
    assert "discover.bucket_not_looked" in {finding.code for finding in found.findings}


async def test_a_state_that_could_not_be_read_is_kept_apart(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.errors[OTHER] = Unreachable("timeout")
    desk.store.objects["1f" * 32 + "/terraform.tfstate"] = json.dumps(
        {"serial": 1, "lineage": "x", "meta": {}, "encrypted_data": "AAAA", "encryption_version": "v0"}
    ).encode()
    found = await desk.discover()
    told = {finding.subject: finding.message for finding in found.findings if finding.code == "discover.could_not_look"}
    assert told == {
        OTHER: "could not be looked at: timeout",
        "1f" * 32 + "/terraform.tfstate": "could not be looked at: OpenTofu state encryption",
    }
    assert (found.bucket.to_read, found.bucket.read, found.bucket.failed) == (3, 3, 2)


async def test_backups_and_plans_manage_nothing(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.objects[f"{OTHER}.backup"] = document(*topics(ARNS[4:5]))
    assert statuses(await desk.discover())[ARNS[4]] == "unmanaged"


async def test_a_state_at_a_key_that_tells_nothing_is_found_and_other_objects_are_passed_over(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.objects |= {"prod/network": document(*topics(ARNS[4:5])), "notes/readme": b"hello", "dump.json": b'{"a": 1}'}
    found = await desk.discover()
    assert statuses(found)[ARNS[4]] == "managed_elsewhere"
    assert found.findings == ()
    assert found.bucket.failed == 0


async def test_a_state_that_has_not_changed_is_not_read_again(desk: Desk) -> None:
    assert desk.store is not None
    services = desk.services
    asked = DiscoveryRequest(workspace=WORKSPACE, scope=ACCOUNT, provider=AWS)
    for _ in range(2):
        async for _ in services.discovery.discover(asked):
            pass
    assert [call for call in desk.store.calls if call[0] == "fetch"].count(("fetch", OTHER)) == 1
    desk.store.objects[OTHER] = document(*topics(ARNS[2:5]))
    seen = [one async for one in services.discovery.discover(asked)]
    assert statuses(seen[-1])[ARNS[4]] == "managed_elsewhere"


async def test_a_store_that_died_is_not_asked_for_every_state(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.objects |= {f"{n:064x}/terraform.tfstate": document(*topics(ARNS[:1])) for n in range(200)}
    desk.store.errors["fetch"] = Unreachable("gone")
    found = await desk.discover()
    assert len([call for call in desk.store.calls if call[0] == "fetch"]) < 40
    assert found.bucket.failed == 202


async def test_listings_at_hand_need_no_job(desk: Desk) -> None:
    found = await desk.discover(state_ids=tuple(ARNS[:1]), cloud_ids=tuple(ARNS[:2]), bucket=False)
    assert found.jobs == ()
    assert desk.sidecar.requests == []
    assert statuses(found) == {ARNS[1]: "unmanaged", ARNS[0]: "managed_here"}
    assert "was not looked at" in found.findings[0].message


async def test_a_state_at_hand_is_not_managed_twice_by_lying_in_the_bucket_too(desk: Desk) -> None:
    given = read_given(document(*topics(ARNS[:2])), "terraform.tfstate", may_be_state=True)
    found = await desk.discover(state_ids=given.ids, state=given.state)
    assert found.findings == ()
    assert statuses(found)[ARNS[1]] == "managed_here"


async def test_what_is_suppressed_is_covered_and_stays_in_the_list(desk: Desk) -> None:
    rule = Suppression(pattern=f"{ARNS[4]}", reason="known", author="ann", expires=date(2026, 1, 2))
    found = await desk.discover(suppressions=(rule,))
    assert set(found.covered) == {ARNS[4]}
    assert statuses(found)[ARNS[4]] == "unmanaged"
    desk.clock.advance(86400)
    over = await desk.discover(suppressions=(rule,))
    assert over.covered == {}
    assert "discover.suppression_expired" in {finding.code for finding in over.findings}


# -- files ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '["arn:a"]',
        '{"job_id": "x", "result": {"exit_code": 0, "stdout": "[\\"arn:a\\"]", "stderr": ""}}',
        '{"ok": true, "data": {"exit_code": 0, "stdout": "[\\"arn:a\\"]"}, "warnings": []}',
    ],
)
def test_a_file_may_be_the_array_or_the_job(text: str) -> None:
    assert read_given(text.encode(), "ids.json", may_be_state=False).ids == ("arn:a",)


def test_a_state_at_hand_brings_its_addresses() -> None:
    given = read_given(document(*topics(ARNS[:1])), "terraform.tfstate", may_be_state=True)
    assert given.ids == (ARNS[0],)
    assert given.state is not None
    assert given.state.objects[0].address == "aws_sns_topic.t0"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "no list of identifiers"),
        (b"{", "no JSON document"),
        (b"\xff\xfe", "no list of identifiers"),
        (b'{"result": {"exit_code": 1, "stdout": "", "stderr": "denied"}}', "a job that failed"),
        (b'{"version": 4}', "no list of identifiers"),
    ],
)
def test_any_other_file_is_refused_by_name(raw: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        read_given(raw, "ids.json", may_be_state=False)
    assert "ids.json" in refused.value.title


# -- imports -------------------------------------------------------------------------------------------------------------------


def told(imports: Imports) -> list[str]:
    return [step.outcome.value for step in imports.steps]


async def test_imports_are_sent_one_after_the_other(desk: Desk) -> None:
    done = await desk.imports("a.a", "a.b")
    assert told(done) == ["imported", "imported"]
    assert [(r.address, r.resource_id) for r in desk.sidecar.requests if isinstance(r, ImportRequest)] == [
        ("a.a", "id-a.a"),
        ("a.b", "id-a.b"),
    ]
    assert (done.complete, done.stopped) == (True, "")


async def test_the_first_failure_stops_the_rest_unless_told_otherwise(desk: Desk) -> None:
    desk.sidecar.script.imports["a.b"] = Told(exit_code=1, stderr="╷\n│ Error: Resource already managed by OpenTofu\n")
    done = await desk.imports("a.a", "a.b", "a.c")
    assert told(done) == ["imported", "failed", "not_sent"]
    assert done.stopped.endswith("the command failed with exit code 1: Error: Resource already managed by OpenTofu")
    assert told(await desk.imports("a.a", "a.b", "a.c", keep_going=True)) == ["imported", "failed", "imported"]


async def test_one_whose_end_is_not_known_stops_the_rest_in_any_case(desk: Desk) -> None:
    desk.sidecar.errors["submit"] = SubmissionUnclear("no answer came")
    done = await desk.imports("a.a", "a.b", keep_going=True)
    assert told(done) == ["unknown", "not_sent"]
    assert "no answer came" in done.stopped


async def test_nothing_is_sent_in_a_read_only_context_or_for_a_row_with_faults(desk: Desk) -> None:
    desk.context = replace(desk.context, read_only=True)
    with pytest.raises(Refused, match="read-only"):
        await desk.imports("a.a")
    desk.context = replace(desk.context, read_only=False)
    faulty = Row(identifier="x", address="-help", import_id="x", certain=True, faults=("an option",))
    run = desk.services.imports.run([faulty], workspace=WORKSPACE, scope=ACCOUNT, provider=AWS)
    with pytest.raises(InputError, match="an option"):
        await anext(run)
    assert desk.sidecar.requests == []


# -- waiting -------------------------------------------------------------------------------------------------------------------


async def until(desk: Desk, seen_enough: Callable[[Discovery], bool]) -> Discovery:
    """The first snapshot that is as wanted; the discovery is left there."""
    asked = DiscoveryRequest(workspace=WORKSPACE, scope=ACCOUNT, provider=AWS)
    async with aclosing(desk.services.discovery.discover(asked)) as run:
        async for seen in run:
            if seen_enough(seen):
                return seen
    raise AssertionError("the discovery ended first")


async def test_a_listing_that_waits_behind_another_job_says_so(desk: Desk) -> None:
    desk.sidecar.script.held = {JobKind.INIT, JobKind.STATE_RESOURCE_IDS}
    ahead = await desk.services.jobs.submit(InitRequest(workspace_path=WORKSPACE, scope_id=ACCOUNT, terraform_provider=AWS))
    seen = await until(desk, lambda found: bool(found.jobs))
    assert ahead.job_id is not None
    assert seen.jobs[0].summary == f"second in line behind init {ahead.job_id[:8]}"
    assert f"second in line behind init {ahead.job_id[:8]}" in " ".join(narration(seen))


async def test_a_service_that_dies_in_the_middle_is_said_to_be_silent_and_asked_on(desk: Desk) -> None:
    desk.sidecar.script.held = {JobKind.STATE_RESOURCE_IDS}
    desk.sidecar.errors["job"] = Unreachable("nobody answers")
    seen = await until(desk, lambda found: any("asked in vain" in job.summary for job in found.jobs))
    assert not seen.complete
    assert "nobody answers, asked in vain since" in " ".join(narration(seen))
