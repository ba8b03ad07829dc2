"""The console's own section."""

from __future__ import annotations

import pytest

from kumoss_console.errors import ConfigError
from kumoss_console.model.context import LockSettings
from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.journal import JournalSettings
from tests.config.conftest import TOKEN, Desk


def context_with(line: str) -> str:
    return f"console:\n  contexts:\n    - name: a\n      {line}\n"


def project_with(line: str) -> str:
    return f"console: {{projects: [{{repo: 'https://h/a', scope: s, {line}}}]}}"


def test_everything_a_context_can_say_arrives(desk: Desk) -> None:
    desk.write("services: {iac: {endpoint: 'https://iac'}}", "core/config.yaml")
    config = desk.load("""
        console:
          default_context: prod
          refresh_interval: 20
          workspaces_root: /workspaces
          contexts:
            - {name: dev}
            - name: prod
              config: ./core/config.yaml
              read_only: true
              colour: red
              sidecar: {backend_config: ""}
              projects: [{repo: "https://github.com/acme/infra", scope: abc, path: envs/prod, provider: azure, name: infra}]
        """)
    context = config.context()
    assert (context.name, context.read_only, context.colour, context.backend_config) == ("prod", True, "red", "")
    assert (context.refresh_interval, context.workspaces_root) == (20.0, "/workspaces")
    assert context.iac.endpoint == "https://iac"
    (project,) = context.projects
    assert (project.repo, project.scope, project.path) == ("https://github.com/acme/infra", "abc", "envs/prod")
    assert (project.provider, project.name) == (CloudProvider.AZURE, "infra")
    assert config.context("dev").backend_config is None


def test_clones_and_scopes_of_all_contexts_are_added_to_by_those_of_one(desk: Desk) -> None:
    config = desk.load("""
        console:
          clones: [~/src, /srv/git]
          scopes: [acme-prod]
          contexts:
            - {name: a}
            - {name: b, clones: [/srv/git, /own], scopes: ["123456789012"]}
        """)
    a, b = config.contexts
    assert (a.clones, a.scopes) == (("~/src", "/srv/git"), ("acme-prod",))
    assert (b.scopes, set(b.clones)) == (("acme-prod", "123456789012"), {"~/src", "/srv/git", "/own"})


@pytest.mark.parametrize(
    ("line", "accepted"),
    [
        ("clones: /srv", "a list of folders"),
        ("clones: [relative/folder]", "absolute or beginning with ~/"),
        ("clones: [{a: b}]", "absolute or beginning with ~/"),
        ("scopes: [123456789012]", "put it in quotes"),
        ("scopes: ['']", "a scope id"),
        ("scopes: {a: b}", "a list of scope ids"),
    ],
)
def test_a_folder_or_scope_that_cannot_be_meant_is_a_fault_with_its_line(desk: Desk, line: str, accepted: str) -> None:
    with pytest.raises(ConfigError) as caught:
        desk.load(context_with(line))
    assert accepted in f"{caught.value} {caught.value.detail} {caught.value.hint}"


def test_a_context_overrides_what_the_section_says_for_all(desk: Desk) -> None:
    config = desk.load("""
        console:
          refresh_interval: 20
          workspaces_root: /all
          projects: [{repo: "https://h/all", scope: s}]
          contexts:
            - {name: a}
            - {name: b, refresh_interval: 5, workspaces_root: /own, projects: [{repo: "https://h/own", scope: s}]}
        """)
    a, b = config.contexts
    assert (a.refresh_interval, a.workspaces_root, len(a.projects)) == (20.0, "/all", 1)
    assert (b.refresh_interval, b.workspaces_root) == (5.0, "/own")
    assert [project.repo for project in b.projects] == ["https://h/all", "https://h/own"]


def test_a_poll_interval_of_the_consoles_stands_in_for_the_cores(desk: Desk) -> None:
    text = "console: {poll_interval: 2, contexts: [{name: a}, {name: b, poll_interval: 9}]}"
    assert [context.iac.job_poll_interval for context in desk.load(text).contexts] == [2.0, 9.0]


def test_a_section_without_contexts_has_one_named_default(desk: Desk) -> None:
    config = desk.load("console: {refresh_interval: 30}")
    assert config.default == "default"
    assert config.context().refresh_interval == 30.0


def test_the_first_context_is_the_default(desk: Desk) -> None:
    assert desk.load("console: {contexts: [{name: a}, {name: b}]}").default == "a"


@pytest.mark.parametrize(
    ("value", "means"), [('""', ""), ("' '", ""), ("/etc/backend.hcl", "/etc/backend.hcl"), ("backend.hcl", "backend.hcl")]
)
def test_the_sidecars_backend_file_is_blank_for_unset_or_a_path(desk: Desk, value: str, means: str) -> None:
    assert desk.context(context_with(f"sidecar: {{backend_config: {value}}}")).backend_config == means


def test_a_null_backend_file_is_an_error_since_unset_and_unknown_differ(desk: Desk) -> None:
    fault = desk.fault(context_with("sidecar: {backend_config: }"))
    assert fault.key == "console.contexts[0].sidecar.backend_config"
    assert "unset" in fault.hint
    assert "not known" in fault.hint


def test_a_lock_table_belongs_to_its_context_and_none_is_none(desk: Desk) -> None:
    assert desk.context(context_with("colour: red")).locks == LockSettings()
    told = desk.context(context_with("locks: {dynamodb_table: tf-locks, dynamodb_endpoint: 'http://127.0.0.1:8000'}")).locks
    assert (told.dynamodb_table, told.dynamodb_endpoint) == ("tf-locks", "http://127.0.0.1:8000")


@pytest.mark.parametrize("value", ["''", "ab", "a/b", "12345"])
def test_a_lock_table_has_a_name_that_a_table_can_have(desk: Desk, value: str) -> None:
    assert desk.fault(context_with(f"locks: {{dynamodb_table: {value}}}")).key == "console.contexts[0].locks.dynamodb_table"


@pytest.mark.parametrize("name", ["''", "a b", "-a", "é", "a/b", "x" * 65, "1", "null", "[a]", '"a\\n"'])
def test_a_context_name_is_one_an_option_can_carry(desk: Desk, name: str) -> None:
    assert desk.fault(f"console: {{contexts: [{{name: {name}}}]}}").key == "console.contexts[0].name"


def test_a_context_without_name_is_an_error_at_its_line(desk: Desk) -> None:
    fault = desk.fault("console:\n  contexts:\n    - colour: red\n")
    assert (fault.line, fault.key) == (3, "console.contexts[0].name")


def test_two_contexts_of_one_name_are_an_error_that_names_the_other_line(desk: Desk) -> None:
    fault = desk.fault("console:\n  contexts:\n    - name: a\n    - name: b\n    - name: a\n")
    assert fault.line == 5
    assert "line 3" in fault.title


def test_an_unknown_default_context_names_the_nearest(desk: Desk) -> None:
    fault = desk.fault("console:\n  default_context: stagin\n  contexts: [{name: staging}]\n")
    assert (fault.line, fault.hint) == (2, "did you mean staging?")


@pytest.mark.parametrize("section", ["storage: {}", "services: {}", "paths: {}"])
def test_a_context_has_a_file_or_inline_settings_never_both(desk: Desk, section: str) -> None:
    desk.write("storage: {}", "core.yaml")
    fault = desk.fault(context_with(f"config: core.yaml\n      {section}"))
    assert fault.key == "console.contexts[0].config"
    assert "inline" in fault.title


@pytest.mark.parametrize(
    ("line", "key", "hint"),
    [
        ("color: red", "color", "did you mean colour?"),
        ("readonly: true", "readonly", "did you mean read_only?"),
        ("read-only: true", "read-only", "did you mean read_only?"),
        ("storage: {terraform_state_bukcet: x}", "storage.terraform_state_bukcet", "did you mean terraform_state_bucket?"),
        ("services: {iac: {endpont: 'http://a'}}", "services.iac.endpont", "did you mean endpoint?"),
        ("sidecar: {backend: ''}", "sidecar.backend", "did you mean backend_config?"),
        ("projects: [{repos: a}]", "projects[0].repos", "did you mean repo?"),
        ("locks: {dynamo_table: abc}", "locks.dynamo_table", "did you mean dynamodb_table?"),
    ],
)
def test_an_unknown_key_of_ours_suggests_the_nearest(desk: Desk, line: str, key: str, hint: str) -> None:
    fault = desk.fault(context_with(line))
    assert fault.key == f"console.contexts[0].{key}"
    assert "unknown key" in fault.title
    assert fault.hint == hint


def test_a_key_of_a_context_one_level_too_high_is_told_where_it_belongs(desk: Desk) -> None:
    assert "below contexts:" in desk.fault("console: {read_only: true}").hint


def test_keys_the_core_reads_and_the_console_does_not_may_stand_in_inline_sections(desk: Desk) -> None:
    text = context_with("services: {mapping: {enabled: true}, iac: {enabled: true}}\n      paths: {upload_folder: /w}")
    assert desk.load(text).default == "a"


@pytest.mark.parametrize("value", ["'true'", "1", "", "[true]", "maybe"])
def test_a_boolean_is_a_boolean(desk: Desk, value: str) -> None:
    assert "true or false" in desk.fault(context_with(f"read_only: {value}")).detail


@pytest.mark.parametrize("value", ["yes", "on", "True"])
def test_a_boolean_may_be_spelt_as_yaml_spells_it(desk: Desk, value: str) -> None:
    assert desk.context(context_with(f"read_only: {value}")).read_only


@pytest.mark.parametrize("value", ["0", "0.4", "86401", "'15'", "true", ".inf", "often"])
def test_an_interval_of_ours_is_a_number_within_bounds_and_never_text(desk: Desk, value: str) -> None:
    assert "from 0.5 to 86400" in desk.fault(f"console: {{refresh_interval: {value}}}").detail


def test_a_colour_is_one_of_seven(desk: Desk) -> None:
    fault = desk.fault(context_with("colour: purple"))
    assert "red, yellow, green, blue, magenta, cyan, white" in fault.detail


def test_the_workspaces_root_is_absolute(desk: Desk) -> None:
    assert "absolute" in desk.fault("console: {workspaces_root: workspaces}").detail


@pytest.mark.parametrize("contexts", ["{a: {}}", "a", "", "[]", "[a]", "[[]]", "[~]"])
def test_contexts_are_a_list_of_mappings(desk: Desk, contexts: str) -> None:
    fault = desk.fault(f"console: {{contexts: {contexts}}}")
    assert fault.key in {"console.contexts", "console.contexts[0]"}


@pytest.mark.parametrize("console", ["", "[]", "text", "3"])
def test_the_section_is_a_mapping(desk: Desk, console: str) -> None:
    assert desk.fault(f"console: {console}").key == "console"


@pytest.mark.parametrize("name", ["token", "access_key", "Secret_Key", "password"])
@pytest.mark.parametrize(
    "place",
    [
        "console: {%s}",
        "console: {contexts: [{name: a, services: {iac: {%s}}}]}",
        "console: {contexts: [{name: a, storage: {%s}}]}",
    ],
)
def test_a_secret_in_our_section_is_refused_and_not_shown(desk: Desk, name: str, place: str) -> None:
    fault = desk.fault(place % f"{name}: hunter22")
    assert "hunter22" not in str(fault)
    assert "environment variables" in fault.detail


def test_a_refused_secret_is_told_the_key_that_names_its_variable(desk: Desk) -> None:
    assert "token_env" in desk.fault(context_with("services: {iac: {token: hunter22}}")).hint


@pytest.mark.parametrize("line", ["repo: 'git@github.com:a/b.git'", "repo: 'http://h/a'", "repo: ''", "repo: 3"])
def test_a_repository_the_core_would_not_take_is_an_error_at_its_line(desk: Desk, line: str) -> None:
    fault = desk.fault(f"console:\n  projects:\n    - scope: s\n      {line}\n")
    assert (fault.line, fault.key) == (4, "console.projects[0].repo")


def test_the_https_spelling_of_a_refused_repository_is_named(desk: Desk) -> None:
    fault = desk.fault("console: {projects: [{scope: s, repo: 'git@github.com:acme/infra.git'}]}")
    assert "https://github.com/acme/infra" in fault.hint


def test_a_scope_in_digits_must_be_text(desk: Desk) -> None:
    fault = desk.fault("console: {projects: [{repo: 'https://h/a', scope: 123456789012}]}")
    assert fault.key == "console.projects[0].scope"
    assert "quotes" in fault.hint


@pytest.mark.parametrize("missing", ["repo", "scope"])
def test_a_project_needs_repository_and_scope(desk: Desk, missing: str) -> None:
    given = {"repo": "'https://h/a'", "scope": "s"}
    del given[missing]
    text = ", ".join(f"{key}: {value}" for key, value in given.items())
    assert desk.fault(f"console: {{projects: [{{{text}}}]}}").key == f"console.projects[0].{missing}"


@pytest.mark.parametrize("line", ["path: 3", "provider: azurerm", "name: 3", "branch: main"])
def test_a_project_is_checked_whole(desk: Desk, line: str) -> None:
    assert desk.fault(project_with(line)).key == f"console.projects[0].{line.split(':')[0]}"


def test_one_project_listed_twice_is_a_warning_and_the_twins_are_two(desk: Desk) -> None:
    config = desk.load("""
        console:
          projects:
            - {repo: "https://h/a", scope: s}
            - {repo: "https://H/a.git", scope: S}
            - {repo: "https://h/a", scope: s, path: "."}
        """)
    (warning,) = config.warnings
    assert "console.projects[1] is the same project as the one on line 4" in warning


def test_a_password_in_a_repository_is_refused_and_not_shown(desk: Desk) -> None:
    fault = desk.fault("console: {projects: [{scope: s, repo: 'https://ops:hunter22@github.com/a/b'}]}")
    assert fault.key == "console.projects[0].repo"
    assert "hunter22" not in str(fault)


def test_a_project_that_the_cores_interface_would_refuse_is_a_warning(desk: Desk) -> None:
    (warning,) = desk.load("console: {projects: [{repo: 'https://h/a', scope: s, path: '../x'}]}").warnings
    assert "'..' segment" in warning


def test_a_warning_names_its_context(desk: Desk) -> None:
    config = desk.load("console: {contexts: [{name: a}, {name: b, services: {iac: {token_env: NO_TOKEN}}}]}", TOKEN)
    (warning,) = config.warnings
    assert warning.startswith("context b: ")


def test_the_journal_keeps_what_it_is_told_to_and_the_rest_has_defaults(desk: Desk) -> None:
    journal = desk.load("console: {journal: {store_output: false, max_age_days: 30}}").journal
    assert (journal.store_output, journal.max_age_days, journal.max_bytes) == (False, 30.0, 2**30)
    assert desk.load().journal == desk.load("console: {}").journal == JournalSettings()


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("store_output: 'no'", "console.journal.store_output"),
        ("max_age_days: 0", "console.journal.max_age_days"),
        ("max_bytes: 1.5e9", "console.journal.max_bytes"),
        ("max_bytes: 100", "console.journal.max_bytes"),
        ("max_size: 3", "console.journal"),
    ],
)
def test_a_journal_setting_that_cannot_be_meant_is_refused_with_its_place(desk: Desk, line: str, key: str) -> None:
    assert key in str(desk.fault(f"console: {{journal: {{{line}}}}}"))
