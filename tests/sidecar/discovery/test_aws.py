from __future__ import annotations

from typing import Any

import pytest

from kumoss_console.model.contract import CloudProvider
from kumoss_console.sidecar.discovery.aws_rules import resource_arn
from tests.fakes.clouds import ACCOUNT, REGION, Answer, aws_arns, aws_cloud
from tests.fakes.clouds.aws import SECRET, SESSION_TOKEN, failure, row, signed_for, sts_failure
from tests.sidecar.discovery.conftest import Asking

AWS = CloudProvider.AWS
NOT_ENABLED = (
    f"AWS Resource Explorer is not enabled for account {ACCOUNT}: create an aggregator index and a default view; see README"
)


async def test_identity_index_view_and_every_page_are_asked_for_in_order(asking: Asking) -> None:
    with aws_cloud(aws_arns(1200)) as cloud:
        assert await asking.ids(cloud, AWS) == aws_arns(1200)
    operations = [asked.operation for asked in cloud.asked]
    assert operations == ["GetCallerIdentity", "ListIndexes", "GetDefaultView", *["ListResources"] * 3]
    assert cloud.asked[1].document == {"Type": "AGGREGATOR"}
    first = {"ViewArn": f"arn:aws:resource-explorer-2:{REGION}:{ACCOUNT}:view/default", "MaxResults": 500}
    assert [asked.document for asked in cloud.asked[3:]] == [
        first,
        first | {"NextToken": "page-1"},
        first | {"NextToken": "page-2"},
    ]


async def test_an_index_in_another_region_is_asked_there(asking: Asking) -> None:
    with aws_cloud(aws_arns(3), aggregator="us-west-2") as cloud:
        assert await asking.ids(cloud, AWS) == aws_arns(3)
    assert [signed_for(asked) for asked in cloud.asked] == [REGION, REGION, "us-west-2", "us-west-2"]


@pytest.mark.parametrize("index", [{}, {"Region": 7}, {"Region": None}])
async def test_an_index_that_does_not_say_where_it_is_is_taken_to_be_here(index: dict[str, Any], asking: Asking) -> None:
    with aws_cloud(aws_arns(3)) as cloud:
        cloud.instead("ListIndexes", Answer(body={"Indexes": [index]}))
        assert await asking.ids(cloud, AWS) == aws_arns(3)


async def test_an_empty_page_of_indexes_is_not_the_last(asking: Asking) -> None:
    with aws_cloud(aws_arns(3)) as cloud:
        cloud.instead("ListIndexes", Answer(body={"Indexes": [], "NextToken": "more"}))
        assert await asking.ids(cloud, AWS) == aws_arns(3)
    assert cloud.asked[2].document == {"Type": "AGGREGATOR", "NextToken": "more"}


@pytest.mark.parametrize("world", [{"aggregator": None}, {"view": None}])
async def test_without_an_index_or_a_view_it_says_what_to_create(world: dict[str, Any], asking: Asking) -> None:
    with aws_cloud(aws_arns(3), **world) as cloud:
        assert await asking.refusal(cloud, AWS) == NOT_ENABLED
    assert cloud.calls("ListResources") == 0


async def test_credentials_of_another_account_list_nothing(asking: Asking) -> None:
    with aws_cloud(aws_arns(3), account="999999999999") as cloud:
        refusal = await asking.refusal(cloud, AWS)
    assert refusal == f"AWS credentials belong to account 999999999999, not {ACCOUNT}"
    assert [asked.operation for asked in cloud.asked] == ["GetCallerIdentity"]


@pytest.mark.parametrize("scope", ["12345678901", "1234567890123", "12345678901a", "١٢٣٤٥٦٧٨٩٠١٢", f"{ACCOUNT}\n", "my-account"])
async def test_what_is_no_account_id_is_refused_before_everything(scope: str, asking: Asking) -> None:
    with aws_cloud([]) as cloud:
        assert await asking.refusal(cloud, AWS, scope, AWS_REGION="") == f"'{scope}' is not an AWS account id"
    assert cloud.asked == []


async def test_the_region_is_the_first_of_two_variables_and_never_a_profiles(asking: Asking, tmp_path: Any) -> None:
    (tmp_path / "config").write_text("[default]\nregion = eu-west-3\n")
    asking.monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    with aws_cloud(aws_arns(1), aggregator="eu-west-1") as cloud:
        assert (await asking(cloud, AWS, AWS_REGION=" ", AWS_DEFAULT_REGION="eu-west-1")).exit_code == 0
        assert await asking.refusal(cloud, AWS, AWS_REGION="", AWS_DEFAULT_REGION="") == "AWS_REGION is not set"
    assert {signed_for(asked) for asked in cloud.asked} == {"eu-west-1"}


async def test_two_hundred_pages_are_read_and_the_next_is_not_asked_for(asking: Asking) -> None:
    with aws_cloud([]) as cloud:
        cloud.instead("ListResources", Answer(body={"Resources": [], "NextToken": "for ever"}), nth=0)
        assert await asking.refusal(cloud, AWS) == f"Resource Explorer returned more than 200 pages for {ACCOUNT}"
    assert cloud.calls("ListResources") == 200


@pytest.mark.parametrize(
    ("operation", "answer", "message"),
    [
        (
            "GetCallerIdentity",
            sts_failure(403, "ExpiredToken", "The security token included in the request is expired"),
            "STS GetCallerIdentity failed: ExpiredToken: The security token included in the request is expired",
        ),
        (
            "ListIndexes",
            failure(403, "AccessDeniedException", "no identity-based policy allows it"),
            "Resource Explorer ListIndexes failed: AccessDeniedException: no identity-based policy allows it",
        ),
        (
            "GetDefaultView",
            failure(500, "InternalServerException", "sorry"),
            "Resource Explorer GetDefaultView failed: InternalServerException: sorry",
        ),
        (
            "ListResources",
            failure(429, "ThrottlingException", "Rate exceeded"),
            "Resource Explorer ListResources failed: ThrottlingException: Rate exceeded",
        ),
        ("GetCallerIdentity", Answer(200, b"<html"), "STS GetCallerIdentity failed: "),
        ("GetCallerIdentity", Answer(200, b"<html/>"), "STS GetCallerIdentity failed: "),
        ("GetCallerIdentity", Answer(200, b"{}"), "STS GetCallerIdentity failed: "),
        ("GetCallerIdentity", Answer(200, b""), "STS GetCallerIdentity failed: "),
        ("ListIndexes", Answer(502, b"<html>Bad gateway</html>"), "Resource Explorer ListIndexes failed: "),
        ("ListIndexes", Answer(400, b"[1]"), "Resource Explorer ListIndexes failed: "),
        ("ListIndexes", Answer(400, {"message": [1], "__type": 7}), "Resource Explorer ListIndexes failed: "),
        (
            "ListResources",
            Answer(200, b"<html>Sign in</html>"),
            "Resource Explorer ListResources failed: the answer is not a JSON object",
        ),
        ("ListResources", Answer(200, b"[1]"), "Resource Explorer ListResources failed: the answer is not a JSON object"),
    ],
)
async def test_a_call_that_fails_is_named_with_what_aws_says(
    operation: str, answer: Answer, message: str, asking: Asking
) -> None:
    with aws_cloud(aws_arns(1200)) as cloud:
        cloud.instead(operation, answer, nth=2 if operation == "ListResources" else 1)
        refusal = await asking.refusal(cloud, AWS)
    assert refusal.startswith(message)
    assert refusal == message or message.endswith(": ")


async def test_botocores_own_tries_remain(asking: Asking) -> None:
    with aws_cloud(aws_arns(3)) as cloud:
        cloud.instead("ListResources", failure(429, "ThrottlingException", "Rate exceeded"))
        assert (await asking(cloud, AWS, AWS_MAX_ATTEMPTS="2")).exit_code == 0
    assert cloud.calls("ListResources") == 2


async def test_nobody_there_is_a_failed_call(asking: Asking) -> None:
    with aws_cloud([]) as cloud:
        pass
    refusal = await asking.refusal(cloud, AWS)
    assert refusal.startswith("STS GetCallerIdentity failed: Could not connect to the endpoint URL")


async def test_no_credentials_are_told_by_the_call_that_needs_them(asking: Asking) -> None:
    with aws_cloud([]) as cloud:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
            del cloud.environ[name]
        assert await asking.refusal(cloud, AWS) == "STS GetCallerIdentity failed: Unable to locate credentials"


async def test_a_profile_that_is_not_there_is_a_failed_session(asking: Asking) -> None:
    with aws_cloud([]) as cloud:
        refusal = await asking.refusal(cloud, AWS, None, AWS_PROFILE="nowhere")
    assert refusal == "AWS session setup failed: The config profile (nowhere) could not be found"


async def test_an_endpoint_that_is_none_is_a_failed_client(asking: Asking) -> None:
    with aws_cloud([]) as cloud:
        refusal = await asking.refusal(cloud, AWS, None, AWS_ENDPOINT_URL_STS="nowhere")
    assert refusal == "AWS client setup failed for sts: Invalid endpoint: nowhere"


async def test_a_refused_signature_does_not_bring_the_sessions_token_along(asking: Asking) -> None:
    said = f"The Canonical String should have been 'POST host:sts x-amz-security-token:{SESSION_TOKEN} {SECRET[:3]}'"
    with aws_cloud([]) as cloud:
        cloud.instead("GetCallerIdentity", sts_failure(403, "SignatureDoesNotMatch", said))
        refusal = await asking.refusal(cloud, AWS)
    assert "SignatureDoesNotMatch" in refusal
    assert SESSION_TOKEN not in refusal


@pytest.mark.parametrize(
    "body",
    [
        {"Resources": "text", "NextToken": 7},
        {"Resources": [None, "x", 7, [], {"Arn": 7}, {"Arn": None}]},
        {"Resources": {"Arn": "arn:aws:s3:::x"}, "NextToken": ["more"]},
        {"Resources": [{**row("arn:aws:s3:::x"), "OwningAccountId": 123456789012}]},
        {},
    ],
)
async def test_fields_of_another_type_are_passed_over(body: object, asking: Asking) -> None:
    with aws_cloud([]) as cloud:
        cloud.instead("ListResources", Answer(body=body))
        assert await asking.ids(cloud, AWS) == []


@pytest.mark.parametrize(
    "properties", ["text", [7], [{"Name": "tags", "Data": 7}], [{"Name": "tags", "LastReportedAt": "never"}]]
)
async def test_tags_of_another_form_hide_nothing(properties: object, asking: Asking) -> None:
    with aws_cloud([{**row("arn:aws:s3:::x"), "Properties": properties, "LastReportedAt": {}}]) as cloud:
        assert await asking.ids(cloud, AWS) == ["arn:aws:s3:::x"]


@pytest.mark.parametrize("account", [{}, {"Account": ""}])
async def test_an_identity_without_an_account_is_not_ours(account: dict[str, str], asking: Asking) -> None:
    with aws_cloud([], account="") as cloud:
        assert await asking.refusal(cloud, AWS) == f"AWS credentials belong to account , not {ACCOUNT}"


@pytest.mark.parametrize(
    "resource",
    [
        row(""),
        row("arn:aws:s3:::x", account="999999999999"),
        row("arn:aws:ec2:eu-west-1:1:network-interface/eni-1", kind="ec2:network-interface"),
        row(f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/x/y", kind="iam:role"),
        row(f"arn:aws:iam::{ACCOUNT}:role/aws-reserved/sso.amazonaws.com/x", kind="iam:role"),
        *(
            row("arn:aws:s3:::x", tags=["team", f"{prefix}x"])
            for prefix in (
                "aws:",
                "eks:",
                "kubernetes.io/",
                "k8s.io/",
                "alpha.eksctl.io/",
                "elbv2.k8s.aws/",
                "ingress.k8s.aws/",
                "service.k8s.aws/",
            )
        ),
    ],
)
def test_what_aws_and_its_services_keep_is_left_out(resource: dict[str, Any]) -> None:
    assert resource_arn(resource, ACCOUNT) is None


@pytest.mark.parametrize(
    "resource",
    [
        row("arn:aws:s3:::x", tags=["team", "my-aws:", "Name"]),
        row(f"arn:aws:iam::{ACCOUNT}:role/mine/aws-service-role", kind="iam:role"),
        {**row("arn:aws:s3:::x"), "Properties": [{"Name": "notes", "Data": [{"Key": "aws:x"}]}]},
    ],
)
def test_what_only_looks_like_it_stays(resource: dict[str, Any]) -> None:
    assert resource_arn(resource, ACCOUNT) == resource["Arn"]
