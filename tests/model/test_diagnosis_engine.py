"""What a real engine printed (Terraform 1.11.4), of kinds no case holds: the right family or unknown, never a wrong answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kumoss_console.config.rulebook import load_rules
from kumoss_console.model.diagnosis import Diagnosis, Rules, diagnose

TEXTS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "fixtures" / "engine_texts.json").read_text())
EXPECTED: dict[str, list[str]] = {
    "unknown_resource_type": ["provider.unknown_type"],
    "unknown_builtin_type": ["provider.unknown_type"],
    "undeclared_variable": ["language.unknown_reference"],
    "undeclared_local": ["language.unknown_reference"],
    "undeclared_resource": ["language.unknown_reference"],
    "cycle": ["language.cycle"],
    "color_cycle": ["language.cycle"],
    "self_reference": ["language.cycle"],
    "duplicate_resource": ["language.duplicate"],
    "duplicate_variable": ["language.duplicate"],
    "invalid_for_each": ["language.for_each_type"],
    "unknown_for_each": ["language.for_each"],
    "unknown_count": ["language.for_each"],
    "invalid_count": ["language.for_each_type"],
    "sensitive_for_each": ["language.sensitive"],
    "precondition": ["language.assertion_invalid"],
    "postcondition": ["language.assertion"],
    "check_block": ["language.assertion_invalid", "language.assertion_invalid"],
    "validation": ["workspace.bad_value"],
    "module_source_missing": ["language.missing_argument"],
    "module_not_installed": ["module.not_installed"],
    "module_dir_missing": ["module.folder"],
    "module_git": ["network.refused", "module.download"],
    "module_registry": ["network.name_unknown", "module.registry"],
    "module_unexpected_arg": ["language.unknown_argument"],
    "module_missing_arg": ["language.missing_argument"],
    "module_output_missing": ["language.unknown_attribute"],
    "wrong_type": ["language.wrong_type"],
    "wrong_type_arg": ["language.syntax"],
    "wrong_attr_type": ["language.wrong_type"],
    "invalid_function": ["language.unknown_function"],
    "function_error": ["language.function_arguments"],
    "file_function": ["language.function_arguments"],
    "not_enough_args": ["language.function_arguments"],
    "missing_required": ["language.missing_argument"],
    "unsupported_arg": ["language.unknown_argument"],
    "unsupported_attr": ["language.unknown_attribute"],
    "invalid_index": ["language.wrong_type"],
    "invalid_index_key": ["language.wrong_type"],
    "bad_target": ["language.target"],
    "import_exists": ["import.exists"],
    "import_noconf": ["import.no_configuration"],
    "import_bad_address": ["import.address"],
    "import_block_missing": ["import.no_configuration"],
    "import_block_noconf_gen": ["import.no_configuration"],
    "stale_plan": ["plan.stale"],
    "plan_missing": ["plan.missing"],
    "not_a_plan": ["plan.unreadable"],
    "show_missing": ["plan.missing"],
    "show_garbage": ["plan.unreadable"],
    "show_flag": ["workspace.option"],
    "plan_out_dir": ["plan.not_written"],
    "push_garbage": ["state.push.unreadable"],
    "push_serial": ["state.push.unreadable"],
    "workspace_missing": ["state.workspace_missing"],
    "workspace_env": ["state.workspace_name"],
    "unsupported_block": ["language.unknown_block"],
    "unknown_block": ["language.unknown_block"],
    "syntax_unclosed": ["language.syntax"],
    "syntax_arg": ["language.syntax"],
    "syntax_char": ["language.syntax"],
    "syntax_quote": ["language.syntax"],
    "syntax_merge": ["language.merge_conflict"],
    "syntax_json": ["language.syntax"],
    "syntax_string": ["language.syntax", "language.syntax"],
    "template_invalid": ["language.syntax"],
    "provider_missing_net": ["network.proxy"],
    "provider_none_local": ["provider.local_mirror"],
    "provider_host_dns": ["network.name_unknown"],
    "provider_config_missing": ["provider.configuration_gone"],
    "provider_bad_source": ["provider.source"],
    "provider_bad_constraint": ["language.version_constraint"],
    "provider_alias_dup": ["language.provider_reference"],
    "required_version": ["workspace.engine_version"],
    "provisioner_fail": ["language.provisioner"],
    "local_exec_notfound": ["language.provisioner"],
    "prevent_destroy": ["language.prevent_destroy"],
    "moved_conflict": ["language.moved"],
    "removed_still": ["language.moved"],
    "no_config_plan": ["workspace.no_configuration"],
    "no_config_init": ["state.empty_folder"],
    "var_file_missing": ["workspace.variables_file"],
    "var_undeclared_cli": ["workspace.unknown_variable"],
    "var_required": ["workspace.variable"],
    "var_tfvars_undeclared": ["workspace.unknown_variable"],
    "unknown_flag": ["workspace.option"],
    "tf_log_bad": ["workspace.option"],
    "unknown_command": ["workspace.command"],
    "backend_missing_warn": ["backend.unused_option"],
    "backend_init_required": ["backend.not_initialised"],
    "backend_dup": ["backend.duplicate"],
    "backend_var": ["backend.variables"],
    "backend_unknown_arg": ["backend.unknown_argument"],
    "backend_s3_missing": ["backend.missing.s3", "backend.missing.s3"],
    "backend_s3_dns": ["network.name_unknown"],
    "backend_s3_refused": ["network.refused"],
    "backend_azurerm_missing": ["backend.missing.azurerm", "backend.missing.azurerm"],
    "backend_gcs_nocreds": ["gcp.bad_credentials"],
    "backend_http_refused": ["network.refused"],
    "cloud_block": ["network.name_unknown"],
    "state_corrupt": ["state.not_json"],
    "state_v5": ["state.format"],
    "state_noversion": ["state.no_version"],
    "state_truncated": ["state.not_json"],
    "state_rm_missing": ["state.no_address"],
    "state_show_missing": ["state.no_address"],
    "local_lock": ["lock.already_gone"],
    "output_sensitive": ["language.sensitive"],
    "remote_state_missing": ["state.remote_state_missing"],
    "lock_syntax": ["provider.lock_damaged"],
    "destroy_target_graph": ["workspace.missing_file"],
    "json_plan": ["language.unknown_reference"],
    "json_validate": ["language.unknown_reference"],
    "ephemeral": ["language.ephemeral"],
    "experimental": ["language.experiment"],
    "quoted_desc_apply": ["language.unknown_function"],
    "quoted_in_plan": ["language.assertion_invalid"],
    # Nothing went wrong, or nothing that is known did.
    "success_plan": [],
    "success_apply": [],
    "quoted_success": [],
    "divide_zero": [],
}


@pytest.fixture(scope="module")
def rules() -> Rules:
    return load_rules({"HOME": "/nonexistent"})


def found(name: str, rules: Rules) -> Diagnosis:
    text = TEXTS[name]
    return diagnose(text["stdout"], text["stderr"], rules=rules, exit_code=text["exit"])


def test_the_table_names_every_text() -> None:
    assert set(EXPECTED) == set(TEXTS)
    assert len(EXPECTED) > 100


@pytest.mark.parametrize("name", EXPECTED)
def test_the_engine_is_understood(name: str, rules: Rules) -> None:
    assert [finding.code for finding in found(name, rules).findings] == EXPECTED[name]


@pytest.mark.parametrize("name", [name for name in EXPECTED if TEXTS[name]["exit"] == 0])
def test_a_command_that_succeeded_has_no_error(name: str, rules: Rules) -> None:
    diagnosis = found(name, rules)
    assert not diagnosis.unknown
    assert all(finding.severity == "warning" for finding in diagnosis.findings)


# The lines of a JSON document are not those of the texts in it.
@pytest.mark.parametrize("name", [name for name in EXPECTED if EXPECTED[name] and not name.startswith("json_")])
def test_the_evidence_stands_in_the_output_at_the_line_it_names(name: str, rules: Rules) -> None:
    for finding in found(name, rules).findings:
        lines = TEXTS[name][finding.stream].split("\n")
        first = finding.evidence.splitlines()[0].strip("…").split()[-1]
        assert first in lines[finding.line - 1]


def test_an_error_that_no_rule_knows_is_told_even_beside_one_that_is_known(rules: Rules) -> None:
    text = "Error: Saved plan is stale\n\nx\n\nError: The moon is in the way\n\nPlease wait."
    diagnosis = diagnose("", text, rules=rules)
    assert [finding.code for finding in diagnosis.findings] == ["plan.stale"]
    assert not diagnosis.unknown
    assert diagnosis.unrecognised == ("Error: The moon is in the way",)
