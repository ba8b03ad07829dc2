"""``discover`` through the real edge: what scripts and people get, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kumoss_console.errors import Unreachable
from kumoss_console.model.contract import ImportRequest, JobKind
from tests.cli.harness import Console
from tests.fakes.clock import FakeClock
from tests.fakes.clouds import ACCOUNT, aws_arns
from tests.fakes.discovering import DiscoveringSidecar, Told
from tests.fakes.store import FakeStore
from tests.hostile import HOSTILE
from tests.model.discovery.states import document, topics

ARNS = aws_arns(6)
ODD = f"arn:aws:newservice:eu-central-1:{ACCOUNT}:thing/x"
HERE, OTHER = "aa" * 32 + "/terraform.tfstate", "bb" * 32 + "/terraform.tfstate"
COMMAND = ("discover", "/workspaces/net", "--scope", ACCOUNT, "--provider", "aws")
IMPORTED = "aws_sns_topic.topic_000004"


@pytest.fixture
def service(clock: FakeClock, console: Console, store: FakeStore, tmp_path: Path) -> DiscoveringSidecar:
    """Two topics here of which one is gone, two in another state, one nobody manages, and one of a kind that no table knows."""
    service = DiscoveringSidecar(clock)
    service.lists(ARNS[:2], [*ARNS[1:5], ODD])
    console.sidecar = service
    console.environ = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    store.objects = {HERE: document(*topics(ARNS[:2])), OTHER: document(*topics(ARNS[2:4]))}
    return service


def test_the_shape_is_what_was_promised(console: Console, service: DiscoveringSidecar) -> None:
    run = console.run(*COMMAND, "--json")
    assert run.code == 0
    data = run.data
    assert list(data)[:7] == ["workspace", "scope", "provider", "jobs", "counts", "items", "findings"]
    assert data["counts"] == {
        "unmanaged": 2,
        "missing": 1,
        "ambiguous": 0,
        "managed_elsewhere": 2,
        "managed_here": 1,
        "suppressed": 0,
        "incomparable": 0,
        "total": 6,
    }
    assert [job["kind"] for job in data["jobs"]] == ["state_resource_ids", "scope_resource_ids"]
    unmanaged = data["items"][0]
    assert list(unmanaged) == ["id", "status", "kind", "type", "managed_by", "code", "reason", "suppressed", "import"]
    assert unmanaged["import"] == {"address": IMPORTED, "id": ARNS[4], "certain": True, "note": None, "faults": []}
    elsewhere = next(item for item in data["items"] if item["id"] == ARNS[2])
    assert elsewhere["managed_by"] == [
        {"key": OTHER, "owner": None, "address": "aws_sns_topic.t0", "type": "aws_sns_topic", "here": False}
    ]
    assert data["state"] == {"key": HERE}


def test_what_needs_a_look_is_told_first_and_the_rest_is_counted(console: Console, service: DiscoveringSidecar) -> None:
    run = console.run(*COMMAND)
    assert run.code == 0
    assert "unmanaged             2" in run.out
    assert ARNS[4] in run.out
    assert ARNS[2] not in run.out
    assert "6 identifiers compared, 2 states of the bucket read; 3 more with --all" in run.err
    assert ARNS[2] in console.run(*COMMAND, "--all").out
    assert ARNS[2] in console.run(*COMMAND, "--status", "managed_elsewhere").out


def test_filters_by_text_type_and_status(console: Console, service: DiscoveringSidecar) -> None:
    def ids(*options: str) -> list[str]:
        return [item["id"] for item in console.run(*COMMAND, "--json", *options).data["items"]]

    assert ids("--filter", "NEWSERVICE thing") == [ODD]
    assert ids("--type", "aws_sns_*", "--status", "unmanaged") == [ARNS[4]]
    assert ids("--filter", "bbbb") == ARNS[2:4]
    assert ids("--status", "missing", "--status", "managed_here") == [ARNS[0], ARNS[1]]


@pytest.mark.parametrize(("kind", "code"), [(JobKind.STATE_RESOURCE_IDS, 1), (JobKind.SCOPE_RESOURCE_IDS, 1)])
def test_a_listing_that_failed_is_bad_news_and_compares_nothing(
    console: Console, service: DiscoveringSidecar, kind: JobKind, code: int
) -> None:
    told = Told(exit_code=1, stderr="denied")
    service.script.state, service.script.cloud = (
        (told, service.script.cloud) if kind is JobKind.STATE_RESOURCE_IDS else (service.script.state, told)
    )
    run = console.run(*COMMAND, "--json")
    assert run.code == code
    assert (run.data["items"], run.data["counts"]) == ([], {})
    (finding,) = run.data["findings"]
    assert finding["code"] == "discover.listing_failed"
    assert "denied" in finding["message"]


def test_a_lost_listing_is_a_question_unanswered(console: Console, service: DiscoveringSidecar) -> None:
    service.script.forgotten = {JobKind.SCOPE_RESOURCE_IDS}
    run = console.run(*COMMAND)
    assert run.code == 3
    assert "the scope listing has no answer" in run.out


def test_two_states_that_manage_one_thing_are_bad_news(console: Console, service: DiscoveringSidecar, store: FakeStore) -> None:
    store.objects[OTHER] = document(*topics(ARNS[1:4]))
    run = console.run(*COMMAND)
    assert run.code == 1
    assert "each undoes what the other does" in run.out


def test_files_at_hand_ask_no_service(console: Console, service: DiscoveringSidecar, tmp_path: Path) -> None:
    service.errors["submit"] = Unreachable("nobody answers")
    state, cloud = tmp_path / "state.json", tmp_path / "cloud.json"
    state.write_bytes(document(*topics(ARNS[:2])))
    cloud.write_text(json.dumps(ARNS[1:3]))
    run = console.run(*COMMAND, "--json", "--no-bucket", "--state-ids", str(state), "--cloud-ids", str(cloud))
    assert run.code == 0, run.err
    assert run.data["jobs"] == []
    assert {item["id"]: item["status"] for item in run.data["items"]} == {
        ARNS[2]: "unmanaged",
        ARNS[0]: "missing",
        ARNS[1]: "managed_here",
    }
    cloud.write_text("no list")
    assert console.run(*COMMAND, "--cloud-ids", str(cloud)).code == 2


def test_suppressions_are_counted_listable_and_refused_with_file_and_line(
    console: Console, service: DiscoveringSidecar, tmp_path: Path
) -> None:
    file = tmp_path / "known.yaml"
    file.write_text(f'suppressions:\n  - pattern: "{ARNS[4]}"\n    reason: by hand\n    author: ann\n')
    run = console.run(*COMMAND, "--suppressions", str(file))
    assert "suppressed            1 of these" in run.out
    assert ARNS[4] not in run.out
    assert "by hand (ann)" in console.run(*COMMAND, "--suppressions", str(file), "--suppressed").out
    item = console.run(*COMMAND, "--json", "--suppressions", str(file)).data["items"][0]
    assert (item["id"], item["suppressed"]["author"]) == (ARNS[4], "ann")
    file.write_text("suppressions:\n  - pattern: x\n")
    refused = console.run(*COMMAND, "--suppressions", str(file))
    assert refused.code == 2
    assert f"{file}:2" in refused.err
    usual = tmp_path / "config" / "kumoss-console"
    usual.mkdir(parents=True)
    (usual / "suppressions.yaml").write_text(f'suppressions:\n  - pattern: "{ARNS[4]}"\n    reason: r\n    author: a\n')
    assert ARNS[4] not in console.run(*COMMAND).out


def test_import_blocks_go_to_a_new_file_or_stdout(console: Console, service: DiscoveringSidecar, tmp_path: Path) -> None:
    run = console.run(*COMMAND, "--export", "-")
    assert run.out.startswith(f'import {{\n  to = {IMPORTED}\n  id = "{ARNS[4]}"\n}}\n')
    assert f"# left out: {ODD}: it has no address yet; not known: look at the provider's documentation\n" in run.out
    assert "1 import block written, 1 left out with their reason" in run.err
    file = tmp_path / "import.tf"
    named = ("--import", "aws_new_thing.x", ODD, "--import-id", ODD, "x-1", "--export", str(file))
    assert console.run(*COMMAND, *named).code == 0
    assert file.read_text() == 'import {\n  to = aws_new_thing.x\n  id = "x-1"\n}\n'
    assert console.run(*COMMAND, *named).code == 5


def test_imports_are_submitted_one_by_one_with_the_workspaces_name(console: Console, service: DiscoveringSidecar) -> None:
    named = ("--import", "aws_sns_topic.orders", ARNS[4], "--submit")
    unconfirmed = console.run(*COMMAND, *named)
    assert unconfirmed.code == 5
    assert "--confirm workspaces/net" in unconfirmed.err
    wrong = console.run(*COMMAND, *named, "--confirm", "net")
    assert wrong.code == 5
    assert not any(isinstance(request, ImportRequest) for request in service.requests)

    run = console.run(*COMMAND, *named, "--confirm", "workspaces/net", "--json")
    assert run.code == 0
    (row,) = run.data["imports"]["rows"]
    assert (row["address"], row["outcome"]) == ("aws_sns_topic.orders", "imported")
    assert row["job_id"]


def test_the_first_import_that_fails_stops_the_rest(console: Console, service: DiscoveringSidecar) -> None:
    service.lists([], ARNS[4:6])
    service.script.imports[IMPORTED] = Told(exit_code=1, stderr="Error: no such configuration")
    run = console.run(*COMMAND, "--submit", "--confirm", "workspaces/net")
    assert run.code == 1
    assert "1 failed, 1 not_sent".replace("_", " ") in run.err
    assert "stopped: aws_sns_topic.topic_000004 was not imported" in run.err
    again = console.run(*COMMAND, "--submit", "--confirm", "workspaces/net", "--keep-going")
    assert "1 imported, 1 failed" in again.err


def test_a_worksheet_with_faults_is_not_submitted(console: Console, service: DiscoveringSidecar) -> None:
    for named in (
        (),
        ("--import", "-destroy", ARNS[4]),
        ("--import", "aws_sns_topic.t0", ARNS[4]),
        ("--import", "aws_sns_topic.y", ARNS[2]),
        ("--import", "aws_sns_topic.y", "unheard-of"),
    ):
        run = console.run(*COMMAND, *named, "--submit", "--confirm", "workspaces/net")
        assert run.code == 2, named
    assert not any(isinstance(request, ImportRequest) for request in service.requests)


def test_read_only_lets_discover_through_and_no_import(console: Console, service: DiscoveringSidecar) -> None:
    assert console.run(*COMMAND, "--read-only").code == 0
    asked = len(service.requests)
    run = console.run(*COMMAND, "--read-only", "--submit", "--confirm", "workspaces/net")
    assert run.code == 5
    assert len(service.requests) == asked


def test_hostile_identifiers_are_shown_and_never_obeyed(console: Console, service: DiscoveringSidecar) -> None:
    names = [f"{ARNS[0]}{text}" for text in HOSTILE if "\x00" not in text]
    service.lists([], names)
    run = console.run(*COMMAND, "--export", "-")
    for text in (run.out, run.err, console.run(*COMMAND).out):
        assert not {"\x1b", "\x9b", "\u202e", "\r"} & set(text)
    assert [item["id"] for item in console.run(*COMMAND, "--json").data["items"]] == names


@pytest.mark.parametrize(
    "argv",
    [
        ("discover", "net", "--scope", "s", "--provider", "aws"),
        ("discover", "/w/net", "--scope", "", "--provider", "aws"),
        ("discover", "/w/net", "--scope", "s", "--provider", "oci"),
        (*COMMAND, "--confirm", "net"),
        (*COMMAND, "--import", "a.b", "x", "--import", "a.c", "x"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_asked(
    console: Console, service: DiscoveringSidecar, argv: tuple[str, ...]
) -> None:
    assert console.run(*argv).code == 2
    assert service.requests == []


def test_a_context_without_a_bucket_is_told_and_goes_on(console: Console, service: DiscoveringSidecar) -> None:
    console.store = None
    first = console.contexts[0]
    console.contexts = (replace(first, storage=replace(first.storage, terraform_state_bucket="")), *console.contexts[1:])
    run = console.run(*COMMAND)
    assert run.code == 0
    assert "what another state manages is called unmanaged" in run.out


def test_an_import_id_of_what_is_not_on_the_worksheet_is_refused(console: Console, service: DiscoveringSidecar) -> None:
    for named, said in (
        (("--import-id", "unheard-of", "x"), "unheard-of was not discovered"),
        (("--import-id", ARNS[2], "x"), "it is managed elsewhere"),
        (("--import-id", ARNS[4], "x", "--filter", "newservice"), "the filters or a suppression leave it out"),
        (("--import-id", ARNS[4], "x", "--import", "aws_x.y", ODD), "no --import names it"),
    ):
        run = console.run(*COMMAND, *named, "--export", "-")
        assert (run.code, run.out) == (2, "")
        assert said in run.err


def test_what_was_written_is_counted_and_not_what_was_ready(console: Console, service: DiscoveringSidecar) -> None:
    decomposed = f"{ARNS[5]}e\u0301"
    service.lists([], [ARNS[4], decomposed])
    run = console.run(*COMMAND, "--export", "-")
    assert run.out.count("import {") == 1
    assert "1 import block written, 1 left out with their reason" in run.err


def test_the_listings_are_given_up_after_the_time_that_was_given(console: Console, service: DiscoveringSidecar) -> None:
    service.script.held = {JobKind.STATE_RESOURCE_IDS}
    run = console.run(*COMMAND, "--timeout", "0.05")
    assert run.code == 4
    assert "gave up waiting for what discover needs after 0.05 s" in run.err
    assert console.run(*COMMAND, "--timeout", "0").code == 2


def test_a_listing_that_the_service_never_answered_has_not_ended(console: Console, service: DiscoveringSidecar) -> None:
    service.hang.shut()
    run = console.run(*COMMAND, "--timeout", "0.5")
    assert run.code == 4
    assert "state_resource_ids #1: sent, no answer; whether the service took it is not known; nothing was cancelled" in run.err
    assert "kumoss-console jobs show '#1'" in run.err
    assert "had ended" not in run.err
    service.hang.open()
    shown = console.run("jobs", "show", "#1")
    assert shown.code == 3
    assert "sent, no answer" in shown.out


def test_what_is_still_read_when_patience_ends_is_named(console: Console, service: DiscoveringSidecar, store: FakeStore) -> None:
    store.hang.shut()
    run = console.run(*COMMAND, "--timeout", "0.5")
    assert run.code == 4
    assert "the listings had ended; the bucket was being listed" in run.err


def test_the_last_line_of_progress_is_a_hundred_percent(console: Console, service: DiscoveringSidecar) -> None:
    lines = [line for line in console.run(*COMMAND).err.splitlines() if "states read:" in line]
    assert "states read: 100 % of 2" in lines[-1]


def test_read_only_tells_that_blocks_can_be_exported(console: Console, service: DiscoveringSidecar) -> None:
    assert "--export FILE" in console.run(*COMMAND, "--read-only", "--submit", "--confirm", "workspaces/net").err


def test_an_older_document_beside_its_own_object_is_no_second_manager(
    console: Console, service: DiscoveringSidecar, store: FakeStore, tmp_path: Path
) -> None:
    file = tmp_path / "terraform.tfstate"
    file.write_bytes(document(*topics(ARNS[:1]), serial=3))
    for key in ((), ("--key", HERE)):
        data = console.run(*COMMAND, "--json", "--state-ids", str(file), *key).data
        assert [finding["code"] for finding in data["findings"]] == ["discover.document_older"]
        assert data["state"] == {"key": HERE}
    ids = tmp_path / "ids.json"
    ids.write_text(json.dumps(ARNS[4:5]))
    assert "this workspace's state" in console.run(*COMMAND, "--all", "--no-bucket", "--state-ids", str(ids)).out
