"""The small world: plausible, complete, and made of nothing that must be downloaded."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from kumoss_console.local.layout import lay_out
from kumoss_console.local.worlds import MODULES, PROJECTS
from kumoss_console.model.context import Context
from kumoss_console.model.storage import StorageCredentials, StorageSettings
from kumoss_console.text import Secret

CONTEXT = Context(
    name="demo",
    storage=StorageSettings(endpoint_url="http://127.0.0.1:9000"),
    credentials=StorageCredentials(access_key=Secret("access"), secret_key=Secret("secret")),
)


def test_it_holds_a_dozen_projects_and_each_part_is_played() -> None:
    parts = Counter(project.part for project in PROJECTS)

    assert parts["applied"] + parts["locked"] >= 12
    assert (parts["locked"], parts["orphan"], parts["failing"]) == (1, 1, 1)


def test_no_two_projects_share_a_key_or_a_name() -> None:
    assert len({project.key.project_id for project in PROJECTS}) == len(PROJECTS)
    assert len({project.name for project in PROJECTS}) == len(PROJECTS)


def test_one_pair_differs_by_a_dot_only() -> None:
    paths = {project.path for project in PROJECTS if project.repo.endswith("/platform")}

    assert paths == {"", "."}


def test_every_module_is_made_of_terraform_data_alone() -> None:
    texts = [file.read_text() for file in MODULES.rglob("*.tf")]

    assert {kind for text in texts for kind in re.findall(r'^resource "(\w+)"', text, re.MULTILINE)} == {"terraform_data"}
    assert not [text for text in texts if "provider" in text.replace("provisioner", "") or "data " in text.replace("_data ", "")]


def test_a_workspace_lies_where_the_core_puts_it_and_its_override_is_private(tmp_path: Path) -> None:
    project = next(project for project in PROJECTS if project.path == "envs/eu")

    laid = lay_out(project, tmp_path, CONTEXT)

    assert laid.workspace == tmp_path / f"net_{project.key.project_id[:8]}" / "envs" / "eu"
    override = laid.workspace / "backend_override.tf"
    assert override.stat().st_mode & 0o777 == 0o600
    assert f'key    = "{project.key.object_key()}"' in override.read_text()


def test_a_workspace_whose_store_moved_says_so(tmp_path: Path) -> None:
    elsewhere = Context(
        name="demo", storage=StorageSettings(endpoint_url="http://127.0.0.1:9001"), credentials=CONTEXT.credentials
    )

    moved = [lay_out(PROJECTS[0], tmp_path, context).moved for context in (CONTEXT, CONTEXT, elsewhere)]

    assert moved == [False, False, True]
