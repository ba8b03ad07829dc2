from __future__ import annotations

import subprocess
import sys

HEAVY = ("yaml", "msgspec", "boto3", "httpx", "textual", "hcl2", "difflib")


def test_importing_load_brings_nothing_heavy() -> None:
    code = f"import sys; from kumoss_console.config import load; print([name for name in {HEAVY!r} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.strip() == "[]"


def test_loading_brings_no_more_than_yaml_and_the_model() -> None:
    code = (
        "import sys, pathlib; from kumoss_console.config import load;"
        "load(environ={'HOME': '/'}, cwd=pathlib.Path('/'));"
        "print([name for name in ('boto3', 'httpx', 'textual', 'hcl2') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.strip() == "[]"
