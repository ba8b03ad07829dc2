"""How a store is reached is looked at on the way that the SDK takes: with its certificates, through its proxy."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kumoss_console.clients.azure import AzureStore
from kumoss_console.clients.s3 import S3Store
from kumoss_console.clients.s3_client import make_client
from kumoss_console.clients.tls import Way, on_this_machine, transport, way_of_boto, way_of_requests
from kumoss_console.errors import Unreachable
from kumoss_console.model.endpoint import Aspect, judge
from tests.clients import test_azure_errors
from tests.clients.test_s3_errors import KEYS, settings

NOBODY = "http://127.0.0.1:9"


def certificate(folder: Path, *, host: str = "localhost", begins: int = -10, ends: int = 100) -> Path:
    """A certificate that signs itself, its key in the same file; ``begins`` and ``ends`` are days from now."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + timedelta(days=begins))
        .not_valid_after(now + timedelta(days=ends, hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "certificate.pem"
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    return file


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(serve: Serve, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A port of loopback; at the end every connection is closed."""
    tasks: set[asyncio.Task[None]] = set()

    async def handled(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, ssl.SSLError, asyncio.IncompleteReadError):
            await serve(reader, writer)
        writer.close()
        with suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.create_task(handled(reader, writer)))

    running = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
    try:
        yield running.sockets[0].getsockname()[1]
    finally:
        running.close()
        await asyncio.gather(*tasks)


@asynccontextmanager
async def server(file: Path) -> AsyncIterator[int]:
    """Takes handshakes with that certificate, and says nothing."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)

    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read(1)

    async with serving(silent, context) as port:
        yield port


@asynccontextmanager
async def proxy(port: int, asked: list[str]) -> AsyncIterator[int]:
    """Leads whoever asks for a tunnel to ``port``; what was asked is kept."""

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(4096):
            writer.write(chunk)
        writer.close()

    async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"))
        answers, questions = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await asyncio.gather(pipe(reader, questions), pipe(answers, writer), return_exceptions=True)
        with suppress(ConnectionError):
            await questions.wait_closed()

    async with serving(tunnel) as own:
        yield own


async def seen(file: Path, *, trusted: Path | None = None) -> Aspect:
    async with server(file) as port:
        return await transport(settings(f"https://localhost:{port}"), Way(str(trusted or file)))


async def test_a_certificate_that_the_sdk_trusts_is_trusted(tmp_path: Path) -> None:
    found = await seen(certificate(tmp_path))
    assert (found.standing, found.said[:3]) == ("good", "TLS")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"begins": -10, "ends": -2}, "has expired"),
        ({"begins": 2}, "is not valid yet"),
        ({"host": "other.example"}, "is for another host"),
    ],
)
async def test_why_a_certificate_is_not_taken_is_told(tmp_path: Path, how: dict[str, object], words: str) -> None:
    found = await seen(certificate(tmp_path, **how))  # type: ignore[arg-type]  # keywords of the certificate
    assert (found.standing, found.fault) == ("bad", "untrusted")
    assert words in found.said


async def test_a_certificate_of_a_stranger_is_not_trusted(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    theirs.mkdir()
    found = await seen(certificate(theirs), trusted=certificate(ours))
    assert found.said == "its TLS certificate is not trusted"


async def test_a_certificate_that_ends_in_days_is_to_be_renewed(tmp_path: Path) -> None:
    found = await seen(certificate(tmp_path, ends=4))
    assert (found.standing, found.fault, found.said) == ("bad", "certificate_ends", "certificate ends in 4 days")
    (finding,) = judge([found], store="s")
    assert "renew" in finding.remedy


@pytest.mark.parametrize(
    ("how", "then"), [({"begins": -10, "ends": -2}, "renew"), ({"host": "other.example"}, "correct the host")]
)
async def test_what_the_listing_met_has_the_same_words_and_a_next_step(tmp_path: Path, how: dict[str, object], then: str) -> None:
    file = certificate(tmp_path, **how)  # type: ignore[arg-type]  # as above
    with pytest.MonkeyPatch.context() as environ:
        environ.setenv("AWS_CA_BUNDLE", str(file))
        environ.setenv("REQUESTS_CA_BUNDLE", str(file))
        async with server(file) as port:
            s3 = S3Store(settings(f"https://localhost:{port}"), KEYS)
            azure = AzureStore(test_azure_errors.settings(f"https://localhost:{port}"), test_azure_errors.KEYS)
            for store in (s3, azure):
                with pytest.raises(Unreachable) as caught:
                    await store.check()
                assert then in caught.value.hint
                assert "CA_BUNDLE" not in caught.value.hint
                await store.aclose()


async def test_a_proxy_is_gone_through_with_its_password_and_shown_without(tmp_path: Path) -> None:
    file, asked = certificate(tmp_path), list[str]()
    async with server(file) as port, proxy(port, asked) as way:
        through = Way(str(file), f"http://me:s3cret@127.0.0.1:{way}")
        found = await transport(settings(f"https://localhost:{port}"), through)
        assert found.standing == "good"
        assert "through the proxy" in found.evidence
        assert "s3cret" not in repr(found)
        assert asked[0].startswith(f"CONNECT localhost:{port} ")
        assert "Proxy-Authorization: Basic bWU6czNjcmV0" in asked[0]


async def test_http_through_a_proxy_leaves_this_machine() -> None:
    near = await transport(settings("http://localhost:9000"), Way(""))
    far = await transport(settings("http://localhost:9000"), Way("", "http://proxy.corp.example:3128"))
    assert (near.standing, far.standing) == ("plain", "bad")


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("store.localhost", True),
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("::1", True),
        ("localhost.corp.example", False),
        ("127.evil.example", False),
        ("10.0.0.1", False),
        ("notlocalhost", False),
        ("", False),
    ],
)
def test_this_machine_is_known_by_its_names_and_not_by_how_they_begin(host: str, here: bool) -> None:
    assert on_this_machine(host) is here


def test_the_way_is_the_sdks(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://store.corp.example"
    for name in ("NO_PROXY", "no_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CA_BUNDLE", "/etc/aws.pem")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/etc/requests.pem")
    monkeypatch.setenv("HTTPS_PROXY", NOBODY)
    client = make_client(settings(url), KEYS)
    assert way_of_boto(client, url) == Way("/etc/aws.pem", NOBODY)
    client.close()
    assert way_of_requests(url) == Way("/etc/requests.pem", NOBODY)
    monkeypatch.setenv("NO_PROXY", "corp.example")
    assert way_of_requests(url).proxy == ""
