"""Whatever comes in: a precise problem or a sensible answer, never a 500, and nothing lost that was there before."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from memory.errors import Unavailable
from memory.words.cleaning import visible
from tests.api.conftest import Door

pytestmark = pytest.mark.postgres
GOOD = {"segment_id": "1", "speaker": "Maya", "text": "I moved to Lisbon.", "start": 0, "end": 2}
SECRET = "nobody-shall-read-this"
"""Stands for somebody's words: no problem may hold it."""
JSON = {"content-type": "application/json"}


def source(**rest: Any) -> dict[str, Any]:
    return {"source_id": "s", "started_at": "2026-03-01T08:00:00+00:00", "segments": [GOOD], **rest}


def segment(**rest: Any) -> dict[str, Any]:
    return source(segments=[{**GOOD, **rest}])


def assert_problem(answer: httpx.Response, status: int, *told: str) -> dict[str, Any]:
    """RFC 9457 with every field it documents, saying what is wrong without repeating what was said."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    assert problem.keys() >= {"type", "title", "status", "detail", "instance"}
    assert problem["status"] == status
    assert problem["type"].startswith("urn:memoray:")
    assert SECRET not in answer.text
    for word in told:
        assert word in problem["detail"], problem["detail"]
    return problem


@pytest.fixture
async def lived(door: Door) -> Door:
    """A door behind which something is remembered already."""
    await door.post("/v1/sources", {**source(), "source_id": "breakfast"}, 202)
    return door


async def assert_nothing_lost(door: Door) -> None:
    found = await door.get("/v1/context", query="Lisbon", cut="none")
    assert [hit["source_id"] for hit in found["results"]] == ["breakfast"]


BODIES: Mapping[str, tuple[bytes, int]] = {
    "empty": (b"", 422),
    "not JSON": (SECRET.encode(), 422),
    "half of a JSON": (b'{"source_id": "' + SECRET.encode(), 422),
    "null": (b"null", 422),
    "a list": (b"[]", 422),
    "a number": (b"17", 422),
    "invalid UTF-8": (b'{"source_id": "\xff\xfe"}', 400),
    "gzip garbage": (b"\x1f\x8b\x08\x00" + SECRET.encode(), 400),
    "nested too deep": (b"[" * 200_000 + b"]" * 200_000, 400),
    "an endless number": (b'{"started_at": ' + b"9" * 6_000 + b"}", 400),
    "10 MB": (b'{"content": "' + b"a" * 10_000_000 + b'"}', 413),
}


async def test_a_body_that_cannot_be_read(lived: Door, subtests: pytest.Subtests) -> None:
    for name, (content, status) in BODIES.items():
        with subtests.test(name):
            assert_problem(await lived.client.post("/v1/sources", content=content, headers=JSON), status)
    await assert_nothing_lost(lived)


async def test_a_body_that_comes_in_pieces_is_cut_off_too(lived: Door) -> None:
    async def pieces() -> Any:
        for _ in range(12):
            yield b"a" * 1_000_000

    assert_problem(await lived.client.post("/v1/sources", content=pieces(), headers=JSON), 413, "5,000,000 bytes")
    await assert_nothing_lost(lived)


async def test_a_compressed_body_is_refused_as_such(lived: Door) -> None:
    packed = gzip.compress(json.dumps(source()).encode())
    headers = {**JSON, "content-encoding": "gzip"}
    answer = await lived.client.post("/v1/sources", content=packed, headers=headers)
    assert_problem(answer, 415, "Content-Encoding")


WRONG: Mapping[str, tuple[dict[str, Any], str]] = {
    "unknown key": (source(colour=SECRET), "colour"),
    "unknown key in a segment": (segment(colour=SECRET), "segments.0.colour"),
    "a missing key": ({"source_id": "s"}, "started_at"),
    "a number for an id": (source(source_id=7), "source_id"),
    "an empty id": (source(source_id=""), "source_id"),
    "an id too long": (source(source_id=SECRET * 20), "source_id"),
    "a path for an id": (source(source_id="../../etc/passwd"), "source_id"),
    "a path inside an id": (source(source_id="a/../b"), "source_id"),
    "a path with the other slash": (source(source_id="..\\b"), "source_id"),
    "an absolute path": (source(source_id="/etc/passwd"), "source_id"),
    "a control character in an id": (source(source_id="a\nb"), "source_id"),
    "NUL in an id": (source(source_id="a\x00b"), "source_id"),
    "NUL in the words": (segment(text="a\x00b"), "segments.0.text"),
    "NUL in the speaker": (segment(speaker="a\x00b"), "segments.0.speaker"),
    "NUL in the provenance": (source(provenance={"a": "b\x00"}), "provenance"),
    "NUL in a key of the provenance": (source(provenance={"a\x00": "b"}), "provenance"),
    "words too long": (segment(text="a" * 500_001), "segments.0.text"),
    "words that are a list": (segment(text=["a"]), "segments.0.text"),
    "a date of the year 1000": (source(started_at="1000-01-01T00:00:00Z"), "started_at"),
    "a date of the year 9999": (source(started_at="9999-12-31T23:59:59-23:00"), "started_at"),
    "an impossible date": (source(started_at="2026-02-30T00:00:00Z"), "started_at"),
    "a date without a zone": (source(started_at="2026-02-03T00:00:00"), "started_at"),
    "a date in words": (source(started_at=SECRET), "started_at"),
    "a boolean for a date": (source(started_at=True), "started_at"),
    "epoch seconds beyond 2200": (source(started_at=1e15), "started_at"),
    "an end before the start": (source(ended_at="2026-02-01T00:00:00Z"), "ended_at"),
    "a segment that ends before it starts": (segment(start=3), "end must not be before start"),
    "a negative start": (segment(start=-1), "segments.0.start"),
    "a start in another year": (segment(start=1e300, end=1e300), "segments.0.start"),
    "an unknown kind": (source(kind=SECRET), "kind"),
    "an unknown role": (segment(role=SECRET), "segments.0.role"),
    "an unknown sensitivity": (source(sensitivity=9), "sensitivity"),
    "neither segments nor content": (
        {k: v for k, v in source().items() if k != "segments"},
        "segments, messages or content",
    ),
    "segments and content": (source(content="b"), "segments, messages or content"),
    "content without words": ({**source(content=""), "segments": []}, "content"),
    "one segment twice": (source(segments=[GOOD, GOOD]), "unique"),
    "words beyond 2200": (source(started_at="2199-12-31T23:59:59Z"), "segments"),
    "a session no index can hold": (source(provenance={"session_id": "🦆" * 501}), "provenance.session_id"),
    "a foreign team": (source(team_id="them"), "team_id"),
    "too many participants": (source(participants=["a"] * 1001), "participants"),
}


async def test_a_body_that_is_wrong_is_told_where(lived: Door, subtests: pytest.Subtests) -> None:
    for name, (body, told) in WRONG.items():
        with subtests.test(name):
            assert_problem(await lived.client.post("/v1/sources", json=body), 422, told)
    await assert_nothing_lost(lived)


RAW: Mapping[str, tuple[str, str]] = {
    "a lone surrogate in the words": ('"text": "I moved to Lisbon."', r'"text": "\ud800"'),
    "a lone surrogate in an id": ('"source_id": "s"', r'"source_id": "\udfff"'),
    "a lone surrogate as an unknown key": ('"source_id": "s"', r'"source_id": "s", "\ud800": 1'),
    "a lone surrogate in a key": ('"source_id": "s"', r'"source_id": "s", "provenance": {"\ud800": 1}'),
    "NaN as a date": ('"2026-03-01T08:00:00+00:00"', "NaN"),
    "infinity as a date": ('"2026-03-01T08:00:00+00:00"', "-Infinity"),
    "NaN as a start": ('"start": 0', '"start": NaN'),
    "infinity as an end": ('"end": 2', '"end": Infinity'),
    "a number beyond every float": ('"end": 2', '"end": 1e999'),
    "NaN in the provenance": ('"source_id": "s"', '"source_id": "s", "provenance": {"a": NaN}'),
    "NaN as a feeling": ('"end": 2', '"end": 2, "emotion": {"label": "joy", "score": NaN}'),
}


async def test_what_json_can_say_but_no_memory_can_hold(lived: Door, subtests: pytest.Subtests) -> None:
    good = json.dumps(source())
    for name, (said, wrong) in RAW.items():
        with subtests.test(name):
            assert said in good
            content = good.replace(said, wrong)
            assert_problem(await lived.client.post("/v1/sources", content=content, headers=JSON), 422)
    await assert_nothing_lost(lived)


async def test_an_unknown_key_that_is_a_sentence_is_not_repeated(lived: Door) -> None:
    sentence = f"I never told anybody that {SECRET}"
    assert_problem(await lived.client.post("/v1/sources", json=source(**{sentence: 1})), 422)
    assert_problem(await lived.client.post("/v1/sources", json=source(provenance={sentence: ["a"]})), 422)
    assert_problem(await lived.client.get("/v1/context", params={"query": "a", sentence: "1"}), 422)


async def test_too_many_segments_for_one_source(lived: Door) -> None:
    many = [{**GOOD, "segment_id": str(n), "text": ""} for n in range(100_000)]
    assert_problem(await lived.client.post("/v1/sources", json=source(segments=many)), 413, "in parts")
    lean = [{"segment_id": str(n), "speaker": "", "text": "", "start": 0, "end": 0} for n in range(20_001)]
    assert_problem(await lived.client.post("/v1/sources", json=source(segments=lean)), 422, "segments")
    await assert_nothing_lost(lived)


async def test_odd_but_good_words_go_in_and_come_out_as_they_were(door: Door) -> None:
    words = [
        "",
        " ",
        "🦆" * 50,
        "नमस्ते दुनिया",
        "a" * 100_000,
        "'; DROP TABLE segments; --",
        "\u202e\ufeff\t\n",
        "%s {} \\",
    ]
    segments = [{**GOOD, "segment_id": f"é {n}", "text": text, "language": "xx"} for n, text in enumerate(words)]
    await door.post("/v1/sources", source(source_id="odd: 'one' #?", segments=segments), 202)
    await door.settle()
    rows = await door.rows("SELECT words FROM content WHERE scope = %(s)s", s=f"user:{door.user}")
    assert set(words) <= {row["words"] for row in rows}


QUESTIONS: Mapping[str, dict[str, Any]] = {
    "limit 0": {"limit": 0},
    "limit 51": {"limit": 51},
    "limit in words": {"limit": SECRET},
    "no query": {"query": ""},
    "a query too long": {"query": "a" * 10_001},
    "a query as long as an address may be": {"query": "a" * 65_000},
    "NUL in the query": {"query": "a\x00b"},
    "an unknown parameter": {"colour": SECRET},
    "no time at all": {"hours_back": 0},
    "NaN hours": {"hours_back": "nan"},
    "an infinite now": {"now": "inf"},
    "NaN for now": {"now": "nan"},
    "a now of the year 1000": {"now": "1000-01-01T00:00:00Z"},
    "a now in words": {"now": SECRET},
    "a year for a moment": {"as_of": "2026"},
    "a date in words": {"after": SECRET},
    "an impossible date": {"before": "2026-02-30"},
    "a date of the year 1000": {"after": "1000-01-01"},
    "NUL in a date": {"after": "2026\x00"},
    "an end before the start": {"after": "2026-03-02", "before": "2026-03-01"},
    "granularity 2 of the past": {"granularity": 2, "as_of": "2026-03-01"},
    "granularity 3 of the past": {"granularity": 3, "known_as_of": "2026-03-01"},
    "granularity 4": {"granularity": 4},
    "an unknown type": {"type": SECRET},
    "NUL in the type": {"type": "\x00"},
    "a path for an entity": {"entity": "../x"},
    "a budget of nothing": {"budget_tokens": 0},
    "a budget in words": {"budget_tokens": SECRET},
    "a budget beyond all bounds": {"budget_tokens": 10**30},
    "an unknown cut": {"cut": SECRET},
    "an unknown effort": {"effort": SECRET},
}


async def test_a_question_that_is_wrong(lived: Door, subtests: pytest.Subtests) -> None:
    for name, parameters in QUESTIONS.items():
        with subtests.test(name):
            answer = await lived.client.get("/v1/context", params={"query": "Lisbon", **parameters})
            assert_problem(answer, 422)
    await assert_nothing_lost(lived)


async def test_a_question_that_is_wrong_in_a_body(lived: Door, subtests: pytest.Subtests) -> None:
    """What a body can carry and an address cannot, through the answer and through the tool."""
    beside = {"storylines": {"granularity": 2}, "macros": {"granularity": 3}}
    long = {"a query of 100 kB": {"query": "Lisbon " * 14_000}, "a list for a query": {"query": ["a"]}}
    wrong = {**QUESTIONS, **beside, **long}
    for name, given in wrong.items():
        body = {"query": "Lisbon", **given}
        with subtests.test(name):
            assert_problem(await lived.client.post("/v1/ask", json=body), 422)
            assert_problem(await lived.client.post("/v1/tools/search_memory", json=body), 422)
    await assert_nothing_lost(lived)


ODD_QUERIES = (
    "a",
    " ",
    "?",
    "...!?",
    "the of and",
    "'",
    '"',
    "\\",
    "Maya's",
    '"moved" AND (NOT Lisbon) OR *',
    "a:* & !b | <->",
    "%' OR 1=1 --",
    "🦆",
    "मैं कहाँ रहता हूँ",
    "東京",
    "\u202e\ufeff",
    "Lisbon " * 1_400,
    "0",
    "-1",
    "null",
    "{}",
    "\t\n",
)


@pytest.mark.parametrize("away", [False, True], ids=["shard", "fallback"])
async def test_an_odd_question_has_an_answer(lived: Door, away: bool, subtests: pytest.Subtests) -> None:
    if away:
        lived.actors.recall = _away  # type: ignore[method-assign]
    for query in ODD_QUERIES:
        with subtests.test(query[:20]):
            found = await lived.get("/v1/context", query=query)
            assert found["query"] == visible(query), "told as it is seen, also to who asked"
            assert found["degraded"] == (["shard"] if away else [])


@pytest.mark.parametrize("budget", [None, 1, 60, "auto"])
async def test_an_odd_question_is_answered_and_told_in_any_budget(
    lived: Door, budget: Any, subtests: pytest.Subtests
) -> None:
    given = {} if budget is None else {"budget_tokens": budget}
    for query in ODD_QUERIES:
        with subtests.test(query[:20]):
            told = await lived.post("/v1/ask", {"query": query, "explain": True, **given})
            assert told["answer"]
            found = await lived.post("/v1/tools/search_memory", {"query": query, **given})
            assert found["query"] == visible(query), "told as it is seen, also to who asked"


async def test_an_empty_memory_answers_everything_with_nothing(door: Door, subtests: pytest.Subtests) -> None:
    for query in ODD_QUERIES:
        with subtests.test(query[:20]):
            found = await door.get("/v1/context", query=query, budget_tokens="auto", explain=True)
            assert (found["results"], found["context"], found["abstained"]) == ([], "", True)
            assert (await door.post("/v1/ask", {"query": query}))["citations"] == []


async def _away(*_: object) -> Any:
    raise Unavailable


FILTERS: tuple[dict[str, Any], ...] = (
    {"as_of": "1900-01-01T00:00:00Z", "known_as_of": "1900-01-01T00:00:00Z"},
    {"now": "1900-01-01T00:00:00Z", "after": "last_month"},
    {"now": "2199-12-31T00:00:00Z", "hours_back": 2_000_000},
    {"hours_back": 0.0001, "before": "1950-01-01"},
    {"entity": "nobody", "type": "place", "explain": True, "granularity": 1},
    {"budget_tokens": 1, "limit": 50},
    {"budget_tokens": "auto", "as_of": "1900-01-01T00:00:00Z"},
    {"budget_tokens": 100, "known_as_of": "1900-01-01T00:00:00Z", "explain": True},
    {"entity": "Lisbon", "type": "person", "after": "2027-01-01", "before": "2027-01-02", "budget_tokens": "auto"},
    {"now": 0, "as_of": -1, "record_access": False},
)


@pytest.mark.parametrize("away", [False, True], ids=["shard", "fallback"])
async def test_filters_that_leave_little_or_nothing(lived: Door, away: bool, subtests: pytest.Subtests) -> None:
    if away:
        lived.actors.recall = _away  # type: ignore[method-assign]
    for parameters in FILTERS:
        with subtests.test(**parameters):
            found = await lived.get("/v1/context", query="Where is Lisbon?", **parameters)
            assert found["total"] == len(found["results"]) <= 1


HEADERS: Mapping[str, tuple[dict[str, str | bytes], int]] = {
    "no token": ({"X-Internal-Token": ""}, 401),
    "a wrong token": ({"X-Internal-Token": SECRET}, 401),
    "a token that is no text": ({"X-Internal-Token": b"\xff\xfe"}, 401),
    "a long token": ({"X-Internal-Token": SECRET * 1000}, 401),
    "another kind of authorization": ({"X-Internal-Token": "", "Authorization": f"Basic {SECRET}"}, 401),
    "half an authorization": ({"X-Internal-Token": "", "Authorization": "Bearer"}, 401),
    "an empty user": ({"X-User-Id": ""}, 422),
    "a path for a user": ({"X-User-Id": "../me"}, 422),
    "a long user": ({"X-User-Id": SECRET * 100}, 422),
    "a control character in a user": ({"X-User-Id": "a\x01b"}, 422),
}


async def test_who_asks_must_be_known(lived: Door, subtests: pytest.Subtests) -> None:
    for name, (given, status) in HEADERS.items():
        headers = httpx.Headers(given)  # type: ignore[arg-type]
        with subtests.test(name):
            answer = await lived.client.get("/v1/context?query=Lisbon", headers=headers)
            assert_problem(answer, status)
            assert ("www-authenticate" in answer.headers) is (status == 401)
            assert_problem(await lived.client.post("/v1/sources", json=source(), headers=headers), status)
    await assert_nothing_lost(lived)


async def test_another_user_is_an_administrators_business(lived: Door) -> None:
    async with await lived.client_of("somebody-else") as other:
        headers = {"X-User-Id": lived.user}
        assert_problem(await other.get("/v1/context?query=Lisbon", headers=headers), 403, "administrator")
        assert_problem(await other.post("/v1/sources", json=source(), headers=headers), 403, "administrator")
        assert (await other.get("/v1/context?query=Lisbon")).json()["results"] == []
    async with await lived.client_of(lived.user, permission="read") as reader:
        assert_problem(await reader.post("/v1/sources", json=source()), 403, "read")
    await assert_nothing_lost(lived)


ROUTES = (
    ("GET", "/nowhere", 404),
    ("GET", "/v1/", 404),
    ("GET", "/v1/%00", 404),
    ("GET", "/v1/sources/%00", 422),
    ("GET", "/v1/sources/%ff%fe", 404),
    ("GET", "/v1/sources/nowhere", 404),
    ("GET", "/v1/entities/%2e%2e", 422),
    ("GET", "/v1/facts/" + "a" * 300, 422),
    ("DELETE", "/v1/context", 405),
    ("PATCH", "/v1/sources", 405),
    ("POST", "/v1/ingest/..%2f..%2fsecrets", 404),
)
