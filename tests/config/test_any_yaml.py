"""Whatever a file holds, loading gives a configuration or a ConfigError."""

from __future__ import annotations

from pathlib import Path

import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kumoss_console.config import load
from kumoss_console.config.console_tables import CONSOLE, CONTEXT, PROJECT, SIDECAR
from kumoss_console.config.core_tables import CORE_SECTIONS, IAC, PATHS, STORAGE
from kumoss_console.errors import ConfigError

# One file per example would be slow on a real disk and is not: the folder is made once per test.
unhurried = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

known = sorted(
    {*CORE_SECTIONS, "console", "iac"}.union(
        *(section.names for section in (CONSOLE, CONTEXT, PROJECT, SIDECAR, STORAGE, IAC, PATHS))
    )
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.dates(),
    st.sampled_from(["", "RUSTFS", "S3", "STORAGE_ACCOUNT", "default", "https://h/a", "/w", "0x_", "<<"]),
)
keys = st.one_of(st.sampled_from(known), st.sampled_from(known), st.text(max_size=8), st.integers())
documents = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=6)), max_leaves=30
)


def load_or_refuse(folder: Path, content: bytes) -> None:
    path = folder / "any.yaml"
    path.write_bytes(content)
    try:
        config = load(config=path, environ={"HOME": "/nonexistent"}, cwd=folder)
    except ConfigError as error:
        refusal = error
    else:
        assert config.context().name == config.default
        return
    assert refusal.title
    assert refusal.file == str(path)
    assert refusal.exit_code == 2
    assert "\x1b" not in str(refusal)


@unhurried
@given(document=documents)
def test_any_document_is_a_configuration_or_a_config_error(isolated: Path, document: object) -> None:
    load_or_refuse(isolated, yaml.safe_dump(document, allow_unicode=True).encode("utf-8", "surrogatepass"))


@unhurried
@given(section=st.sampled_from(["storage", "services", "paths", "console"]), body=documents)
def test_any_body_of_a_section_of_ours_is_a_configuration_or_a_config_error(isolated: Path, section: str, body: object) -> None:
    load_or_refuse(isolated, yaml.safe_dump({section: body}).encode())


@unhurried
@given(text=st.text(alphabet="ab:-[]{}&*!|>'\"#%@`,?~ \n\t<=0x_.", max_size=60))
@example("storage: {connect_timeout: 0x_}")
@example("storage: {connect_timeout: 1:60.5}")
@example("storage: {connect_timeout: !!int ''}")
@example("storage: {connect_timeout: !!bool 'x'}")
@example("storage: {connect_timeout: !!float '-'}")
@example("storage: {max_attempts: !!int '-'}")
@example("storage: {read_timeout: 190:20:30}")
@example("storage: &a\n  ? *a\n  : 1")
@example("storage: {<<: [{<<: 1}]}")
@example("console: {contexts: [{name: &n a, config: *n}]}")
def test_any_text_is_a_configuration_or_a_config_error(isolated: Path, text: str) -> None:
    load_or_refuse(isolated, text.encode())


@unhurried
@given(content=st.binary(max_size=200))
def test_any_bytes_are_a_configuration_or_a_config_error(isolated: Path, content: bytes) -> None:
    load_or_refuse(isolated, content)
