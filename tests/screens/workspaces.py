"""Workspaces on disk as the core and an engine leave them: an override, and what init bound."""

from __future__ import annotations

import json
import os
from pathlib import Path

from kumoss_console.model.override import render
from kumoss_console.services.build import Services


def bound_workspace(folder: Path, services: Services, *, bound: str, written: str = "", hours: float = 3) -> Path:
    """A root module, bound to the key ``bound`` for ``hours``; the override beside it names ``written``, empty for none."""
    context = services.context
    storage = context.storage
    (folder / ".terraform").mkdir(parents=True)
    (folder / "main.tf").write_text('resource "terraform_data" "one" {}\n')
    name = context.paths.backend_override_filename
    now = services.clock().timestamp()
    if written:
        (folder / name).write_text(render(storage, context.credentials, written, name).content.reveal())
        os.utime(folder / name, (now - 120, now - 120))
    config = {
        "bucket": storage.terraform_state_bucket,
        "key": bound,
        "region": storage.region,
        "endpoints": {"s3": storage.endpoint_url},
        "secret_key": "wJalrXUtnFEMI",
    }
    pointer = folder / ".terraform" / "terraform.tfstate"
    pointer.write_text(json.dumps({"version": 3, "terraform_version": "1.11.4", "backend": {"type": "s3", "config": config}}))
    os.utime(pointer, (now - 3600 * hours, now - 3600 * hours))
    return folder
