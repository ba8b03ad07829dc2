"""A token for Google Cloud, from the same ``GOOGLE_*`` variables that the google provider is set up with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kumoss_console.sidecar.discovery.failure import OTHER_FORM, UNREADABLE, DiscoveryError, extra_missing, told
from kumoss_console.text import Secret

if TYPE_CHECKING:
    from google.auth.credentials import Credentials
    from google.auth.transport import Request

SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)
IMPERSONATION_VARIABLE = "GOOGLE_IAM_CREDENTIALS_CUSTOM_ENDPOINT"
_SECRET_FIELDS = ("private_key", "client_secret", "refresh_token")


def request_token(environ: Mapping[str, str]) -> Secret:
    """A token for the platform. Blocks for as long as the token endpoint does. Raises :class:`DiscoveryError`."""
    token = environ.get("GOOGLE_OAUTH_ACCESS_TOKEN", "")
    impersonated = environ.get("GOOGLE_IMPERSONATE_SERVICE_ACCOUNT", "").strip()
    # A ready token that is used as it is needs nothing of google-auth.
    return Secret(token) if token and not impersonated else _fetched(environ, token, impersonated)


def _fetched(environ: Mapping[str, str], token: str, impersonated: str) -> Secret:
    try:
        from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError

        from kumoss_console.sidecar.discovery.gcp_transport import transport
    except ImportError:
        raise extra_missing("GCP", "gcp") from None
    info = None if token else _given(environ)
    secrets = tuple(_secrets(info, token))
    with transport() as request:
        try:
            credentials = _credentials(request, info, token)
            if impersonated:
                credentials = _impersonating(credentials, impersonated, environ)
        except (GoogleAuthError, ValueError, OSError, *UNREADABLE) as error:
            absent = type(error) is DefaultCredentialsError and info is None and not token
            if absent and not environ.get("GOOGLE_APPLICATION_CREDENTIALS"):
                raise DiscoveryError(
                    "no Google credentials configured for scope discovery; set GOOGLE_* per PROVIDERS.md"
                ) from None
            raise DiscoveryError(f"Google credentials are misconfigured: {_words(error, secrets)}") from None
        try:
            credentials.refresh(request)
        except (GoogleAuthError, ValueError, OSError) as error:
            raise DiscoveryError(f"Google token request failed: {_words(error, secrets)}") from None
        except UNREADABLE:
            raise DiscoveryError(f"Google token request failed: {OTHER_FORM}") from None
    fetched = credentials.token
    if not isinstance(fetched, str) or not fetched:
        raise DiscoveryError("Google credentials produced no access token")
    return Secret(fetched)


def _given(environ: Mapping[str, str]) -> dict[str, Any] | None:
    """What ``GOOGLE_CREDENTIALS`` holds or names; ``None`` where it is not set."""
    given = environ.get("GOOGLE_CREDENTIALS", "").strip()
    if not given:
        return None
    try:
        content = Path(given).read_text("utf-8") if _is_file(given) else given
        info = json.loads(content)
    except (OSError, ValueError, RecursionError):
        raise DiscoveryError("GOOGLE_CREDENTIALS is neither a readable file nor JSON content") from None
    if not isinstance(info, dict):
        raise DiscoveryError("GOOGLE_CREDENTIALS is not a JSON object")
    return info


def _is_file(given: str) -> bool:
    try:
        return Path(given).is_file()
    except (OSError, ValueError):
        return False  # a JSON text is longer than any path


def _credentials(request: Request, info: dict[str, Any] | None, token: str) -> Credentials:
    import google.auth
    from google.oauth2 import credentials, service_account

    made: Credentials
    if token:
        made = credentials.Credentials(token)
    elif info is None:
        made, _ = google.auth.default(scopes=SCOPES, request=request)
    elif info.get("type") == "service_account":
        made = service_account.Credentials.from_service_account_info(info, scopes=SCOPES)
    elif info.get("type") == "authorized_user":
        made = credentials.Credentials.from_authorized_user_info(info, scopes=SCOPES)
    else:
        made, _ = google.auth.load_credentials_from_dict(info, scopes=SCOPES, request=request)
    return made


def _impersonating(source: Credentials, account: str, environ: Mapping[str, str]) -> Credentials:
    from google.auth import impersonated_credentials

    endpoint = environ.get(IMPERSONATION_VARIABLE, "").strip().rstrip("/")
    url = f"{endpoint}/projects/-/serviceAccounts/{account}:generateAccessToken" if endpoint else None
    made: Credentials = impersonated_credentials.Credentials(
        source_credentials=source, target_principal=account, target_scopes=list(SCOPES), iam_endpoint_override=url
    )
    return made


def _secrets(info: Mapping[str, Any] | None, token: str) -> Iterator[Secret]:
    if token:
        yield Secret(token)
    for name in _SECRET_FIELDS:
        value = (info or {}).get(name)
        if isinstance(value, str) and value:
            yield Secret(value)


def _words(error: Exception, secrets: tuple[Secret, ...]) -> str:
    # The further arguments of google-auth's errors are whole answers of a token endpoint.
    first = error.args[0] if error.args else ""
    return told(str(first) or type(error).__name__, secrets)
