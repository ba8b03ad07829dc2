"""Histories of any length: listed at once, read as far as asked for, and never read twice."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.lock_objects import LockObjects
from kumoss_console.errors import AccessDenied, ConsoleError, NotFound, Refused
from kumoss_console.model.context import Context, LockSettings
from kumoss_console.model.finding import Severity
from kumoss_console.model.lock import LockMechanism
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.ports.locks import LockKeeper, LockSighting
from kumoss_console.ports.objects import VersionsCut
from kumoss_console.services.versions.restore.commands import restore_commands, where_to_run
from kumoss_console.services.versions.restore.pin import Expected
from kumoss_console.services.versions.service import VersionService
from kumoss_console.services.versions.timelines import HEADS
from kumoss_console.services.workspaces.places import Binding, Places
from tests.fakes.clock import FakeClock
from tests.fakes.store import FakeStore
from tests.histories import document, keep

KEY = f"{'a' * 64}/terraform.tfstate"


class _NoJournal:
    """A journal without jobs."""

    async def jobs(self, context: str, limit: int) -> tuple[object, ...]:
        return ()


def service_over(
    store: FakeStore,
    *bindings: Binding,
    config: str = "",
    storage: StorageSettings | None = None,
    locks: LockSettings | None = None,
    keeper: LockKeeper | None = None,
) -> VersionService:
    async def bound() -> tuple[Binding, ...]:
        return bindings

    async def places() -> Places:
        return {}

    return VersionService(
        Context(name="prod", storage=storage or StorageSettings(), locks=locks or LockSettings()),
        store,
        lambda: _NoJournal(),  # type: ignore[arg-type,return-value]  # what a history asks of a journal
        FakeClock(),
        places=places,
        bindings=bound,
        config=config,
        keepers=(LockObjects(store), *([keeper] if keeper is not None else [])),
        off_loop=run_blocking,
    )


def bound_to(folder: str, key: str, *, written: str = "") -> Binding:
    return Binding(folder=folder, written=written or key, bound=key, differs=bool(written) and written != key)


def reads(store: FakeStore) -> int:
    return sum(method == "fetch" for method, _ in store.calls)


async def test_a_history_of_thousands_is_listed_at_once_and_read_as_far_as_asked_for() -> None:
    store = FakeStore()
    keep(store, KEY, *(document(serial, "a") for serial in range(1_500, 0, -1)))
    service = service_over(store)

    seen = [timeline async for timeline in service.stream(KEY)]
    first, last = seen[0], seen[-1]
    assert (len(first.rows), first.unread, first.complete) == (1_500, 1_500, False)
    assert len(seen) > 3
    assert (last.unread, last.complete, reads(store)) == (1_500 - HEADS, True, HEADS)
    assert [finding.code for finding in last.findings] == ["history.partly"]
    assert [finding.code for finding in first.findings] == []

    whole = await service.timeline(KEY, heads=None)
    assert (whole.unread, whole.findings, reads(store)) == (0, (), 1_500)


async def test_a_version_that_was_read_is_not_read_again_and_one_that_failed_is() -> None:
    from kumoss_console.errors import ServiceError

    store = FakeStore()
    keep(store, KEY, document(2, "a"), None, document(1, "a"))
    service = service_over(store)
    store.errors["fetch"] = ServiceError("the store failed", code="store.fault")
    failed = await service.timeline(KEY)
    store.errors.clear()
    await service.timeline(KEY)
    before = reads(store)
    again = await service.timeline(KEY)
    assert [row.error is not None for row in failed.rows] == [True, False, True]
    assert [row.serial for row in again.rows] == [2, None, 1]
    assert reads(store) == before


async def test_two_projects_on_one_key_make_few_findings_of_many_steps_the_newest_first() -> None:
    store = FakeStore()
    keep(store, KEY, *(document(1, "a", lineage=f"lineage-{number % 2}") for number in range(120)))
    timeline = await service_over(store).timeline(KEY)
    codes = [finding.code for finding in timeline.findings]
    assert codes == ["history.lineage_changes"] * 20 + ["history.more"]
    assert "at version v120" in timeline.findings[0].message


@pytest.mark.parametrize("folder", ["/workspaces/acme-net", "/work spaces/it's"])
async def test_the_commands_of_a_restore_name_the_workspace_that_is_bound_to_the_key(folder: str) -> None:
    store = FakeStore()
    keep(store, KEY, document(2, "a"), document(1, "b"))
    other, here = bound_to("/other", "x"), bound_to(folder, KEY)
    restore = await service_over(store, other, here, config="/etc/a b.yaml").restore_plan(KEY, "v1")
    file = restore.files
    commands = [command.text for command in restore_commands(restore)]
    quoted = "-chdir=/workspaces/acme-net" if " " not in folder else """'-chdir=/work spaces/it'"'"'s'"""
    assert commands[0] == (
        f"kumoss-console state restore-plan --config '/etc/a b.yaml' --context prod --write {file.prepared} --expect-serial 2 "
        f"--expect-version v2 -- {KEY} v1"
    )
    terraform = f"TF_WORKSPACE=default terraform {quoted}"
    assert commands[1].startswith("(umask 077; { grep -qxF '  \"serial\": 3,' ")
    assert (
        f" && {terraform} state pull > {file.backup} && {{ {{ grep -qxF " in commands[1]
        or f" && {terraform} state pull > {file.backup} && {{ grep -qxF " in commands[1]
    )
    assert f" && {terraform} state push - < {file.prepared} && mv " in commands[1]
    assert folder in where_to_run(restore)


async def test_onto_a_key_that_was_deleted_is_pushed_only_while_it_holds_nothing() -> None:
    store = FakeStore()
    keep(store, KEY, None, document(1, "b"))
    restore = await service_over(store).restore_plan(KEY, "previous")
    commands = [command.text for command in restore_commands(restore)]
    assert (restore.plan.serial, restore.deleted, restore.version.version_id) == (2, True, "v1")
    assert "--expect-serial 1 --expect-version v2" in commands[0]
    assert "attributes only" not in "".join(command.purpose for command in restore_commands(restore))
    assert f" && TF_WORKSPACE=default terraform state push - < {restore.files.prepared} && mv " in commands[1]
    assert "trace and workspaces tell which" in where_to_run(restore)


async def test_a_key_no_command_line_can_carry_is_in_no_command() -> None:
    store = FakeStore()
    key = "a\x1b[31m\u202e/terraform.tfstate"
    keep(store, key, document(2, "a"), document(1, "b"))
    restore = await service_over(store).restore_plan(key, "v1")
    assert "\x1b" not in "".join(command.text + command.purpose for command in restore_commands(restore))


async def test_a_state_that_no_version_is_current_of_was_deleted_and_its_newest_version_can_be_gone_back_to() -> None:
    """As an account of Azure lists it: no marker of a deletion, and a snapshot beside the versions."""
    store = FakeStore()
    keep(store, KEY, document(3, "a"), document(2, "b"), document(1, "b"))
    entries = [(replace(entry, latest=False), content) for entry, content in store.history[KEY]]
    entries[1] = (replace(entries[1][0], kind="snapshot"), entries[1][1])
    store.history[KEY] = entries
    service = service_over(store)

    timeline = await service.timeline(KEY)
    restore = await service.restore_plan(KEY, "newest")

    assert [finding.code for finding in timeline.findings] == ["history.deleted"]
    assert [row.version.kind for row in timeline.rows] == ["version", "snapshot", "version"]
    assert (restore.deleted, restore.plan.serial) == (True, 4)


@pytest.mark.parametrize(
    ("damaged", "severity", "serial"),
    [
        (b"", Severity.WARNING, 3),
        (b"<html>Sign in</html>", Severity.ERROR, 3),
        (document(7, "a", "b")[:-40], Severity.ERROR, 8),
    ],
    ids=["emptied", "another document", "cut short"],
)
async def test_from_a_damaged_state_the_way_back_goes_on_from_the_newest_that_an_engine_reads(
    damaged: bytes, severity: Severity, serial: int
) -> None:
    store = FakeStore()
    keep(store, KEY, damaged, document(2, "a"), document(1, "b"))
    restore = await service_over(store).restore_plan(KEY, "previous")
    findings = {finding.code: finding.severity for finding in restore.findings}
    assert findings["restore.active_damaged"] is severity
    assert (restore.plan.serial, restore.damaged) == (serial, True)
    commands = restore_commands(restore)
    removal = [number for number, command in enumerate(commands) if "delete-object" in command.text]
    # An empty object is in nobody's way. Another one is removed once the old state is at hand, and before the push.
    assert removal == ([1] if damaged else [])
    assert "push" in commands[len(removal) + 1].text
    assert "attributes only" not in commands[-2].purpose


@pytest.mark.parametrize("version", ["v3", "null"])
async def test_a_damaged_object_without_a_version_of_its_own_is_copied_before_it_is_removed(version: str) -> None:
    store = FakeStore()
    keep(store, KEY, b"<html>", document(2, "a"), document(1, "b"))
    (top, content), *rest = store.history[KEY]
    store.history[KEY] = [(replace(top, version_id=version), content), *rest]
    store.objects[KEY] = b"<html>"
    restore = await service_over(store).restore_plan(KEY, "#2")
    commands = restore_commands(restore)
    assert (restore.files.damaged in commands[-1].text) is (version == "null"), "what was copied is thrown away at the end"
    copied = [command.text for command in commands if "get-object" in command.text]
    removed = next(command for command in commands if "delete-object" in command.text)
    assert " && aws --endpoint-url http://object-storage:9000 s3api delete-object --bucket " in removed.text
    assert removed.text.endswith(""" --if-match '"0"')""")
    assert "no notice of the condition" in removed.purpose
    assert all(""" --if-match '"0"'""" in text for text in copied)
    assert (bool(copied), "stays" in removed.purpose) == ((True, False) if version == "null" else (False, True))


@pytest.mark.parametrize(
    ("expected", "told"),
    [
        (Expected(version="v2"), "since then came version v3"),
        (Expected(version="v9"), "not among the versions any more"),
        (Expected(serial=2), "expected was serial 2; the plan would go on from serial 3 now"),
    ],
    ids=["another version", "a version that is gone", "another serial"],
)
async def test_a_plan_that_was_made_on_another_newest_version_is_refused_and_says_what_came_in_between(
    expected: Expected, told: str
) -> None:
    store = FakeStore()
    keep(store, KEY, document(3, "c"), document(2, "a"), document(1, "b"))
    service = service_over(store)
    with pytest.raises(Refused) as caught:
        await service.restore_plan(KEY, "v1", expected=expected)
    assert caught.value.code == "restore.changed"
    assert told in caught.value.detail
    assert (await service.restore_plan(KEY, "v1", expected=Expected(serial=3, version="v3"))).plan.serial == 4


@pytest.mark.parametrize(
    ("active", "deleted", "pushed"),
    [
        (document(2, "a"), False, True),
        (document(3, "a"), False, False),
        (document(2, "a", lineage="another"), False, False),
        (b"", False, False),
        (b"", True, True),
        (document(0, lineage=""), True, True),
        (document(0, lineage="z"), True, False),
        (document(1, lineage=""), True, False),
        (document(1, "z"), True, False),
    ],
    ids=[
        "unchanged",
        "written since",
        "another lineage",
        "deleted since",
        "still deleted",
        "still deleted, as engines write it",
        "another history",
        "another serial",
        "created since",
    ],
)
async def test_the_push_is_not_reached_where_something_else_is_active_by_then(
    tmp_path: Path, active: bytes, deleted: bool, pushed: bool
) -> None:
    store = FakeStore()
    keep(store, KEY, *([None] if deleted else []), document(2, "a"), document(1, "b"))
    restore = await service_over(store).restore_plan(KEY, "v1")
    # An engine writes one member a line, two blanks deep; Terraform a state without a lineage where it finds none.
    pulled = json.dumps(json.loads(active), indent=2) + "\n" if active else ""
    (tmp_path / "active").write_text(pulled)
    (tmp_path / restore.files.prepared).write_text(restore.plan.content.reveal())
    engine = tmp_path / "terraform"
    engine.write_text('#!/bin/sh\ncase "$*" in *pull*) cat active;; *push*) cat > pushed;; esac\n')
    engine.chmod(0o700)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    # A script that ends at the first failure does not go on to throw the copy away.
    command = ["sh", "-ec", restore_commands(restore)[1].text + "\ntouch went-on"]
    done = await run_blocking(lambda: subprocess.run(command, cwd=tmp_path, env=environment, check=False, capture_output=True))
    assert (tmp_path / "pushed").exists() is pushed
    assert (tmp_path / "went-on").exists() is pushed
    assert (b"Nothing was pushed" in done.stderr) is not pushed
    assert (tmp_path / restore.files.backup).stat().st_mode & 0o777 == 0o600


async def test_previous_of_a_deleted_state_is_the_last_one_before_the_deletion_and_a_difference_says_that_it_is_deleted() -> None:
    store = FakeStore()
    keep(store, KEY, None, document(3, "a"), document(2, "a"))
    service = service_over(store)
    assert (await service.restore_plan(KEY, "previous")).version.version_id == "v2"
    with pytest.raises(NotFound) as caught:
        await service.diff(KEY)
    assert "was deleted" in caught.value.title
    assert (await service.diff(KEY, "v1", "v2")).unchanged == 1


async def test_of_an_encrypted_state_no_way_back_is_planned() -> None:
    store = FakeStore()
    sealed = b'{"meta": {"key_provider": "x"}, "serial": 9, "lineage": "l", "encrypted_data": "AAAA", "encryption_version": "v0"}'
    keep(store, KEY, sealed, document(2, "a"))
    with pytest.raises(ConsoleError) as caught:
        await service_over(store).restore_plan(KEY, "previous")
    assert caught.value.code == "state.not_comparable"
    assert "encrypted" in caught.value.hint


async def test_an_active_state_that_was_cut_short_is_not_called_healthy() -> None:
    store = FakeStore()
    whole = document(3, *(f"n{number}" for number in range(30)))
    keep(store, KEY, whole[:-10], document(2, "a"))
    cut = await service_over(store).timeline(KEY)
    keep(store, KEY, whole, document(2, "a"))
    fine = await service_over(store).timeline(KEY)
    assert [(finding.code, finding.severity) for finding in cut.findings] == [("history.damaged", Severity.ERROR)]
    assert [row.damaged for row in cut.rows] == [True, False]
    assert (fine.findings, fine.rows[0].serial) == ((), 3)


async def test_a_damaged_blob_of_an_account_is_removed_only_as_it_was_seen() -> None:
    store = FakeStore()
    keep(store, KEY, b"<html>", document(1, "b"))
    storage = StorageSettings(
        provider=StorageProvider.STORAGE_ACCOUNT,
        endpoint_url="https://acmestate.blob.core.windows.net",
        terraform_state_bucket="state",
    )
    restore = await service_over(store, storage=storage).restore_plan(KEY, "previous")
    removal = restore_commands(restore)[1]
    assert " && az storage blob delete --account-name acmestate " in removal.text
    assert removal.text.endswith(""" --if-match '"0"')""")
    assert "no notice" not in removal.purpose


@pytest.mark.parametrize("etag", [None, '"\x1b[31m"'])
async def test_without_an_etag_the_removal_has_no_condition_and_says_so(etag: str | None) -> None:
    store = FakeStore()
    keep(store, KEY, b"<html>", document(1, "b"))
    (top, content), *rest = store.history[KEY]
    store.history[KEY] = [(replace(top, etag=etag), content), *rest]
    removal = restore_commands(await service_over(store).restore_plan(KEY, "previous"))[1]
    assert "--if-match" not in removal.text
    assert "no ETag" in removal.purpose


class _Table:
    """A lock table that has one digest, or cannot be asked."""

    mechanism: LockMechanism = "table"

    def __init__(self, digest: str | None, error: ConsoleError | None = None) -> None:
        self._digest = digest
        self._error = error

    async def look(self, key: str) -> LockSighting | None:
        return None

    async def remove(self, sighting: LockSighting) -> str | None:
        raise AssertionError("a plan removes nothing")

    async def digest(self, key: str) -> str | None:
        if self._error is not None:
            raise self._error
        return self._digest


def md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


@pytest.mark.parametrize(
    ("contents", "digest", "blocked"),
    [
        ((document(2, "a"), document(1, "b")), md5(document(2, "a")), False),
        ((document(2, "a"), document(1, "b")), md5(document(2, "a")).upper(), False),
        ((document(2, "a"), document(1, "b")), md5(document(9, "z")), True),
        ((None, document(2, "a"), document(1, "b")), md5(document(2, "a")), True),
        ((b"<html>", document(2, "a"), document(1, "b")), md5(b"<html>"), True),
        ((b"", document(2, "a"), document(1, "b")), md5(b""), True),
        ((None, document(2, "a"), document(1, "b")), None, False),
    ],
    ids=["fits", "in capitals", "another state", "deleted", "damaged", "emptied", "no row"],
)
async def test_a_digest_that_would_block_the_push_is_named_with_the_step_that_removes_exactly_it(
    contents: tuple[bytes | None, ...], digest: str | None, blocked: bool
) -> None:
    store = FakeStore()
    keep(store, KEY, *contents)
    locks = LockSettings(dynamodb_table="tf-locks", dynamodb_endpoint="http://table.test:8000")
    restore = await service_over(store, keeper=_Table(digest), locks=locks).restore_plan(KEY, "v1")
    commands = restore_commands(restore)
    row = [number for number, command in enumerate(commands) if "dynamodb delete-item" in command.text]
    assert [finding.code for finding in restore.findings if finding.code == "restore.digest"] == ["restore.digest"] * blocked
    assert len(row) == blocked
    for number in row:
        assert "state push" in commands[number + 1].text
        assert commands[number].text.startswith(f"({restore.files.ready()} && aws ")
        assert shlex.split(commands[number].text.partition(" && aws ")[2].removesuffix(")")) == [
            *("--endpoint-url", "http://table.test:8000", "dynamodb", "delete-item", "--region", "us-east-1"),
            *("--table-name", "tf-locks", "--key", json.dumps({"LockID": {"S": f"kumoss-terraform-state/{KEY}-md5"}})),
            *("--condition-expression", "Digest = :seen"),
            *("--expression-attribute-values", json.dumps({":seen": {"S": digest}})),
        ]


async def test_a_lock_table_that_cannot_be_asked_for_a_digest_is_told() -> None:
    store = FakeStore()
    keep(store, KEY, None, document(1, "b"))
    refused = AccessDenied("the table said no")
    restore = await service_over(store, keeper=_Table(None, refused)).restore_plan(KEY, "previous")
    [finding] = [finding for finding in restore.findings if finding.code == "restore.digest_unknown"]
    assert "the table said no" in finding.message
    assert f"{KEY}-md5" in finding.remedy
    assert not restore.clearing


async def test_older_versions_that_the_store_does_not_list_are_told_and_are_not_called_absent() -> None:
    store = FakeStore()
    keep(store, KEY, document(3, "a"), document(2, "a"))
    listed = tuple(entry for entry, _ in store.history[KEY])
    store.errors["versions"] = VersionsCut("the newest 2 are listed", detail="others come first", hint="clear up", found=listed)
    service = service_over(store)

    timeline = await service.timeline(KEY)
    assert [(finding.code, finding.severity) for finding in timeline.findings] == [("history.cut", Severity.WARNING)]
    assert [row.serial for row in timeline.rows] == [3, 2]
    assert (await service.diff(KEY)).unchanged == 1
    assert (await service.restore_plan(KEY, "previous")).plan.serial == 4
    with pytest.raises(VersionsCut):
        await service.diff(KEY, "v0", "newest")


@pytest.mark.parametrize(
    "stale", [document(3, "b", lineage="another"), document(9, "b"), b""], ids=["lineage", "serial", "empty"]
)
async def test_no_line_goes_on_from_a_file_that_is_not_what_the_plan_prepares(tmp_path: Path, stale: bytes) -> None:
    store = FakeStore()
    keep(store, KEY, b"<html>", document(3, "c"), document(2, "a"), document(1, "b"))
    restore = await service_over(store).restore_plan(KEY, "v1")
    other = await service_over(store).restore_plan(KEY, "v2")
    assert restore.files.prepared != other.files.prepared, "another version has another file"
    (tmp_path / restore.files.prepared).write_text(json.dumps(json.loads(stale), indent=2) if stale else "")
    for name in ("terraform", "aws"):
        (tmp_path / name).write_text("#!/bin/sh\ntouch was-run\n")
        (tmp_path / name).chmod(0o700)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    script = "\n".join(command.text for command in restore_commands(restore)[1:-2])
    done = await run_blocking(lambda: subprocess.run(["sh", "-c", script], cwd=tmp_path, env=environment, check=False))
    assert done.returncode != 0
    assert not (tmp_path / "was-run").exists()


INSTANCE = "i-0123456789abcdef0"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ({"index_key": 0}, {"index_key": "x"}, 'aws_instance.a[0], which is aws_instance.a["x"]'),
        ({"deposed": "abcd1234"}, {}, "(deposed abcd1234)"),
        ({"status": "tainted"}, {}, "replaces, tainted"),
    ],
    ids=["moved", "deposed then", "tainted then"],
)
async def test_what_the_next_plan_would_destroy_is_named_and_not_called_a_change_of_attributes(
    old: dict[str, object], new: dict[str, object], told: str
) -> None:
    store = FakeStore()
    states = []
    for serial, instance in ((2, new), (1, old)):
        instances = [{"attributes": {"id": INSTANCE}, **instance}]
        provider = 'provider["registry.terraform.io/hashicorp/aws"]'
        resource = {"mode": "managed", "type": "aws_instance", "name": "a", "provider": provider, "instances": instances}
        states.append(json.dumps({**json.loads(document(serial)), "resources": [resource]}).encode())
    keep(store, KEY, *states)
    purpose = restore_commands(await service_over(store).restore_plan(KEY, "v1"))[-2].purpose
    assert "attributes only" not in purpose
    assert told in purpose


@pytest.mark.parametrize(
    ("key", "binding", "folders", "selected", "told"),
    [
        (f"env:/stage/{KEY}", bound_to("/w", KEY), ("/w",), "stage", "workspace stage"),
        (KEY, bound_to("/w", "other", written=KEY), (), "default", "is bound to other: terraform init comes first"),
        (KEY, bound_to("/w", KEY, written="other"), (), "default", "init would lead there"),
    ],
    ids=["another workspace", "written, bound elsewhere", "bound, written elsewhere"],
)
async def test_the_commands_stand_where_the_engine_is_bound_and_in_its_workspace_of_the_key(
    key: str, binding: Binding, folders: tuple[str, ...], selected: str, told: str
) -> None:
    store = FakeStore()
    keep(store, key, document(2, "a"), document(1, "b"))
    restore = await service_over(store, binding).restore_plan(key, "v1")
    assert restore.folders == folders
    assert f"TF_WORKSPACE={selected} terraform " in restore_commands(restore)[1].text
    assert told in where_to_run(restore)


async def test_of_a_damaged_state_that_was_deleted_nothing_is_said_to_be_removed() -> None:
    store = FakeStore()
    keep(store, KEY, None, b"<html>", document(2, "a"), document(1, "b"))
    restore = await service_over(store).restore_plan(KEY, "v1")
    assert [one.code for one in restore.findings] == ["restore.deleted", "restore.newest_damaged"]
    assert not restore.clearing
    assert restore.base.version_id == "v2"
