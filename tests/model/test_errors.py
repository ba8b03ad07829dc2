from __future__ import annotations

import pytest

from kumoss_console import errors
from kumoss_console.errors import ConfigError, ConsoleError, ExitCode, InputError


def kinds() -> list[type[ConsoleError]]:
    return [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ConsoleError)]


@pytest.mark.parametrize(
    ("name", "exit_code"),
    [
        ("ConsoleError", ExitCode.BAD_NEWS),
        ("InputError", ExitCode.INPUT),
        ("ConfigError", ExitCode.INPUT),
        ("ServiceError", ExitCode.UNREACHABLE),
        ("Unreachable", ExitCode.UNREACHABLE),
        ("AccessDenied", ExitCode.UNREACHABLE),
        ("NotFound", ExitCode.UNREACHABLE),
        ("BadAnswer", ExitCode.UNREACHABLE),
        ("GaveUp", ExitCode.GAVE_UP),
        ("Refused", ExitCode.REFUSED),
    ],
)
def test_each_kind_ends_the_command_line_with_its_own_code(name: str, exit_code: ExitCode) -> None:
    kind: type[ConsoleError] = vars(errors)[name]
    assert kind("it failed").exit_code is exit_code


def test_no_two_kinds_share_a_default_code_that_scripts_could_mix_up() -> None:
    codes = [kind.default_code for kind in kinds()]
    assert len(codes) == len(set(codes))


def test_the_exit_codes_are_the_promised_numbers() -> None:
    assert {code.name: int(code) for code in ExitCode} == {
        "OK": 0,
        "BAD_NEWS": 1,
        "INPUT": 2,
        "UNREACHABLE": 3,
        "GAVE_UP": 4,
        "REFUSED": 5,
        "INTERRUPTED": 130,
    }


def test_an_error_reads_as_title_evidence_and_next_step() -> None:
    assert (
        str(InputError("no such job", detail="asked for 3f", hint="Give more digits."))
        == "no such job\nasked for 3f\nGive more digits."
    )
    assert str(InputError("no such job")) == "no such job"


def test_a_code_of_its_own_replaces_the_default() -> None:
    assert (InputError("x").code, InputError("x", code="key.repo_empty").code) == ("input.invalid", "key.repo_empty")


def test_a_configuration_error_knows_where_it_is() -> None:
    error = ConfigError("unknown key", file="console.yaml", line=3, key="contexts[0].colour")
    assert (error.file, error.line, error.key, error.exit_code) == ("console.yaml", 3, "contexts[0].colour", ExitCode.INPUT)
