"""From the bytes of a POST to a request that may become a job, in the order in which the contract's reference checks.

Body as JSON, then the token, then the workspace (its form, then the disk), then the rest of the fields: a caller without a
token learns nothing of the disk, and a folder that is missing is a 404 whatever else is wrong.
"""

from __future__ import annotations

import os
import stat
from http import HTTPStatus
from typing import Any

import msgspec

from kumoss_console.model.contract import SubmitRequest, WorkspacePath, in_words
from kumoss_console.sidecar.problems import Refusal, unprocessable


def parse_body(body: bytes, content_type: str) -> object:
    """The decoded body; ``None`` where the header does not call it JSON, which is refused only after the token was seen.

    Raises :class:`Refusal`: 400 for bytes that are no UTF-8, 422 for text that is no JSON.
    """
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type != "application/json" and not (media_type.startswith("application/") and media_type.endswith("+json")):
        return None
    try:
        body.decode()
    except UnicodeDecodeError as error:
        raise Refusal(HTTPStatus.BAD_REQUEST, "The body is not UTF-8", detail=f"{error.reason} at byte {error.start}") from None
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError) as error:
        raise unprocessable(f"The body is not valid JSON: {error}") from None


def workspace_of(document: object) -> str:
    """The workspace path alone. Raises :class:`Refusal` (422)."""
    if not isinstance(document, dict):
        raise unprocessable("The body must be a JSON object, sent with Content-Type: application/json")
    if "workspace_path" not in document:
        raise unprocessable("workspace_path: required")
    try:
        return msgspec.convert(document["workspace_path"], WorkspacePath, strict=True)
    except msgspec.ValidationError as error:
        raise unprocessable(f"workspace_path: {in_words(str(error))}") from None


def resolve_workspace(path: str, root: str | None = None) -> str:
    """The folder's one true path, links followed. Blocks on the disk.

    Raises :class:`Refusal`: 404 where there is no such folder; 403 where it does not lie in ``root`` (a true path), and then
    without a look at whether it exists: nobody finds out what lies outside by asking.
    """
    try:
        resolved = os.path.realpath(path)
        if root is not None and not lies_in(resolved, root):
            raise Refusal(
                HTTPStatus.FORBIDDEN, f"workspace_path lies outside the folder that this service is confined to: {path}"
            )
        # stat(), not isdir(): the latter calls a path that the system refuses (too long, no permission) merely absent.
        is_directory = stat.S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        is_directory, resolved = False, path
    except (OSError, ValueError) as error:
        raise Refusal(HTTPStatus.NOT_FOUND, f"workspace_path is not a usable filesystem path: {error}") from None
    if not is_directory:
        raise Refusal(HTTPStatus.NOT_FOUND, f"workspace_path does not exist or is not a directory: {path}")
    return resolved


def lies_in(path: str, root: str) -> bool:
    """Whether ``path`` is ``root`` or below it; both are true paths."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def build_request(document: Any, expected: type[SubmitRequest]) -> SubmitRequest:
    """The whole request. Raises :class:`Refusal` (422) naming the field."""
    try:
        return msgspec.convert(document, expected, strict=True)
    except msgspec.ValidationError as error:
        raise unprocessable(in_words(str(error))) from None
