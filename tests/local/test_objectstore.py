"""The object store of the local stack: real, ours alone, gone when we are gone."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from tests.stack import RealStore


def test_an_object_comes_back_as_it_was_put(real_store: RealStore) -> None:
    body = bytes(range(256)) * 40_000

    real_store.client.put_object(Bucket=real_store.bucket, Key="a/terraform.tfstate", Body=body)

    assert real_store.client.get_object(Bucket=real_store.bucket, Key="a/terraform.tfstate")["Body"].read() == body


def test_a_second_conditional_put_is_refused_as_the_engines_lock_needs(real_store: RealStore) -> None:
    real_store.client.put_object(Bucket=real_store.bucket, Key="a.tflock", Body=b"one", IfNoneMatch="*")

    with pytest.raises(ClientError, match="PreconditionFailed"):
        real_store.client.put_object(Bucket=real_store.bucket, Key="a.tflock", Body=b"two", IfNoneMatch="*")
