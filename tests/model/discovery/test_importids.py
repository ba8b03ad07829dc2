from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.hcl import parse_file
from kumoss_console.model.hcl.evaluate import Evaluator, NoScope
from kumoss_console.model.hcl.file import read_expression
from kumoss_console.model.importdiff import Comparison, Listing, StateIds, compare, from_listing
from kumoss_console.model.importids.address import fault
from kumoss_console.model.importids.blocks import import_blocks, quoted, writable
from kumoss_console.model.importids.proposal import NOT_KNOWN, label, propose
from kumoss_console.model.importids.worksheet import Row, Written, worksheet
from kumoss_console.sidecar.engine import Engine
from tests.fakes.clouds import ACCOUNT, PROJECT, SUBSCRIPTION, aws_arns
from tests.hostile import HOSTILE
from tests.model.discovery.states import state, topics

AZURE, GCP, AWS = CloudProvider.AZURE, CloudProvider.GCP, CloudProvider.AWS
R = "eu-central-1"
SUB = f"/subscriptions/{SUBSCRIPTION}"


@pytest.mark.parametrize(
    ("arn", "type_", "import_id"),
    [
        ("arn:aws:s3:::acme-data", "aws_s3_bucket", "acme-data"),
        (f"arn:aws:iam::{ACCOUNT}:role/team/deploy", "aws_iam_role", "deploy"),
        (f"arn:aws:iam::{ACCOUNT}:policy/p", "aws_iam_policy", f"arn:aws:iam::{ACCOUNT}:policy/p"),
        (f"arn:aws:sqs:{R}:{ACCOUNT}:q", "aws_sqs_queue", f"https://sqs.{R}.amazonaws.com/{ACCOUNT}/q"),
        (f"arn:aws:lambda:{R}:{ACCOUNT}:function:f", "aws_lambda_function", "f"),
        (f"arn:aws:ecs:{R}:{ACCOUNT}:service/c/s", "aws_ecs_service", "c/s"),
        (f"arn:aws:eks:{R}:{ACCOUNT}:nodegroup/c/n/1-2", "aws_eks_node_group", "c:n"),
        (f"arn:aws:elasticloadbalancing:{R}:{ACCOUNT}:loadbalancer/classic", "aws_elb", "classic"),
        (f"arn:aws:logs:{R}:{ACCOUNT}:log-group:/aws/x", "aws_cloudwatch_log_group", "/aws/x"),
        (f"arn:aws:ssm:{R}:{ACCOUNT}:parameter/a/b", "aws_ssm_parameter", "/a/b"),
        (f"arn:aws:apigateway:{R}::/restapis/abc", "aws_api_gateway_rest_api", "abc"),
        (f"arn:aws:wafv2:{R}:{ACCOUNT}:regional/webacl/n/i", "aws_wafv2_web_acl", "i/n/REGIONAL"),
    ],
)
def test_an_arn_is_translated_into_what_the_import_of_its_type_takes(arn: str, type_: str, import_id: str) -> None:
    found = propose(AWS, arn)
    assert (found.type, found.import_id, found.certain) == (type_, import_id, True)


@pytest.mark.parametrize(
    "provider_and_id", [(AWS, f"arn:aws:newservice:{R}:{ACCOUNT}:thing/x"), (GCP, f"projects/{PROJECT}/odd/x")]
)
def test_what_no_table_knows_is_said_to_be_not_known(provider_and_id: tuple[CloudProvider, str]) -> None:
    found = propose(*provider_and_id)
    assert (found.type, found.import_id, found.address, found.note) == ("", None, "", NOT_KNOWN)


@pytest.mark.parametrize(
    ("provider", "identifier"),
    [
        (AWS, f"arn:aws:rds:{R}:{ACCOUNT}:cluster:c"),
        (AWS, f"arn:aws:ssm:{R}:{ACCOUNT}:parameter/one"),
        (AZURE, f"{SUB}/resourceGroups/r/providers/Microsoft.Compute/virtualMachines/v"),
        (GCP, f"projects/{PROJECT}/locations/l/clusters/c"),
    ],
)
def test_a_type_that_does_not_follow_from_the_identifier_is_a_guess_and_says_why(
    provider: CloudProvider, identifier: str
) -> None:
    found = propose(provider, identifier)
    assert not found.certain
    assert found.import_id
    assert found.note


def test_an_azure_id_gets_the_spelling_that_the_provider_wants() -> None:
    found = propose(AZURE, f"/SUBSCRIPTIONS/{SUBSCRIPTION}/resourcegroups/RG/providers/microsoft.storage/STORAGEACCOUNTS/Store")
    assert found.import_id == f"{SUB}/resourceGroups/RG/providers/Microsoft.Storage/storageAccounts/Store"
    assert found.address == "azurerm_storage_account.store"
    assert propose(AZURE, f"{SUB}/resourceGroups/rg").address == "azurerm_resource_group.rg"


def test_a_grant_is_imported_with_blanks() -> None:
    grant = f"{PROJECT} roles/viewer user:ann@acme.example"
    found = propose(GCP, grant)
    assert (found.type, found.import_id) == ("google_project_iam_member", grant)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_name_made_of_hostile_text_is_a_name(text: str) -> None:
    assert fault(f"aws_x.{label(text)}") == ""
    assert fault(f"aws_x.{label('9 lives')}") == ""


# -- addresses -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "aws_x.y",
        "aws_x.y[0]",
        'aws_x.y["a b"]',
        'module.net["eu"].module.b[1].aws_x.y["$${x}"]',
        'aws_x.y["\\"q\\" \\u00e9"]',
        "größe_x.ä",
    ],
)
def test_an_address_that_engines_take_has_no_fault(address: str) -> None:
    assert fault(address) == ""


@pytest.mark.parametrize(
    "address",
    [
        "",
        " ",
        "-destroy",
        "-help",
        "aws_x",
        "aws_x.y.z",
        "aws_x.y[a]",
        "data.aws_x.y",
        "module.a",
        "module.a.data.aws_x.y",
        'aws_x.y["${file(1)}"]',
        'aws_x.y["%{if true}"]',
        'aws_x.y["a\nb"]',
        'aws_x.y["\\x"]',
        "aws_x.y\n",
        "aws_x.y }\nimport {",
        "aws_x.9y",
        "a" * 5000 + ".b",
    ],
)
def test_anything_else_has_a_fault_in_words(address: str) -> None:
    assert fault(address)


# -- worksheet -----------------------------------------------------------------------------------------------------------------


def compared(ids: list[str], here: StateIds | None = None, elsewhere: list[StateIds] | None = None) -> Comparison:
    return compare(Listing(provider=AWS, scope=ACCOUNT, ids=ids), here or StateIds(key="here"), elsewhere or [])


def rows(found: Comparison, written: dict[str, Written] | None = None) -> tuple[Row, ...]:
    return worksheet(found.items, found, written)


def test_proposed_addresses_differ_from_each_other_and_from_the_states() -> None:
    arns = [f"arn:aws:sns:{region}:{ACCOUNT}:orders" for region in ("eu-west-1", "eu-west-2")]
    own = f"arn:aws:sns:us-east-1:{ACCOUNT}:orders"
    found = compared([*arns, own], state(("aws_sns_topic", "orders", {"arn": own, "id": own})))
    made = worksheet([item for item in found.items if item.status == "unmanaged"], found)
    assert [row.address for row in made] == ["aws_sns_topic.orders_2", "aws_sns_topic.orders_3"]
    assert all(row.ready for row in made)


def test_a_thousand_things_of_one_name_get_addresses_of_their_own() -> None:
    arns = [f"arn:aws:sns:eu-west-{n}:{ACCOUNT}:orders" for n in range(1000)]
    made = rows(compared(arns))
    assert len({row.address for row in made}) == 1000
    assert made[999].address == "aws_sns_topic.orders_1000"


def test_collisions_are_told_at_each_row() -> None:
    arns = aws_arns(3)
    found = compared(arns[1:], state(*topics(arns[:1])))
    same = {arn: Written(address="aws_sns_topic.t0") for arn in arns[1:]}
    for row in rows(found, same):
        if row.identifier != arns[0]:
            assert row.faults == ("2 rows have this address", "the state has this address already")


def test_what_is_managed_or_gone_is_not_imported() -> None:
    arns = aws_arns(3)
    found = compared(arns[:2], state(*topics([arns[0], arns[2]])), [state(*topics([arns[1]]), key="other")])
    faults = {row.identifier: row.faults[0] for row in rows(found)}
    assert faults[arns[0]] == "it is managed already: aws_sns_topic.t0 of here/terraform.tfstate"
    assert faults[arns[1]] == "it is managed already: aws_sns_topic.t0 of other"
    assert faults[arns[2]] == "it is not in the cloud"


def test_what_is_ambiguous_is_imported_with_a_word_about_it_or_not_at_all() -> None:
    bucket = "arn:aws:s3:::acme-data"
    found = compared([bucket], state(("aws_s3_bucket_policy", "p", {"id": "acme-data"}), ("aws_route", "r", {"id": "r-1"})))
    by_id = {row.identifier: row for row in rows(found)}
    assert (by_id[bucket].ready, by_id[bucket].certain) == (True, False)
    assert by_id[bucket].note.startswith("ambiguous: aws_s3_bucket_policy.p")
    assert "the state has it, and the listing of the cloud does not show it" in by_id["r-1"].faults


def test_an_import_id_that_another_state_has_already_is_a_fault() -> None:
    arns = aws_arns(2)
    found = compared(arns[1:], elsewhere=[state(*topics(arns[:1]), key="other")])
    (row,) = worksheet(found.items, found, {arns[1]: Written(import_id=arns[0])})
    assert row.faults == ("its import id is managed already: aws_sns_topic.t0 of other",)


def test_a_row_without_what_it_needs_says_so_until_it_is_written() -> None:
    odd = f"arn:aws:newservice:{R}:{ACCOUNT}:thing/x"
    found = compared([odd])
    (row,) = rows(found)
    assert row.faults == ("it has no address yet", NOT_KNOWN)
    (row,) = rows(found, {odd: Written(address="aws_new_thing.x", import_id="x")})
    assert (row.ready, row.certain, row.address, row.import_id) == (True, True, "aws_new_thing.x", "x")


# -- import blocks -------------------------------------------------------------------------------------------------------------


TEXTS = [*HOSTILE, "${file(1)}", "$${x}", "%{ if true }", "$$${x}", 'a"\n}\nresource "x" "y" {', "\\", "$", "%%{", "\\u0041"]


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_identifiers_stay_the_text_they_are(text: str) -> None:
    written = quoted(text)
    assert not {"\n", "\r"} & set(written)
    node, problems = read_expression(written, "import.tf")
    assert node is not None, problems
    evaluator = Evaluator(NoScope(), "import.tf", templates=True)
    assert (evaluator.value(node), evaluator.problems) == (text, [])


@pytest.mark.stack
def test_an_engine_reads_hostile_identifiers_as_they_are(engine: Engine, tmp_path: Path) -> None:
    texts = [text for text in TEXTS if writable(text) and "\0" not in text]
    rows = [Row(identifier=text, address=f"terraform_data.r{n}", import_id=text, certain=True) for n, text in enumerate(texts)]
    resources = "".join(f'resource "terraform_data" "r{n}" {{}}\n' for n in range(len(texts)))
    (tmp_path / "main.tf").write_text(resources + import_blocks(rows), encoding="utf-8")

    def run(*arguments: str) -> None:
        environ = {**os.environ, "TF_IN_AUTOMATION": "1", "CHECKPOINT_DISABLE": "1"}
        done = subprocess.run(
            [*engine.argv0, *arguments, "-no-color", "-input=false"], cwd=tmp_path, env=environ, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    run("init")
    run("apply", "-auto-approve")
    document = json.loads((tmp_path / "terraform.tfstate").read_bytes())
    found = {one["name"]: one["instances"][0]["attributes"]["id"] for one in document["resources"]}
    assert [found[f"r{n}"] for n in range(len(texts))] == texts


def test_a_block_has_address_and_id_and_a_word_about_a_guess() -> None:
    sure = Row(identifier="a", address="aws_x.y", import_id="a", certain=True)
    guess = Row(identifier="b", address="aws_x.z", import_id='b"${c}', certain=False)
    text = import_blocks([sure, guess])
    assert text == (
        'import {\n  to = aws_x.y\n  id = "a"\n}\n\n'
        "# Not certain: the type is a guess: look at what it is before this is applied\n"
        'import {\n  to = aws_x.z\n  id = "b\\"\\u0024{c}"\n}\n'
    )
    assert parse_file("import.tf", text.encode()).problems == ()
    assert import_blocks([]) == ""


def test_rows_with_faults_are_never_written() -> None:
    with pytest.raises(ValueError, match="faults"):
        import_blocks([Row(identifier="a", address="", import_id="a", certain=True, faults=("no",))])


def test_a_listing_alone_knows_no_addresses() -> None:
    found = compare(Listing(provider=AWS, scope=ACCOUNT, ids=aws_arns(1)), StateIds(key="", objects=from_listing(("x",))))
    assert found.addresses is None


def test_a_segment_that_the_provider_reads_by_its_case_is_spelled_as_the_provider_does_or_left_alone() -> None:
    signalr = f"{SUB}/resourceGroups/r/providers/Microsoft.SignalRService/signalR/s"
    assert propose(AZURE, signalr.replace("signalR/s", "SignalR/s")).import_id == signalr
    for segment in ("serverFarms", "serverfarms"):
        plan = propose(AZURE, f"{SUB}/resourceGroups/r/providers/microsoft.web/{segment}/p")
        assert plan.import_id == f"{SUB}/resourceGroups/r/providers/Microsoft.Web/{segment}/p"
        assert not plan.certain


def test_a_zonal_cluster_is_imported_by_its_location() -> None:
    found = propose(GCP, f"projects/{PROJECT}/zones/z/clusters/c")
    assert (found.type, found.import_id) == ("google_container_cluster", f"projects/{PROJECT}/locations/z/clusters/c")


def test_a_grant_is_not_certain_for_a_listing_tells_no_condition() -> None:
    found = propose(GCP, f"{PROJECT} roles/viewer user:ann@acme.example")
    assert not found.certain
    assert "condition" in found.note


@pytest.mark.parametrize(
    "arn",
    [
        f"arn:aws:lambda:{R}:{ACCOUNT}:function:f:live",
        f"arn:aws:logs:{R}:{ACCOUNT}:log-group:/g:log-stream:s",
        f"arn:aws:kinesis:{R}:{ACCOUNT}:stream/s/consumer/c:1",
        f"arn:aws:apigateway:{R}::/restapis/ab/stages/prod",
        f"arn:aws:elasticloadbalancing:{R}:{ACCOUNT}:listener/app/lb/1/2/3",
        f"arn:aws:ssm:{R}:{ACCOUNT}:parameter/a/b:3",
        f"arn:aws:secretsmanager:{R}:{ACCOUNT}:secret:s-AbCdEf:version",
        f"arn:aws:states:{R}:{ACCOUNT}:stateMachine:m:1",
        "arn:aws:s3:::bucket/key",
    ],
)
def test_what_goes_on_behind_another_things_identifier_is_not_taken_for_it(arn: str) -> None:
    assert propose(AWS, arn).type == ""
