"""Secrets from the environment, by the core's rules."""

from __future__ import annotations

import pytest

from kumoss_console.text import Secret
from tests.config.conftest import TOKEN, Desk

RUSTFS = "storage: {}"
S3 = "storage: {provider: S3}"
ACCOUNT = "storage: {provider: STORAGE_ACCOUNT, endpoint_url: 'https://acme.blob.core.windows.net'}"
KEYS = {"RUSTFS_ACCESS_KEY": "the-access-key", "RUSTFS_SECRET_KEY": "the-secret-key"}


def test_under_rustfs_an_absent_variable_is_rustfsadmin(desk: Desk) -> None:
    credentials = desk.context(RUSTFS).credentials
    assert credentials.access_key == credentials.secret_key == Secret("rustfsadmin")
    assert credentials.source == "the core's default rustfsadmin"


def test_under_rustfs_a_variable_wins_and_says_so(desk: Desk) -> None:
    credentials = desk.context(RUSTFS, {**TOKEN, **KEYS}).credentials
    assert credentials.secret_key == Secret("the-secret-key")
    assert credentials.source == "env RUSTFS_ACCESS_KEY, env RUSTFS_SECRET_KEY"


def test_under_rustfs_each_variable_falls_back_on_its_own(desk: Desk) -> None:
    credentials = desk.context(RUSTFS, {"RUSTFS_ACCESS_KEY": "mine"}).credentials
    assert (credentials.access_key, credentials.secret_key) == (Secret("mine"), Secret("rustfsadmin"))
    assert credentials.source == "env RUSTFS_ACCESS_KEY, the core's default rustfsadmin"


def test_under_rustfs_blank_stays_blank_and_is_warned_about(desk: Desk) -> None:
    config = desk.load(RUSTFS, {**TOKEN, "RUSTFS_ACCESS_KEY": "", "RUSTFS_SECRET_KEY": ""})
    credentials = config.context().credentials
    assert credentials.access_key == Secret("")
    assert not credentials.static_keys
    assert credentials.source == "the SDK's credential chain"
    assert "are blank" in config.warnings[0]


def test_half_a_key_pair_is_none_and_is_warned_about(desk: Desk) -> None:
    config = desk.load(RUSTFS, {**TOKEN, "RUSTFS_SECRET_KEY": ""})
    assert not config.context().credentials.static_keys
    assert "RUSTFS_SECRET_KEY is not set while its other half is" in config.warnings[0]


def test_under_s3_without_variables_the_sdk_finds_its_own(desk: Desk) -> None:
    config = desk.load(S3)
    credentials = config.context().credentials
    assert (credentials.access_key, credentials.secret_key) == (None, None)
    assert credentials.source == "the SDK's credential chain"
    assert config.warnings == ()


def test_under_s3_a_leftover_rustfsadmin_is_warned_about(desk: Desk) -> None:
    config = desk.load(S3, {**TOKEN, "RUSTFS_ACCESS_KEY": "rustfsadmin", "RUSTFS_SECRET_KEY": "rustfsadmin"})
    assert "InvalidAccessKeyId" in config.warnings[0]


def test_under_s3_variables_somebody_chose_and_nobody_set_are_warned_about(desk: Desk) -> None:
    (warning,) = desk.load("storage: {provider: S3, access_key_env: MY_ACCESS, secret_key_env: MY_SECRET}").warnings
    assert "MY_ACCESS and MY_SECRET are named for static keys and are not set" in warning


def test_a_storage_account_takes_its_key_from_the_variable(desk: Desk) -> None:
    config = desk.load(ACCOUNT, {**TOKEN, "STORAGE_ACCOUNT_KEY": "a2V5"})
    assert config.context().credentials.account_key == Secret("a2V5")
    assert config.context().credentials.source == "env STORAGE_ACCOUNT_KEY"
    assert config.warnings == ()


def test_a_storage_account_without_its_key_is_a_warning_in_the_cores_words(desk: Desk) -> None:
    config = desk.load(ACCOUNT)
    assert config.warnings == ("context default: storage.provider STORAGE_ACCOUNT requires env var STORAGE_ACCOUNT_KEY.",)
    assert config.context().credentials.account_key is None
    blank = desk.context(ACCOUNT, {**TOKEN, "STORAGE_ACCOUNT_KEY": ""}).credentials
    assert (blank.account_key, blank.source) == (Secret(""), "none: STORAGE_ACCOUNT_KEY is blank")


def test_a_sas_stands_in_for_a_key_that_is_not_there_and_never_for_one_that_is(desk: Desk) -> None:
    sas = {"STORAGE_ACCOUNT_SAS": "sv=1&sig=c2lnbmF0dXJl"}
    config = desk.load(ACCOUNT, {**TOKEN, **sas, "STORAGE_ACCOUNT_KEY": ""})
    found = config.context().credentials
    assert (found.sas, bool(found.account_key), found.source) == (
        Secret(sas["STORAGE_ACCOUNT_SAS"]),
        False,
        "env STORAGE_ACCOUNT_SAS",
    )
    assert config.warnings == ()
    both = desk.context(ACCOUNT, {**TOKEN, **sas, "STORAGE_ACCOUNT_KEY": "a2V5"}).credentials
    assert (both.account_key, both.sas) == (Secret("a2V5"), None)


def test_the_variable_of_the_sas_is_the_contexts_own_and_entra_id_comes_last(desk: Desk) -> None:
    text = f"console: {{contexts: [{{name: a, {ACCOUNT}, azure: {{sas_env: MY_SAS, entra_id: true}}}}]}}"
    given = desk.context(text, {**TOKEN, "MY_SAS": "sv=1&sig=x"}).credentials
    assert (given.sas, given.entra, given.source) == (Secret("sv=1&sig=x"), False, "env MY_SAS")
    config = desk.load(text)
    identity = config.context().credentials
    assert (identity.sas, identity.entra, identity.source) == (None, True, "Entra ID")
    assert config.warnings == ()


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("sv=2022-11-02&sp=rl&sig=c2VjcmV0c2VjcmV0", "holds a SAS"),
        ("DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=c2VjcmV0c2VjcmV0", "holds a connection string"),
    ],
)
def test_what_is_no_key_in_the_keys_variable_is_told_by_its_form(desk: Desk, value: str, word: str) -> None:
    config = desk.load(ACCOUNT, {**TOKEN, "STORAGE_ACCOUNT_KEY": value})
    (warning,) = config.warnings
    assert f"STORAGE_ACCOUNT_KEY {word}" in warning
    assert "c2VjcmV0" not in warning + repr(config)


def test_a_sas_is_never_what_an_override_would_hold(desk: Desk) -> None:
    context = desk.context(ACCOUNT, {**TOKEN, "STORAGE_ACCOUNT_KEY": "sv=1&sp=r&sig=c2lnbmF0dXJl"})
    assert context.credentials.account_key is None
    assert context.credentials.sas is not None


@pytest.mark.parametrize("azure", ["{sas_env: 'sv=1&sig=c2VjcmV0'}", "{entra_id: perhaps}", "{sas: x}", "3"])
def test_a_fault_in_the_azure_section_is_told_and_a_secret_there_never_shown(desk: Desk, azure: str) -> None:
    fault = desk.fault(f"console:\n  contexts:\n  - name: a\n    {ACCOUNT}\n    azure: {azure}\n")
    assert "azure" in (fault.key or "")
    assert "c2VjcmV0" not in str(fault)


def test_an_absent_token_is_none_and_a_warning_in_the_cores_words(desk: Desk) -> None:
    config = desk.load(RUSTFS, {})
    assert config.context().token is None
    (warning,) = config.warnings
    assert "Services the core calls have no bearer token in the environment: services.iac → $KUMOSS_IAC_TOKEN" in warning


def test_a_blank_token_is_an_empty_secret_and_a_warning(desk: Desk) -> None:
    config = desk.load(RUSTFS, {"KUMOSS_IAC_TOKEN": ""})
    assert config.context().token == Secret("")
    assert len(config.warnings) == 1


def test_a_token_that_ends_in_a_line_break_is_kept_and_warned_about(desk: Desk) -> None:
    config = desk.load(RUSTFS, {"KUMOSS_IAC_TOKEN": "abc\n"})
    assert config.context().token == Secret("abc\n")
    assert "line break" in config.warnings[0]
    assert "abc" not in config.warnings[0]


def test_the_token_comes_from_the_variable_the_context_names(desk: Desk) -> None:
    text = "services: {iac: {token_env: OTHER_TOKEN}}"
    assert desk.context(text, {"OTHER_TOKEN": "t"}).token == Secret("t")


def test_a_key_id_in_place_of_a_variable_name_is_not_shown(desk: Desk) -> None:
    config = desk.load("storage: {provider: S3, access_key_env: AKIAIOSFODNN7EXAMPLE, secret_key_env: wJalrXUtnFEMIK7MDENG}")
    text = "\n".join(config.warnings) + config.context().credentials.source
    assert "the variable named by storage.access_key_env" in text
    assert "AKIA" not in text
    assert "wJalr" not in text


def test_no_secret_is_in_what_a_loaded_configuration_prints(desk: Desk) -> None:
    environ = {**KEYS, "KUMOSS_IAC_TOKEN": "the-token", "STORAGE_ACCOUNT_KEY": "the-account-key"}
    for text in (RUSTFS, S3, ACCOUNT):
        shown = repr(desk.load(text, environ))
        assert not any(value in shown for value in environ.values())
