"""Stands in for the AWS command line where it is not installed: the two commands that a restore prints, with the same words."""

from __future__ import annotations

import argparse
import json
import sys

import boto3
from botocore.exceptions import ClientError


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ("endpoint-url", "bucket", "key", "if-match", "region", "table-name"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--condition-expression")
    parser.add_argument("--expression-attribute-values")
    parser.add_argument("service", choices=("s3api", "dynamodb"))
    parser.add_argument("operation", choices=("delete-object", "delete-item"))
    asked = parser.parse_args()
    try:
        if asked.service == "s3api":
            condition = {"IfMatch": asked.if_match} if asked.if_match else {}
            boto3.client("s3", endpoint_url=asked.endpoint_url).delete_object(Bucket=asked.bucket, Key=asked.key, **condition)
        else:
            boto3.client("dynamodb", endpoint_url=asked.endpoint_url, region_name=asked.region).delete_item(
                TableName=asked.table_name,
                Key=json.loads(asked.key),
                ConditionExpression=asked.condition_expression,
                ExpressionAttributeValues=json.loads(asked.expression_attribute_values),
            )
    except ClientError as error:
        sys.stderr.write(f"{error}\n")
        return 254
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
