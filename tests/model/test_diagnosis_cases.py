"""Every known error text is recognised for what it is, however it is dressed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kumoss_console.config.rulebook import load_rules
from kumoss_console.model.diagnosis import Rules, diagnose
from tests.model.dressing import DRESSES

CASES: dict[str, str | None] = {
    case["id"]: case["example"] for case in json.loads((Path(__file__).parent / "fixtures" / "errors.json").read_text())
}
# What no engine prints anything about: nothing can be recognised, and nothing must be.
SILENT = {"LOCK-S3-IGNORED", "NET-HTML", "ST-EMPTY"}
EXPECTED = {
    "LOCK-S3-412-NO-OBJECT": "lock.vanished",
    "LOCK-S3-UNSUPPORTED": "lock.unsupported",
    "LOCK-S3-OCI": "lock.content_hash",
    "LOCK-S3-RELEASE": "lock.not_released",
    "LOCK-UNLOCK-GONE": "lock.already_gone",
    "LOCK-UNLOCK-NOOP": "lock.unlock_unproven",
    "LOCK-DDB-HELD": "lock.held.dynamodb",
    "LOCK-DDB-NOTABLE": "lock.dynamodb.no_table",
    "LOCK-DDB-DENIED": "lock.dynamodb.denied",
    "LOCK-DDB-DIGEST": "lock.dynamodb.digest",
    "LOCK-AZ-NOMETA": "lock.azure.no_metadata",
    "LOCK-AZ-UNLOCK-NOMETA": "lock.azure.unlock_no_metadata",
    "LOCK-AZ-CONFLICT": "lock.azure.race",
    "LOCK-AZ-LOST": "lock.azure.lost",
    "LOCK-FALSE-PERM": "lock.file_permission",
    "S3-LIST-DENIED": "s3.list_denied",
    "S3-WS-INVISIBLE": "state.workspace_missing",
    "S3-HEAD-403": "s3.head_403",
    "S3-HEAD-400": "s3.head_400",
    "S3-PUT-DENIED": "s3.put_denied",
    "S3-ERRORED": "state.not_saved",
    "S3-FORBIDDEN-NOXML": "s3.not_s3",
    "S3-ACCOUNT": "s3.account",
    "S3-ARCHIVED": "s3.archived",
    "S3-QUOTA": "s3.quota",
    "S3-SLOWDOWN": "s3.throttled",
    "S3-KMS": "s3.kms",
    "S3-REWIND": "s3.rewind",
    "CHK-SHA256": "s3.checksum.mismatch",
    "CHK-LENGTH": "s3.checksum.length",
    "CHK-SDKALGO": "s3.checksum.upload_header",
    "CHK-MODE": "s3.checksum.download_header",
    "CHK-CHUNK-STORED": "state.chunk_framing",
    "CHK-OBJECTLOCK": "s3.checksum.object_lock",
    "CRED-NONE": "credentials.none",
    "CRED-IMDS": "credentials.metadata",
    "CRED-PROFILE": "credentials.profile",
    "CRED-HALF": "credentials.half",
    "CRED-KEYID": "credentials.unknown_key",
    "CRED-SIG": "credentials.signature",
    "CRED-EXPIRED": "credentials.expired",
    "CRED-SKEW": "credentials.clock",
    "CRED-STS": "credentials.sts",
    "CRED-ASSUME": "credentials.assume_role",
    "NET-REGION-301": "s3.region.mismatch",
    "NET-REGION-INVALID": "backend.region.invalid",
    "NET-REGION-MISSING": "backend.region.missing",
    "NET-REFUSED": "network.refused",
    "NET-PROXY": "network.proxy",
    "NET-VHOST": "network.virtual_host",
    "NET-SCHEME": "network.scheme",
    "NET-CERT-NAME": "network.certificate.name",
    "NET-CAFILE": "network.ca_file",
    "NET-EOF": "network.cut",
    "CFG-INIT-REQ": "backend.not_initialised",
    "CFG-CHANGED-INIT": "backend.changed",
    "CFG-CACHE-DECODE": "backend.cache",
    "CFG-MISSING-S3-TO": "backend.missing.s3",
    "CFG-MISSING-AZ": "backend.missing.azurerm",
    "CFG-MISSING-GENERIC": "language.missing_argument",
    "CFG-UNKNOWN-FLAG": "backend.unknown_option",
    "CFG-BADVALUE-FLAG": "backend.bad_option_value",
    "CFG-BLOCK": "backend.block_for_argument",
    "CFG-DEPRECATED": "backend.deprecated",
    "CFG-CONFLICT": "backend.conflict",
    "CFG-STATIC": "backend.static",
    "CFG-TYPE": "backend.type",
    "CFG-FILE": "backend.file",
    "CFG-VERSION": "workspace.engine_version",
    "CFG-NOCFG": "workspace.no_configuration",
    "CFG-MODULE": "module.not_installed",
    "ST-NOTJSON": "state.not_json",
    "ST-NOVERSION": "state.no_version",
    "ST-FORMAT": "state.format",
    "ST-NEWER": "state.newer_engine",
    "ST-SCHEMA": "state.newer_provider",
    "ST-DUP": "state.damaged",
    "ST-PUSH-LINEAGE": "state.push.lineage",
    "ST-PUSH-SERIAL": "state.push.serial",
    "PLAN-STALE": "plan.stale",
    "PLAN-DEPS": "plan.dependencies",
    "ENC-NOCONF": "encryption.missing",
    "ENC-KEY": "encryption.key",
    "ENC-META": "encryption.metadata",
    "ENC-PASS": "encryption.tampered",
    "AZ-PERM": "azure.data_role",
    "AZ-KEYAUTH": "azure.keys_disabled",
    "AZ-AUTHFAILED": "azure.authentication",
    "AZ-FIREWALL": "azure.firewall",
    "AZ-CONTAINER": "azure.no_container",
    "AZ-NOHOST": "azure.no_account",
    "AZ-CLI": "azure.cli",
    "AZ-NOMETHOD": "azure.no_method",
    "AZ-SECRET": "azure.login.secret",
    "AZ-LISTKEYS": "azure.resource_manager_denied",
    "AZ-ENV": "azure.cloud_name",
    "AZ-IMMUTABLE": "azure.immutable",
    "AZ-BUSY": "azure.busy",
    "PROV-429": "provider.throttled",
    "PROV-LOCKED": "provider.pinned",
    "PROV-PLATFORM": "provider.platform",
    "PROV-CHECKSUM": "provider.checksum",
    "PROV-NOTINSTALLED": "provider.not_installed",
    "PROV-READONLY": "provider.lock_readonly",
    "PROV-LOCKSYNTAX": "provider.lock_damaged",
    "PROV-SCHEMA": "provider.does_not_start",
    "PROV-CACHEDIR": "provider.cache_dir",
    "PROV-CHMOD": "provider.chmod",
    "FS-DENIED": "workspace.permission",
    "FS-LOCKFILE": "workspace.lock_file",
    "FS-FULL": "workspace.full",
    "IN-VAR": "workspace.variable",
    "IMP-NOCONF": "import.no_configuration",
    "IMP-EXISTS": "import.exists",
    "IMP-NOTFOUND": "import.not_found",
}


@pytest.fixture(scope="module")
def rules() -> Rules:
    return load_rules({"HOME": "/nonexistent"})


def first_code(text: str, rules: Rules) -> str:
    found = diagnose("", text, rules=rules)
    return found.findings[0].code if found.findings else "unknown"


def test_the_table_names_every_case() -> None:
    assert set(EXPECTED) | SILENT == set(CASES)
    assert {case for case, text in CASES.items() if text is None} == SILENT


@pytest.mark.parametrize("case", EXPECTED)
def test_the_case_is_recognised_by_its_cause_first(case: str, rules: Rules) -> None:
    assert first_code(CASES[case] or "", rules) == EXPECTED[case]


@pytest.mark.parametrize("dress", DRESSES)
def test_no_dress_hides_a_case(dress: str, rules: Rules) -> None:
    found = {case: first_code(DRESSES[dress](CASES[case] or ""), rules) for case in EXPECTED}
    assert found == EXPECTED


def test_no_case_means_something_else_too(rules: Rules) -> None:
    """One text, one cause: an outcome may stand beside it."""
    several = {}
    for case in EXPECTED:
        codes = [finding.code for finding in diagnose("", CASES[case] or "", rules=rules).findings]
        if len(codes) > 1:
            several[case] = codes
    assert several == {}


@pytest.mark.parametrize("case", EXPECTED)
def test_opentofu_says_it_in_its_own_name(case: str, rules: Rules) -> None:
    text = (CASES[case] or "").replace("Terraform Core", "OpenTofu Core").replace("Terraform", "OpenTofu")
    assert first_code(text.replace('"terraform init"', '"tofu init"'), rules) == EXPECTED[case]
