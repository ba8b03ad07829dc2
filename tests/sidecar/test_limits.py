"""What a caller may use up: time, memory for output and for requests, and places to run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.types import Message

from kumoss_console.errors import ConfigError
from kumoss_console.model.contract import JobKind, JobResult, SubmitRequest
from kumoss_console.sidecar.app import registry
from kumoss_console.sidecar.jobs import JobRegistry
from kumoss_console.sidecar.problems import Refusal
from kumoss_console.sidecar.requests import Bodies
from kumoss_console.sidecar.settings import REQUEST_LIMIT
from tests.sidecar.answers import problem
from tests.sidecar.conftest import SCOPED, Serving
from tests.sidecar.recording import RecordingEngine
from tests.sidecar.test_registry import Work
from tests.sidecar.test_serving import STUBBORN, group_is_gone
from tests.waiting import wait_until


async def test_a_command_that_takes_too_long_has_failed_with_504_and_its_children_are_gone(
    serving: Serving, workspace: Path, tmp_path: Path
) -> None:
    stubborn = tmp_path / "stubborn"
    stubborn.write_text(STUBBORN)
    stubborn.chmod(0o755)
    service = serving(IAC_BINARY=str(stubborn), IAC_COMMAND_TIMEOUT="0.5", IAC_STOP_GRACE="0.1")
    job = await service.outcome("/v1/validate", workspace_path=str(workspace))
    assert (job["status"], job["result"]) == ("failed", None)
    assert job["error"]["status"] == 504
    assert job["error"]["detail"].startswith("validate took longer than 0.5 s")
    assert "IAC_COMMAND_TIMEOUT" in job["error"]["detail"]
    group = int((workspace / "group").read_text())
    await wait_until(lambda: group_is_gone(group))


async def test_the_next_job_of_the_workspace_gets_its_whole_time(serving: Serving, workspace: Path, tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.write_text('#!/bin/sh\ncase "$1" in init) exec sleep 1000;; esac\n')
    slow.chmod(0o755)
    service = serving(IAC_BINARY=str(slow), IAC_COMMAND_TIMEOUT="0.3")
    first = await service.post("/v1/init", workspace_path=str(workspace), **SCOPED)
    second = await service.outcome("/v1/validate", workspace_path=str(workspace))
    assert (await service.client.get(first.headers["location"])).json()["error"]["status"] == 504
    assert second["status"] == "succeeded"


@pytest.mark.parametrize(("limit", "cut"), [(1000, 0), (999, 1), (100, 900), (1, 999)])
async def test_output_beyond_the_limit_loses_its_middle_and_says_how_much(
    limit: int, cut: int, serving: Serving, workspace: Path, engine: RecordingEngine
) -> None:
    output = b"".join(b"%03d " % number for number in range(250))
    engine.answer(stdout=output, stderr=b"short" if limit > 5 else b"")
    service = serving(IAC_OUTPUT_LIMIT=str(limit))
    result = (await service.outcome("/v1/validate", workspace_path=str(workspace)))["result"]
    if not cut:
        assert result == {"exit_code": 0, "stdout": output.decode(), "stderr": "short"}
        return
    head, tail = output[: limit - limit // 2].decode(), output[len(output) - limit // 2 :].decode()
    assert result["stdout"] == f"{head}\n[{cut} bytes are left out here]\n{tail}"
    assert result["stderr"].endswith(f"The service kept {limit} bytes of stdout and left {cut} out (IAC_OUTPUT_LIMIT).\n")
    assert result["exit_code"] == 0


async def test_output_is_cut_while_it_comes_not_when_it_is_all_there(serving: Serving, workspace: Path, tmp_path: Path) -> None:
    endless = tmp_path / "talkative"
    endless.write_text("#!/bin/sh\nhead -c 50000000 /dev/zero | tr '\\\\0' x\necho the end\n")
    endless.chmod(0o755)
    service = serving(IAC_BINARY=str(endless), IAC_OUTPUT_LIMIT="1000")
    result = (await service.outcome("/v1/validate", workspace_path=str(workspace)))["result"]
    assert "[49999008 bytes are left out here]" in result["stdout"]
    assert result["stdout"].endswith("the end\n")
    assert len(result["stdout"]) < 1100


async def test_a_state_that_is_cut_is_not_listed_in_part(serving: Serving, workspace: Path, engine: RecordingEngine) -> None:
    engine.answer(stdout=b'{"resources": []}' + b" " * 1000)
    service = serving(IAC_OUTPUT_LIMIT="100")
    job = await service.outcome("/v1/import/state-resource-ids", workspace_path=str(workspace))
    assert job["result"]["exit_code"] == 1
    assert job["result"]["stdout"] == ""
    assert "IAC_OUTPUT_LIMIT" in job["result"]["stderr"]


async def test_no_more_jobs_run_at_once_than_may_and_all_of_them_run(serving: Serving, tmp_path: Path) -> None:
    counting = tmp_path / "counting"
    # Notes itself among those that run, then how many those are.
    counting.write_text(f'#!/bin/sh\ncd {tmp_path}\ntouch in.$$\nls | grep -c "^in" >> counts\nrm in.$$\n')
    counting.chmod(0o755)
    settings = serving.settings(IAC_BINARY=str(counting), IAC_RUNNING_LIMIT="2")
    service = serving(IAC_BINARY=str(counting), jobs=registry(settings))
    locations = []
    for number in range(12):
        folder = tmp_path / f"workspace-{number}"
        folder.mkdir()
        accepted = await service.post("/v1/validate", workspace_path=str(folder))
        locations.append(accepted.headers["location"])
    documents = []
    for location in locations:
        await service.ended_at(location)
        documents.append((await service.client.get(location)).json())
    assert {document["status"] for document in documents} == {"succeeded"}
    counts = [int(line) for line in (tmp_path / "counts").read_text().split()]
    assert len(counts) == 12
    assert max(counts) <= 2
    starts = [document["started_at"] for document in documents]
    assert starts == sorted(starts)


async def test_with_a_limit_the_job_that_was_submitted_first_is_the_next_wherever_it_is() -> None:
    jobs, log = JobRegistry(running_limit=1), list[str]()
    works = [Work(name, log) for name in ("a1", "a2", "b1", "a3", "b2")]
    for work in works:
        work.gate.set()
        jobs.submit(JobKind.PLAN, work.name[0], work)
    await wait_until(lambda: len(log) == 10)
    assert [entry for entry in log if entry.endswith("begins")] == [f"{work.name} begins" for work in works]


async def test_no_more_jobs_wait_than_may(serving: Serving, workspace: Path) -> None:
    settings = serving.settings(IAC_WAITING_LIMIT="2")
    log: list[str] = []
    service = serving(IAC_WAITING_LIMIT="2", jobs=registry(settings), operations=Holding(Work("a", log)))
    fields = {"workspace_path": str(workspace)}
    taken = [await service.post("/v1/validate", **fields)]
    await wait_until(lambda: log == ["a begins"])
    taken += [await service.post("/v1/validate", **fields) for _ in range(2)]
    assert {answer.status_code for answer in taken} == {202}
    document = problem(await service.post("/v1/validate", **fields), 503)
    assert document["title"].startswith("2 jobs wait already")
    await service.jobs.aclose()


@dataclass
class Holding:
    """Does nothing but one piece of work, for every request."""

    work: Work

    async def perform(self, request: SubmitRequest, workspace: str) -> JobResult:
        return await self.work()


async def test_a_body_beyond_the_limit_is_a_400_before_the_token_is_asked_for(serving: Serving, workspace: Path) -> None:
    service = serving(IAC_REQUEST_LIMIT="200", KUMOSS_IAC_TOKEN="a token")

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 10

    headers = {"content-type": "application/json"}
    for body in (b" " * 201, chunks()):
        document = problem(await service.client.post("/v1/validate", content=body, headers=headers), 400)
        assert "larger than the 200 bytes" in document["title"]
    problem(await service.client.post("/v1/validate", content=b"{}".ljust(200), headers=headers), 401)


async def test_a_body_that_does_not_come_is_not_waited_for_for_ever() -> None:
    bodies = Bodies(100, seconds=0.05)

    async def nothing() -> Message:
        await asyncio.Event().wait()
        raise AssertionError("it was waited for")

    for given_up, status in ((False, 400), (True, 503)):
        if given_up:
            bodies.give_up()
        with pytest.raises(Refusal) as refused:
            await bodies.read(Request({"type": "http", "headers": []}, nothing))
        assert refused.value.problem.status == status
        assert refused.value.headers["Connection"] == "close"


async def test_the_largest_request_of_the_contract_fits(serving: Serving, workspace: Path) -> None:
    service = serving()
    astral = "\\ud83d\\ude00" * 1024  # twelve bytes for a character
    targets = ",".join([f'"{astral}"'] * 256)
    scope = f'"scope_id": "{astral}", "terraform_provider": "aws"'
    body = f'{{"workspace_path": "{workspace}", {scope}, "plan_file": "p", "targets": [{targets}]}}'
    assert 3_000_000 < len(body) < REQUEST_LIMIT
    answer = await service.client.post("/v1/plan", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 202


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("IAC_COMMAND_TIMEOUT", "soon"),
        ("IAC_COMMAND_TIMEOUT", "-1"),
        ("IAC_COMMAND_TIMEOUT", "nan"),
        ("IAC_COMMAND_TIMEOUT", "inf"),
        ("IAC_OUTPUT_LIMIT", "1.5"),
        ("IAC_OUTPUT_LIMIT", "10MB"),
        ("IAC_RUNNING_LIMIT", "-2"),
        ("IAC_WAITING_LIMIT", "many"),
        ("IAC_REQUEST_LIMIT", "0"),
        ("IAC_STOP_WAIT", "\x1b[31m"),
        ("IAC_LOG_FORMAT", "xml"),
        ("IAC_LOG_LEVEL", "loud"),
    ],
)
def test_a_value_that_a_setting_cannot_have_refuses_the_start_and_names_it(name: str, value: str, serving: Serving) -> None:
    with pytest.raises(ConfigError) as refused:
        serving.settings(**{name: value})
    assert name in refused.value.title
    assert "\x1b" not in str(refused.value)
    assert "wanted" in refused.value.hint


@pytest.mark.parametrize("value", ["0", "many", "-1"])
def test_the_least_that_a_setting_may_be_is_said(value: str, serving: Serving) -> None:
    with pytest.raises(ConfigError) as refused:
        serving.settings(IAC_REQUEST_LIMIT=value)
    assert "1 or more" in refused.value.hint


def test_a_blank_setting_is_one_that_is_not_set(serving: Serving) -> None:
    blank = serving.settings(IAC_COMMAND_TIMEOUT=" ", IAC_OUTPUT_LIMIT="", IAC_WORKSPACE_ROOT=" ", IAC_BACKEND_CONFIG="\t")
    assert (blank.command_timeout, blank.workspace_root, blank.backend_config) == (None, None, None)
    assert blank.output_limit == 256 * 1024 * 1024
