"""Which names of attributes hold a secret that nobody marked, against names of real providers: on both sides of the line."""

from __future__ import annotations

from typing import Any

import pytest

from kumoss_console.model.state import parse_state
from kumoss_console.model.state.secretnames import hidden_on, hides, reads_like_a_secret
from kumoss_console.model.state.sensitive import masked
from kumoss_console.model.state.veil import veil
from kumoss_console.text import MASK
from tests.model.plan_documents import diff_of
from tests.model.test_state import state

SECRET = {
    "plain": "password passwd pwd pass passphrase passcode psk dsn sas token secret bearer credentials private jwt pat",
    "of databases": ""
    " master_password administrator_login_password admin_password password_wo user_password db_pass dbpass PGPASSWORD"
    " MYSQL_PWD root_pwd password_data initial_password password1 password_2 snmp_auth_password temporary_password"
    " encrypted_password",
    "keys": ""
    " private_key private_key_pem private_key_openssh private_key_pem_pkcs8 access_key secret_key secret_access_key"
    " api_key apiKey x-api-key account_key shared_key client_key tls_key server_key ca_key certificate_key"
    " encryption_key signing_key jwt_signing_key unseal_key unseal_keys recovery_key recovery_keys master_key"
    " license_key auth_key bgp_auth_key authentication_key authorization_key service_key session_key hmac_key fernet_key"
    " symmetric_key key_material_base64 integration_key subscription_key app_key application_key admin_key write_key"
    " raw_key rsa_encrypted_key encryption_key_1",
    "azure": ""
    " primary_key secondary_key primary_shared_key secondary_shared_key primary_access_key primary_master_key"
    " primary_readonly_key secondary_readonly_key primary_connection_string secondary_connection_string"
    " connection_string connection_strings primary_blob_connection_string storage_account_access_key instrumentation_key"
    " kube_config kube_config_raw kube_admin_config kube_admin_config_raw sas_token sas_url primary_blob_sas"
    " shared_access_signature custom_data protected_settings default_function_key event_grid_extension_config_key"
    " webpubsub_extension_key dsc_primary_access_key query_keys APPINSIGHTS_INSTRUMENTATIONKEY"
    " AzureWebJobsStorage_ConnectionString SharedAccessKey primarySharedKey",
    "aws": ""
    " tunnel1_preshared_key tunnel2_preshared_key pre_shared_key preshared_key PreSharedKey"
    " customer_gateway_configuration ses_smtp_password_v4 auth_token authorization_token user_data user_data_base64"
    " secret_string secret_binary activation_code base_32_string_seed qr_code_png basic_auth_credentials oauth_token"
    " access_token client_secret AWS_SECRET_ACCESS_KEY sse_customer_key customer_key",
    "others": ""
    " kubeconfig kubeConfigRaw dockerconfigjson .dockerconfigjson docker_config_json secure_json_data webhook"
    " webhook_url slack_webhook_url sentry_dsn DATABASE_DSN connstr conn_str connectionString bind_credential"
    " shared_secret radius_secret client_token root_token id_token refresh_token csrf_token recovery_codes backup_codes"
    " wifi_psk sasl_jaas_config htpasswd credentials_json google_credentials ssh_private_key clientSecret dbPassword"
    " SASToken pgpass netrc keytab erlang_cookie http_auth",
}
NONE = {
    "where one lies": ""
    " secret_arn secret_arns credentials_arn domain_auth_secret_arn secret_id key_vault_secret_id client_secret_id"
    " access_key_id aws_access_key_id signing_key_id application_key_id secret_name secretName token_name"
    " SharedAccessKeyName secret_path private_key_path token_path secret_key_ref secret_ref secretKeyRef"
    " image_pull_secrets token_url token_uri secret_url secret_uri token_endpoint secret_store secrets_provider"
    " key_vault_secrets_provider credential_source",
    "how one is": ""
    " password_policy password_length minimum_password_length max_password_age password_history_size"
    " password_min_lowercase token_ttl token_max_ttl token_explicit_max_ttl token_policies token_period token_type"
    " token_num_uses token_bound_cidrs access_token_validity token_validity_units access_token_lifespan"
    " temporary_password_validity_days password_version password_wo_version secret_version private_key_type"
    " private_key_algorithm private_key_fingerprint credential_type sas_policy shared_access_key_enabled"
    " password_authentication_enabled auth_token_enabled auth_token_update_strategy secret_rotation_enabled"
    " secret_rotation_interval secret_status token_expiration client_secret_expires_at password_expiry"
    " secret_permissions password_reuse_prevention http_tokens max_tokens credentials_last_updated password_created_at"
    " id_token_signed_response_alg webhook_id",
    "another thing": ""
    " public_key public_key_pem public_key_openssh key_name key_id kms_key_id kms_key_arn kms_key_name ssh_keys"
    " partition_key hash_key range_key sort_key object_key foreign_key tag_key key_vault_id key_usage key_ring"
    " replica_key bypass compass passthrough pass_through passwordless path user username author authorization"
    " authentication certificate description endpoint secretary sasquatch private_ip private_dns_name privately"
    " tokenizer dns_name bearing",
}


def names(table: dict[str, str]) -> list[str]:
    return [name for line in table.values() for name in line.split()]


@pytest.mark.parametrize("name", names(SECRET))
def test_a_name_that_holds_a_secret_is_known(name: str) -> None:
    assert reads_like_a_secret(name)
    assert veil({"attributes": {name: "hunter2-x"}}) == {"attributes": {name: MASK}}
    assert masked({name: "hunter2-x"}) == {name: MASK}
    leaf = diff_of({name: "hunter2-x"}, {name: "hunter2-y"}).leaves[0]
    assert "hunter2" not in f"{leaf.before}{leaf.after}"


@pytest.mark.parametrize("name", names(NONE))
def test_a_name_that_tells_about_a_secret_or_of_another_thing_is_left_alone(name: str) -> None:
    assert not reads_like_a_secret(name)
    assert veil({"attributes": {name: "shown-x"}}) == {"attributes": {name: "shown-x"}}
    assert masked({name: "shown-x"}) == {name: "shown-x"}
    leaf = diff_of({name: "shown-x"}, {name: "shown-y"}).leaves[0]
    assert (leaf.before and leaf.before.text) == '"shown-x"'


def test_no_name_is_on_both_sides() -> None:
    assert not set(names(SECRET)) & set(names(NONE))


@pytest.mark.parametrize(
    "value",
    [
        "arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab",
        "arn:aws-cn:secretsmanager:cn-north-1:123456789012:secret:db-AbCdEf",
        "https://kv-1.vault.azure.net/secrets/db-password/0123456789abcdef0123456789abcdef",
        "projects/p/locations/eu/keyRings/r/cryptoKeys/k",
        "projects/p/secrets/db/versions/latest",
        "ocid1.vaultsecret.oc1.eu-frankfurt-1.amaaaaaa",
        "@Microsoft.KeyVault(SecretUri=https://kv.vault.azure.net/secrets/x/)",
        "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/r/providers/Microsoft.KeyVault/vaults/v",
        True,
        "true",
        "required",
        "",
        None,
        [],
    ],
)
def test_a_value_that_says_where_a_secret_lies_or_is_a_switch_is_shown_under_any_name(value: Any) -> None:
    for name in ("encryption_key", "password", "secret"):
        assert not hides(name, value)
        assert veil({"attributes": {name: value}}) == {"attributes": {name: value}}
        assert masked({name: value}) == {name: value}


@pytest.mark.parametrize(
    "value",
    ["1234abcd-12ab-34cd-56ef-1234567890ab", "alias/mine", "arn:aws:hunter2", "projects/x", 4711, "arn:aws:kms:e:1:k y", ["a"]],
)
def test_what_only_looks_like_such_a_value_stays_hidden(value: Any) -> None:
    assert veil({"attributes": {"encryption_key": value}}) == {"attributes": {"encryption_key": MASK}}


BLOCKS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "master_user_secret",
        {"kms_key_id": "1234", "secret_arn": "arn:aws:x", "secret_status": "active"},
        {"kms_key_id": "1234", "secret_arn": "arn:aws:x", "secret_status": "active"},
    ),
    ("secret", {"name": "db", "value": "hunter2"}, {"name": "db", "value": MASK}),
    ("query_keys", {"name": "q", "key": "hunter2"}, {"name": "q", "key": MASK}),
    ("disk_encryption_key", {"raw_key": "hunter2", "kms_key_id": "k"}, {"raw_key": MASK, "kms_key_id": "k"}),
    (
        "kube_config",
        {"host": "hunter2", "password": "hunter2", "data": {"x": "hunter2"}},
        {"host": MASK, "password": MASK, "data": MASK},
    ),
]


@pytest.mark.parametrize(("name", "block", "shown"), BLOCKS, ids=[name for name, _, _ in BLOCKS])
def test_of_a_block_with_such_a_name_only_what_tells_about_it_is_shown(
    name: str, block: dict[str, Any], shown: dict[str, Any]
) -> None:
    assert veil({"attributes": {name: [block]}}) == {"attributes": {name: [shown]}}
    assert masked({name: [block]}) == {name: [shown]}
    for member, value in shown.items():
        assert hidden_on((name, 0, member)) is (value == MASK)
    output = parse_state(state(outputs={name: {"value": [block], "type": "dynamic"}})).outputs[0]
    assert "hunter2" not in output.value


def test_a_map_with_such_a_name_is_hidden_whole_whatever_its_keys_are_called() -> None:
    assert veil({"attributes": {"secrets": {"db_name": "hunter2"}}}) == {"attributes": {"secrets": MASK}}
    assert masked({"secrets": {"db_name": "hunter2"}}) == {"secrets": MASK}
    assert hidden_on(("secrets", "db_name"))


@pytest.mark.parametrize(
    "text",
    [
        "https://hooks.slack.com/services/T00/B00/hunter2",
        "https://acme.webhook.office.com/webhookb2/hunter2@x/IncomingWebhook/y",
        "https://discord.com/api/webhooks/1/hunter2",
        "psk=hunter2;x",
        "export SIGNING_KEY=hunter2",
        "encryption_key: hunter2",
    ],
)
def test_a_secret_in_a_text_is_known_by_its_form(text: str) -> None:
    assert "hunter2" not in str(masked(text))
    assert "hunter2" not in str(veil({"note": text}))
