"""The arguments of each backend type, per engine and version: data.

One line an argument: name, type, versions of Terraform and of OpenTofu that know it, the versions that call it deprecated,
and what to write instead. An empty column means every version, ``no`` none. Types and Terraform's columns are what
Terraform 1.11.4 answers when asked for each of them; OpenTofu's columns follow its documentation for 1.6 to 1.12. Where
neither says in which version an argument came, it is taken as known: a missing complaint is better than a wrong one.
An ``object`` is written with an equals sign, a ``block`` without; rows with a dot are their members, ``!`` marks a required one.
"""

from __future__ import annotations

S3 = """
bucket                                                | string
key                                                   | string
region                                                | string
access_key                                            | string
secret_key                                            | string
token                                                 | string
acl                                                   | string
allowed_account_ids                                   | set(string)
forbidden_account_ids                                 | set(string)
assume_role                                           | object
assume_role.role_arn                                  | string!
assume_role.duration                                  | string
assume_role.external_id                               | string
assume_role.policy                                    | string
assume_role.policy_arns                               | set(string)
assume_role.session_name                              | string
assume_role.source_identity                           | string
assume_role.tags                                      | map(string)
assume_role.transitive_tag_keys                       | set(string)
assume_role_with_web_identity                         | object
assume_role_with_web_identity.role_arn                | string
assume_role_with_web_identity.duration                | string
assume_role_with_web_identity.policy                  | string
assume_role_with_web_identity.policy_arns             | set(string)
assume_role_with_web_identity.session_name            | string
assume_role_with_web_identity.web_identity_token      | string
assume_role_with_web_identity.web_identity_token_file | string
custom_ca_bundle                                      | string
dynamodb_endpoint                                     | string      |        |        | >=1.6  |    | endpoints.dynamodb
dynamodb_table                                        | string      |        |        | >=1.11 | no | use_lockfile
ec2_metadata_service_endpoint                         | string
ec2_metadata_service_endpoint_mode                    | string
encrypt                                               | bool
endpoint                                              | string      |        |        | >=1.6  |    | endpoints.s3
endpoints                                             | object      | >=1.6
endpoints.dynamodb                                    | string
endpoints.iam                                         | string
endpoints.s3                                          | string
endpoints.sso                                         | string
endpoints.sts                                         | string
force_path_style                                      | bool        |        |        | >=1.6  |    | use_path_style
http_proxy                                            | string
https_proxy                                           | string
iam_endpoint                                          | string      |        |        | >=1.6  |    | endpoints.iam
insecure                                              | bool
kms_key_id                                            | string
max_retries                                           | number
no_proxy                                              | string
profile                                               | string
retry_mode                                            | string
shared_config_files                                   | set(string)
shared_credentials_file                               | string      |        |        | >=1.6  |    | shared_credentials_files
shared_credentials_files                              | set(string)
skip_credentials_validation                           | bool
skip_metadata_api_check                               | bool
skip_region_validation                                | bool
skip_requesting_account_id                            | bool        | >=1.6
skip_s3_checksum                                      | bool        | >=1.6
sse_customer_key                                      | string
sts_endpoint                                          | string      |        |        | >=1.6  |    | endpoints.sts
sts_region                                            | string
use_dualstack_endpoint                                | bool
use_fips_endpoint                                     | bool
use_legacy_workflow                                   | bool        | <1.8   | <1.8
use_lockfile                                          | bool        | >=1.10 | >=1.10
use_path_style                                        | bool        | >=1.6
workspace_key_prefix                                  | string
lock_tags                                             | map(string) | no     | >=1.10
state_tags                                            | map(string) | no     | >=1.10
role_arn                                              | string      | <1.10  |        | >=1.6  |    | assume_role.role_arn
session_name                                          | string      | <1.10  |        | >=1.6  |    | assume_role.session_name
external_id                                           | string      | <1.10  |        | >=1.6  |    | assume_role.external_id
assume_role_duration_seconds                          | number      | <1.10  |        | >=1.6  |    | assume_role.duration
assume_role_policy                                    | string      | <1.10  |        | >=1.6  |    | assume_role.policy
assume_role_policy_arns                               | set(string) | <1.10  |        | >=1.6  |    | assume_role.policy_arns
assume_role_tags                                      | map(string) | <1.10  |        | >=1.6  |    | assume_role.tags
assume_role_transitive_tag_keys | set(string) | <1.10 | | >=1.6 | | assume_role.transitive_tag_keys
"""

AZURERM = """
storage_account_name               | string
container_name                     | string
key                                | string
access_key                         | string
sas_token                          | string
snapshot                           | bool
environment                        | string
endpoint                           | string
metadata_host                      | string
resource_group_name                | string
subscription_id                    | string
tenant_id                          | string
client_id                          | string
client_id_file_path                | string | >=1.11 | >=1.11
client_secret                      | string
client_secret_file_path            | string | >=1.11 | >=1.11
client_certificate                 | string | >=1.11 | >=1.11
client_certificate_path            | string
client_certificate_password        | string
use_azuread_auth                   | bool
use_cli                            | bool   | >=1.11 | >=1.11
use_msi                            | bool
msi_endpoint                       | string
use_oidc                           | bool
oidc_request_url                   | string
oidc_request_token                 | string
oidc_token                         | string
oidc_token_file_path               | string
use_aks_workload_identity          | bool   | >=1.11 | >=1.11
ado_pipeline_service_connection_id | string | >=1.11 | >=1.11
lookup_blob_endpoint               | bool   | >=1.11 | no
timeout_seconds                    | number | no     | >=1.9
"""

GCS = """
bucket                                | string
prefix                                | string
credentials                           | string
access_token                          | string
impersonate_service_account           | string
impersonate_service_account_delegates | list(string)
encryption_key                        | string
kms_encryption_key                    | string
storage_custom_endpoint               | string
universe_domain                       | string       | no | >=1.10
"""

LOCAL = """
path          | string
workspace_dir | string
"""

INMEM = """
lock_id | string
"""

REMOTE = """
hostname          | string
organization      | string
token             | string
workspaces        | block
workspaces.name   | string
workspaces.prefix | string
"""

HTTP = """
address                   | string
update_method             | string
lock_address              | string
lock_method               | string
unlock_address            | string
unlock_method             | string
username                  | string
password                  | string
headers                   | map(string) | no | >=1.10
skip_cert_verification    | bool
retry_max                 | number
retry_wait_min            | number
retry_wait_max            | number
client_ca_certificate_pem | string
client_certificate_pem    | string
client_private_key_pem    | string
"""

CONSUL = """
path         | string
access_token | string
address      | string
scheme       | string
datacenter   | string
http_auth    | string
gzip         | bool
lock         | bool
ca_file      | string
cert_file    | string
key_file     | string
"""

PG = """
conn_str             | string
schema_name          | string
table_name           | string | no | >=1.10
index_name           | string | no | >=1.10
skip_schema_creation | bool
skip_table_creation  | bool
skip_index_creation  | bool
"""

KUBERNETES = """
secret_suffix            | string
labels                   | map(string)
namespace                | string
in_cluster_config        | bool
load_config_file         | bool
host                     | string
username                 | string
password                 | string
insecure                 | bool
client_certificate       | string
client_key               | string
cluster_ca_certificate   | string
config_paths             | list(string)
config_path              | string
config_context           | string
config_context_auth_info | string
config_context_cluster   | string
token                    | string
exec                     | block
exec.api_version         | string
exec.command             | string
exec.args                | list(string)
exec.env                 | map(string)
"""

COS = """
secret_id                    | string
secret_key                   | string
security_token               | string
region                       | string
bucket                       | string
prefix                       | string
key                          | string
encrypt                      | bool
acl                          | string
accelerate                   | bool
endpoint                     | string
domain                       | string
assume_role                  | block
assume_role.role_arn         | string
assume_role.session_name     | string
assume_role.session_duration | number
assume_role.policy           | any
assume_role.external_id      | string
shared_credentials_dir       | string
profile                      | string
cam_role_name                | string
"""

OSS = """
access_key                     | string
secret_key                     | string
security_token                 | string
ecs_role_name                  | string
region                         | string
sts_endpoint                   | string
tablestore_endpoint            | string
tablestore_instance_name       | string | no
tablestore_table               | string
endpoint                       | string
bucket                         | string
prefix                         | string
key                            | string
encrypt                        | bool
acl                            | string
shared_credentials_file        | string
profile                        | string
assume_role                    | block
assume_role.role_arn           | string
assume_role.session_name       | string
assume_role.policy             | string
assume_role.session_expiration | number
assume_role_role_arn           | string
assume_role_session_name       | string
assume_role_policy             | string
assume_role_session_expiration | number
"""

OCI = """
bucket                  | string
namespace               | string
key                     | string
region                  | string
workspace_key_prefix    | string
kms_key_id              | string
sse_customer_key        | string
sse_customer_key_sha256 | string
sse_customer_algorithm  | string
tenancy_ocid            | string
user_ocid               | string
fingerprint             | string
private_key             | string
private_key_path        | string
private_key_password    | string
auth                    | string
config_file_profile     | string
"""

CLOUD = """
hostname           | string
organization       | string
token              | string
workspaces         | block
workspaces.name    | string
workspaces.project | string
workspaces.tags    | any
"""

TABLES: dict[str, str] = {
    "s3": S3,
    "azurerm": AZURERM,
    "gcs": GCS,
    "local": LOCAL,
    "inmem": INMEM,
    "remote": REMOTE,
    "http": HTTP,
    "consul": CONSUL,
    "pg": PG,
    "kubernetes": KUBERNETES,
    "cos": COS,
    "oss": OSS,
    "oci": OCI,
    "cloud": CLOUD,
}

TYPES: dict[str, tuple[str, str]] = {"oci": (">=1.12", "no")}
"""Backend types that not every version has: versions of Terraform, versions of OpenTofu."""

REMOVED: dict[str, str] = {
    "azure": 'The "azure" backend name has been removed, please use "azurerm".',
    **{
        name: f'The "{name}" backend is not supported in {{engine}} v1.3 or later.'
        for name in ("artifactory", "etcd", "etcdv3", "manta", "swift")
    },
}

SECRETS = frozenset(
    {
        "access_key",
        "access_token",
        "client_certificate",
        "client_certificate_password",
        "client_key",
        "client_private_key_pem",
        "client_secret",
        "conn_str",
        "credentials",
        "encryption_key",
        "external_id",
        "http_auth",
        "oidc_request_token",
        "oidc_token",
        "password",
        "private_key",
        "private_key_password",
        "sas_token",
        "secret_id",
        "secret_key",
        "security_token",
        "sse_customer_key",
        "token",
        "web_identity_token",
    }
)
"""Arguments whose value is never shown, in any backend, at any depth."""
