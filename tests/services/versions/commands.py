"""The printed commands of a restore, run by a shell as a script. The console, the engine and the store's tool are programs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kumoss_console.local.sidecar import engine_environ
from kumoss_console.sidecar.engine import Engine
from tests.stack import RealStore

KEY = "net/terraform.tfstate"
_AWS = Path(__file__).with_name("aws_cli.py")


@dataclass
class Desk:
    """A workspace on the real store, and a shell that finds ``kumoss-console``, ``terraform`` and ``aws``."""

    store: RealStore
    engine: Engine
    folder: Path
    table: str = ""
    """The endpoint of a lock table; empty for none."""

    def __post_init__(self) -> None:
        programs = self.folder / "bin"
        programs.mkdir()
        aws = shutil.which("aws")
        for name, argv in {
            "kumoss-console": (sys.executable, "-m", "kumoss_console"),
            "terraform": self.engine.argv0,
            "tofu": self.engine.argv0,
            "aws": (aws,) if aws else (sys.executable, str(_AWS)),
        }.items():
            words = " ".join(f"'{word}'" for word in argv)
            (programs / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n')
            (programs / name).chmod(0o700)
        keys, settings = self.store.credentials, self.store.settings
        assert keys.access_key is not None
        assert keys.secret_key is not None
        storage = {
            "provider": "RUSTFS",
            "terraform_state_bucket": self.store.bucket,
            "endpoint_url": settings.endpoint_url,
            "region": settings.region,
        }
        context: dict[str, Any] = {"name": "real", "storage": storage}
        if self.table:
            context["locks"] = {"dynamodb_table": "tf-locks", "dynamodb_endpoint": self.table}
        config = self.folder / "console.yaml"
        config.write_text(json.dumps({"console": {"contexts": [context]}}))
        secrets = {"ACCESS_KEY": keys.access_key.reveal(), "SECRET_KEY": keys.secret_key.reveal()}
        self._environ = {
            **engine_environ(os.environ, self.folder),
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": str(Path(__file__).parents[3]),
            "KUMOSS_CONSOLE_CONFIG": str(config),
            "RUSTFS_ACCESS_KEY": secrets["ACCESS_KEY"],
            "RUSTFS_SECRET_KEY": secrets["SECRET_KEY"],
            "AWS_ACCESS_KEY_ID": secrets["ACCESS_KEY"],
            "AWS_SECRET_ACCESS_KEY": secrets["SECRET_KEY"],
            "AWS_DEFAULT_REGION": settings.region,
        }
        self.workspace = self.folder / "workspace"
        self.workspace.mkdir()
        flags = ("use_path_style", "skip_credentials_validation", "skip_region_validation", "skip_requesting_account_id")
        lines = [f"{flag} = true" for flag in (*flags, "skip_metadata_api_check", "skip_s3_checksum")]
        lines += [f'{name} = "{value}"' for name, value in {"bucket": self.store.bucket, "key": KEY}.items()]
        lines += [f'region = "{settings.region}"', f'endpoints = {{ s3 = "{settings.endpoint_url}" }}']
        lines += [f'dynamodb_table = "tf-locks"\ndynamodb_endpoint = "{self.table}"' if self.table else "use_lockfile = true"]
        backend = "\n".join(lines)
        (self.workspace / "backend.tf").write_text(f'terraform {{\n  backend "s3" {{\n{backend}\n  }}\n}}\n')
        self.run("terraform init -no-color -input=false")

    def run(self, script: str) -> str:
        """What the script says, which ends at the first command that fails, as this test does then."""
        done = self.tried(script)
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        return done.stdout

    def tried(self, script: str) -> subprocess.CompletedProcess[str]:
        argv = ["sh", "-ec", script]
        return subprocess.run(argv, cwd=self.workspace, env=self._environ, capture_output=True, text=True, check=False)

    def apply(self, *names: str) -> None:
        text = "\n".join(f'resource "terraform_data" "{name}" {{}}' for name in names)
        (self.workspace / "main.tf").write_text(text)
        self.run("terraform apply -no-color -input=false -auto-approve")

    def plan(self, version: str) -> dict[str, Any]:
        """The data of ``state restore-plan``, which ends with 1 where it has news."""
        done = self.tried(f"kumoss-console state restore-plan {KEY} {version} --json")
        assert done.returncode in (0, 1), done.stdout + done.stderr
        data: dict[str, Any] = json.loads(done.stdout)["data"]
        return data

    def put(self, content: bytes) -> None:
        self.store.client.put_object(Bucket=self.store.bucket, Key=KEY, Body=content)

    def delete(self) -> None:
        self.store.client.delete_object(Bucket=self.store.bucket, Key=KEY)

    def active(self) -> bytes:
        """What lies under the key now."""
        return self.store.client.get_object(Bucket=self.store.bucket, Key=KEY)["Body"].read()

    def state(self) -> tuple[str, set[str]]:
        """The lineage of the active state, and the names of what it manages."""
        found = json.loads(self.active())
        return found["lineage"], {resource["name"] for resource in found["resources"]}
