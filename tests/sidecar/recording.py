"""An engine that does nothing but write down how it was started, and answer as told."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SCRIPT = """\
#!{python} -IS
import json, os, sys
here = os.path.dirname(os.path.abspath(sys.argv[0]))
call = {{
    "argv": sys.argv[1:],
    "cwd": os.getcwd(),
    "env": dict(os.environ),
    "stdin": sys.stdin.read(),
    "leads_group": os.getpgrp() == os.getpid(),
    "terminal": os.isatty(1),
}}
with open(os.path.join(here, "calls.jsonl"), "a") as calls:
    calls.write(json.dumps(call) + "\\n")
with open(os.path.join(here, "answer.json")) as told:
    answer = json.load(told)
sys.stdout.buffer.write(bytes.fromhex(answer["stdout"]))
sys.stderr.buffer.write(bytes.fromhex(answer["stderr"]))
sys.stdout.flush()
if answer["signal"]:
    os.kill(os.getpid(), answer["signal"])
sys.exit(answer["exit_code"])
"""


@dataclass(frozen=True)
class RecordingEngine:
    folder: Path

    @property
    def binary(self) -> Path:
        return self.folder / "engine"

    def install(self) -> None:
        self.folder.mkdir()
        self.binary.write_text(_SCRIPT.format(python=sys.executable))
        self.binary.chmod(0o755)
        self.answer()

    def answer(self, *, exit_code: int = 0, stdout: bytes = b"", stderr: bytes = b"", signal: int = 0) -> None:
        told = {"exit_code": exit_code, "stdout": stdout.hex(), "stderr": stderr.hex(), "signal": signal}
        (self.folder / "answer.json").write_text(json.dumps(told))

    @property
    def calls(self) -> list[dict[str, Any]]:
        """One per start, in order: argv without the program, cwd, env, stdin, leads_group, terminal."""
        record = self.folder / "calls.jsonl"
        return [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
