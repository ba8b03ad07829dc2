"""Where workspaces may lie, and what a caller learns of the rest of the disk: nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kumoss_console.errors import ConfigError
from kumoss_console.model.contract import ValidateRequest
from kumoss_console.sidecar.jobs import JobFault
from kumoss_console.sidecar.operations import Operations
from tests.sidecar.answers import problem
from tests.sidecar.conftest import Service, Serving
from tests.sidecar.recording import RecordingEngine


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root" / "in").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    return tmp_path / "root"


@pytest.fixture
def confined(serving: Serving, root: Path) -> Service:
    return serving(IAC_WORKSPACE_ROOT=str(root))


@pytest.mark.parametrize("path", ["{root}", "{root}/in", "{root}/in/", "{root}/in/../in", "{root}/./in", "{root}/link"])
async def test_a_folder_below_the_root_is_a_workspace_however_it_is_spelled(
    path: str, confined: Service, root: Path, engine: RecordingEngine
) -> None:
    (root / "link").symlink_to(root / "in")
    job = await confined.outcome("/v1/validate", workspace_path=path.format(root=root))
    assert job["status"] == "succeeded"
    (call,) = engine.calls
    assert Path(call["cwd"]) in {root, root / "in"}


@pytest.mark.parametrize(
    "path",
    [
        "/",
        ".",
        "{root}/..",
        "{root}/../outside",
        "{root}/in/../../outside",
        "{root}/../absent",
        "{root}-absent",
        "{root}/out",
        "{root}/out/deeper",
        "{root}/relative",
        "{root}/in/up",
        "{root}/in/up/absent",
        "/proc/self/cwd",
        "/etc/passwd",
    ],
)
async def test_whatever_leads_out_of_the_root_is_a_403_whether_it_exists_or_not(
    path: str, confined: Service, root: Path, engine: RecordingEngine
) -> None:
    (root / "out").symlink_to(root.parent / "outside")
    (root / "relative").symlink_to("../outside")
    (root / "in" / "up").symlink_to("../out")
    document = problem(await confined.post("/v1/validate", workspace_path=path.format(root=root)), 403)
    assert "outside" in document["title"]
    assert engine.calls == []


async def test_a_neighbour_whose_name_begins_like_the_root_is_outside(confined: Service, root: Path) -> None:
    root.with_name("root-too").mkdir()
    problem(await confined.post("/v1/validate", workspace_path=f"{root}-too"), 403)


@pytest.mark.parametrize("path", ["{root}/absent", "{root}/in\0", "{root}/" + "a" * 256, "{root}/loop"])
async def test_what_is_wrong_inside_the_root_is_a_404(path: str, confined: Service, root: Path) -> None:
    (root / "loop").symlink_to(root / "loop")
    problem(await confined.post("/v1/validate", workspace_path=path.format(root=root)), 404)


@pytest.mark.parametrize(("length", "status"), [(4096, 404), (4097, 422)])
async def test_a_path_of_4096_characters_is_of_the_right_form_and_leads_nowhere(
    length: int, status: int, confined: Service, root: Path
) -> None:
    for below in ("a/" * length, "a" * length, "./" * length):
        problem(await confined.post("/v1/validate", workspace_path=f"{root}/{below}"[:length]), status)


async def test_a_path_of_4096_characters_that_leads_out_is_a_403(confined: Service, root: Path) -> None:
    path = str(root) + "/.." * 1000
    problem(await confined.post("/v1/validate", workspace_path=path), 403)
    problem(await confined.post("/v1/validate", workspace_path=path.ljust(4096, "/")), 403)


async def test_a_workspace_that_becomes_a_link_while_its_job_waits_is_not_followed(
    serving: Serving, root: Path, engine: RecordingEngine
) -> None:
    operations = Operations(serving.settings(IAC_WORKSPACE_ROOT=str(root)))
    request = ValidateRequest(workspace_path=str(root / "in"))
    (root / "in").rename(root / "moved")
    (root / "in").symlink_to(root.parent / "outside")
    with pytest.raises(JobFault) as fault:
        await operations.perform(request, str(root / "in"))
    assert fault.value.problem.status == 500
    assert engine.calls == []


async def test_without_a_root_any_folder_is_a_workspace(service: Service, tmp_path: Path) -> None:
    assert (await service.post("/v1/validate", workspace_path=str(tmp_path))).status_code == 202


async def test_the_root_itself_may_be_named_by_a_link(serving: Serving, root: Path) -> None:
    (root.parent / "alias").symlink_to(root)
    service = serving(IAC_WORKSPACE_ROOT=str(root.parent / "alias"))
    for path in (root / "in", root.parent / "alias" / "in"):
        assert (await service.post("/v1/validate", workspace_path=str(path))).status_code == 202


@pytest.mark.parametrize("named", ["absent", "file"])
def test_a_root_that_is_no_folder_refuses_the_start(named: str, serving: Serving, root: Path) -> None:
    (root / "file").touch()
    with pytest.raises(ConfigError) as refused:
        serving.settings(IAC_WORKSPACE_ROOT=os.path.join(root, named))
    assert "IAC_WORKSPACE_ROOT" in refused.value.title
    assert "--workspace-root" in refused.value.hint
