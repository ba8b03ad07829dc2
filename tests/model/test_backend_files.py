"""Which files an engine reads, in which order, and which it hides or ignores."""

from __future__ import annotations

import pytest

from kumoss_console.errors import InputError
from kumoss_console.model.backend import Entry, parse_engine
from kumoss_console.model.backend.constraints import allows
from kumoss_console.model.backend.files import arrange
from tests.model.backends import errors, local, read, values


def _roles(engine: str, *names: str, folders: tuple[str, ...] = ()) -> dict[str, str]:
    entries = [Entry(name=name, raw=b"") for name in names] + [Entry(name=name, kind="folder") for name in folders]
    return {item.name: item.role for item in arrange(tuple(entries), parse_engine(engine))}


def test_primary_files_come_before_override_files_each_in_byte_order() -> None:
    names = ("b.tf", "override.tf", "a.tf", "Z.tf", "a_override.tf", "Z_override.tf.json", "é.tf", "x.tf.json")

    assert list(_roles("terraform", *names)) == [
        "Z.tf",
        "a.tf",
        "b.tf",
        "x.tf.json",
        "é.tf",
        "Z_override.tf.json",
        "a_override.tf",
        "override.tf",
    ]


@pytest.mark.parametrize("engine", ["terraform", "tofu@1.7"])
def test_engines_without_the_extension_ignore_tofu_files(engine: str) -> None:
    assert _roles(engine, "a.tf", "a.tofu", "override.tofu") == {
        "a.tf": "primary",
        "a.tofu": "ignored",
        "override.tofu": "ignored",
    }


def test_opentofu_hides_the_twin_of_the_same_form_only() -> None:
    names = (
        "a.tf",
        "a.tofu",
        "b.tf.json",
        "b.tofu.json",
        "c.tf.json",
        "c.tofu",
        "d.tf",
        "d.tofu.json",
        "override.tf",
        "override.tofu",
    )
    roles = _roles("tofu", *names)

    assert [name for name, role in roles.items() if role == "hidden"] == ["a.tf", "b.tf.json", "override.tf"]
    assert roles["c.tf.json"] == roles["c.tofu"] == roles["d.tf"] == roles["d.tofu.json"] == "primary"
    assert roles["override.tofu"] == "override"


def test_a_folder_hides_nothing_and_an_ignored_file_neither() -> None:
    assert _roles("tofu", "a.tf", folders=("a.tofu",)) == {"a.tf": "primary", "a.tofu": "ignored"}
    assert _roles("tofu", "a.tf", "#a.tofu#")["a.tf"] == "primary"


def test_leftovers_are_ignored_by_name() -> None:
    names = (".a.tf", "a.tf~", "#a.tf#", "a.tf.bak", "A.TF", "a.tf.disabled", ".tf", "a.TOFU")
    assert set(_roles("tofu", *names).values()) == {"ignored"}
    assert _roles("tofu", "#a.tf", "tf", "notes.txt") == {"#a.tf": "primary"}


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("override.tf", "override"),
        ("x_override.tf.json", "override"),
        ("_override.tf", "override"),
        ("x-override.tf", "primary"),
        ("overrides.tf", "primary"),
        ("override.x.tf", "primary"),
    ],
)
def test_override_files_are_known_by_their_stem(name: str, role: str) -> None:
    assert _roles("terraform", name) == {name: role}


def test_the_last_override_in_byte_order_wins_whole_whatever_its_form() -> None:
    effective = read(
        {
            "main.tf": local('"base"'),
            "a_override.tf": local('"a"'),
            "b_override.tf.json": '{"terraform": {"backend": {"local": {"path": "json"}}}}',
            "b_override.tf": local('"b"'),
            "b_override.tofu": local('"tofu"'),
        }
    )
    # b_override.tofu hides b_override.tf, and sorts after b_override.tf.json.
    assert values(effective.bound) == {"path": "tofu"}
    assert [(block.origin.file, block.wins) for block in effective.blocks] == [
        ("main.tf", False),
        ("a_override.tf", False),
        ("b_override.tf.json", False),
        ("b_override.tofu", True),
    ]


def test_a_cloud_block_in_an_override_replaces_a_backend_and_wins_over_one_beside_it() -> None:
    cloud = 'terraform {\n  cloud {\n    organization = "a"\n    workspaces {\n      name = "x"\n    }\n  }\n}\n'

    assert values(read({"main.tf": local('"a"'), "override.tf": cloud}).bound) == {"organization": "a", "workspaces.name": "x"}
    both = read({"main.tf": local('"a"'), "override.tf": cloud + local('"b"')})
    assert both.bound is not None
    assert (both.bound.type, errors(both)) == ("cloud", [])


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("terraform@1.11.4", "Terraform 1.11.4"),
        ("tofu", "OpenTofu 1.12.6"),
        ("OpenTofu@1.8", "OpenTofu 1.8.0"),
        ("terraform v1.5.7", "Terraform 1.5.7"),
    ],
)
def test_engines_are_named_with_or_without_a_version(text: str, label: str) -> None:
    engine = parse_engine(text)
    assert engine.label == label
    assert engine.assumed == (text == "tofu")


@pytest.mark.parametrize("text", ["", "pulumi", "tofu@", "tofu@x", "tofu@1.2.3.4", "\x1b[2J", "terraform@99999"])
def test_other_engines_are_an_input_error_that_names_the_two(text: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_engine(text)
    assert "terraform or tofu" in raised.value.hint
    assert "\x1b" not in str(raised.value)


@pytest.mark.parametrize(
    ("constraint", "version", "allowed"),
    [
        (">= 1.3.0", (1, 11, 4), True),
        ("< 3.0.0, >= 1.2", (1, 11, 4), True),
        ("~> 1.5.0", (1, 5, 7), True),
        ("~> 1.5.0", (1, 6, 0), False),
        ("~> 1.5", (1, 11, 4), True),
        ("~> 1", (2, 0, 0), False),
        ("1.11.4", (1, 11, 4), True),
        ("= 1.11", (1, 11, 4), False),
        ("!= 1.11.4", (1, 11, 4), False),
        ("<= 1.10, > 1", (1, 11, 4), False),
        (">= 1.3.0-beta1", (1, 11, 4), None),
        ("latest", (1, 11, 4), None),
        ("", (1, 11, 4), None),
    ],
)
def test_required_version_is_weighed_term_by_term(constraint: str, version: tuple[int, int, int], allowed: bool | None) -> None:
    assert allows(constraint, version) is allowed
