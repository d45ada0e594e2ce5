"""Nobody sees anything of anybody else, nor what lies above their clearance: not on any route, not even in a count.

Three users, a team of two, and sources of every sensitivity, each with words that occur nowhere else. Every GET route
of the application, every reading tool and /v1/ask are asked through every view, with the ids and names of everybody; a
new GET route or tool is covered by itself.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from itertools import product
from typing import Any, NamedTuple
from zipfile import ZipFile

import httpx
import pytest
from pydantic import BaseModel

from actors import accesses
from deployments.gateway import create_app
from deployments.use_cases.asking import AskIn
from deployments.use_cases.tools import TOOLS
from memory.model.claims import Claim
from memory.model.commands import Remember
from memory.model.scopes import Sensitivity
from tests.api.conftest import Door

OPEN, PRIVATE, SENSITIVE = Sensitivity
MONDAY = 1772438400.0
NOW = MONDAY + 40 * 86_400.0
SAID = {
    "open": ("My sister {0} visits me on Friday.", "I'll send you {1} tomorrow.", "I feel anxious about {2}."),
    "private": ("I work at {0} as an engineer.", "I met {1} at the garden.", "I started learning {2}."),
    "sensitive": ("My doctor {0} called about the garden.", "I am allergic to {1}.", "I promise to pay {2} back."),
    "team": ("The garden project is called {0}.", "{1} decided to postpone it.", "I prefer {2} for the plan."),
    "later": ("My brother {0} moved to the garden.", "I bought a {1} yesterday.", "The plumber {2} repaired the sink."),
}
SYLLABLES = ("zor", "vel", "quin", "bax", "dru", "fen", "gol", "hux", "jib", "kra", "lum", "nym", "pex", "tov", "wyx")
FREE_WORDS = {"query": ("Who is in the garden?", "What about my sister, doctor or work?"), "q": ("the garden",)}
"""Questions are repeated in the answer, so they are asked in words of nobody."""
FIXED = {
    "night": ("2026-03-02",),
    "name": ("search_memory",),
    "segment_id": ("0", "2"),
    "receipt_id": ("r-0",),
    "storyline_id": ("s-0123456789abcdef",),
    "macro_id": ("m-0123456789abcdef",),
    "consolidation_id": ("k-0123456789abcdef",),
    "community_id": ("g-0123456789abcdef",),
    "pattern_id": ("p-0123456789abcdef",),
    "community": ("g-0123456789abcdef",),
    "session_id": ("anna-open", "bert-sensitive", "walk"),
    "voice_id": ("v-0123456789abcdef",),
}
WHOLE = {"/v1/export": ("bert alone",)}
"""What a user inferred from a team's words is theirs, and in the archive of their whole memory whatever the token."""
NEWS = ("/v1/audit", "/v1/events", "/metrics")
"""Each request adds a line to the trail and an event to those of its own user, and is counted: these never stay as they
were (tests/api/test_doors.py, tests/api/test_events.py)."""
ENDLESS = "/v1/events/stream"
"""What is streamed is what /v1/events tells (tests/api/test_events.py)."""
TIMES = {
    "date": ("2026-03-02",),
    "from": ("2020-01-01",),
    "to": ("2100-01-01",),
    "as_of": (str(NOW),),
    "known_as_of": (str(NOW + 10**9),),
    "status": ("all",),
}


@dataclass
class Cast:
    """Who there is, and which words each view may come across."""

    door: Door
    views: dict[str, httpx.AsyncClient] = field(default_factory=dict)
    may_see: dict[str, set[str]] = field(default_factory=dict)
    words: dict[str, set[str]] = field(default_factory=dict)
    """Group of words -> the words; a view sees whole groups."""
    coined: int = 0

    def coin(self, group: str) -> str:
        """A word that occurs nowhere else, shaped like a name."""
        one, two = divmod(self.coined, len(SYLLABLES))
        self.coined += 1
        word = SYLLABLES[one].capitalize() + SYLLABLES[two] + "ander"
        self.words.setdefault(group, set()).add(word.lower())
        return word

    async def ingest(self, writer: str, group: str, how: str, **rest: Any) -> None:
        """One source by the writer's token, of three sentences with words of a group."""
        names = [self.coin(group) for _ in range(3)]
        lines = [line.format(*names) for line in SAID[how]]
        segments = [
            {
                "segment_id": str(n),
                "speaker": writer.title(),
                "text": text,
                "start": n,
                "end": n + 1,
                "emotion": {"label": self.coin(group), "score": 0.9},
            }
            for n, text in enumerate(lines)
        ]
        body = {"source_id": group, "started_at": MONDAY, "segments": segments, **rest}
        answer = await self.views[f"{writer} sensitive"].post("/v1/sources", json=body)
        assert answer.status_code == 202, answer.text

    async def settle(self) -> None:
        """Every view looks once, so that a team's sources are read for it; then everything is read."""
        for client in self.views.values():
            await client.get("/v1/stats")
        await self.door.settle()


@pytest.fixture
async def cast(door: Door, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Cast]:
    """anna, bert and carl; anna and bert share a team; each has one source of every sensitivity.

    That something was recalled makes it stronger, which is not what is tested here: no batch of recalls falls due.
    """
    monkeypatch.setattr(accesses, "BATCH_S", 86_400.0)
    cast, team = Cast(door), f"{door.user}-team"
    door.app.clock = _Still()
    teams = {"anna": (team,), "bert": (team,), "carl": ()}
    for user, level in product(teams, Sensitivity):
        client = await door.client_of(f"{door.user}-{user}", teams[user], clearance=level)
        name = f"{user} {level.name.lower()}"
        cast.views[name] = client
        seen = {f"{user}-{lower.name.lower()}" for lower in Sensitivity if lower <= level}
        cast.may_see[name] = seen | ({"team-open"} if teams[user] else set())
        if teams[user] and level >= PRIVATE:
            cast.may_see[name].add("team-private")
    cast.views["bert alone"] = await door.client_of(f"{door.user}-bert", (), clearance=SENSITIVE)
    cast.may_see["bert alone"] = {f"bert-{level.name.lower()}" for level in Sensitivity}
    for client in cast.views.values():
        assert (await client.post("/login", data={"token": client.headers["X-Internal-Token"]})).status_code == 303
    for user, level in product(teams, ("open", "private", "sensitive")):
        await cast.ingest(user, f"{user}-{level}", level, sensitivity=level)
    await cast.ingest("anna", "team-open", "team", team_id=team)
    await cast.ingest("bert", "team-private", "team", team_id=team, sensitivity="private")
    for user in teams:
        word = cast.coin(f"{user}-open")
        told = f"{word} keeps bees in the garden."
        claim = Claim(word, told, 0, told, object=cast.coin(f"{user}-open"))
        await door.actors.turn(f"{door.user}-{user}", Remember(command_id=f"c-{user}", claims=(claim,)), {})
    await cast.settle()
    yield cast
    for client in cast.views.values():
        await client.aclose()


class _Still:
    def now(self) -> float:
        return NOW


async def requests(cast: Cast) -> list[str]:
    """Every GET route with the ids and names of everybody, as URLs, and what is asked by POST, as URL and body."""
    ids: dict[str, set[str]] = {"entity_id": set(), "fact_id": set(), "source_id": set(cast.words)}
    for user in ("anna", "bert", "carl"):
        believed = await cast.door.app.stores.memory.journal.load(f"{cast.door.user}-{user}")
        ids["entity_id"] |= set(_one_a_group(cast, {e.entity_id: e.name for e in believed.entities.values()}))
        ids["fact_id"] |= set(_one_a_group(cast, {f.fact_id: f.statement for f in believed.facts.values()}))
    assert all(len(found) >= 5 for found in ids.values()), ids
    names = [min(words) for words in cast.words.values()]
    routes = [*_routes(create_app(cast.door.app).openapi()), Route("/", (), ("q",))]
    assert len(routes) > 10
    posts = {f"/v1/tools/{name}": tool.arguments for name, tool in TOOLS.items() if not tool.writes}
    asked = [post for path, body in ({"/v1/ask": AskIn} | posts).items() for post in _posts(path, body, ids, names)]
    assert len(asked) > 20
    return [*asked, *(url for route in routes for url in _urls(route, ids, names))]


class Route(NamedTuple):
    """A GET route: its path, and the names of the parameters in its path and in its query."""

    path: str
    in_path: tuple[str, ...]
    in_query: tuple[str, ...]


def _routes(schema: dict[str, Any]) -> Iterator[Route]:
    for path, operations in schema["paths"].items():
        if "get" in operations and path != ENDLESS:
            parameters = operations["get"].get("parameters", ())
            yield Route(path, *(tuple(p["name"] for p in parameters if p["in"] == kind) for kind in ("path", "query")))


def _one_a_group(cast: Cast, texts: dict[str, str]) -> Iterator[str]:
    """For each group of words an id of something that holds one of them."""
    for words in cast.words.values():
        yield from [id_ for id_, text in texts.items() if any(word in text.lower() for word in words)][:1]


def _urls(route: Route, ids: dict[str, set[str]], names: list[str]) -> Iterator[str]:
    paths = [route.path]
    for name in route.in_path:
        known = ids.get(name) or FIXED.get(name)
        assert known, f"{route.path}: say in this test what its {name} may be"
        paths = [path.replace(f"{{{name}}}", value) for path in paths for value in sorted(known)]
    for path in paths:
        for query in _queries(set(route.in_query), names):
            yield str(httpx.URL(path, params=query))


def _queries(parameters: set[str], names: list[str]) -> Iterator[dict[str, str]]:
    required = {name: words[0] for name, words in FREE_WORDS.items() if name in parameters}
    required |= {name: value for name, value in (("limit", "50"), ("cut", "none")) if name in parameters}
    yield required
    for name in parameters & (FREE_WORDS.keys() | TIMES.keys()):
        for value in (FREE_WORDS | TIMES)[name]:
            yield {**required, name: value}
    for name in parameters & {"entity", "entity_name", "subject", "name", "by"}:
        for value in names[::3]:
            yield {**required, name: value}


def _posts(path: str, body: type[BaseModel], ids: dict[str, set[str]], names: list[str]) -> Iterator[str]:
    schema = body.model_json_schema()
    parameters = set(schema.get("properties", ()))
    for filled in _queries(parameters, names):
        if filled.keys() >= set(schema.get("required", ())):
            yield f"{path} {json.dumps(filled)}"
    for name in sorted(parameters & ids.keys()):
        for value in sorted(ids[name]):
            yield f"{path} {json.dumps({name: value})}"


async def answers(client: httpx.AsyncClient, urls: list[str]) -> dict[str, str]:
    """URL (and body) -> status and body of the answer; archives are unpacked."""
    found = {}
    for url in urls:
        path, _, body = url.partition(" ")
        answer = await (client.post(path, json=json.loads(body)) if body else client.get(path))
        assert answer.status_code < 500, (url, answer.text)
        found[url] = f"{answer.status_code} {_unpacked(answer.content).lower()}"
    return found


def _unpacked(body: bytes) -> str:
    """The body as text; an archive (ZIP) file by file."""
    if not body.startswith(b"PK"):
        return body.decode(errors="replace")
    with ZipFile(BytesIO(body)) as archive:
        return " ".join(archive.read(name).decode() for name in archive.namelist())


async def test_nobody_sees_or_notices_anything_of_another(cast: Cast) -> None:
    """No word of another in any answer; and nothing changes, by so much as a bit, for whom news does not concern."""
    urls = await requests(cast)
    before = {name: await answers(client, urls) for name, client in cast.views.items()}
    for view in cast.views:
        _own_words_alone(
            cast, view, {url: body for url, body in before[view].items() if view not in WHOLE.get(url, ())}
        )
    await cast.ingest("anna", "later-sensitive", "later", sensitivity="sensitive")
    await cast.settle()
    for name in cast.views.keys() - {"anna sensitive"}:
        assert _differences(before[name], await answers(cast.views[name], urls)) == [], name
    await cast.ingest("anna", "later-open", "later")
    await cast.settle()
    for name in cast.views:  # a part will do: that others are not concerned by anna's words was asked in full
        changed = _differences(before[name], await answers(cast.views[name], urls[::4]))
        assert bool(changed) == name.startswith("anna"), (name, changed)


def _own_words_alone(cast: Cast, view: str, told: dict[str, str]) -> None:
    allowed = set().union(*(cast.words[group] for group in cast.may_see[view]))
    everything = " ".join(told.values())
    hidden = set().union(*cast.words.values()) - allowed
    leaks = [(word, url) for word in hidden if word in everything for url, body in told.items() if word in body]
    assert not leaks, (view, leaks[:5])
    missing = {word for word in allowed if word not in everything}
    assert not missing, f"{view} does not find its own words: this test would prove nothing"


def _differences(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, ...]]:
    """URLs whose answer changed by so much as a bit of a score; an archive has an id of its own each time."""
    steady = [url for url in after if url not in WHOLE and not url.startswith(NEWS)]
    return [(url, before[url], after[url]) for url in steady if before[url] != after[url]]
