"""The configuration that leads a console to a local stack: a file without secrets, and the variables that hold them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kumoss_console.local.folder import StackFolder
from kumoss_console.local.layout import write_private
from kumoss_console.local.objectstore import ObjectStoreEndpoint
from kumoss_console.local.sidecar import SidecarEndpoint
from kumoss_console.model.context import KnownProject

CONTEXT = "demo"
BUCKET = "kumoss-terraform-state"

_HEAD = """\
# Written by `kumoss-console demo`, and again at every start. It holds no secrets: those are variables,
# see the file `environment` beside it.
"""


def environment(folder: StackFolder, store: ObjectStoreEndpoint, sidecar: SidecarEndpoint) -> dict[str, str]:
    """The variables of a console on this stack, secrets included."""
    return {
        "KUMOSS_CONSOLE_CONFIG": str(folder.config_file),
        "KUMOSS_IAC_TOKEN": sidecar.token.reveal(),
        "RUSTFS_ACCESS_KEY": store.access_key,
        "RUSTFS_SECRET_KEY": store.secret_key.reveal(),
        "XDG_STATE_HOME": str(folder.state_home),
    }


def write_environment(file: Path, variables: Mapping[str, str]) -> None:
    """As shell assignments, mode 0600: ``set -a; . FILE`` puts another terminal on this stack."""
    write_private(file, "".join(f"{name}={shlex.quote(value)}\n" for name, value in variables.items()))


def write_config(
    folder: StackFolder, store: ObjectStoreEndpoint, sidecar: SidecarEndpoint, known: Sequence[KnownProject]
) -> None:
    """The console's file, in the words of the configuration reference."""
    import yaml

    context: dict[str, Any] = {
        "name": CONTEXT,
        "colour": "green",
        "storage": {
            "provider": "RUSTFS",
            "endpoint_url": store.url,
            "public_endpoint_url": store.url,
            "region": store.region,
            "terraform_state_bucket": BUCKET,
        },
        "services": {"iac": {"endpoint": sidecar.url, "job_poll_interval": 1.0}},
        "sidecar": {"backend_config": ""},
        "projects": [_project(project) for project in known],
    }
    console = {
        "default_context": CONTEXT,
        "refresh_interval": 5,
        "workspaces_root": str(folder.workspaces),
        "contexts": [context],
    }
    text = _HEAD + yaml.safe_dump({"console": console}, sort_keys=False, allow_unicode=True)
    write_private(folder.config_file, text)


def _project(project: KnownProject) -> dict[str, str]:
    provider = {"provider": project.provider.value} if project.provider else {}
    return {"name": project.name, "repo": project.repo, "scope": project.scope, "path": project.path, **provider}
