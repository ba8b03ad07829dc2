"""The service that is asked, whosever it is."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import requests

UNKNOWN_JOB = "00000000-0000-4000-8000-000000000000"
PAIR = {"scope_id": "scope", "terraform_provider": "kubernetes"}
REST: dict[str, dict[str, Any]] = {
    "/v1/init": PAIR,
    "/v1/validate": {},
    "/v1/plan": {**PAIR, "plan_file": "p", "targets": ["a.b"]},
    "/v1/show": {"plan_file": "p"},
    "/v1/apply": {**PAIR, "plan_file": "p"},
    "/v1/import": {**PAIR, "address": "a.b", "resource_id": "x"},
    "/v1/import/state-resource-ids": {},
    "/v1/import/scope-resource-ids": PAIR,
}
"""What each kind of job wants beside its workspace. Nobody lists Kubernetes: no cloud is asked."""


@dataclass(kw_only=True)
class Service:
    """``workspace`` is a folder that it may be asked to work in, where one is known; ``patience`` is what a job may take."""

    url: str
    token: str = field(repr=False)
    workspace: str | None
    patience: float = 300.0

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def post(self, path: str, body: Any, *, headers: dict[str, str] | None = None) -> requests.Response:
        """``body`` is sent as JSON, bytes as they are; without ``headers`` with the token."""
        sent = {"data": body} if isinstance(body, bytes) else {"json": body}
        given = {"Content-Type": "application/json", **(self.headers if headers is None else headers)}
        return requests.post(self.url + path, headers=given, timeout=30, **sent)

    def job(self, job_id: str, *, headers: dict[str, str] | None = None) -> requests.Response:
        given = self.headers if headers is None else headers
        return requests.get(f"{self.url}/v1/jobs/{job_id}", headers=given, timeout=30)

    def submit(self, path: str, **changed: Any) -> str:
        """A request that is right, in the workspace: the id of its job."""
        answer = self.post(path, {"workspace_path": self.workspace, **REST[path], **changed})
        assert answer.status_code == requests.codes.accepted, answer.text
        return str(answer.json()["job_id"])

    def ended(self, job_id: str) -> dict[str, Any]:
        """The job's document once it has ended."""
        until = time.monotonic() + self.patience
        pause = 0.01
        while True:
            answer = self.job(job_id)
            assert answer.status_code == requests.codes.ok, f"an accepted job was not found: {answer.status_code} {answer.text}"
            document: dict[str, Any] = answer.json()
            if document["status"] in {"succeeded", "failed"}:
                return document
            assert time.monotonic() < until, f"the job did not end within {self.patience:g} s: {document}"
            time.sleep(pause)
            pause = min(2 * pause, 1.0)
