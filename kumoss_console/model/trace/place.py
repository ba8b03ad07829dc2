"""Where a state lies: a type of backend, a bucket, a key and the store that they are in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from kumoss_console.model.storage import StorageProvider, StorageSettings

OWN = ""
"""The store of a place that names none: the provider's own, reached by region."""

_LOCAL_FILE = "terraform.tfstate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """``store`` is a host with its port, or a storage account. ``None`` is what is not known: it agrees with anything.

    ``bucket`` is the bucket or container, ``key`` the object's key, or the path of a local state.
    """

    type: str
    bucket: str | None = None
    key: str | None = None
    store: str | None = None
    region: str | None = field(default=None, compare=False)
    """Of a store that has regions. It is no part of which place this is: the same bucket may be reached by several."""


def place_of(type: str, values: Mapping[str, object], *, selected: str = "default") -> Place:  # noqa: A002 - the backend's word
    """The place that a backend's arguments name. ``selected`` is the engine's workspace; values that are no text are unknown."""
    text = {name: value for name, value in values.items() if isinstance(value, str)}
    match type:
        case "s3":
            named = values.get("endpoints")
            given = named.get("s3") if isinstance(named, dict) else values.get("endpoint", OWN)
            place = Place(
                type=type,
                bucket=text.get("bucket"),
                key=text.get("key"),
                store=_host(given) if isinstance(given, str) else OWN if given is None else None,
                region=text.get("region"),
            )
            return _in_workspace(place, selected, f"{text.get('workspace_key_prefix', 'env:')}/{selected}/")
        case "azurerm":
            account = text.get("storage_account_name")
            place = Place(type=type, bucket=text.get("container_name"), key=text.get("key"), store=account)
            if place.key is not None and selected != "default":
                place = replace(place, key=f"{place.key}env:{selected}")
            return place
        case "gcs":
            prefix = text.get("prefix", "").strip("/")
            return Place(type=type, bucket=text.get("bucket"), key=f"{prefix}/{selected}.tfstate".lstrip("/"), store=OWN)
        case "local":
            path = text.get("path", _LOCAL_FILE) if values.get("path", "") is not None else _LOCAL_FILE
            return Place(type=type, key=path, store=OWN)
        case _:
            return Place(type=type)


def _in_workspace(place: Place, selected: str, prefix: str) -> Place:
    return place if place.key is None or selected == "default" else replace(place, key=prefix + place.key)


def default_place(place: Place, selected: str) -> Place:
    """``place`` of the engine's workspace ``selected`` as it is in the default one, which is what the core writes."""
    if selected == "default" or place.key is None:
        return place
    match place.type:
        case "s3":
            _, cut, rest = place.key.partition(f"/{selected}/")
            return replace(place, key=rest if cut else place.key)
        case "azurerm":
            return replace(place, key=place.key.removesuffix(f"env:{selected}"))
        case "gcs":
            return replace(place, key=f"{place.key.removesuffix(f'{selected}.tfstate')}default.tfstate")
    return place


def written_place(storage: StorageSettings, key: str, *, selected: str = "default") -> Place:
    """Where the core puts ``key``. Managed state is on. ``selected`` as in :func:`place_of`."""
    bucket = storage.terraform_state_bucket
    match storage.provider:
        case StorageProvider.STORAGE_ACCOUNT:
            key = key if selected == "default" else f"{key}env:{selected}"
            return Place(type="azurerm", bucket=bucket, key=key, store=storage.account_name)
        case StorageProvider.S3:
            place = Place(type="s3", bucket=bucket, key=key, store=OWN, region=storage.region or None)
        case _:
            store = _host(storage.endpoint_url)
            place = Place(type="s3", bucket=bucket, key=key, store=store, region=storage.region or None)
    return _in_workspace(place, selected, f"env:/{selected}/")


def parted(left: Place, right: Place) -> tuple[str, ...]:
    """In what two places differ, as far as both are known: ``type``, or some of ``store``, ``bucket`` and ``key``."""
    if left.type != right.type:
        return ("type",)
    pairs = ((name, getattr(left, name), getattr(right, name)) for name in ("store", "bucket", "key"))
    return tuple(
        name
        for name, one, other in pairs
        if one is not None and other is not None and one != other and not (name == "store" and one_store(one, other))
    )


_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def one_store(one: str, other: str) -> bool:
    """Whether two hosts are one, by whatever name this very machine goes."""
    (host, port), (host2, port2) = _split(one), _split(other)
    return one == other or (port == port2 and {host, host2} <= _LOOPBACK)


def may_be_one_store(one: str | None, other: str | None) -> bool:
    """Whether two hosts may be one: a name without a dot, or of this machine, means something else from elsewhere.

    Two ports of one host are two stores.
    """
    if one is None or other is None or one_store(one, other):
        return True
    (host, _), (host2, _) = _split(one), _split(other)
    if host == host2 or {host, host2} <= _LOOPBACK:
        return False
    return any(name in _LOOPBACK or (name != OWN and "." not in name and ":" not in name) for name in (host, host2))


def _split(store: str) -> tuple[str, str]:
    host, colon, port = store.rpartition(":")
    return (host, port) if colon and port.isdigit() and (":" not in host or host.startswith("[")) else (store, "")


def outside(place: Place, storage: StorageSettings) -> str:
    """Why a console of this context cannot look at ``place``; empty where it can."""
    if place.type == "local":
        return "it is a file of the workspace, in no store"
    if not storage.managed:
        return "managed state is off, so this context names no store"
    if place.key is None or place.bucket is None:
        return "its bucket or key is not known here"
    own = written_place(storage, place.key)
    if place.type != own.type:
        return f"it is in a backend of type {place.type}, and this context's store is one of type {own.type}"
    if place.bucket != own.bucket:
        return f"it is in bucket {place.bucket}, and this context reads bucket {own.bucket}"
    hosts = {own.store, _host(storage.public_endpoint_url) if storage.provider is StorageProvider.RUSTFS else own.store}
    if place.store is not None and not any(host is not None and one_store(place.store, host) for host in hosts):
        here = own.store or "AWS"
        return f"it is at {place.store or 'AWS'}, and this context's store is {here}"
    return ""


def lent_bucket(place: Place, storage: StorageSettings) -> str:
    """With managed state off, the bucket of ``place`` where it lies at the very endpoint this context names; else empty."""
    if storage.managed or not place.bucket or not place.key:
        return ""
    reads = replace(storage, terraform_state_bucket=place.bucket)
    return place.bucket if place.store is not None and not outside(place, reads) else ""


def _host(url: str) -> str | None:
    """Host and port of a URL, without what may be a password; ``None`` where it has none."""
    if not url:
        return OWN
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname:
        return None
    default = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.hostname if port is None or port == default else f"{parts.hostname}:{port}"
