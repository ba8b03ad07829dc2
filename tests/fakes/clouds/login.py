"""The authority that Azure's tokens come from, over TLS with a certificate of its own: azure-identity speaks to no other."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from tests.fakes.clouds.azure import TOKEN
from tests.fakes.clouds.server import Answer, Asked, Cloud

TENANT = "99999999-8888-7777-6666-555555555555"
_CONFIGURATION = f"/{TENANT}/v2.0/.well-known/openid-configuration"


@contextmanager
def azure_login(folder: Path) -> Iterator[Cloud]:
    """Its only operation that matters is ``token``. ``environ`` leads azure-identity to it and makes it trust it."""

    def name_of(method: str, path: str, _: bytes) -> str:
        operations = {("GET", _CONFIGURATION): "configuration", ("POST", f"/{TENANT}/oauth2/v2.0/token"): "token"}
        return operations.get((method, path), f"{method} {path}")

    def answer(asked: Asked) -> Answer:
        if asked.operation == "configuration":
            tenant = f"{cloud.url}/{TENANT}"
            endpoints = {
                "token_endpoint": f"{tenant}/oauth2/v2.0/token",
                "authorization_endpoint": f"{tenant}/oauth2/v2.0/authorize",
            }
            return Answer(body={"issuer": f"{tenant}/v2.0", **endpoints})
        if asked.operation == "token":
            return Answer(body={"token_type": "Bearer", "expires_in": 3600, "access_token": TOKEN})
        return Answer(404)

    certificate = folder / "authority.pem"
    key = folder / "authority.key"
    private = ec.generate_private_key(ec.SECP256R1())
    key.write_bytes(_pem(private))
    certificate.write_bytes(_certificate(private))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    cloud = Cloud(name_of, answer, tls=context)
    cloud.environ = {"AZURE_AUTHORITY_HOST": cloud.url, "REQUESTS_CA_BUNDLE": str(certificate)}
    with cloud.serving():
        yield cloud


def client_certificate(path: Path) -> Path:
    """A certificate with its key in one file, as ``ARM_CLIENT_CERTIFICATE_PATH`` names it."""
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    path.write_bytes(_pem(private) + _certificate(private))
    return path


def _pem(private: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> bytes:
    form = serialization.PrivateFormat.PKCS8
    return private.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())


def _certificate(private: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> bytes:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    began = datetime(2020, 1, 1)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(began)
        .not_valid_after(began + timedelta(days=36500))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(private, hashes.SHA256())
    )
    return built.public_bytes(serialization.Encoding.PEM)
