"""OpenTofu's early evaluation: variables, locals and functions become values with their sources, or refusals in its words."""

from __future__ import annotations

import pytest

from kumoss_console.model.hcl.types import Unresolved
from kumoss_console.text import Secret
from tests.model.backends import errors, local, read, values


def _path(expression: str, module: str = "", **kwargs: object) -> object:
    bound = read({"main.tf": local(expression), "vars.tf": module}, **kwargs).bound  # type: ignore[arg-type]  # the helper's own keywords
    assert bound is not None
    return values(bound).get("path")


def test_sources_of_a_variable_from_the_weakest_to_the_strongest() -> None:
    files = {"main.tf": local("var.a"), "v.tf": 'variable "a" {\n  type = string\n  default = "default"\n}\n'}
    steps: list[tuple[str, str, str]] = [
        ("terraform.tfvars", 'a = "tfvars"\n', "terraform.tfvars:1"),
        ("terraform.tfvars.json", '{"a": "json"}', "terraform.tfvars.json:1"),
        ("a.auto.tfvars", '\na = "auto"\n', "a.auto.tfvars:2"),
        ("b.auto.tfvars.json", '{"a": "${not.a.template}"}', "b.auto.tfvars.json:1"),
    ]
    found = []
    environ = {"TF_VAR_a": "environment"}
    found.append(read(files))
    found.append(read(files, environ=environ))
    for name, text, _ in steps:
        files[name] = text
        found.append(read(files, environ=environ))

    assert [values(effective.bound)["path"] for effective in found] == [
        "default",
        "environment",
        "tfvars",
        "json",
        "auto",
        "${not.a.template}",
    ]
    places = [effective.bound.attributes[0].origin.via[0].at for effective in found if effective.bound]
    assert places == ["v.tf:3", "environment TF_VAR_a", *(place for _, _, place in steps)]


def test_the_same_text_is_refused_by_terraform_and_by_older_opentofu() -> None:
    files = {"main.tf": local("var.a"), "v.tf": 'variable "a" {\n  default = "x"\n}\n'}
    for engine in ("terraform", "tofu@1.7"):
        assert errors(read(files, engine)) == [("Variables not allowed", "main.tf:3")]
    assert values(read(files, "tofu@1.8").bound) == {"path": "x"}


def test_variables_are_converted_to_their_type() -> None:
    assert _path('var.a["k"]', 'variable "a" {\n  type = map(string)\n}\n', environ={"TF_VAR_a": "{k = 5}"}) == "5"
    assert _path("var.a[1]", 'variable "a" {\n  type = list(number)\n  default = ["1", "2"]\n}\n') == "2"
    assert (
        _path("var.a.b", 'variable "a" {\n  type = object({b = string, c = optional(bool)})\n  default = {b = true}\n}\n')
        == "true"
    )


def test_locals_lead_to_each_other_and_to_the_selected_workspace() -> None:
    module = 'locals {\n  a = "${local.b}/${terraform.workspace}"\n  b = upper("x")\n}\n'
    effective = read({"main.tf": local("local.a"), "l.tf": module}, selected="blue")

    assert values(effective.bound) == {"path": "X/blue"}
    assert effective.bound is not None
    assert [via.at for via in effective.bound.attributes[0].origin.via] == ["l.tf:2", "l.tf:3", 'workspace "blue"']


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('format("%s-%d%%", "a", 3)', "a-3%"),
        ('join("/", ["a", "b"], ["c"])', "a/b/c"),
        ('split(",", "a,b")[1]', "b"),
        ('replace("a.b", ".", "-")', "a-b"),
        ('substr("hello", 1, 3)', "ell"),
        ('trimsuffix("a.git", ".git")', "a"),
        ('lookup({a = "x"}, "b", "y")', "y"),
        ('merge({a = "x"}, {a = "z"}).a', "z"),
        ('element(["a", "b"], 3)', "b"),
        ('coalesce("", "a")', "a"),
        ('md5("my-string")', "f887f41a53a46e2d40a3f8f86cacaaa2"),
        ('length("abc") + length([1])', "4"),
        ('join("-", [for k in keys({b = 1, a = 2}) : k])', "a-b"),
        ('join(",", concat(["a"], ["b"])...)', None),
        ("path.module", "."),
        ('basename("/a/b")', "b"),
        ('tostring(startswith("ab", "a"))', "true"),
    ],
)
def test_functions_that_are_certain_are_computed(expression: str, value: str | None) -> None:
    effective = read({"main.tf": local(expression)})
    assert values(effective.bound).get("path") == value
    assert bool(errors(effective)) == (value is None)


@pytest.mark.parametrize(
    "expression", ['file("x")', "timestamp()", "path.cwd", 'title("é")', 'substr("é", 0, 1)', "1 / 3", '"a-${uuid()}"']
)
def test_what_only_the_engine_computes_says_so_and_shows_its_text(expression: str) -> None:
    bound = read({"main.tf": local(expression)}).bound
    assert bound is not None
    assert isinstance(bound.attributes[0].value, Unresolved)
    assert bound.attributes[0].expression == expression


@pytest.mark.parametrize(
    ("expression", "module", "told"),
    [
        ("var.a", "", [("Undefined variable", "main.tf:3")]),
        ("local.a", "", [("Undefined local", "main.tf:3")]),
        (
            "var.a",
            'variable "a" {\n}\n',
            [("Variable not provided via -var, tfvars files, or env", "v.tf:1"), ("Unable to compute static value", "main.tf:3")],
        ),
        ("local.a", "locals {\n  a = local.a\n}\n", [("Circular reference", "v.tf:2")]),
        ("aws_s3_bucket.a.id", "", [("Dynamic value in static context", "main.tf:3")]),
        ("data.a.b.c", "", [("Dynamic value in static context", "main.tf:3")]),
        ("module.a.b", "", [("Module output not supported in static context", "main.tf:3")]),
        ("stage", "", [("Invalid reference", "main.tf:3")]),
        ("var", "", [("Invalid reference", "main.tf:3")]),
        ("terraform.env", "", [('Invalid "terraform" attribute', "main.tf:3")]),
        ("nope()", "", [("Call to unknown function", "main.tf:3")]),
        ("provider::a::b()", "", [("Provider function in static context", "main.tf:3")]),
        ('upper(["x"])', "", [("Error in function call", "main.tf:3")]),
    ],
)
def test_refusals_are_opentofus(expression: str, module: str, told: list[tuple[str, str]]) -> None:
    found = errors(read({"main.tf": local(expression), "v.tf": module}))
    assert [error for error in found if error in told] == told
    assert read({"main.tf": local(expression), "v.tf": module}).bound is None


def test_sensitive_values_are_refused_from_1_9_and_masked_before() -> None:
    module = 'variable "a" {\n  sensitive = true\n  default = "s3cret"\n}\nlocals {\n  b = "x-${var.a}"\n}\n'
    for expression in ("var.a", "local.b", 'sensitive("s3cret")'):
        files = {"main.tf": local(expression), "v.tf": module}
        assert errors(read(files, "tofu@1.9")) == [("Backend config contains sensitive values", "main.tf:2")]
        bound = read(files, "tofu@1.8").bound
        assert bound is not None
        assert isinstance(bound.attributes[0].value, Secret)
        assert "s3cret" not in repr(read(files, "tofu@1.9"))


def test_ephemeral_variables_are_refused_from_1_11() -> None:
    files = {"main.tf": local("var.a"), "v.tf": 'variable "a" {\n  ephemeral = true\n  default = "x"\n}\n'}
    assert errors(read(files, "tofu@1.11")) == [("Backend config contains ephemeral values", "main.tf:2")]


def test_override_files_change_single_settings_of_a_variable() -> None:
    files = {
        "main.tf": local("var.a"),
        "v.tf": 'variable "a" {\n  type = string\n  default = "x"\n}\n',
        "v_override.tf": 'variable "a" {\n  default = 7\n}\n',
    }
    assert values(read(files).bound) == {"path": "7"}


def test_option_files_are_evaluated_too() -> None:
    files = {"main.tf": 'terraform {\n  backend "local" {}\n}\n', "v.tf": 'variable "a" {\n  default = "x"\n}\n'}
    given = {"f.hcl": "path = var.a\n", "g.json": '{"path": "${var.a}-j"}'}

    assert values(read(files, options=["f.hcl"], option_files=given).bound) == {"path": "x"}
    assert values(read(files, options=["g.json"], option_files=given).bound) == {"path": "x-j"}
    assert errors(read(files, "terraform", options=["f.hcl"], option_files=given)) == [("Variables not allowed", "f.hcl:1")]
    assert values(read(files, "terraform", options=["g.json"], option_files=given).bound) == {"path": "${var.a}-j"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("terraform.tfvars", 'other = "x"\npath = "cut'),
        ("a.auto.tfvars", 'path = "from here"\nmore = {'),
        ("terraform.tfvars", "# " + "x" * 5_000_000),
        ("a.auto.tfvars.json", '{"path": "from here"'),
    ],
)
def test_a_variable_file_that_is_cut_short_is_told_where_the_backend_uses_variables(name: str, text: str) -> None:
    variable = 'variable "path" {\n  default = "from the default"\n}\n'
    used = read({"main.tf": local("var.path") + variable, name: text})
    unused = read({"main.tf": local('"fixed"') + variable, name: text})

    assert [(one.summary, one.at) for one in used.problems if one.kind == "limit"] == [
        ("Variable file not read to its end", name)
    ]
    assert used.incomplete
    assert not [one for one in unused.problems if one.kind == "limit"]
