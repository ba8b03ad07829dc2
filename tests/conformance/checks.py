"""What no single answer shows: the order in which a request is judged, and what becomes of jobs.

Each check is a sentence about any service of the contract. What implementations may do differently is left open: 400 or 422 for a
body that is no JSON, 403 or 404 for a folder that is neither there nor allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import pairwise
from typing import Any
from uuid import uuid4

from tests.conformance.service import REST, UNKNOWN_JOB, Service

WRONG = {"Authorization": "Bearer wrong"}
JOBS_OF_ONE_WORKSPACE = 6


def the_token_that_was_given_is_taken(service: Service) -> None:
    answer = service.job(UNKNOWN_JOB)
    assert answer.status_code == 404, f"a job that nobody submitted is a 404, with the token that was given: {answer.status_code}"


def the_scheme_has_no_case(service: Service) -> None:
    if service.token:
        for scheme in ("bearer", "BEARER"):
            answer = service.job(UNKNOWN_JOB, headers={"Authorization": f"{scheme} {service.token}"})
            assert answer.status_code == 404, f"the scheme {scheme} is the scheme Bearer: {answer.status_code}"


def a_body_is_read_before_the_token_is_asked_for(service: Service) -> None:
    for body in (b"{", b'{"workspace_path": "\xff"}'):
        for headers in ({}, WRONG, service.headers):
            answer = service.post("/v1/validate", body, headers=headers)
            assert answer.status_code in {400, 422}, f"{body!r} is no JSON, whoever sends it: {answer.status_code}"


def the_token_is_asked_for_before_the_fields_are_judged(service: Service) -> None:
    if service.token:
        bodies: tuple[Any, ...] = ({}, {"workspace_path": 7}, {"workspace_path": absent(service), "surprise": 1}, [])
        for body in bodies:
            for headers in ({}, WRONG):
                answer = service.post("/v1/init", body, headers=headers)
                assert answer.status_code == 401, f"{body} without the token: {answer.status_code}"
        for headers in ({}, WRONG):
            answer = service.job("no-uuid", headers=headers)
            assert answer.status_code == 401, f"an id that is no UUID, without the token: {answer.status_code}"


def an_id_that_is_no_uuid_is_refused_and_one_without_dashes_is_one(service: Service) -> None:
    for wrong in ("no-uuid", UNKNOWN_JOB[:-1], UNKNOWN_JOB + "0"):
        assert service.job(wrong).status_code == 422, f"{wrong} is no UUID"
    answer = service.job(UNKNOWN_JOB.replace("-", ""))
    assert answer.status_code == 404, f"a UUID without dashes is one, of no job: {answer.status_code}"


def a_folder_that_is_not_there_outweighs_all_other_faults(service: Service) -> None:
    for path, rest in REST.items():
        named = {"workspace_path": absent(service)}
        for body in ({**named, **rest}, {**named, **rest, "surprise": 1}, named, {**named, "scope_id": "", "plan_file": "a/b"}):
            answer = service.post(path, body)
            # Outside of what it may use, a service need not say whether there is a folder.
            allowed = {404} if service.workspace else {403, 404}
            assert answer.status_code in allowed, f"{path} {body}: {answer.status_code}"
            assert "location" not in answer.headers


def every_kind_of_job_ends_with_an_answer_of_the_command(service: Service) -> None:
    """Whatever the command says: only a service that cannot do its part has a failed job."""
    for path in REST:
        job = service.ended(service.submit(path))
        assert job["status"] == "succeeded", f"{path}: {job['error']}"
        assert isinstance(job["result"]["exit_code"], int)
        created, started, finished = times_of(job)
        assert created <= started <= finished, job


def a_job_is_found_by_its_id_without_dashes(service: Service) -> None:
    job_id = service.submit("/v1/validate")
    service.ended(job_id)
    answer = service.job(job_id.replace("-", ""))
    assert answer.status_code == 200, f"the same job without dashes: {answer.status_code}"
    assert answer.json()["job_id"].replace("-", "") == job_id.replace("-", "")


def jobs_of_one_workspace_run_one_after_the_other_in_the_order_of_submission(service: Service) -> None:
    """Whatever their kinds are, and however the folder is spelt."""
    submitted = []
    for number in range(JOBS_OF_ONE_WORKSPACE):
        path = ("/v1/show", "/v1/validate", "/v1/plan")[number % 3]
        slow = {"plan_file": SLOW} if "plan_file" in REST[path] else {}
        submitted.append(service.submit(path, workspace_path=f"{service.workspace}{('', '/', '/.')[number // 2 % 3]}", **slow))
    jobs = [service.ended(job_id) for job_id in submitted]
    for earlier, later in pairwise(jobs):
        in_order = times_of(later)[1] >= times_of(earlier)[2]
        assert in_order, f"two jobs of one workspace overlap, or change places: {earlier} {later}"


SLOW = "takes-a-while"
"""A plan that our own scratch engine takes a while for; any other takes longer in any case."""

ANYWHERE: tuple[Callable[[Service], None], ...] = (
    the_token_that_was_given_is_taken,
    the_scheme_has_no_case,
    a_body_is_read_before_the_token_is_asked_for,
    the_token_is_asked_for_before_the_fields_are_judged,
    an_id_that_is_no_uuid_is_refused_and_one_without_dashes_is_one,
    a_folder_that_is_not_there_outweighs_all_other_faults,
)
IN_A_WORKSPACE: tuple[Callable[[Service], None], ...] = (
    every_kind_of_job_ends_with_an_answer_of_the_command,
    a_job_is_found_by_its_id_without_dashes,
    jobs_of_one_workspace_run_one_after_the_other_in_the_order_of_submission,
)


def absent(service: Service) -> str:
    return f"{service.workspace or ''}/absent-{uuid4().hex}"


def times_of(job: dict[str, Any]) -> tuple[datetime, datetime, datetime]:
    """When it was created, when it began and when it ended."""
    created, started, finished = (datetime.fromisoformat(job[name]) for name in ("created_at", "started_at", "finished_at"))
    return created, started, finished
