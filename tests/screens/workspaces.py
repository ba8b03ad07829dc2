"""Workspaces on disk as the core and an engine leave them: an override, and what init bound."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path

from kumoss_console.model.context import Context
from kumoss_console.model.override import render


def bound_workspace(folder: Path, context: Context, now: datetime, *, bound: str, written: str = "", hours: float = 3) -> Path:
    """A root module, bound to the key ``bound`` for ``hours``; the override beside it names ``written``, empty for none."""
    storage = context.storage
    (folder / ".terraform").mkdir(parents=True)
    (folder / "main.tf").write_text('resource "terraform_data" "one" {}\n')
    name = context.paths.backend_override_filename
    seconds = now.timestamp()
    if written:
        (folder / name).write_text(render(storage, context.credentials, written, name).content.reveal())
        os.utime(folder / name, (seconds - 120, seconds - 120))
    config = {
        "bucket": storage.terraform_state_bucket,
        "key": bound,
        "region": storage.region,
        "endpoints": {"s3": storage.endpoint_url},
        "secret_key": "wJalrXUtnFEMI",
    }
    pointer = folder / ".terraform" / "terraform.tfstate"
    pointer.write_text(json.dumps({"version": 3, "terraform_version": "1.11.4", "backend": {"type": "s3", "config": config}}))
    os.utime(pointer, (seconds - 3600 * hours, seconds - 3600 * hours))
    return folder
