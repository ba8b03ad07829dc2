"""Plans that a real engine makes, from small worlds of its builtin resources: nothing is downloaded.

Each folder of ``fixtures/plan/worlds`` holds ``before`` (what is applied, if anything) and ``after`` (what is then planned;
without it everything is planned to be destroyed). ``python -m tests.model.plan_worlds`` writes ``NAME.json`` (``show -json``) and
``NAME.txt`` (``show``) beside them, with the engine on PATH.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

FIXTURES = Path(__file__).parent / "fixtures" / "plan"
WORLDS = tuple(sorted(folder.name for folder in (FIXTURES / "worlds").iterdir()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One plan as the engine shows it to machines and to people."""

    document: bytes
    text: str


def planned(world: str, folder: Path, *, engine: Sequence[str], environ: Mapping[str, str]) -> Planned:
    """Apply ``before`` in ``folder`` (empty), plan ``after``, show the plan. A failing plan still leaves one to show."""
    source = FIXTURES / "worlds" / world

    def run(*argv: str, may_fail: bool = False) -> bytes:
        done = subprocess.run([*engine, *argv], cwd=folder, env=dict(environ), capture_output=True, check=False)
        if done.returncode and not may_fail:
            raise RuntimeError(f"{argv[0]} of {world}: {done.stderr.decode()}")
        return done.stdout

    if (source / "before").is_dir():
        shutil.copytree(source / "before", folder, dirs_exist_ok=True)
        run("init", "-input=false")
        run("apply", "-input=false", "-auto-approve")
    options = ["-destroy"]
    if (source / "after").is_dir():
        options = []
        for path in folder.glob("*.tf"):
            path.unlink()
        shutil.copytree(source / "after", folder, dirs_exist_ok=True)
        run("init", "-input=false")
    run("plan", "-input=false", "-out=world.plan", *options, may_fail=world == "errored")
    return Planned(document=run("show", "-json", "world.plan"), text=run("show", "-no-color", "world.plan").decode())


def _write() -> None:
    engine = shutil.which("terraform") or shutil.which("tofu")
    if engine is None:
        raise SystemExit("no terraform and no tofu on PATH")
    for world in WORLDS:
        with TemporaryDirectory() as folder:
            environ = {"PATH": os.environ["PATH"], "HOME": folder, "TF_CLI_CONFIG_FILE": os.devnull, "CHECKPOINT_DISABLE": "1"}
            shown = planned(world, Path(folder), engine=[engine], environ=environ)
        (FIXTURES / f"{world}.json").write_bytes(shown.document)
        (FIXTURES / f"{world}.txt").write_text(shown.text, encoding="utf-8")


if __name__ == "__main__":
    _write()
