"""Short names of things whose whole names push out what is said about them. Pure; external text stays raw."""

from __future__ import annotations

from posixpath import normpath

_OPERATION = "OperationType"


def workspace_name(path: str, root: str | None = None) -> str:
    """What tells a workspace from its neighbours: its path below ``root``, elsewhere the last two parts.

    One part is not enough: the core checks a repository out into a folder with a name of its own, and the module that a job
    runs in is often a folder below it that many repositories have (``payments_dde4e90a/infra``).
    """
    if not path:
        return ""
    whole = normpath(path)
    if root:
        below = normpath(root).rstrip("/") + "/"
        if whole.startswith(below):
            return whole[len(below) :]
    return "/".join(whole.strip("/").split("/")[-2:]) or whole


def operation_name(operation: str) -> str:
    """An engine's operation in the operator's word: ``OperationTypeApply`` is ``apply``. Others are told as they are."""
    known = operation.removeprefix(_OPERATION)
    return known.lower() if known and known != operation else operation
