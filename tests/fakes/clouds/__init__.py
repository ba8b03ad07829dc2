"""Clouds on loopback, for whoever lists a scope: real HTTP, page by page, with whatever goes wrong in between.

Each of these is a context manager whose value is a :class:`~tests.fakes.clouds.server.Cloud`::

    azure_cloud(ids, truncated=False)                        Resource Graph, and the token endpoint of a managed identity
    gcp_cloud(assets, project=PROJECT, bindings=())          Resource Manager, Cloud Asset Inventory, token endpoints
    aws_cloud(resources, account=ACCOUNT, aggregator=REGION) STS and Resource Explorer, told apart by region

``ids``, ``assets`` and ``resources`` are identifiers (texts), or whole rows where a test is about their fields. Scopes that fit:
``SUBSCRIPTION``, ``PROJECT``, ``ACCOUNT``. ``azure_ids(count)``, ``gcp_names(count)`` and ``aws_arns(count)`` make as many
as a test wants, each of them kept by the listing; the n-th differ from each other in every cloud, and ``gcp_ids(count)`` is what
becomes of ``gcp_names(count)``.

A cloud has

* ``environ``: the variables that lead a sidecar to it, tokens and endpoints; those of three clouds go together. The SDKs read
  theirs from the process, so give them to the process of a sidecar, or set them for one in this process with
  ``cloud.lead(monkeypatch)``;
* ``asked``: every request so far, in order (``operation``, ``query``, ``headers``, ``document``, ...);
* ``instead(operation, answer, nth=1)``: the n-th request of that operation is answered so, ``nth=0`` every one of them;
* ``hold(operation, nth=1)``: that request is not answered before the cloud closes;
* ``calls(operation)``: how many there were.

Operations are ``resources`` and ``token`` (Azure), ``project``, ``search``, ``policy``, ``token`` and ``impersonate`` (GCP),
and ``GetCallerIdentity``, ``ListIndexes``, ``GetDefaultView`` and ``ListResources`` (AWS).
"""

from __future__ import annotations

from tests.fakes.clouds.aws import ACCOUNT, REGION, aws_cloud
from tests.fakes.clouds.azure import SUBSCRIPTION, azure_cloud
from tests.fakes.clouds.gcp import NUMBER, PROJECT, gcp_cloud
from tests.fakes.clouds.names import aws_arns, azure_ids, gcp_ids, gcp_names
from tests.fakes.clouds.server import Answer, Asked, Cloud, Row

__all__ = [
    "ACCOUNT",
    "NUMBER",
    "PROJECT",
    "REGION",
    "SUBSCRIPTION",
    "Answer",
    "Asked",
    "Cloud",
    "Row",
    "aws_arns",
    "aws_cloud",
    "azure_cloud",
    "azure_ids",
    "gcp_cloud",
    "gcp_ids",
    "gcp_names",
]
