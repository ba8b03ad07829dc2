"""States that engines take and decoders do not, and the other way round. Each was tried with `terraform state pull` (1.11.4)."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from kumoss_console.model.state import DocumentKind, Form, StateDocument, parse_state, repair
from kumoss_console.model.state.inside import ENCODER, Inside
from kumoss_console.model.state.numbers import Number
from kumoss_console.model.state.raw import document_pieces, plain
from tests.model.test_state import codes, instance, resource, state

LONG = "9" * 5_000
NUMBERS = ["1e400", LONG, f"-{LONG}", "0.1234567890123456789012345", "12345678901234567890.5", "1e-400", "0.1000", "-0.0"]
NUMBERS += ["1e9999999999999999999", "-1E-9999999999999999999"]


def told(number: str) -> bytes:
    """A state with the number in an output, in an attribute, among marks, and beside a text that has as many digits."""
    marks = [[{"type": "get_attr", "value": "list"}, {"type": "index", "value": {"value": "NUMBER", "type": "number"}}]]
    outputs = {"n": {"value": "NUMBER", "type": "number"}}
    one = resource(instance(attributes={"id": "x", "n": "NUMBER", "text": LONG, "list": ["a"]}, sensitive_attributes=marks))
    return state(one, outputs=outputs, check_results=["NUMBER"]).replace(b'"NUMBER"', number.encode())


@pytest.mark.parametrize("number", NUMBERS, ids=[number[:24] for number in NUMBERS])
def test_a_number_is_shown_as_it_is_written_wherever_it_lies(number: str) -> None:
    raw = told(number)
    document, inside = parse_state(raw), Inside(raw)
    assert document.readable
    assert [row.value for row in document.outputs] == [number]
    held, output = inside.object("aws_vpc.v", 0), inside.output("n")
    assert held is not None
    assert output is not None
    assert ENCODER.encode(plain(held.values()["n"])).decode() == number
    assert held.values()["text"] == LONG
    assert ENCODER.encode(plain(output.values())).decode() == number
    assert "".join(document_pieces(inside.text, document)).count(f": {number}") >= 2


def test_numbers_compare_by_what_they_are_worth() -> None:
    assert Number("1.0") == 1
    assert Number("1e2") == Number("100.00")
    assert Number("1e9999999999999999999") == Number("1e9999999999999999999")
    assert Number("1e9999999999999999999") != Number("1e9999999999999999998")
    assert len({Number("1.50"), Number("1.5"), Number("1e9999999999999999999")}) == 2


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("1e400", 'The state file field "resources.instances.index_key" has invalid value number 1e400'),
        (LONG, f'The state file field "resources.instances.index_key" has invalid value number {LONG}'),
        ("[1]", "Resource aws_vpc.v has an instance with the invalid instance key [1]."),
        ("{}", "Resource aws_vpc.v has an instance with the invalid instance key {}."),
    ],
    ids=["beyond a float", "of 5,000 digits", "a list", "an object"],
)
def test_a_key_that_no_engine_takes_is_refused_in_its_words(key: str, said: str) -> None:
    document = parse_state(state(resource(instance(index_key="KEY"))).replace(b'"KEY"', key.encode()))
    assert (document.form, document.engine_error, document.recovered_ids) == (Form.DAMAGED, said, ("vpc-1",))


@pytest.mark.parametrize(("key", "address"), [("1.5", "aws_vpc.v[1]"), ("2.0", "aws_vpc.v[2]"), ("-0.5", "aws_vpc.v[0]")])
def test_the_fraction_of_a_key_is_cut_off(key: str, address: str) -> None:
    document = parse_state(state(resource(instance(index_key="KEY"))).replace(b'"KEY"', key.encode()))
    assert [row.address for row in document.resources[0].instances] == [address]


def test_a_number_too_long_for_an_identifier_is_no_identifier_and_no_fault() -> None:
    document = parse_state(state(resource(instance(attributes={"id": "ID"}))).replace(b'"ID"', LONG.encode()))
    assert document.readable
    assert [item.reason for item in document.skipped] == ["id is not a text"]


@pytest.mark.parametrize("serial", [LONG, "7.0", "1e3"])
def test_a_serial_that_is_no_whole_number_of_64_bits_is_refused_and_never_guessed(serial: str) -> None:
    document = parse_state(state(serial="SERIAL").replace(b'"SERIAL"', serial.encode()))
    assert (document.form, document.serial, document.lineage) == (Form.DAMAGED, None, "3f0c")
    assert document.engine_error == f'The state file field "serial" has invalid value number {serial}'
    assert ("a serial of 5,000 digits" in document.reason) is (serial == LONG)


def test_a_serial_of_a_damaged_state_is_not_told_in_part() -> None:
    assert parse_state(b'{"version": 4, "serial": ' + LONG.encode() + b', "lineage": "l", "outp').serial is None


@pytest.mark.parametrize("version", [LONG, "4.0"])
def test_a_version_that_is_no_whole_number_is_refused_as_it_is_written(version: str) -> None:
    document = parse_state(state(version="VERSION").replace(b'"VERSION"', version.encode()))
    assert document.engine_error == f"The version in the state file is number {version}. A positive whole number is required."


@pytest.mark.parametrize("number", ["1e400", LONG, "1e9999999999999999999"], ids=["1e400", "5,000 digits", "beyond reckoning"])
def test_numbers_of_the_formats_before_are_no_end_of_the_document_either(number: str) -> None:
    attributes = {"id": "i-1", "n": "NUMBER"}
    module = {"path": ["root"], "outputs": {"n": {"type": "string", "value": "NUMBER"}}}
    module["resources"] = {"aws_instance.a": {"type": "aws_instance", "primary": {"id": "i-1", "attributes": attributes}}}
    document = {"version": 3, "terraform_version": "0.11.14", "serial": 1, "lineage": "l", "modules": [module]}
    read = parse_state(json.dumps(document).replace('"NUMBER"', number).encode())
    assert (read.ids, [row.value for row in read.outputs]) == (("i-1",), [number])


@pytest.mark.parametrize("deposed", ["{}", '"x"', LONG, "true"], ids=["an object", "a text", "a number", "a switch"])
def test_a_list_of_the_formats_before_that_is_none_is_refused_and_opens_all_the_same(deposed: str) -> None:
    one = {"type": "aws_instance", "primary": {"id": "i-1"}, "deposed": "DEPOSED"}
    document = {"version": 3, "serial": 1, "lineage": "l", "modules": [{"path": ["root"], "resources": {"aws_instance.a": one}}]}
    raw = json.dumps(document).replace('"DEPOSED"', deposed).encode()
    assert parse_state(raw).form is Form.DAMAGED
    assert Inside(raw).object("aws_instance.a", 0) is not None


def marked(marks: Any) -> StateDocument:
    return parse_state(state(resource(instance(sensitive_attributes=marks))))


def index(**key: Any) -> list[Any]:
    return [[{"type": "index", "value": key}]]


UNREADABLE = "Error unmarshaling path steps: json: cannot unmarshal"
REFUSED: list[tuple[Any, str]] = [
    ([{"what": "?"}], f"{UNREADABLE} object into Go value of type []statefile.pathStep"),
    ({}, f"{UNREADABLE} object into Go value of type [][]statefile.pathStep"),
    ("x", f"{UNREADABLE} string into Go value of type [][]statefile.pathStep"),
    ([["a"]], f"{UNREADABLE} string into Go value of type statefile.pathStep"),
    ([[{"type": 1, "value": "a"}]], f"{UNREADABLE} number into Go struct field pathStep.type of type string"),
    ([[{"type": "zzz", "value": "a"}]], 'Unsupported path step: Unsupported path step type "zzz"'),
    ([[None]], 'Unsupported path step: Unsupported path step type ""'),
    ([[{"type": "get_attr"}]], "Failed to unmarshal get attr step name: unexpected end of JSON input"),
    ([[{"type": "get_attr", "value": 1}]], "json: cannot unmarshal number into Go value of type string"),
    ([[{"type": "index"}]], "Failed to unmarshal index step key: EOF"),
    ([[{"type": "index", "value": 0}]], "Failed to unmarshal index step key: missing expected {"),
    (index(value="a"), "Failed to unmarshal index step key: missing type in dynamically-typed value"),
    (index(type="string"), "Failed to unmarshal index step key: missing value in dynamically-typed value"),
    (index(value="a", type="number"), "Failed to unmarshal index step key: a number is required"),
    (index(value=1, type="bool"), "Failed to unmarshal index step key: bool is required"),
    (index(value=[], type="string"), "Failed to unmarshal index step key: string is required"),
    (index(value=1, type="zzz"), 'failed to decode type for dynamic value: invalid primitive type name "zzz"'),
]
TAKEN: list[Any] = [
    None,
    [],
    [None],
    [[]],
    [[{"type": "get_attr", "value": None}]],
    [[{"type": "get_attr", "value": "a", "x": 1}]],
    [[{"Type": "get_attr", "VALUE": "a"}]],
    [[{"type": "get_attr", "value": "of-no-attribute"}]],
    [[{"type": "index", "value": None}]],
    *(index(value=value, type=type_) for value, type_ in ((0, "number"), ("007", "number"), ("+5", "number"), (7, "string"))),
    *(index(value=value, type=type_) for value, type_ in ((True, "bool"), ("1", "bool"), (True, "string"), (None, "string"))),
    index(value=[1], type=["list", "number"]),
]


@pytest.mark.parametrize(("marks", "said"), REFUSED, ids=[json.dumps(marks)[:60] for marks, _ in REFUSED])
def test_a_state_with_marks_that_engines_cannot_read_is_not_called_readable(marks: Any, said: str) -> None:
    document = marked(marks)
    assert (document.form, document.readable) == (Form.DAMAGED, False)
    assert said in (document.engine_error or "")
    assert "aws_vpc.v" in document.reason


@pytest.mark.parametrize("marks", TAKEN, ids=[json.dumps(marks)[:60] for marks in TAKEN])
def test_marks_that_engines_read_are_no_fault(marks: Any) -> None:
    assert marked(marks).readable


def test_what_engines_pass_over_they_do_not_refuse() -> None:
    odd = instance(sensitive_attributes=[{"what": "?"}], index_key=[1], status="planned", deposed="short")
    document = parse_state(state(resource(odd, provider=None)))
    assert document.readable
    assert "state.no_provider" in codes(document)


@pytest.mark.parametrize(
    ("member", "value"), [("schema_version", "1"), ("schema_version", -1), ("create_before_destroy", "yes")], ids=str
)
def test_a_member_of_an_object_with_another_type_is_refused_as_engines_refuse_it(member: str, value: Any) -> None:
    document = parse_state(state(resource(instance(**{member: value}))))
    assert (document.form, document.recovered_ids) == (Form.DAMAGED, ("vpc-1",))
    assert f'"resources.instances.{member}" has invalid value' in (document.engine_error or "")


def in_case(raw: bytes, *names: str) -> bytes:
    """The document with some members capitalised."""
    for name in names:
        raw = raw.replace(f'"{name}":'.encode(), f'"{name.title()}":'.encode())
    return raw


SECRETS = [[{"type": "get_attr", "value": "note"}]]
SECRET = resource(instance(attributes={"id": "vpc-1", "note": "hunter2-SECRET"}, sensitive_attributes=SECRETS))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (in_case(state(), "version", "serial", "lineage", "terraform_version"), (4, 7, "3f0c", ())),
        (state()[:-1] + b', "SERIAL": 12}', (4, 12, "3f0c", ())),
        (state().replace(b'"serial"', '"\u017ferial"'.encode()), (4, 7, "3f0c", ())),
        (in_case(state(SECRET), "resources"), (4, 7, "3f0c", ("vpc-1",))),
        (in_case(state(SECRET), "mode", "instances"), (4, 7, "3f0c", ("vpc-1",))),
        (in_case(state(SECRET), "attributes", "sensitive_attributes"), (4, 7, "3f0c", ("vpc-1",))),
    ],
    ids=["the head", "a second one behind", "a long s", "the resources", "a resource", "an object"],
)
def test_members_in_another_case_are_read_as_engines_read_them_and_it_is_said(raw: bytes, expected: tuple[Any, ...]) -> None:
    document, inside = parse_state(raw), Inside(raw)
    assert document.readable
    assert (document.format_version, document.serial, document.lineage, document.ids) == expected
    assert [code for code in codes(document) if code != "state.repeated_member"] == ["state.unusual_case"]
    shown = "".join(document_pieces(inside.text, document))
    assert "hunter2" not in shown
    if expected[3]:
        held = inside.object("aws_vpc.v", 0)
        assert held is not None
        assert held.values()["id"] == "vpc-1"


def test_the_names_of_attributes_and_outputs_are_told_apart_by_case() -> None:
    outputs = {
        "Value": {"value": 1, "type": "number"},
        "value": {"value": 2, "type": "number"},
        "x": {"Value": 3, "Type": "number"},
    }
    raw = state(resource(instance(attributes={"id": "a", "ID": "b", "Status": "c"})), outputs=outputs)
    document = parse_state(raw)
    assert [(row.name, row.value) for row in document.outputs] == [("Value", "1"), ("value", "2"), ("x", "3")]
    held = Inside(raw).object("aws_vpc.v", 0)
    assert held is not None
    assert held.values() == {"id": "a", "ID": "b", "Status": "c"}


def test_members_that_nobody_knows_are_no_reason_to_say_anything() -> None:
    document = parse_state(state(resource(instance(later=1), newer={"Mode": 1}), of_a_later_engine=[]))
    assert (document.ids, document.findings) == (("vpc-1",), ())


def test_a_lock_whose_members_begin_with_capitals_stays_a_lock() -> None:
    assert parse_state(b'{"ID":"x","Who":"a@b","Version":"1.11.4"}').kind is DocumentKind.LOCK


def nested(levels: int) -> bytes:
    """A state whose deepest value lies at that level."""
    inner = levels - 5  # the document, resources, a resource, instances, an instance, its attributes; one is the list itself
    value = "[" * (inner - 1) + "]" * (inner - 1)
    return state(resource(instance(attributes={"id": "x", "v": "DEEP"}))).replace(b'"DEEP"', value.encode())


def test_nesting_beyond_what_engines_read_is_told_with_the_place_where_they_give_up() -> None:
    read, refused = parse_state(nested(repair.DEEPEST_READ)), parse_state(nested(repair.DEEPEST_READ + 1))
    assert (read.readable, read.ids) == (True, ("x",))
    assert (refused.form, refused.readable, refused.ids, refused.recovered_ids) == (Form.DAMAGED, False, (), ("x",))
    assert "10,000 levels" in refused.reason
    raw = nested(repair.DEEPEST_READ + 1)
    deepest = raw.index(b"[]") + 1
    assert refused.engine_error == f"The state file could not be parsed as JSON: syntax error at byte offset {deepest}."


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_a_state_cut_off_amid_deep_nesting_is_cut_off(opening: bytes) -> None:
    raw = state(resource(instance(attributes={"id": "x", "v": "DEEP"})))
    document = parse_state(raw[: raw.index(b'"DEEP"')] + opening * 3_000)
    assert (document.form, document.reason) == (Form.DAMAGED, "JSON ends early (interrupted upload)")


@pytest.mark.parametrize(
    ("behind", "reason"),
    [
        (b"\0" * 100, "100 NUL bytes after the end of the JSON document"),
        (b"\n\0", "1 NUL byte after the end of the JSON document"),
        (b" hello", "5 bytes that are no JSON after the end of the JSON document"),
        (b"\n{}", "two JSON documents in one object"),
    ],
)
def test_what_lies_behind_a_state_is_told_as_what_it_is(behind: bytes, reason: str) -> None:
    document = parse_state(state() + behind)
    assert (document.form, document.reason, document.serial) == (Form.DAMAGED, reason, 7)


@pytest.mark.parametrize(
    ("codec", "reason"),
    [
        ("utf-32", "UTF-32 LE with BOM"),
        ("utf-16", "UTF-16 LE with BOM (PowerShell redirection)"),
    ],
)
def test_the_width_of_characters_is_told_right(codec: str, reason: str) -> None:
    document = parse_state(state(SECRET).decode().encode(codec))
    assert (document.reason, document.serial, document.recovered_ids) == (reason, 7, ("vpc-1",))
    big = b"\0\0\xfe\xff" + state(SECRET).decode().encode("utf-32-be")
    assert parse_state(big).reason == "UTF-32 BE with BOM"


def test_one_object_without_an_identifier_is_not_several() -> None:
    one, two = (parse_state(state(resource(*(instance(index_key=n, attributes={}) for n in range(count))))) for count in (1, 2))
    assert one.findings[0].message.startswith("1 managed object without an identifier: ")
    assert two.findings[0].message.startswith("2 managed objects without an identifier: ")


MARKUP = b"""<!DOCTYPE html><html><body><pre>
%b</pre><input name="password" value="hunter2-FORM"><Password>hunter2-XML</Password></body></html>"""


@pytest.mark.parametrize("raw", [MARKUP % state(SECRET), b"  <Error><Password>hunter2-XML</Password></Error>"])
def test_of_markup_nothing_is_shown_raw(raw: bytes) -> None:
    document = parse_state(raw)
    shown = "".join(document_pieces(Inside(raw).text, document))
    assert "hunter2" not in shown
    assert document.reason in shown
    assert f"{len(raw):,} bytes are not shown" in shown


def test_a_secret_in_a_text_that_is_json_is_hidden_beside_any_number() -> None:
    settings = '{"n": %s, "password": "hunter2-SECRET"}'
    for number in (LONG, "1e9999999999999999999"):
        raw = state(resource(instance(attributes={"id": "x", "settings": settings % number})))
        assert b"hunter2" not in msgspec.json.encode(plain(Inside(raw).object("aws_vpc.v", 0).values()))  # type: ignore[union-attr]  # it is there


A, B = (f'"{name}":{{"value":"{name}","type":"string"}}' for name in "ab")


@pytest.mark.parametrize(
    ("behind", "expected"),
    [
        ('"serial":null,"lineage":null', (7, "3f0c", (), ("vpc-1",))),
        ('"Serial":null', (7, "3f0c", (), ("vpc-1",))),
        (f'"outputs":{{{A}}},"outputs":{{{B}}}', (7, "3f0c", ("a", "b"), ("vpc-1",))),
        (f'"outputs":{{{A}}},"Outputs":null', (7, "3f0c", (), ("vpc-1",))),
        ('"resources":[{"name":"w"}]', (7, "3f0c", (), ("vpc-1",))),
        ('"resources":[]', (7, "3f0c", (), ())),
    ],
)
def test_what_is_there_again_is_read_over_what_was_there_as_engines_do(behind: str, expected: tuple[Any, ...]) -> None:
    document = parse_state(state(resource(instance()))[:-1] + b"," + behind.encode() + b"}")
    assert document.readable
    assert (document.serial, document.lineage, tuple(row.name for row in document.outputs), document.ids) == expected
    assert "state.repeated_member" in codes(document)


@pytest.mark.parametrize(
    "members",
    [
        {"schema_version": "1"},
        {"schema_version": -1},
        {"schema_version": 2**64},
        {"create_before_destroy": "yes"},
        {"private": "***not base64"},
        {"private": "YQ"},
        {"private": 1},
        {"private": [300]},
        *(
            {"dependencies": [address]}
            for address in ("not an address!!", None, "", "a.b[0]", "a", "data.x", "module.m", "var.x")
        ),
    ],
)
def test_members_of_an_object_that_engines_refuse_make_the_state_damaged(members: dict[str, Any]) -> None:
    document = parse_state(state(resource(instance(**members))))
    assert (document.form, document.readable, document.recovered_ids) == (Form.DAMAGED, False, ("vpc-1",))


def test_members_of_an_object_that_engines_take_are_taken() -> None:
    addresses = ["a.b-c", "data.x.y", "module.m.a.b", 'module.m["a.b"].data.a.b', "resource.var.x", " a . b # c"]
    taken = instance(schema_version=2**64 - 1, private="bnVs\nbA==", dependencies=addresses, create_before_destroy=None)
    assert parse_state(state(resource(taken))).readable
    nothing = parse_state(state(resource(instance(index_key=0))).replace(b'"instances":[', b'"instances":[null,'))
    assert (nothing.readable, nothing.ids) == (True, ("vpc-1",))
