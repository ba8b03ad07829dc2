"""The core's own keys, each by the core's rule."""

from __future__ import annotations

import pytest

from kumoss_console.model.storage import StorageProvider
from tests.config.conftest import TOKEN, Desk


@pytest.mark.parametrize(
    ("spelling", "provider"),
    [
        ("RUSTFS", StorageProvider.RUSTFS),
        ("rustfs", StorageProvider.RUSTFS),
        ("S3", StorageProvider.S3),
        ("s3", StorageProvider.S3),
    ],
)
def test_a_provider_is_spelt_by_name_or_by_value(desk: Desk, spelling: str, provider: StorageProvider) -> None:
    assert desk.context(f"storage: {{provider: {spelling}}}").storage.provider is provider


@pytest.mark.parametrize("spelling", ["STORAGE_ACCOUNT", "storage_account"])
def test_a_storage_account_is_spelt_either_way_too(desk: Desk, spelling: str) -> None:
    text = f"storage: {{provider: {spelling}, endpoint_url: 'https://acme.blob.core.windows.net'}}"
    assert desk.context(text).storage.account_name == "acme"


@pytest.mark.parametrize("spelling", ["Rustfs", "MINIO", "' S3'", "3", "true", "[S3]"])
def test_any_other_provider_is_refused_with_the_six_spellings(desk: Desk, spelling: str) -> None:
    fault = desk.fault(f"storage: {{provider: {spelling}}}")
    assert fault.key == "storage.provider"
    assert "RUSTFS, S3, STORAGE_ACCOUNT, rustfs, s3, storage_account" in fault.detail


def test_a_missing_bucket_key_is_managed_state_on(desk: Desk) -> None:
    assert desk.context("storage: {}").storage.managed


@pytest.mark.parametrize("blank", ['""', "'   '", '"\\n"'])
def test_a_blank_bucket_is_managed_state_off(desk: Desk, blank: str) -> None:
    assert not desk.context(f"storage: {{terraform_state_bucket: {blank}}}").storage.managed


def test_a_bucket_name_is_trimmed(desk: Desk) -> None:
    assert desk.context("storage: {terraform_state_bucket: ' b '}").storage.terraform_state_bucket == "b"


@pytest.mark.parametrize("null", ["", "~", "null"])
def test_a_null_bucket_is_an_error_that_says_how_to_mean_off_and_on(desk: Desk, null: str) -> None:
    fault = desk.fault(f"storage:\n  terraform_state_bucket: {null}\n")
    assert fault.line == 2
    assert fault.title.endswith("storage.terraform_state_bucket: found nothing (null)")
    assert '""' in fault.hint
    assert "remove the line" in fault.hint


@pytest.mark.parametrize("section", ["storage:", "services:", "paths:", "services: {iac: }"])
def test_a_null_section_is_an_error(desk: Desk, section: str) -> None:
    assert "found nothing (null)" in desk.fault(section).title


@pytest.mark.parametrize("key", ["storage.terraform_state_filename", "paths.session_plan_filename"])
@pytest.mark.parametrize("name", ["a/b", "", "x" * 129, "a b", "é", "state\\n"])
def test_a_file_name_is_a_single_plain_segment(desk: Desk, key: str, name: str) -> None:
    section, field = key.split(".")
    assert desk.fault(f'{section}: {{{field}: "{name}"}}').key == key


def test_a_file_name_with_a_trailing_newline_is_told_why_it_is_refused(desk: Desk) -> None:
    assert desk.fault('storage: {terraform_state_filename: "terraform.tfstate\\n"}').hint == "it ends in a line break"


def test_a_plain_file_name_is_taken(desk: Desk) -> None:
    assert (
        desk.context("storage: {terraform_state_filename: my-state_1.json}").storage.terraform_state_filename == "my-state_1.json"
    )


@pytest.mark.parametrize(
    "name", ["backend.tf", "override.tf", "_override.tf", "x_override.tf.json", "x_override.tf\\n", "a/x_override.tf"]
)
def test_an_override_file_name_must_be_one_the_engine_merges(desk: Desk, name: str) -> None:
    fault = desk.fault(f'paths: {{backend_override_filename: "{name}"}}')
    assert fault.key == "paths.backend_override_filename"
    assert "_override.tf" in fault.detail


def test_an_override_file_name_of_ones_own_is_taken(desk: Desk) -> None:
    assert desk.context("paths: {backend_override_filename: zz_override.tf}").paths.backend_override_filename == "zz_override.tf"


@pytest.mark.parametrize("value", ["108000", "604800", "172800.0", "'172800'"])
def test_link_lifetimes_from_30_hours_to_7_days_are_taken(desk: Desk, value: str) -> None:
    seconds = desk.context(f"storage: {{presign_expiry_seconds: {value}}}").storage.presign_expiry_seconds
    assert isinstance(seconds, int)


@pytest.mark.parametrize("value", ["107999", "604801", "172800.5", "true", "soon", "1_0_0_0_0_0_0_0_0", "-1"])
def test_other_link_lifetimes_are_refused(desk: Desk, value: str) -> None:
    assert "108000 to 604800" in desk.fault(f"storage: {{presign_expiry_seconds: {value}}}").detail


@pytest.mark.parametrize(
    "key",
    [
        "storage.connect_timeout",
        "storage.read_timeout",
        "services.iac.timeout",
        "services.iac.job_poll_interval",
        "services.iac.job_timeout",
    ],
)
@pytest.mark.parametrize("value", ["0", "-1", ".inf", ".nan", "true", "fast", "", "9" * 400, "2024-01-01"])
def test_a_timeout_is_a_positive_finite_number(desk: Desk, key: str, value: str) -> None:
    *sections, field = key.split(".")
    text = "".join(f"{'  ' * depth}{section}:\n" for depth, section in enumerate(sections))
    assert desk.fault(f"{text}{'  ' * len(sections)}{field}: {value}\n").key == key


def test_a_number_in_quotes_is_a_number_in_the_cores_file_as_it_is_for_the_core(desk: Desk) -> None:
    context = desk.context("storage: {read_timeout: ' 12.5 ', max_attempts: '4'}\nservices: {iac: {timeout: '1e1'}}")
    assert context.storage.read_timeout == 12.5
    assert context.storage.max_attempts == 4
    assert context.iac.timeout == 10.0


def test_a_number_where_text_belongs_is_told_to_be_quoted(desk: Desk) -> None:
    fault = desk.fault("storage: {terraform_state_bucket: 2024}")
    assert fault.title.endswith("found the number 2024")
    assert "quotes" in fault.hint


def test_an_empty_sidecar_endpoint_is_refused_with_the_cores_reason(desk: Desk) -> None:
    fault = desk.fault("services: {iac: {endpoint: ''}}")
    assert "the IaC service is mandatory" in fault.hint


@pytest.mark.parametrize("key", ["services.iac.endpoint", "storage.endpoint_url"])
@pytest.mark.parametrize(
    "url",
    [
        "iac:8082",
        "ftp://iac",
        "http://",
        "http://:80",
        "http://a:99999",
        "http://a:0",
        "http://[::1",
        "http://a b",
        "http://a?x=1",
        "http://a#f",
    ],
)
def test_an_endpoint_no_request_can_be_sent_to_is_refused(desk: Desk, key: str, url: str) -> None:
    *sections, field = key.split(".")
    text = f"{{{field}: '{url}'}}"
    for section in reversed(sections[1:]):
        text = f"{{{section}: {text}}}"
    fault = desk.fault(f"{sections[0]}: {text}")
    assert fault.key == key
    assert fault.hint


def test_an_endpoint_without_scheme_is_shown_with_one(desk: Desk) -> None:
    assert "http://iac:8082" in desk.fault("services: {iac: {endpoint: 'iac:8082'}}").hint


def test_a_password_in_an_endpoint_is_refused_and_not_shown(desk: Desk) -> None:
    fault = desk.fault("services: {iac: {endpoint: 'https://user:hunter22@iac'}}")
    assert "hunter22" not in str(fault)
    assert "user name" in fault.hint


def test_s3_ignores_the_endpoint(desk: Desk) -> None:
    assert desk.context("storage: {provider: S3, endpoint_url: ''}").storage.endpoint_url == ""


@pytest.mark.parametrize(
    ("endpoint", "account"),
    [
        ("https://acme.blob.core.windows.net", "acme"),
        ("https://acme.blob.core.chinacloudapi.cn/", "acme"),
        ("http://127.0.0.1:10000/devstoreaccount1", "devstoreaccount1"),
    ],
)
def test_the_account_is_derived_from_the_endpoint(desk: Desk, endpoint: str, account: str) -> None:
    assert desk.context(f"storage: {{provider: STORAGE_ACCOUNT, endpoint_url: '{endpoint}'}}").storage.account_name == account


@pytest.mark.parametrize("endpoint", ["https://acme.example.com", "http://host/a/b", "https://blob.core.windows.net"])
def test_an_endpoint_that_names_no_account_is_refused_in_the_cores_words(desk: Desk, endpoint: str) -> None:
    fault = desk.fault(f"storage:\n  provider: STORAGE_ACCOUNT\n  endpoint_url: {endpoint}\n")
    assert (fault.line, fault.key) == (3, "storage.endpoint_url")
    assert "storage.endpoint_url must be an account blob endpoint" in fault.hint
    assert f"cannot derive an account name from '{endpoint}'." in fault.hint


def test_a_storage_account_without_endpoint_is_refused_at_the_provider(desk: Desk) -> None:
    fault = desk.fault("storage:\n  region: x\n  provider: STORAGE_ACCOUNT\n")
    assert fault.line == 3
    assert "endpoint_url is not set" in fault.title


def test_a_signature_in_an_endpoint_is_not_shown(desk: Desk) -> None:
    url = "https://acme.blob.core.windows.net/?sv=1&sig=c2VjcmV0c2VjcmV0"
    assert "c2VjcmV0c2VjcmV0" not in str(desk.fault(f"storage: {{provider: STORAGE_ACCOUNT, endpoint_url: '{url}'}}"))


@pytest.mark.parametrize("key", ["access_key_env", "secret_key_env", "account_key_env"])
def test_what_is_no_variable_name_may_be_the_secret_and_is_never_shown(desk: Desk, key: str) -> None:
    fault = desk.fault(f"storage: {{{key}: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCY'}}")
    assert "wJalr" not in str(fault)
    assert "the name of an environment variable" in fault.detail


def test_sections_and_keys_of_the_core_that_are_not_used_are_left_alone(desk: Desk) -> None:
    text = """
        environment: production
        llm: {model: a, model: b, temperature: [!custom x, 2024-99-99]}
        ? [a, b]
        : 1
        orchestration:
        services: {notifications: {enabled: yes}, iac: {enabled: true, retries_of_a_newer_core: 3}}
        paths: {upload_folder: /elsewhere}
        storage: {lifecycle_of_a_newer_core: {a: 1}}
        git: !!python/object:os.system {}
        """
    assert desk.load(text).warnings == ()


def test_a_slip_in_a_key_of_the_core_is_a_warning_since_the_core_ignores_it(desk: Desk) -> None:
    (warning,) = desk.load("storage:\n  terraform_state_bukcet: x\n").warnings
    assert "config.yaml:2: storage.terraform_state_bukcet" in warning
    assert "did you mean terraform_state_bucket?" in warning


def test_a_secret_in_the_cores_file_is_a_warning_without_its_value(desk: Desk) -> None:
    (warning,) = desk.load("storage: {secret_key: hunter22}").warnings
    assert "secret_key_env" in warning
    assert "hunter22" not in warning


def test_a_key_written_twice_is_an_error_that_names_both_lines(desk: Desk) -> None:
    fault = desk.fault("storage:\n  region: a\n  bucket: b\n  region: c\n")
    assert (fault.line, fault.key) == (4, "storage.region")
    assert "on line 2 and on line 4" in fault.title
    assert "the core would take the last one" in fault.hint


def test_a_section_written_twice_is_an_error(desk: Desk) -> None:
    assert desk.fault("storage: {}\nllm: {}\nstorage: {}\n").line == 3


def test_merge_keys_are_followed_as_the_core_follows_them(desk: Desk) -> None:
    text = """
        x-base: &base {region: eu-west-1, bucket: artifacts}
        x-more: &more {region: us-west-2, terraform_state_bucket: more}
        storage:
          <<: [*base, *more]
          bucket: own
        """
    storage = desk.context(text).storage
    assert (storage.region, storage.bucket, storage.terraform_state_bucket) == ("eu-west-1", "own", "more")


def test_one_core_file_used_twice_is_complained_about_once(desk: Desk) -> None:
    desk.write("storage: {provider: X}", "core.yaml")
    fault = desk.fault("console: {contexts: [{name: a, config: core.yaml}, {name: b, config: core.yaml}]}")
    assert "also" not in fault.detail
    assert desk.load("console: {contexts: [{name: a}]}", TOKEN).default == "a"
