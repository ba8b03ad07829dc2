from __future__ import annotations

import pytest

from kumoss_console.model.backend import Entry, Snapshot, parse_engine
from kumoss_console.model.finding import Severity
from kumoss_console.model.override import Override, render
from kumoss_console.model.override_proof import OverrideProof, prove
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.text import MASK, Secret
from tests.hostile import HOSTILE

KEYS = StorageCredentials(access_key=Secret("AKIAEXAMPLE"), secret_key=Secret("s3cr3t-key"), account_key=Secret("acc0unt=="))
KEY = f"{'a' * 64}/terraform.tfstate"
MAIN = """\
terraform {
  backend "s3" {
    bucket         = "team-states"
    key            = "envs/prod.tfstate"
    dynamodb_table = "tf-locks"
  }
}
"""
NAME = "backend_override.tf"
STORAGES = {
    "rustfs": StorageSettings(),
    "s3": StorageSettings(provider=StorageProvider.S3),
    "azure": StorageSettings(provider=StorageProvider.STORAGE_ACCOUNT, endpoint_url="https://acme.blob.core.windows.net"),
}


def override(storage: StorageSettings = STORAGES["rustfs"], credentials: StorageCredentials = KEYS) -> Override:
    return render(storage, credentials, KEY, NAME)


def proved(files: dict[str, str | bytes] | None = None, of: Override | None = None, engine: str = "tofu") -> OverrideProof:
    raw = {name: text.encode() if isinstance(text, str) else text for name, text in ({"main.tf": MAIN} | (files or {})).items()}
    entries = tuple(Entry(name=name, raw=raw[name]) for name in sorted(raw))
    return prove(of or override(), Snapshot(folder="/w", entries=entries), parse_engine(engine))


def codes(proof: OverrideProof) -> dict[str, Severity]:
    return {finding.code.removeprefix("override."): finding.severity for finding in proof.findings}


@pytest.mark.parametrize("engine", ["tofu", "terraform"])
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("credentials", [KEYS, StorageCredentials(account_key=Secret("x"))])
def test_what_the_core_writes_reads_back_as_what_was_meant(storage: str, credentials: StorageCredentials, engine: str) -> None:
    proof = proved(of=override(STORAGES[storage], credentials), engine=engine)
    assert proof.misread == ()
    assert proof.reads_back
    assert (proof.sorts_last, proof.wins, proof.override_files) == (True, True, (NAME,))


def test_what_the_repository_loses_is_named_with_its_place() -> None:
    proof = proved()
    assert [(shadow.name, shadow.value, shadow.origin.at) for shadow in proof.erased] == [
        ("dynamodb_table", "tf-locks", "main.tf:5")
    ]
    assert [(shadow.name, shadow.value) for shadow in proof.replaced] == [
        ("bucket", "team-states"),
        ("key", "envs/prod.tfstate"),
    ]
    assert codes(proof) == {"erases": Severity.WARNING}
    assert "dynamodb_table (main.tf:5)" in proof.findings[0].message


def test_a_later_override_file_beats_it_and_then_nothing_is_erased_by_it() -> None:
    proof = proved({"z_override.tf": 'terraform {\n  backend "local" {}\n}\n'})
    assert (proof.sorts_last, proof.wins, proof.beaten_by) == (False, False, "z_override.tf")
    assert (proof.erased, proof.replaced) == ((), ())
    assert codes(proof)["beaten"] is Severity.ERROR


def test_a_later_override_file_without_a_backend_does_it_no_harm() -> None:
    proof = proved({"z_override.tf": 'resource "terraform_data" "x" {}\n'})
    assert (proof.sorts_last, proof.wins) == (False, True)
    assert "beaten" not in codes(proof)


def test_a_tofu_file_of_the_same_stem_hides_it_from_opentofu_only() -> None:
    files: dict[str, str | bytes] = {"backend_override.tofu": 'terraform {\n  backend "local" {}\n}\n'}
    assert codes(proved(files))["not_read"] is Severity.ERROR
    assert "not_read" not in codes(proved(files, engine="terraform"))


def test_another_type_below_is_a_state_left_somewhere_else() -> None:
    assert "type_replaced" in codes(proved({"main.tf": 'terraform {\n  backend "azurerm" {}\n}\n'}))


def test_a_file_that_the_engine_refuses_stays_refused() -> None:
    assert "engine_refuses" in codes(proved({"x.tf": 'terraform {\n  backend "s3" {\n'}))


def test_the_same_file_on_disk_is_the_same_and_none_is_all_new() -> None:
    assert proved({NAME: override().content.reveal()}).disk.status == "same"
    absent = proved().disk
    assert absent.status == "absent"
    assert '+  backend "s3" {' in absent.diff
    assert "s3cr3t-key" not in absent.diff


def test_a_diff_shows_what_changed_and_no_secret_of_either_side() -> None:
    old = override(credentials=StorageCredentials(access_key=Secret("AKIAEXAMPLE"), secret_key=Secret("an-older-one")))
    disk = proved({NAME: old.content.reveal().replace(KEY, "old/terraform.tfstate")}).disk
    assert disk.status == "differs"
    assert '-    key    = "old/terraform.tfstate"' in disk.diff
    assert f'+    key    = "{KEY}"' in disk.diff
    assert disk.secrets == ("secret_key",)
    assert not any(secret in disk.diff for secret in ("an-older-one", "s3cr3t-key", "AKIAEXAMPLE"))


def test_a_secret_alone_that_changed_is_told_though_the_masks_look_the_same() -> None:
    old = override(credentials=StorageCredentials(access_key=Secret("AKIAEXAMPLE"), secret_key=Secret("an-older-one")))
    proof = proved({NAME: old.content.reveal()})
    assert (proof.disk.diff, proof.disk.secrets) == ("", ("secret_key",))
    assert any("secret_key differ" in finding.message for finding in proof.findings)


@pytest.mark.parametrize(
    "text",
    [
        'terraform {\n  backend "s3" {\n    secret_key = "sn\\u0065aky-sneaky"\n  }\n}\n',
        'terraform {\n  backend "s3" {\n    secret_key = <<-EOT\n      sneaky\n    EOT\n  }\n}\n',
        'terraform {\n  backend "s3" {\n    secret_key = "sneaky"\n',
        'terraform {\n  backend "s3" {\n    assume_role = { token = "sneaky" }\n  }\n}\n',
        '# secret_key = "sneaky"\nterraform {\n  backend "s3" {}\n}\n',
        "sneaky",
        'secret_key: "sneaky"',
        "-----BEGIN KEY-----\nsneaky==\n",
        'terraform {\n  backend "nonsense" {\n    password = "sneaky"\n  }\n}\n',
        '{"terraform": {"backend": {"s3": {"secret_key": "sneaky"}}}}',
    ],
)
def test_a_secret_in_any_other_file_that_lies_there_is_masked_too(text: str) -> None:
    disk = proved({NAME: text}).disk
    assert disk.status == "differs"
    assert "sneaky" not in disk.diff
    assert MASK in disk.diff


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_on_disk_cannot_reach_a_terminal(text: str) -> None:
    disk = proved({NAME: f'terraform {{\n  backend "s3" {{\n    bucket = "{text}"\n  }}\n}}\n'}).disk
    assert all(char == "\n" or char.isprintable() or char in "\u200d\ufe0f" for char in disk.diff)


def test_a_file_that_is_far_too_large_or_unreadable_is_not_compared() -> None:
    large = proved({NAME: b"#" * 100_000}).disk
    assert (large.status, large.diff) == ("differs", "")
    assert "too many" in large.reason
    snapshot = Snapshot(folder="/w", entries=(Entry(name=NAME, kind="special", error="a FIFO"),))
    proof = prove(override(), snapshot, parse_engine("tofu"))
    assert (proof.disk.status, proof.disk.reason) == ("unreadable", "a FIFO")
    assert "disk_unreadable" in codes(proof)
