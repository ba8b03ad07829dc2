"""The contract as an OpenAPI 3.1 document: the wire types' limits, in words for people who write a client or a service.

What a request may hold comes from :mod:`kumoss_console.model.contract`; what an answer must look like is strict here (no other
keys, what is null when), where the console's own types are lenient about the future. ``openapi.json`` beside this module is this
document, as it ships and as it is served: ``python -m kumoss_console.sidecar.openapi`` prints it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from kumoss_console.model.contract import REQUESTS, CloudProvider, JobKind, JobStatus, SubmitRequest

DOCUMENT = Path(__file__).with_name("openapi.json")
"""The document that ships."""

CONTRACT_VERSION = "1.0"
"""Of the ten paths; it has nothing to do with the version of the console."""

Json = dict[str, Any]

_OPERATIONS: Mapping[JobKind, tuple[str, str]] = {
    JobKind.INIT: ("Prepare a workspace", "Binds the backend and fetches providers and modules."),
    JobKind.VALIDATE: ("Check a configuration", "Looks at the files alone: no state, no cloud."),
    JobKind.PLAN: ("Make a plan", "Compares configuration, state and cloud, and writes what would change to `plan_file`."),
    JobKind.SHOW: ("Read a plan", "Prints a plan that was made before, as JSON, on stdout."),
    JobKind.APPLY: ("Carry out a plan", "Does what a plan that was made before says, without asking."),
    JobKind.IMPORT: ("Take a resource into the state", "Binds one thing that exists to one address of the configuration."),
    JobKind.STATE_RESOURCE_IDS: (
        "List what the state manages",
        "Prints a JSON array on stdout: for each managed instance its ARN, else its id. Data sources are left out.",
    ),
    JobKind.SCOPE_RESOURCE_IDS: (
        "List what exists in a cloud scope",
        "Prints a JSON array of identifiers on stdout. Exit code 1 where the cloud could not be asked, with the reason in "
        "stderr; exit code 2 for a provider that has no such listing.",
    ),
}
_FIELDS: Mapping[str, str] = {
    "workspace_path": "The folder of the configuration, an absolute path as the service sees it.",
    "scope_id": "What the job is confined to: a subscription, a project or an account.",
    "terraform_provider": "The cloud that the scope belongs to.",
    "plan_file": "The name of a plan in the workspace: a name, not a path.",
    "targets": "Addresses that the plan is limited to; none means the whole configuration.",
    "address": "The address in the configuration that will manage the resource.",
    "resource_id": "What the provider calls the resource when it imports it.",
}
_FAULTS: Mapping[str, tuple[str, str]] = {
    "400": ("Unreadable", "The body cannot be read at all: for example, it is no UTF-8."),
    "401": ("Unauthorized", "The bearer token is missing or wrong."),
    "403": ("Forbidden", "The caller is known and may not do this: for example, the workspace is outside of what it may use."),
    "404": ("NotFound", "What was named is not there: the workspace is no folder; or the job is unknown, or expired."),
    "422": ("Unprocessable", "The request breaks a rule of this document."),
    "503": ("Unavailable", "The service cannot take jobs now: it is ending, or what it runs has gone."),
}
_TIME: Json = {"type": "string", "format": "date-time"}
_ID: Json = {"type": "string", "format": "uuid"}


def document() -> Json:
    """The whole document, as a tree of its own that the caller may change."""
    submissions: Json = {request.path: {"post": _submission(request)} for request in REQUESTS}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Kumoss IaC service",
            "version": CONTRACT_VERSION,
            "description": "Runs one engine command per job. A submission is answered at once with the place of its job; the job "
            "is asked for until it has ended. Jobs of one workspace run one after the other, in the order of submission.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"bearer": []}],
        "paths": submissions | {"/v1/jobs/{job_id}": {"get": _job_operation()}, "/healthz": {"get": _health_operation()}},
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "schemas": _request_schemas() | _answer_schemas(),
            "responses": {name: _fault(status, text) for status, (name, text) in _FAULTS.items()},
        },
    }


def _submission(request: type[SubmitRequest]) -> Json:
    title, words = _OPERATIONS[request.kind]
    return {
        "operationId": f"submit_{request.kind.value}",
        "summary": title,
        "description": words,
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _reference(request.__name__)}},
        },
        "responses": {
            "202": {
                "description": "It is a job now, and waits for its turn.",
                "headers": {
                    "Location": {
                        "description": "Where the job is asked for.",
                        "required": True,
                        "schema": {"type": "string", "pattern": "^/v1/jobs/[0-9a-fA-F-]{32,36}$"},
                    }
                },
                "content": {"application/json": {"schema": _reference("Accepted")}},
                "links": {"job": {"operationId": "job", "parameters": {"job_id": "$response.body#/job_id"}}},
            },
            **_faults("400", "401", "403", "404", "422", "503"),
        },
    }


def _job_operation() -> Json:
    return {
        "operationId": "job",
        "summary": "Ask for a job",
        "description": "A job that has ended is remembered for an hour; a restart of the service may forget all of them.",
        "parameters": [{"name": "job_id", "in": "path", "required": True, "schema": _ID}],
        "responses": {
            "200": {"description": "The job as it stands.", "content": {"application/json": {"schema": _reference("Job")}}},
            **_faults("401", "404", "422"),
        },
    }


def _health_operation() -> Json:
    return {
        "operationId": "health",
        "summary": "Is the service there",
        "description": "Open to everybody.",
        "security": [],
        "responses": {
            "200": {"description": "It is.", "content": {"application/json": {"schema": _reference("Health")}}},
        },
    }


def _reference(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _faults(*statuses: str) -> Json:
    return {status: {"$ref": f"#/components/responses/{_FAULTS[status][0]}"} for status in statuses}


def _fault(status: str, text: str) -> Json:
    fault: Json = {"description": text, "content": {"application/problem+json": {"schema": _reference("Problem")}}}
    if status == "400":
        # What reads the body may be a framework with a form of its own for this.
        fault["content"]["application/json"] = {"schema": {"type": "object"}}
    if status == "401":
        challenge = {"description": "How to authenticate.", "required": True, "schema": {"type": "string", "pattern": "^Bearer"}}
        fault["headers"] = {"WWW-Authenticate": challenge}
    return fault


def _request_schemas() -> Json:
    _, schemas = msgspec.json.schema_components(REQUESTS, ref_template="#/components/schemas/{name}")
    schemas["CloudProvider"] = {"type": "string", "enum": [provider.value for provider in CloudProvider]}
    for request in REQUESTS:
        schema = schemas[request.__name__]
        schema.pop("title")
        schema.pop("description", None)
        schema["properties"] = {name: _field(name, limits) for name, limits in schema["properties"].items()}
    return dict(schemas)


def _field(name: str, limits: Json) -> Json:
    if "pattern" in limits:
        # In the regular expressions of JSON Schema, "$" is the end and nothing else; Python says that with "\Z".
        limits = limits | {"pattern": limits["pattern"].replace(r"\Z", "$")}
    return limits | {"description": _FIELDS[name]}


def _answer_schemas() -> Json:
    return {
        "Accepted": _closed({"job_id": _ID, "status": {"const": JobStatus.QUEUED.value}}),
        "Health": _closed({"status": {"const": "ok"}}),
        "Job": _closed(
            {
                "job_id": _ID,
                "kind": {"enum": [kind.value for kind in JobKind]},
                "status": {"enum": [status.value for status in JobStatus]},
                "created_at": _TIME,
                "started_at": _nullable(_TIME),
                "finished_at": _nullable(_TIME),
                "result": _nullable(_reference("Result")),
                "error": _nullable(_reference("Problem")),
            }
        )
        | {
            "description": "`succeeded` says that the service did its part, not that the command did: read `result.exit_code`. "
            "`failed` says that the service could not: 500 unexpected, 503 it ended first, 504 the command took too long.",
            "allOf": [
                _only_when("queued", started_at=False, finished_at=False, result=False, error=False),
                _only_when("running", started_at=True, finished_at=False, result=False, error=False),
                _only_when("succeeded", started_at=True, finished_at=True, result=True, error=False),
                _only_when("failed", finished_at=True, result=False, error=True),
            ],
        },
        "Result": _closed({"exit_code": {"type": "integer"}, "stdout": {"type": "string"}, "stderr": {"type": "string"}})
        | {"description": "What the command answered. `exit_code` is negative where a signal ended it."},
        "Problem": {
            "description": "A problem document (RFC 7807). The text may be in `title` or in `detail`.",
            "type": "object",
            "properties": {
                "type": {"type": "string", "default": "about:blank"},
                "title": {"type": "string"},
                "status": {"type": "integer", "minimum": 100, "maximum": 599},
                "detail": {"type": ["string", "null"]},
                "instance": {"type": ["string", "null"]},
            },
            "required": ["type", "title", "status"],
        },
    }


def _closed(properties: Json) -> Json:
    """An object with exactly these keys."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _nullable(schema: Json) -> Json:
    return {"anyOf": [schema, {"type": "null"}]}


def _only_when(status: str, **present: bool) -> Json:
    """Which keys hold something, and which are null, while a job has this status."""
    absent: Json = {"type": "null"}
    return {
        "if": {"properties": {"status": {"const": status}}},
        "then": {"properties": {name: {"not": absent} if there else absent for name, there in present.items()}},
    }


def as_text() -> str:
    """The document as ``openapi.json`` holds it."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(as_text())
