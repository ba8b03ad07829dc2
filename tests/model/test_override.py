from __future__ import annotations

import io
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import hcl2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumoss_console.errors import InputError
from kumoss_console.model.finding import Severity
from kumoss_console.model.override import Override, render
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.text import MASK, Secret

FIXTURES = Path(__file__).parent / "fixtures"
KEY = "cca8550712f0e65e5c95dc347a919f335222fbb6b9c0ad4966dab38ed9a8a609/terraform.tfstate"
RUSTFS = StorageSettings()
RUSTFS_KEYS = StorageCredentials(access_key=Secret("rustfsadmin"), secret_key=Secret("rustfsadmin"))
S3 = StorageSettings(provider=StorageProvider.S3, terraform_state_bucket="acme-kumoss-tfstate", region="eu-west-1")
S3_KEYS = StorageCredentials(access_key=Secret("AKIAEXAMPLE"), secret_key=Secret("example/secret+key=="))
ACCOUNT = StorageSettings(provider=StorageProvider.STORAGE_ACCOUNT, endpoint_url="https://acmekumoss.blob.core.windows.net")
ACCOUNT_KEY = StorageCredentials(account_key=Secret("azure-shared-key=="))

SHAPES = [
    pytest.param(RUSTFS, RUSTFS_KEYS, "override_rustfs.tf", id="rustfs"),
    pytest.param(RUSTFS, StorageCredentials(), "override_rustfs_without_keys.tf", id="rustfs-without-keys"),
    pytest.param(S3, S3_KEYS, "override_s3_with_keys.tf", id="s3-with-keys"),
    pytest.param(S3, StorageCredentials(), "override_s3.tf", id="s3"),
    pytest.param(ACCOUNT, ACCOUNT_KEY, "override_storage_account.tf", id="storage-account"),
]


def golden(name: str) -> str:
    return (FIXTURES / name).read_bytes().decode()


def codes(override: Override) -> set[tuple[str, Severity]]:
    return {(finding.code, finding.severity) for finding in override.findings}


def backend(text: str) -> tuple[str, dict[str, Any]]:
    """The backend's type and attributes as python-hcl2 reads them, without quotes and block marks."""

    def plain(value: object) -> object:
        if isinstance(value, dict):
            return {plain(name): plain(inner) for name, inner in value.items() if not str(name).startswith("__")}
        return value.strip('"') if isinstance(value, str) else value

    (block,) = hcl2.load(io.StringIO(text))["terraform"]
    ((kind, body),) = block["backend"][0].items()
    attributes = plain(body)
    assert isinstance(attributes, dict)
    return kind.strip('"'), attributes


@pytest.mark.parametrize(("storage", "credentials", "name"), SHAPES)
def test_the_override_is_the_cores_byte_for_byte(storage: StorageSettings, credentials: StorageCredentials, name: str) -> None:
    override = render(storage, credentials, KEY)
    assert override.filename == "backend_override.tf"
    assert override.content.reveal() == golden(name)


@pytest.mark.parametrize(("storage", "credentials", "name"), SHAPES)
def test_the_masked_text_differs_in_the_secrets_only(
    storage: StorageSettings, credentials: StorageCredentials, name: str
) -> None:
    expected = golden(name)
    for secret in (credentials.access_key, credentials.secret_key, credentials.account_key):
        expected = expected.replace(f'"{secret.reveal()}"', f'"{MASK}"') if secret else expected
    override = render(storage, credentials, KEY)
    assert override.masked == expected
    assert "secret+key" not in repr(override)


def test_a_secret_that_is_also_a_word_of_the_file_masks_nothing_else() -> None:
    override = render(S3, StorageCredentials(access_key=Secret("s3"), secret_key=Secret("key")), KEY)
    assert override.masked == golden("override_s3_with_keys.tf").replace("AKIAEXAMPLE", MASK).replace(
        "example/secret+key==", MASK
    )


def test_the_account_of_the_emulator_is_the_path_of_its_endpoint() -> None:
    emulator = replace(ACCOUNT, endpoint_url="http://azurite:10000/devstoreaccount1")
    assert 'storage_account_name = "devstoreaccount1"' in render(emulator, ACCOUNT_KEY, KEY).masked


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('a"b', "a quote"),
        ("a\\b", "a backslash"),
        ("a\nb", "a line break"),
        ("a\rb", "a line break"),
        ("a\x00b", "a control character"),
        ("a\x9bb", "a control character"),
        ("${path.module}", r"\$\{"),
        ("$${x}", r"\$\{"),
        ("%{if true}", "%{"),
        ("a\udcff", "not UTF-8"),
        ("cafe\u0301", "decomposed"),
    ],
)
@pytest.mark.parametrize("setting", ["storage.terraform_state_bucket", "storage.region", "storage.endpoint_url", "the state key"])
def test_a_value_that_would_change_the_file_is_refused_by_name(setting: str, bad: str, reason: str) -> None:
    storage = {
        "storage.terraform_state_bucket": replace(RUSTFS, terraform_state_bucket=bad),
        "storage.region": replace(RUSTFS, region=bad),
        "storage.endpoint_url": replace(RUSTFS, endpoint_url=bad),
    }.get(setting, RUSTFS)
    with pytest.raises(InputError, match=rf"^{setting} holds .*{reason}"):
        render(storage, RUSTFS_KEYS, bad if setting == "the state key" else KEY)


@pytest.mark.parametrize("bad", ['s3cr3t"', "s3cr3t\n", "s3cr3t\\", "s3cr3t${", "s3cr3t%{"])
@pytest.mark.parametrize(
    ("storage", "name"), [(RUSTFS, "access_key"), (RUSTFS, "secret_key"), (S3, "secret_key"), (ACCOUNT, "account_key")]
)
def test_a_secret_that_would_change_the_file_is_refused_without_showing_it(storage: StorageSettings, name: str, bad: str) -> None:
    credentials = {
        "access_key": replace(RUSTFS_KEYS, access_key=Secret(bad)),
        "secret_key": replace(RUSTFS_KEYS, secret_key=Secret(bad)),
        "account_key": StorageCredentials(account_key=Secret(bad)),
    }[name]
    with pytest.raises(InputError, match=rf"variable [A-Z_]+{name.upper()} \(storage\.{name}_env\) holds") as caught:
        render(storage, credentials, KEY)
    assert "s3cr3t" not in str(caught.value)


def test_a_lone_dollar_or_percent_sign_is_harmless() -> None:
    assert 'region = "a$b%c"' in render(replace(S3, region="a$b%c"), StorageCredentials(), KEY).masked


@pytest.mark.parametrize("name", ["kumoss_override.tf", "a.b-c_override.tf", f"{'x' * 128}_override.tf"])
def test_a_name_that_the_core_takes_is_taken(name: str) -> None:
    assert render(RUSTFS, RUSTFS_KEYS, KEY, name).filename == name


@pytest.mark.parametrize(
    "name",
    [
        "backend.tf",
        "override.tf",
        "_override.tf",
        "x_override.tf.json",
        "a/b_override.tf",
        "x_override.tf\n",
        f"{'x' * 129}_override.tf",
    ],
)
def test_a_name_that_the_core_refuses_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"paths\.backend_override_filename"):
        render(RUSTFS, RUSTFS_KEYS, KEY, name)


@pytest.mark.parametrize("key", [None, Secret("")])
def test_a_storage_account_without_its_key_fails_as_the_core_does(key: Secret | None) -> None:
    with pytest.raises(InputError, match=r"^storage\.provider STORAGE_ACCOUNT requires env var AZURE_KEY\."):
        render(replace(ACCOUNT, account_key_env="AZURE_KEY"), StorageCredentials(account_key=key), KEY)


def test_an_endpoint_that_names_no_account_is_refused() -> None:
    with pytest.raises(InputError, match=r"^storage\.endpoint_url must be an account blob endpoint"):
        render(replace(ACCOUNT, endpoint_url="https://files.acme.example"), ACCOUNT_KEY, KEY)


def test_nothing_is_rendered_where_managed_state_is_off() -> None:
    with pytest.raises(InputError, match="managed state is off"):
        render(replace(RUSTFS, terraform_state_bucket=""), RUSTFS_KEYS, KEY)


@pytest.mark.parametrize(
    ("storage", "credentials", "expected"),
    [
        (RUSTFS, replace(RUSTFS_KEYS, access_key=Secret("ops"), secret_key=Secret("x" * 20)), set()),
        (RUSTFS, RUSTFS_KEYS, {("override.default_credentials", Severity.WARNING)}),
        (S3, RUSTFS_KEYS, {("override.default_credentials", Severity.ERROR)}),
        (S3, S3_KEYS, set()),
        (S3, StorageCredentials(), {("override.no_credentials", Severity.INFO)}),
        (
            RUSTFS,
            StorageCredentials(access_key=Secret(""), secret_key=Secret("")),
            {("override.no_credentials", Severity.WARNING)},
        ),
        (S3, StorageCredentials(access_key=Secret("AKIA")), {("override.half_credentials", Severity.WARNING)}),
        (replace(S3, region=" "), S3_KEYS, {("override.no_region", Severity.ERROR)}),
        (replace(RUSTFS, endpoint_url="store:9000"), S3_KEYS, {("override.bad_endpoint", Severity.ERROR)}),
        (replace(RUSTFS, endpoint_url="http://u:p@store"), S3_KEYS, {("override.credentials_in_endpoint", Severity.WARNING)}),
        (ACCOUNT, ACCOUNT_KEY, set()),
    ],
)
def test_what_init_would_stumble_over_is_found_before(
    storage: StorageSettings, credentials: StorageCredentials, expected: set[tuple[str, Severity]]
) -> None:
    assert codes(render(storage, credentials, KEY)) == expected


def test_an_override_that_the_engines_ignore_is_an_error() -> None:
    assert ("override.hidden_file", Severity.ERROR) in codes(render(S3, S3_KEYS, KEY, ".x_override.tf"))


def test_a_password_in_the_endpoint_is_masked() -> None:
    override = render(replace(RUSTFS, endpoint_url="http://ops:s3cr3t@store:9000"), S3_KEYS, KEY)
    assert f's3 = "http://{MASK}@store:9000"' in override.masked
    assert "s3cr3t" in override.content.reveal()


@pytest.mark.parametrize(("storage", "credentials", "name"), SHAPES)
def test_hcl_reads_back_what_was_put_in(storage: StorageSettings, credentials: StorageCredentials, name: str) -> None:
    kind, attributes = backend(render(storage, credentials, KEY).content.reveal())
    assert attributes["key"] == KEY
    if kind == "azurerm":
        assert (attributes["storage_account_name"], attributes["access_key"]) == ("acmekumoss", "azure-shared-key==")
        return
    assert (attributes["bucket"], attributes["region"]) == (storage.terraform_state_bucket, storage.region)
    assert ("secret_key" in attributes) == credentials.static_keys
    assert attributes["use_lockfile"] is True
    if storage.provider is StorageProvider.RUSTFS:
        assert attributes["endpoints"] == {"s3": storage.endpoint_url}


@settings(deadline=None, max_examples=60)
@given(st.text(st.sampled_from('aZ09-_./:+= $%{}#*"\\\n\té') | st.characters(), max_size=12))
def test_whatever_is_not_refused_is_one_string_in_hcl(text: str) -> None:
    try:
        override = render(replace(S3, region=text), StorageCredentials(), KEY)
    except InputError:
        return
    assert backend(override.content.reveal())[1]["region"] == text


@pytest.mark.stack
@pytest.mark.parametrize(("storage", "credentials", "name"), SHAPES)
def test_terraform_takes_the_override_over_a_block_of_the_repository(
    storage: StorageSettings, credentials: StorageCredentials, name: str, tmp_path: Path
) -> None:
    terraform = shutil.which("terraform") or shutil.which("tofu")
    if terraform is None:
        pytest.skip("neither terraform nor tofu is on PATH")
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "main.tf").write_text('terraform {\n  backend "local" {}\n}\nresource "terraform_data" "probe" {}\n')
    override = render(storage, credentials, KEY)
    (folder / override.filename).write_bytes(override.content.reveal().encode())
    rc = tmp_path / "rc"
    rc.touch()
    for argv in (("fmt", "-check", "-diff", override.filename), ("init", "-backend=false", "-input=false"), ("validate",)):
        done = subprocess.run(
            [terraform, *argv],
            cwd=folder,
            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TF_CLI_CONFIG_FILE": str(rc), "CHECKPOINT_DISABLE": "1"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
