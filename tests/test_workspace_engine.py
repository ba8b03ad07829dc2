"""The console's reading against a real Terraform: what init binds, and what it says where it refuses."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kumoss_console.model.backend import Engine, effective_backend, option_files, parse_engine
from kumoss_console.workspace import read_workspace
from tests.model.backends import plain
from tests.model.test_backend_cases import CASES
from tests.quiet_cloud import quiet_cloud

pytestmark = [pytest.mark.stack, pytest.mark.xdist_group("engine")]

# Said after the configuration was understood: by the cloud host, the account or the network, none of which is there.
_OUTSIDE = ("Failed to request discovery document", "Failed to get existing workspaces", "Error refreshing state")
_PREAMBLE = "Terraform encountered problems during initialisation"
# The engine names no place for these; the console names the option.
_PLACELESS = {"Failed to read file", "Invalid backend configuration argument", "Invalid backend configuration value"}


@dataclass(frozen=True)
class Outcome:
    """``bound`` is the pointer file's backend without unset values; ``outside`` where a service was missing."""

    errors: frozenset[tuple[str, str]]
    bound: dict[str, Any] | None
    outside: bool


@dataclass(frozen=True)
class RealTerraform:
    program: str
    engine: Engine
    environ: Mapping[str, str]

    def init(self, folder: Path, options: Sequence[str], environ: Mapping[str, str]) -> Outcome:
        """Run init in ``folder``, which it changes."""
        argv = [self.program, "init", "-input=false", "-json", *(f"-backend-config={option}" for option in options)]
        done = subprocess.run(
            argv,
            cwd=folder,
            env={**self.environ, **environ},
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        errors = set()
        for line in done.stdout.splitlines():
            message = json.loads(line) if line.startswith(b"{") else {}
            diagnostic = message.get("diagnostic") or {}
            if diagnostic.get("severity") == "error" and not diagnostic["summary"].startswith(_PREAMBLE):
                place = diagnostic.get("range")
                errors.add((diagnostic["summary"], f"{place['filename']}:{place['start']['line']}" if place else ""))
        outside = any(summary.startswith(_OUTSIDE) for summary, _ in errors)
        return Outcome(
            errors=frozenset(error for error in errors if not error[0].startswith(_OUTSIDE)),
            bound=_pointer(folder / ".terraform" / "terraform.tfstate"),
            outside=outside,
        )


def _pointer(file: Path) -> dict[str, Any] | None:
    backend = json.loads(file.read_bytes()).get("backend") if file.exists() else None
    return {"type": backend["type"], "config": _set(backend["config"])} if backend else None


def _set(value: Any) -> Any:
    return {name: _set(item) for name, item in value.items() if item is not None} if isinstance(value, dict) else value


@pytest.fixture(scope="session")
def terraform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealTerraform]:
    program = shutil.which("terraform")
    if program is None:
        pytest.skip("no terraform on PATH")
    home = tmp_path_factory.mktemp("terraform")
    (home / "rc").write_text("disable_checkpoint = true\n")
    environ = {
        "HOME": str(home),
        "TF_CLI_CONFIG_FILE": str(home / "rc"),
        "TF_IN_AUTOMATION": "1",
        "PATH": str(Path(program).parent),
    }
    version = json.loads(subprocess.run([program, "version", "-json"], env=environ, capture_output=True, check=True).stdout)
    with quiet_cloud() as url:
        keys = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_EC2_METADATA_DISABLED": "true"}
        network = {"AWS_ENDPOINT_URL": url, "HTTP_PROXY": url, "NO_PROXY": "127.0.0.1"}
        engine = parse_engine(f"terraform@{version['terraform_version'].partition('-')[0]}")
        yield RealTerraform(program, engine, {**environ, **keys, **network})


def _compare(
    terraform: RealTerraform, folder: Path, options: Sequence[str] = (), environ: Mapping[str, str] | None = None
) -> None:
    snapshot = read_workspace(folder, option_files(options))
    mine = effective_backend(snapshot, terraform.engine, options=options, environ=environ or {})
    theirs = terraform.init(folder, options, environ or {})

    told = {
        (problem.summary, "" if problem.summary in _PLACELESS else problem.at)
        for problem in mine.problems
        if problem.kind == "error"
    }
    assert told == theirs.errors
    if theirs.outside:
        return
    kept = mine.bound or mine.kept
    bound = None
    if kept is not None and kept.at is not None and kept.type != "cloud":
        bound = {"type": kept.type, "config": {attribute.name: plain(attribute.value) for attribute in kept.attributes}}
    assert bound == theirs.bound


def _cases() -> list[Any]:
    return [
        pytest.param(json.loads(file.read_text()), id=file.name.split(".")[0]) for file in sorted(CASES.glob("*.expected.json"))
    ]


@pytest.mark.parametrize("case", _cases())
def test_the_cases_are_read_as_the_engine_reads_them(terraform: RealTerraform, tmp_path: Path, case: dict[str, Any]) -> None:
    folder = tmp_path / "ws"
    shutil.copytree(CASES / case["case"], folder)
    options = [arg.removeprefix("-backend-config=") for arg in case["args"] if arg.startswith("-backend-config=")]

    _compare(terraform, folder, options, case["env"])


_EXPRESSIONS = """
[]
{}
!null
null ? 1 : 2
"a" && true
true ? [1] : "x"
true ? 1 : "x"
false ? 1 : true
[for x in ["a", "b"] : x][1]
[for k, v in {a = 1} : "${k}${v}"][0]
{for k in ["a"] : k => upper(k)}
{a = 1}.b
"x".y
[1][3]
"${null}"
"${[1]}"
"a${[1]}"
"%{ if true }a%{ else }b%{ endif }"
"%{ for x in ["a", "b"] }${x}-%{ endfor }"
"%{ if true }a"
"a ${~ "b" ~} c"
1.50
1e3
7 % 4
-(3 - 5) * 2
2 < 3 && 3 != 4
100000000000000000000000001
1.1.1
"a\\qb"
"\\u00e9e\\u0301"
"\\U0001f600"
"\\uD800"
upper("x")
provider::a::b("x")
path.module
var.a.b[0]
"x" # c
/* a */ "x" // b
"x" "y"
"$${a}"
"%%{a}"
"$$"
"50%"
'x'
`x`
1 +
(1
["a" "b"]
{a = 1 b = 2}
{a}
[for x in ["a"] : x
a.
"${a
true ? "a" : var.b
false ? "a" : var.b
var.a ? "a" : var.b
true ? 1 : var.b
"unclosed
null
true
"\ttab"
"é"
a & b
x;
""".strip().splitlines()


@pytest.mark.parametrize("expression", _EXPRESSIONS)
def test_expressions_are_computed_and_refused_as_the_engine_does(
    terraform: RealTerraform, tmp_path: Path, expression: str
) -> None:
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "main.tf").write_text(f'terraform {{\n  backend "local" {{\n    path = {expression}\n  }}\n}}\n')

    _compare(terraform, folder)


_S3 = 'terraform {\n  backend "s3" {\n    bucket = "b"\n    region = "eu-west-1"\n  }\n}\n'
_LOCAL = 'terraform {\n  backend "local" {\n    path = "a"\n  }\n}\n'


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("key = 1\n", ["f.hcl"]),
        ("key = null\nregion = null\n", ["f.hcl"]),
        ("key = var.x\n", ["f.hcl"]),
        ("key = \n", ["f.hcl"]),
        ('key = "a"\nnope = 1\n', ["f.hcl"]),
        ('key = "a"\nendpoints {\n}\n', ["f.hcl"]),
        ('{"key": "a", "//": "c"}', ["f.hcl"]),
        ("", ["f.hcl", "key=z"]),
        ("\ufeffkey = <<E\na\nE\n", ["key=z", "f.hcl"]),
        ('endpoints = { s3 = "http://a" }\n', ["f.hcl", "key=k", 'endpoints={sts="http://b"}']),
        ("", ["key=a", "encrypt=maybe"]),
        ("", ["nope=1"]),
        ("", ["key="]),
        ("", ["=x"]),
        ("", ["absent.hcl"]),
        ("", ["."]),
        ("", ["key=a=b"]),
    ],
)
def test_options_are_laid_over_the_block_as_the_engine_does(
    terraform: RealTerraform, tmp_path: Path, text: str, options: list[str]
) -> None:
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "main.tf").write_text(_S3)
    (folder / "f.hcl").write_text(text)

    _compare(terraform, folder, options)


@pytest.mark.parametrize(
    "files",
    [
        {"main.tf.json": '{"terraform":[{"backend":[{"local":[{"path":"a"}]}]}]}'},
        {"main.tf.json": '[{"terraform":{"backend":{"local":{"path":"a"}}}}]'},
        {"main.tf.json": '{"terraform":{"backend":{"local":{"path":"a"},"s3":{}}}}'},
        {"main.tf.json": '{"terraform":{"backend":{"local":{"path":"a",\n"path":"b"}}}}'},
        {"main.tf.json": '{"terraform":{"backend":{"local":[{"path":"a"},{"path":"b"}]}}}'},
        {"main.tf.json": '{"terraform":{"backend":null}}'},
        {"main.tf.json": '{"terraform":{"backend":"local"}}'},
        {"main.tf.json": '{"terraform":{"backend":{"local":"x"}}}'},
        {"main.tf.json": '{"terraform":{"backend":{"local":{"path":"a",\n"zzz":1}}}}'},
        {"main.tf.json": '{"terraform":{"backend":{"s3":{\n"bucket":"a"\n}}}}'},
        {"main.tf.json": '{"terraform":{"backend":{"local":{"path":"a",}}}}'},
        {"main.tf.json": '{"terraform":{"backend":{"local":{"path" "a"}}}}'},
        {"main.tf.json": '{"terraform":{"backend":{"local":{"path":["a"}}}}'},
        {"main.tf.json": '{"terraform":{"backend":{"local":{"path":tru}}}}'},
        {"main.tf.json": '{"terraform":{"backend":{"local":{"path":"a"'},
        {"main.tf.json": '{"terraform":{"backend":{"local":{"path":"a\nb"}}}}'},
        {"main.tf.json": '// x\n{"terraform":{"backend":{"local":{"path":"a"}}}}'},
        {"main.tf.json": '{"terraform":{"backend":{"local":{"path\t":"a"}}}}'},
        {"main.tf.json": '{"terraform":{"backend":{"local":{"path":"a"}}}, "x": !}'},
        {"main.tf.json": ""},
        {"main.tf.json": '{"terraform":{"backend":{"local":{"path":1.50}}}}'},
        {"main.tf.json": '{"\\u0074erraform":{"backend":{"local":{"path":"\\ud83d\\ude00\\ud83d"}}}}'},
        {"main.tf": 'terraform {\n  backend "local" "x" {\n    path = "a"\n  }\n}\n'},
        {"main.tf": 'terraform {\n  backend {\n    path = "a"\n  }\n}\n'},
        {"main.tf": 'terraform {\n  backend "${a}" {\n    path = "a"\n  }\n}\n'},
        {"main.tf": 'terraform "x" {\n  backend "local" {\n  }\n}\n'},
        {"main.tf": 'terraform {\n  backend "local" {\n    path = "a"\n'},
        {"main.tf": 'terraform {\n  backend "local" {\n    path = "a"\n    path = "b"\n  }\n}\n'},
        {"main.tf": 'terraform {\n  backend "local" {\n    path = "a",\n    workspace_dir = "b"\n  }\n}\n'},
        {"main.tf": 'terraform {\n  backend "local" { path = "a", workspace_dir = "b" }\n}\n'},
        {"main.tf": 'terraform {\n  backend "local" { path = "a"\n  workspace_dir = "b" }\n}\n'},
        {"main.tf": 'terraform {\n  backend "local" { path "a" }\n}\n'},
        {"main.tf": 'terraform {\n  backend "local"\n  {\n    path = "a"\n  }\n}\n'},
        {"main.tf": "terraform {\n  backend = {\n    local = {}\n  }\n}\n"},
        {"main.tf": 'terrafrom {\n  backend "local" {\n  }\n}\n'},
        {"main.tf": '/* terraform {\n} */ terraform {\n  backend "local" {\n    path = "a"\n  }\n}\n'},
        {"main.tf": 'terraform {\n  backend "local" {\n    path = "\x00"\n  }\n}\n'},
        {"main.tf": 'terraform {\n  backend "remote" {\n    workspaces {\n      name = "x"\n      prefix = "y"\n    }\n  }\n}\n'},
        {"main.tf": 'terraform {\n  backend "azurerm" {\n    key = "a"\n  }\n}\n'},
        {"main.tf": 'terraform {\n  backend "http" {\n  }\n}\n'},
        {"main.tf": 'terraform {\n  backend "cloud" {\n  }\n}\n'},
        {"main.tf": 'terraform {\n  backend "etcdv3" {\n  }\n}\n'},
        {"main.tf": _LOCAL, "z.tf": 'resource "x" {\n'},
        {"main.tf": _LOCAL, "z.tf": _LOCAL, "y.tf": _LOCAL},
        {"main.tf": _LOCAL, "x_override.tf.json": '{"terraform":{"backend":{"local":{"path":"b"}}}}', "x_override.tf": _S3},
        {"main.tf": _LOCAL, "override.tf": _LOCAL + _LOCAL},
        {"override.tf": _LOCAL},
        {"main.tf": "\ufeff" + _LOCAL.replace("\n", "\r\n")},
        {"main.tf": _LOCAL.replace('"a"', "<<-E\n      a\n        b\n      E")},
        {"main.tf": "terraform {}\n"},
        {"main.tf": 'terraform {\n  required_version = "< 1.0.0"\n}\n' + _LOCAL, "x.tf": "a {\n"},
        {"main.tf": 'terraform {\n  required_version = "~> 1.0, >= 1.2"\n}\n' + _LOCAL},
        {"README.md": "nothing"},
    ],
)
def test_files_are_assembled_and_refused_as_the_engine_does(
    terraform: RealTerraform, tmp_path: Path, files: dict[str, str]
) -> None:
    folder = tmp_path / "ws"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())

    _compare(terraform, folder)
