"""What holds for every command: shared options, streams, exit codes, errors at the edge."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kumoss_console import __version__
from kumoss_console.cli.main import main
from kumoss_console.cli.world import Load
from kumoss_console.config import LoadedConfig
from kumoss_console.errors import ConfigError
from tests.cli.conftest import REPO, SCOPE, SECRET_KEY, TOKEN
from tests.cli.harness import Console, run_in


def test_version_and_help_are_data_on_stdout(console: Console) -> None:
    version, usage = console.run("--version"), console.run("--help")

    assert (version.code, version.out, version.err) == (0, f"kumoss-console {__version__}\n", "")
    assert usage.code == 0
    assert usage.err == ""
    for name in main.list_commands(None):  # type: ignore[arg-type]  # the list does not depend on a context
        assert f"\n  {name} " in usage.out


@pytest.mark.parametrize(
    "command", ["key", "override", "state", "jobs", "overview", "doctor", "contexts", "info", "sidecar", "demo"]
)
def test_every_command_has_help_that_lists_the_shared_options(console: Console, command: str) -> None:
    run = console.run(command, "--help")

    assert run.code == 0
    assert "Before or after any command:" in run.out
    for option in ("--config", "--context", "--read-only", "--json"):
        assert option in run.out


@pytest.mark.parametrize("argv", [("--json", "contexts"), ("contexts", "--json"), ("--json", "contexts", "--json")], ids=" ".join)
def test_shared_options_stand_before_or_after_the_command(console: Console, argv: tuple[str, ...]) -> None:
    assert console.run(*argv).data[0]["name"] == "prod"


def test_one_context_said_twice_is_fine_and_two_are_refused(console: Console) -> None:
    same = console.run("--context", "dev", "info", "--context", "dev", "--json")
    different = console.run("--context", "dev", "info", "--context", "prod", "--json")

    assert same.data["context"] == "dev"
    assert different.code == 2
    assert different.error["code"] == "usage.conflict"
    assert "dev, prod" in different.error["title"]


def test_an_unknown_context_is_an_input_error_that_lists_the_contexts(console: Console) -> None:
    run = console.run("info", "--context", "pord")

    assert run.code == 2
    assert run.out == ""
    assert "error: " in run.err
    assert "prod, dev" in run.err


@pytest.mark.parametrize("argv", [("bogus",), ("key", "--bogus"), ("jobs", "sumbit"), ("jobs", "show")], ids=" ".join)
def test_a_usage_error_ends_with_2_and_names_the_help(console: Console, argv: tuple[str, ...]) -> None:
    plain, machine = console.run(*argv), console.run(*argv, "--json")

    assert (plain.code, plain.out) == (2, "")
    assert "--help" in plain.err
    assert machine.code == 2
    assert machine.error["code"] == "usage"
    assert machine.err == ""


@pytest.mark.parametrize("group", ["state", "jobs", "sidecar"])
def test_a_group_that_is_not_told_what_to_do_shows_its_help_as_narration(console: Console, group: str) -> None:
    plain, machine = console.run(group), console.run(group, "--json")

    assert (plain.code, plain.out) == (2, "")
    assert plain.err.startswith(f"Usage: kumoss-console {group} ")
    assert "\nCommands:\n" in plain.err
    assert "error:" not in plain.err
    assert (machine.code, machine.error["code"]) == (2, "usage")
    assert machine.error["title"] == f"kumoss-console {group} needs a command"
    assert "\n" not in machine.error["title"]


@pytest.mark.parametrize(
    "argv",
    [
        ("contexts", "--config", ""),
        ("contexts", "--context", " "),
        ("override", "--repo", REPO, "--scope", SCOPE, "--write", ""),
        ("backend", ""),
        ("explain", ""),
        ("demo", "--headless", "--keep", ""),
    ],
    ids=" ".join,
)
def test_an_empty_path_never_means_the_current_folder(console: Console, argv: tuple[str, ...]) -> None:
    run = console.run(*argv)

    assert (run.code, run.out) == (2, "")
    assert "it is empty" in run.err


def test_a_context_that_is_not_there_is_told_though_all_are_listed(console: Console) -> None:
    assert console.run("contexts", "--context", "nope").code == 2
    assert console.run("contexts", "--context", "dev").code == 0


def test_the_demo_says_which_form_of_it_speaks_json(console: Console) -> None:
    assert "demo --headless --json" in console.run("demo", "--json").error["hint"]


def test_who_made_the_console_read_only_is_who_can_undo_it(console: Console) -> None:
    argv = ("jobs", "submit", "init", "--workspace", "/w", "--scope", "s", "--provider", "gcp")

    own, given = console.run(*argv, "--context", "dev"), console.run(*argv, "--read-only")

    assert own.code == given.code == 5
    assert "Leave out" not in own.err
    assert "Choose a context" in own.err
    assert "Leave out --read-only" in given.err


def test_a_mistyped_command_is_told_the_nearest(console: Console) -> None:
    assert "override" in console.run("overide").err
    assert "submit" in console.run("jobs", "sumbit").err


def test_no_command_without_a_terminal_explains_itself_instead_of_drawing(console: Console) -> None:
    run = console.run()

    assert run.code == 2
    assert "needs a terminal" in run.err
    assert console.run("--json").error["title"] == "--json needs a command"


def test_a_configuration_that_cannot_be_used_is_one_block_with_its_next_step(console: Console) -> None:
    error = ConfigError("core.yaml line 3: storage.provider is 'minio'", detail="accepted: RUSTFS, S3", hint="correct it")
    run = run_in(console.world(load=_failing(error)), "contexts")

    assert run.code == 2
    assert run.out == ""
    assert run.err == "error: core.yaml line 3: storage.provider is 'minio'\n  accepted: RUSTFS, S3\n  → correct it\n"


def test_error_text_from_outside_is_shown_and_not_obeyed(console: Console) -> None:
    error = ConfigError("\x1b]52;c;QQ==\x1b\\", detail="a\x9b2J\nb", hint="\u202etxt")
    run = run_in(console.world(load=_failing(error)), "contexts")

    assert run.err == "error: ␛]52;c;QQ==␛\\\n  a<U+009B>2J\n  b\n  → <U+202E>txt\n"


def test_a_bug_is_reported_without_locals_and_without_secrets(console: Console) -> None:
    def build(*_: object, **__: object) -> None:
        kept_to_myself = "a local value"
        raise RuntimeError(f"Bearer {TOKEN} and {SECRET_KEY} in {len(kept_to_myself)}")

    world = replace(console.world(), build=build)  # type: ignore[arg-type]  # a builder with a bug
    plain, machine = run_in(world, "key", "--repo", "https://x/y", "--scope", "s"), run_in(world, "doctor", "--json")

    for run in (plain, machine):
        assert run.code == 70
        assert "RuntimeError" in run.err
        assert "in build" in run.err
        for hidden in (TOKEN, SECRET_KEY, "a local value"):
            assert hidden not in run.err + run.out
    assert machine.error["code"] == "internal.bug"


def test_an_interrupt_ends_with_130(console: Console) -> None:
    def load(**_: object) -> LoadedConfig:
        raise KeyboardInterrupt

    run = run_in(console.world(load=load), "contexts", "--json")

    assert run.code == 130
    assert run.err.endswith("interrupted\n")


def test_a_reader_that_went_away_is_no_error(console: Console) -> None:
    class Closed:
        def write(self, _: bytes) -> int:
            raise BrokenPipeError

        def flush(self) -> None:
            raise BrokenPipeError

    world = replace(console.world(), stdout=Closed())  # type: ignore[arg-type]  # only what output uses of a stream

    for argv in (("contexts",), ("contexts", "--json"), ("bogus", "--json"), ("--help",)):
        run = run_in(world, *argv)
        assert (run.code, run.err) == (0, ""), argv


@pytest.mark.parametrize("argv", [("contexts",), ("contexts", "--json"), ("--help",), ("--version",)], ids=" ".join)
def test_an_answer_that_cannot_be_written_is_one_error_and_exit_3(console: Console, argv: tuple[str, ...]) -> None:
    class Full:
        def write(self, _: bytes) -> int:
            raise OSError(28, "No space left on device")

        def flush(self) -> None:
            return

    run = run_in(replace(console.world(), stdout=Full()), *argv)  # type: ignore[arg-type]  # only what output uses of a stream

    assert run.code == 3
    assert run.err.startswith("error: The answer cannot be written to stdout: No space left on device\n  → ")


def test_contexts_show_hosts_and_never_what_stands_before_the_at(console: Console) -> None:
    prod, dev = console.contexts
    console.contexts = (replace(prod, storage=replace(prod.storage, endpoint_url="http://user:pw@store.test:9000")), dev)

    plain, machine = console.run("contexts"), console.run("contexts", "--json", "--read-only")

    assert plain.out == (
        "CONTEXT  PROVIDER  STATE BUCKET            STORE            SIDECAR        OWNERSHIP  MODE\n"
        "prod *   RUSTFS    kumoss-terraform-state  store.test:9000  iac.test:8082  managed    read-write\n"
        "dev      S3        acme-dev                AWS              iac:8082       managed    read-only\n"
    )
    assert [row["read_only"] for row in machine.data] == [True, True]
    assert "pw" not in plain.out + machine.out


def test_colour_only_where_a_terminal_wants_it(console: Console) -> None:
    console.columns = 120
    assert "\x1b[" in console.run("contexts").out

    console.environ["NO_COLOR"] = "1"
    assert "\x1b[" not in console.run("contexts").out

    console.columns = None
    del console.environ["NO_COLOR"]
    assert "\x1b[" not in console.run("contexts").out


def test_info_says_where_everything_is_and_creates_nothing(console: Console) -> None:
    run = console.run("info", "--json")

    assert run.data["console"] == __version__
    assert run.data["journal"].startswith(console.environ["XDG_STATE_HOME"])
    assert run.data["versions"]["click"]
    assert not console.journal_file.exists()
    assert "journal" in console.run("info").out


def _failing(error: Exception) -> Load:
    def load(**_: object) -> LoadedConfig:
        raise error

    return load
