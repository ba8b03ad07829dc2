from __future__ import annotations

import gzip
from collections.abc import AsyncIterator, Iterator

import pytest

from kumoss_console.sidecar.discovery.failure import DiscoveryError
from kumoss_console.sidecar.discovery.wire import Caller, calling
from kumoss_console.text import Secret
from tests.fakes.clouds.server import Answer, Cloud
from tests.hostile import HOSTILE

TOKEN = Secret("a-token-that-nobody-must-see")


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    with Cloud(lambda method, path, _: "thing", lambda _: Answer(body={"answer": 42})).serving() as cloud:
        cloud.lead(monkeypatch)
        yield cloud


@pytest.fixture
async def caller(cloud: Cloud) -> AsyncIterator[Caller]:
    async with calling(TOKEN, limit=50_000) as caller:
        yield caller


async def refusal(caller: Caller, url: str) -> str:
    with pytest.raises(DiscoveryError) as refused:
        await caller.ask("The Source", "GET", url)
    return str(refused.value)


async def told(caller: Caller, cloud: Cloud, answer: Answer) -> str:
    cloud.instead("thing", answer, nth=0)
    return await refusal(caller, cloud.url)


async def test_a_question_carries_the_token_and_its_answer_is_an_object(caller: Caller, cloud: Cloud) -> None:
    assert await caller.ask("The Source", "POST", f"{cloud.url}/x", params={"a": "b c"}, body={"d": 1}) == {"answer": 42}
    (asked,) = cloud.asked
    assert (asked.method, asked.path, asked.query, asked.document) == ("POST", "/x", {"a": "b c"}, {"d": 1})
    assert asked.headers["authorization"] == f"Bearer {TOKEN.reveal()}"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(403, {"error": {"code": "X", "message": "no such right"}}), "403 from The Source: no such right"),
        (Answer(400, {"error": "text"}), '400 from The Source: {"error": "text"}'),
        (Answer(400, {"error": {"message": ["list"]}}), '400 from The Source: {"error": {"message": ["list"]}}'),
        (Answer(502, b"<html>Bad gateway</html>"), "502 from The Source: <html>Bad gateway</html>"),
        (Answer(503, b""), "503 from The Source: (no message)"),
        (Answer(500, b" \n "), "503 from The Source: (no message)".replace("503", "500")),
        (Answer(500, b"x" * 3000), f"500 from The Source: {'x' * 1000}"),
        (Answer(500, b"\xff\xfe"), "500 from The Source: \ufffd\ufffd"),
        (Answer(302, {"data": []}, {"Location": "http://elsewhere.example/"}), '302 from The Source: {"data": []}'),
        (Answer(200, [1]), "The Source returned a body that is not a JSON object"),
        (Answer(200, b"42"), "The Source returned a body that is not a JSON object"),
        (Answer(200, b""), "The Source returned a body that is not a JSON object"),
        (Answer(200, b"<html>Sign in</html>"), "The Source returned a body that is not a JSON object"),
        (Answer(200, b'{"a":' * 9000), "The Source returned a body that is not a JSON object"),
        (Answer(200, b'{"a": "\xff"}'), "The Source returned a body that is not a JSON object"),
        (Answer(200, {"data": "x" * 50_000}), "The Source returned a body of more than 50000 bytes"),
        (
            Answer(200, gzip.compress(b"0" * 5_000_000), {"Content-Encoding": "gzip"}),
            "The Source returned a body of more than 50000 bytes",
        ),
    ],
)
async def test_an_answer_that_is_none_is_told_once(answer: Answer, message: str, caller: Caller, cloud: Cloud) -> None:
    assert await told(caller, cloud, answer) == message
    assert len(cloud.asked) == 1


async def test_a_body_that_cannot_be_unpacked_is_no_answer(caller: Caller, cloud: Cloud) -> None:
    assert (await told(caller, cloud, Answer(200, b"no gzip", {"Content-Encoding": "gzip"}))).startswith(
        "The Source is unreachable: "
    )


async def test_nobody_there_is_unreachable(caller: Caller) -> None:
    with Cloud(lambda *_: "", lambda _: Answer()).serving() as gone:
        pass
    assert (await refusal(caller, gone.url)).startswith("The Source is unreachable: ")


@pytest.mark.parametrize("url", ["", "ftp://h/x", "http://", "http://h:port/", "no url", "http://a\0b/"])
async def test_what_is_no_address_is_an_unusable_url(url: str, caller: Caller) -> None:
    assert (await refusal(caller, url)).startswith("The Source was given an unusable URL: ")


async def test_an_answer_that_does_not_come_has_a_deadline(cloud: Cloud) -> None:
    cloud.hold("thing")
    async with calling(TOKEN, timeout=0.05) as caller:
        assert (await refusal(caller, cloud.url)).startswith("The Source is unreachable: ")


@pytest.mark.parametrize("words", HOSTILE)
async def test_a_clouds_words_are_obeyed_by_no_terminal(words: str, caller: Caller, cloud: Cloud) -> None:
    message = await told(caller, cloud, Answer(400, {"error": {"message": words}}))
    assert message.startswith("400 from The Source: ")
    assert all(char.isprintable() or char in "\n\t\u200d" for char in message)


async def test_a_token_that_a_cloud_repeats_is_masked_also_where_the_cut_would_go_through_it(
    caller: Caller, cloud: Cloud
) -> None:
    said = "x" * 990 + f" the token {TOKEN.reveal()} is expired"
    message = await told(caller, cloud, Answer(401, {"error": {"message": said}}))
    assert "a-token" not in message
    short = await told(caller, cloud, Answer(401, {"error": {"message": f"{TOKEN.reveal()} is expired"}}))
    assert short == "401 from The Source: ******** is expired"


@pytest.mark.parametrize("token", ["with space", "line\n", "ünï", ""])
async def test_a_token_that_no_header_carries_is_told_without_it(token: str) -> None:
    with pytest.raises(DiscoveryError) as refused:
        async with calling(Secret(token)):
            pass
    assert str(refused.value).startswith("the bearer token cannot be sent in a header")
    assert not token or token not in str(refused.value)
