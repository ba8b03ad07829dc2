"""ARNs into what an import takes, type by type.

Source: the section *Import* of each type's page in the AWS provider's documentation. A row's pattern is matched against the
resource part of the ARN; its template may use the groups of the pattern and ``arn``, ``region``, ``account``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from kumoss_console.model.importids.known import Known

_ID = r"(?P<id>[^/:]+)"
_NAME = r"(?P<name>[^/:]+)"
_PATHED = r"(?:[^:]*/)?(?P<name>[^/:]+)"

_TABLE: tuple[tuple[str, str, str, str, str], ...] = (
    # service, pattern of the resource part, resource type, import id, certainty: empty for certain, else why not
    ("acm", rf"certificate/{_ID}", "aws_acm_certificate", "{arn}", ""),
    ("apigateway", rf"/restapis/{_ID}", "aws_api_gateway_rest_api", "{id}", ""),
    ("apigateway", rf"/apis/{_ID}", "aws_apigatewayv2_api", "{id}", ""),
    ("athena", rf"workgroup/{_NAME}", "aws_athena_workgroup", "{name}", ""),
    ("autoscaling", r"autoScalingGroup:[^:]+:autoScalingGroupName/(?P<name>[^:]+)", "aws_autoscaling_group", "{name}", ""),
    ("backup", rf"backup-vault:{_NAME}", "aws_backup_vault", "{name}", ""),
    ("backup", rf"backup-plan:{_ID}", "aws_backup_plan", "{id}", ""),
    ("cloudfront", rf"distribution/{_ID}", "aws_cloudfront_distribution", "{id}", ""),
    ("cloudwatch", r"alarm:(?P<name>.+)", "aws_cloudwatch_metric_alarm", "{name}", "it may be a composite alarm"),
    ("cloudwatch", r"dashboard/(?P<name>[^/:]+)", "aws_cloudwatch_dashboard", "{name}", ""),
    ("codebuild", rf"project/{_NAME}", "aws_codebuild_project", "{name}", ""),
    ("codecommit", _NAME, "aws_codecommit_repository", "{name}", ""),
    ("cognito-idp", rf"userpool/{_ID}", "aws_cognito_user_pool", "{id}", ""),
    ("dynamodb", rf"table/{_NAME}", "aws_dynamodb_table", "{name}", ""),
    ("ec2", rf"customer-gateway/{_ID}", "aws_customer_gateway", "{id}", ""),
    ("ec2", rf"dhcp-options/{_ID}", "aws_vpc_dhcp_options", "{id}", ""),
    ("ec2", rf"egress-only-internet-gateway/{_ID}", "aws_egress_only_internet_gateway", "{id}", ""),
    ("ec2", rf"elastic-ip/{_ID}", "aws_eip", "{id}", ""),
    ("ec2", rf"image/{_ID}", "aws_ami", "{id}", ""),
    ("ec2", rf"instance/{_ID}", "aws_instance", "{id}", ""),
    ("ec2", rf"internet-gateway/{_ID}", "aws_internet_gateway", "{id}", ""),
    ("ec2", rf"launch-template/{_ID}", "aws_launch_template", "{id}", ""),
    ("ec2", rf"natgateway/{_ID}", "aws_nat_gateway", "{id}", ""),
    ("ec2", rf"network-acl/{_ID}", "aws_network_acl", "{id}", "the one a VPC begins with is an aws_default_network_acl"),
    ("ec2", rf"placement-group/{_NAME}", "aws_placement_group", "{name}", ""),
    ("ec2", rf"prefix-list/{_ID}", "aws_ec2_managed_prefix_list", "{id}", ""),
    ("ec2", rf"route-table/{_ID}", "aws_route_table", "{id}", "the main one of a VPC is an aws_default_route_table"),
    ("ec2", rf"security-group/{_ID}", "aws_security_group", "{id}", "the default one of a VPC is an aws_default_security_group"),
    ("ec2", rf"snapshot/{_ID}", "aws_ebs_snapshot", "{id}", ""),
    ("ec2", rf"subnet/{_ID}", "aws_subnet", "{id}", ""),
    ("ec2", rf"transit-gateway/{_ID}", "aws_ec2_transit_gateway", "{id}", ""),
    ("ec2", rf"volume/{_ID}", "aws_ebs_volume", "{id}", ""),
    ("ec2", rf"vpc/{_ID}", "aws_vpc", "{id}", ""),
    ("ec2", rf"vpc-endpoint/{_ID}", "aws_vpc_endpoint", "{id}", ""),
    ("ec2", rf"vpc-flow-log/{_ID}", "aws_flow_log", "{id}", ""),
    ("ec2", rf"vpc-peering-connection/{_ID}", "aws_vpc_peering_connection", "{id}", ""),
    ("ec2", rf"vpn-connection/{_ID}", "aws_vpn_connection", "{id}", ""),
    ("ec2", rf"vpn-gateway/{_ID}", "aws_vpn_gateway", "{id}", ""),
    ("ecr", r"repository/(?P<name>[^:]+)", "aws_ecr_repository", "{name}", ""),
    ("ecs", rf"cluster/{_NAME}", "aws_ecs_cluster", "{name}", ""),
    ("ecs", rf"service/(?P<cluster>[^/]+)/{_NAME}", "aws_ecs_service", "{cluster}/{name}", ""),
    ("ecs", r"task-definition/(?P<name>[^/:]+):\d+", "aws_ecs_task_definition", "{arn}", ""),
    ("eks", rf"cluster/{_NAME}", "aws_eks_cluster", "{name}", ""),
    ("eks", rf"addon/(?P<cluster>[^/]+)/{_NAME}/[^/:]+", "aws_eks_addon", "{cluster}:{name}", ""),
    ("eks", rf"fargateprofile/(?P<cluster>[^/]+)/{_NAME}/[^/:]+", "aws_eks_fargate_profile", "{cluster}:{name}", ""),
    ("eks", rf"nodegroup/(?P<cluster>[^/]+)/{_NAME}/[^/:]+", "aws_eks_node_group", "{cluster}:{name}", ""),
    ("elasticache", rf"cluster:{_ID}", "aws_elasticache_cluster", "{id}", "a member of a replication group is not one"),
    ("elasticache", rf"replicationgroup:{_ID}", "aws_elasticache_replication_group", "{id}", ""),
    ("elasticache", rf"subnetgroup:{_NAME}", "aws_elasticache_subnet_group", "{name}", ""),
    ("elasticfilesystem", rf"access-point/{_ID}", "aws_efs_access_point", "{id}", ""),
    ("elasticfilesystem", rf"file-system/{_ID}", "aws_efs_file_system", "{id}", ""),
    ("elasticloadbalancing", rf"listener/(?:app|net|gwy)/{_NAME}/[^/:]+/[^/:]+", "aws_lb_listener", "{arn}", ""),
    ("elasticloadbalancing", rf"listener-rule/(?:app|net)/{_NAME}/[^/:]+/[^/:]+/[^/:]+", "aws_lb_listener_rule", "{arn}", ""),
    ("elasticloadbalancing", rf"loadbalancer/(?:app|net|gwy)/{_NAME}/[^/:]+", "aws_lb", "{arn}", ""),
    ("elasticloadbalancing", rf"loadbalancer/{_NAME}", "aws_elb", "{name}", ""),
    ("elasticloadbalancing", rf"targetgroup/{_NAME}/[^/:]+", "aws_lb_target_group", "{arn}", ""),
    ("es", rf"domain/{_NAME}", "aws_opensearch_domain", "{name}", "it may be an aws_elasticsearch_domain"),
    ("events", rf"event-bus/{_NAME}", "aws_cloudwatch_event_bus", "{name}", ""),
    ("events", rf"rule/{_NAME}", "aws_cloudwatch_event_rule", "{name}", ""),
    ("events", rf"rule/(?P<bus>[^/]+)/{_NAME}", "aws_cloudwatch_event_rule", "{bus}/{name}", ""),
    ("firehose", rf"deliverystream/{_NAME}", "aws_kinesis_firehose_delivery_stream", "{arn}", ""),
    ("glue", rf"database/{_NAME}", "aws_glue_catalog_database", "{account}:{name}", ""),
    ("iam", rf"group/{_PATHED}", "aws_iam_group", "{name}", ""),
    ("iam", rf"instance-profile/{_PATHED}", "aws_iam_instance_profile", "{name}", ""),
    ("iam", r"oidc-provider/(?P<name>[^:]+)", "aws_iam_openid_connect_provider", "{arn}", ""),
    ("iam", rf"policy/{_PATHED}", "aws_iam_policy", "{arn}", ""),
    ("iam", rf"role/{_PATHED}", "aws_iam_role", "{name}", ""),
    ("iam", rf"saml-provider/{_NAME}", "aws_iam_saml_provider", "{arn}", ""),
    ("iam", rf"server-certificate/{_PATHED}", "aws_iam_server_certificate", "{name}", ""),
    ("iam", rf"user/{_PATHED}", "aws_iam_user", "{name}", ""),
    ("kafka", rf"cluster/{_NAME}/[^/:]+", "aws_msk_cluster", "{arn}", "it may be an aws_msk_serverless_cluster"),
    ("kinesis", rf"stream/{_NAME}", "aws_kinesis_stream", "{name}", ""),
    ("kms", r"(?P<name>alias/[^:]+)", "aws_kms_alias", "{name}", ""),
    ("kms", rf"key/{_ID}", "aws_kms_key", "{id}", "a replica or one with material of its own has another type"),
    ("lambda", rf"function:{_NAME}", "aws_lambda_function", "{name}", ""),
    ("lambda", r"layer:(?P<name>[^:]+):\d+", "aws_lambda_layer_version", "{arn}", ""),
    ("logs", r"log-group:(?P<name>[^:*]+)(?::\*)?", "aws_cloudwatch_log_group", "{name}", ""),
    ("rds", rf"cluster:{_ID}", "aws_rds_cluster", "{id}", "clusters of DocumentDB and Neptune have such ARNs too"),
    ("rds", rf"cluster-pg:{_NAME}", "aws_rds_cluster_parameter_group", "{name}", "DocumentDB and Neptune have such ARNs too"),
    ("rds", rf"db:{_ID}", "aws_db_instance", "{id}", "a member of a cluster has another type"),
    ("rds", rf"es:{_NAME}", "aws_db_event_subscription", "{name}", ""),
    ("rds", rf"og:{_NAME}", "aws_db_option_group", "{name}", ""),
    ("rds", rf"pg:{_NAME}", "aws_db_parameter_group", "{name}", ""),
    ("rds", rf"subgrp:{_NAME}", "aws_db_subnet_group", "{name}", "DocumentDB and Neptune have such ARNs too"),
    ("redshift", rf"cluster:{_ID}", "aws_redshift_cluster", "{id}", ""),
    ("route53", rf"healthcheck/{_ID}", "aws_route53_health_check", "{id}", ""),
    ("route53", rf"hostedzone/{_ID}", "aws_route53_zone", "{id}", ""),
    ("s3", _NAME, "aws_s3_bucket", "{name}", ""),
    ("secretsmanager", r"secret:(?P<name>[^:]+)-[A-Za-z0-9]{6}", "aws_secretsmanager_secret", "{arn}", ""),
    ("sns", _NAME, "aws_sns_topic", "{arn}", ""),
    ("sns", rf"{_NAME}:(?P<id>[0-9a-f-]{{36}})", "aws_sns_topic_subscription", "{arn}", ""),
    ("sqs", _NAME, "aws_sqs_queue", "https://sqs.{region}.{domain}/{account}/{name}", ""),
    ("ssm", r"parameter(?P<name>/[^/:]+/[^:]+)", "aws_ssm_parameter", "{name}", ""),
    ("ssm", rf"parameter/{_NAME}", "aws_ssm_parameter", "{name}", "its name may begin with a slash, which the ARN does not tell"),
    ("states", rf"stateMachine:{_NAME}", "aws_sfn_state_machine", "{arn}", ""),
    ("wafv2", rf"regional/webacl/{_NAME}/{_ID}", "aws_wafv2_web_acl", "{id}/{name}/REGIONAL", ""),
    ("wafv2", rf"global/webacl/{_NAME}/{_ID}", "aws_wafv2_web_acl", "{id}/{name}/CLOUDFRONT", ""),
)
# Of other ARNs the type is clear while the import wants what they do not hold.
_NO_IMPORT_ID: tuple[tuple[str, str, str, str], ...] = (
    ("ec2", rf"key-pair/{_ID}", "aws_key_pair", "an import takes the key's name"),
    ("ec2", rf"security-group-rule/{_ID}", "", "an ingress and an egress rule have types of their own"),
    ("ec2", rf"transit-gateway-attachment/{_ID}", "", "attachments to a VPC, a VPN and a peer have types of their own"),
)
_DOMAINS = {"aws": "amazonaws.com", "aws-us-gov": "amazonaws.com", "aws-cn": "amazonaws.com.cn"}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the tables. ``whole`` is whether its pattern tells where an identifier ends."""

    service: str
    pattern: re.Pattern[str]
    type: str
    template: str | None
    doubt: str

    @property
    def name(self) -> str:
        """What tells it from all others."""
        return f"{self.service} {self.pattern.pattern}"

    @property
    def whole(self) -> bool:
        return ".+" not in self.pattern.pattern


@cache
def _rows() -> dict[str, tuple[Row, ...]]:
    found: dict[str, list[Row]] = {}
    for service, pattern, type_, template, doubt in _TABLE:
        found.setdefault(service, []).append(Row(service, re.compile(pattern, re.DOTALL), type_, template, doubt))
    for service, pattern, type_, doubt in _NO_IMPORT_ID:
        found.setdefault(service, []).append(Row(service, re.compile(pattern, re.DOTALL), type_, None, doubt))
    return {service: tuple(rows) for service, rows in found.items()}


def row_of(arn: str) -> Row | None:
    """The row whose whole pattern an ARN has; ``None`` for one that no row knows."""
    found = _matched(arn)
    return found[0] if found is not None else None


def _matched(arn: str) -> tuple[Row, re.Match[str], list[str]] | None:
    parts = arn.split(":", 5)
    if len(parts) != 6 or parts[0] != "arn":
        return None
    for row in _rows().get(parts[2], ()):
        if (found := row.pattern.fullmatch(parts[5])) is not None:
            return row, found, parts
    return None


def read_arn(arn: str) -> Known | None:
    """What an import of that ARN takes; ``None`` for one that no row knows."""
    matched = _matched(arn)
    if matched is None:
        return None
    row, found, (_, partition, _, region, account, resource) = matched
    groups = found.groupdict()
    name = groups.get("name") or groups.get("id") or resource
    if row.template is None:
        return Known(row.type, None, name, False, row.doubt)
    domain = _DOMAINS.get(partition)
    if "{domain}" in row.template and domain is None:
        return Known(row.type, None, name, False, "the address of the service in this partition")
    values = {**groups, "arn": arn, "region": region, "account": account, "domain": domain}
    return Known(row.type, row.template.format_map(values), name, not row.doubt, row.doubt)
