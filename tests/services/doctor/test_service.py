"""The doctor: every check, each with its remedy, and none that holds up the others."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from kumoss_console.config import LoadedConfig
from kumoss_console.config.loaded import ConfigFile
from kumoss_console.errors import AccessDenied, Unreachable
from kumoss_console.model.context import Context, IacSettings, KnownProject
from kumoss_console.model.finding import Severity
from kumoss_console.model.storage import StorageCredentials, StorageSettings
from kumoss_console.services.backend.override import BackendService
from kumoss_console.services.doctor.service import Check, DoctorReport, DoctorService
from kumoss_console.text import Secret, printable
from tests.fakes.sidecar import FakeSidecar
from tests.fakes.store import FakeStore
from tests.hostile import HOSTILE

CHECKS = [
    "configuration",
    "ownership",
    "override",
    "token",
    "sidecar",
    "sidecar token",
    "store",
    "listing",
    "journal",
    "engine",
    "extras",
]
CONTEXT = Context(
    name="prod",
    credentials=StorageCredentials(access_key=Secret("AKIA-TEST"), secret_key=Secret("hidden-key-1"), source="env"),
    token=Secret("hidden-token-1"),
    backend_config="",
)


class Surgery:
    """A context, fakes behind it, and the doctor."""

    def __init__(self, folder: Path) -> None:
        self.context = CONTEXT
        self.sidecar = FakeSidecar()
        self.store: FakeStore | None = FakeStore()
        self.files: tuple[ConfigFile, ...] = ()
        self.warnings: tuple[str, ...] = ()
        self.journal = folder / "state" / "jobs.sqlite3"
        self.environ: Mapping[str, str] = {"PATH": ""}

    async def run(self) -> DoctorReport:
        other = replace(self.context, name="other")
        config = LoadedConfig(contexts=(self.context, other), default="prod", files=self.files, warnings=self.warnings)
        doctor = DoctorService(
            config=config,
            context=self.context,
            sidecar=self.sidecar,
            store=self.store,
            backend=BackendService(self.context),
            journal_file=self.journal,
            environ=self.environ,
        )
        return await doctor.run()

    async def check(self, name: str) -> Check:
        report = await self.run()
        return next(check for check in report.checks if check.name == name)


@pytest.fixture
def surgery(tmp_path: Path) -> Surgery:
    return Surgery(tmp_path)


async def test_a_sound_context_is_healthy_and_every_check_says_something(surgery: Surgery) -> None:
    report = await surgery.run()

    assert [check.name for check in report.checks] == CHECKS
    assert all(check.findings for check in report.checks)
    assert report.healthy
    assert all(check.severity is Severity.INFO for check in report.checks)


async def test_every_error_and_warning_has_a_remedy(surgery: Surgery) -> None:
    surgery.context = replace(CONTEXT, backend_config="/etc/backend.hcl", token=None)
    surgery.sidecar.errors["health"] = Unreachable("nobody answers", hint="start it")
    surgery.sidecar.token_ok = False
    surgery.journal.parent.write_text("a file where the folder should be")

    report = await surgery.run()

    assert not report.healthy
    grave = [finding for finding in report.findings if finding.severity is not Severity.INFO]
    assert len(grave) >= 5
    assert all(finding.remedy for finding in grave)


async def test_a_dead_sidecar_leaves_the_store_checked(surgery: Surgery) -> None:
    surgery.sidecar.errors["health"] = surgery.sidecar.errors["token_accepted"] = Unreachable("nobody answers", hint="start it")

    report = await surgery.run()

    by_name = {check.name: check.severity for check in report.checks}
    assert by_name["sidecar"] is by_name["sidecar token"] is Severity.ERROR
    assert by_name["store"] is by_name["listing"] is Severity.INFO


async def test_services_that_hang_end_the_report_at_their_deadline(surgery: Surgery) -> None:
    surgery.context = replace(CONTEXT, iac=IacSettings(timeout=0.05), storage=replace(CONTEXT.storage, connect_timeout=0.05))
    assert surgery.store is not None
    surgery.sidecar.hang.shut()
    surgery.store.hang.shut()

    report = await asyncio.wait_for(surgery.run(), 5)

    silent = [check.name for check in report.checks if any(finding.code == "probe.silence" for finding in check.findings)]
    assert silent == ["sidecar", "sidecar token", "store", "listing"]
    assert "did not answer within 0.05 s" in report.checks[4].findings[0].message
    of_store = next(check for check in report.checks if check.name == "store").findings[0]
    assert of_store.subject == surgery.store.label
    assert "overloaded or hangs" in of_store.remedy
    assert "address" not in of_store.remedy, "an address where nobody answers is told before"


async def test_a_rejected_token_says_whether_one_was_sent(surgery: Surgery) -> None:
    surgery.sidecar.token_ok = False
    with_token = await surgery.check("sidecar token")
    surgery.context = replace(CONTEXT, token=None)
    without = await surgery.check("sidecar token")

    assert with_token.findings[0].code == without.findings[0].code == "sidecar.token_rejected"
    assert "was sent" in with_token.findings[0].message
    assert "no token was sent" in without.findings[0].message


async def test_a_sidecar_that_asks_for_no_token_is_worth_a_warning(surgery: Surgery) -> None:
    surgery.context = replace(CONTEXT, token=Secret(""))

    assert (await surgery.check("token")).severity is Severity.WARNING
    assert (await surgery.check("sidecar token")).severity is Severity.WARNING


async def test_a_token_that_any_other_would_do_for_is_worth_the_same_warning(surgery: Surgery) -> None:
    needed = (await surgery.check("sidecar token")).findings[0]
    surgery.sidecar.open = True
    open_to_all = (await surgery.check("sidecar token")).findings[0]
    surgery.sidecar.errors["open_to_all"] = Unreachable("hung up")
    unknown = (await surgery.check("sidecar token")).findings[0]

    assert (needed.severity, needed.message) == (Severity.INFO, "accepted, and a request without it is refused")
    assert open_to_all.severity is Severity.WARNING
    assert "anybody who reaches it may apply" in open_to_all.message
    assert (unknown.severity, unknown.message) == (Severity.INFO, "accepted; whether one is needed could not be asked")


async def test_a_bucket_that_can_be_reached_and_not_listed(surgery: Surgery) -> None:
    assert surgery.store is not None
    surgery.store.errors["pages"] = AccessDenied("ListBucket is denied", hint="grant s3:ListBucket", code="store.access_denied")

    report = await surgery.run()

    by_name = {check.name: check for check in report.checks}
    assert by_name["store"].severity is Severity.INFO
    assert by_name["listing"].findings[0].code == "store.access_denied"
    assert by_name["listing"].findings[0].remedy == "grant s3:ListBucket"


async def test_without_a_state_bucket_the_store_is_not_a_fault(surgery: Surgery) -> None:
    surgery.store = None
    surgery.context = replace(CONTEXT, storage=StorageSettings(terraform_state_bucket=""))

    report = await surgery.run()

    by_name = {check.name: check for check in report.checks}
    assert report.healthy
    assert by_name["store"].findings[0].code == "store.managed_off"
    assert by_name["ownership"].severity is Severity.WARNING


async def test_mixed_ownership_is_an_error(surgery: Surgery) -> None:
    surgery.context = replace(CONTEXT, backend_config="/etc/backend.hcl")

    assert (await surgery.check("ownership")).severity is Severity.ERROR


async def test_an_override_that_cannot_be_rendered_names_the_setting(surgery: Surgery) -> None:
    surgery.context = replace(CONTEXT, storage=replace(CONTEXT.storage, region='eu"west'))

    found = (await surgery.check("override")).findings[0]

    assert found.severity is Severity.ERROR
    assert "region" in found.message


async def test_an_override_is_tried_with_a_known_project_where_there_is_one(surgery: Surgery) -> None:
    surgery.context = replace(CONTEXT, projects=(KnownProject(repo="git@github.com:acme/infra", scope="s"),))

    found = (await surgery.check("override")).findings[0]

    assert found.severity is Severity.ERROR
    assert "https://github.com/acme/infra" in found.remedy


async def test_a_file_that_somebody_named_and_that_is_absent_is_told_from_an_empty_place(surgery: Surgery) -> None:
    surgery.files = (
        ConfigFile(path="/etc/kumoss/config.yaml", role="core", found_by="default path", exists=False),
        ConfigFile(path="/srv/config.yaml", role="core", found_by="KUMOSS_CONFIG", exists=False),
    )

    found = (await surgery.check("configuration")).findings

    assert [(finding.subject, finding.severity) for finding in found] == [
        ("/srv/config.yaml", Severity.WARNING),
        ("no file", Severity.INFO),
    ]


async def test_warnings_about_another_context_are_not_this_ones(surgery: Surgery) -> None:
    surgery.warnings = ("context prod: mine", "context other: not mine", "about all")

    found = (await surgery.check("configuration")).findings

    assert [finding.message for finding in found if finding.code == "config.warning"] == ["context prod: mine", "about all"]


async def test_a_journal_that_cannot_be_made_is_an_error_and_looking_makes_nothing(surgery: Surgery) -> None:
    fine = await surgery.check("journal")
    assert fine.severity is Severity.INFO
    assert not surgery.journal.parent.exists()

    surgery.journal.parent.write_text("a file where the folder should be")
    assert (await surgery.check("journal")).severity is Severity.ERROR


async def test_an_engine_that_cannot_be_run_is_no_fault_of_the_context(surgery: Surgery) -> None:
    surgery.environ = {"PATH": "", "IAC_BINARY": "/no/such/engine"}

    found = await surgery.check("engine")

    assert found.severity is Severity.INFO
    assert "IAC_BINARY" in found.findings[0].message


@pytest.mark.parametrize("text", HOSTILE)
async def test_what_services_say_is_printable_and_no_secret_is_in_it(surgery: Surgery, text: str) -> None:
    surgery.sidecar.errors["health"] = Unreachable(printable(text), detail=text, hint=text)
    surgery.warnings = (text,)

    report = await surgery.run()

    for finding in report.findings:
        for part in (finding.subject, finding.message, finding.remedy):
            assert printable(part) == part
            assert "hidden-" not in part
