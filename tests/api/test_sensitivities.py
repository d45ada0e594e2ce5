"""A life told with its secrets and without them is the same life to whoever may not see them, to the last byte.

Random lives are lived in two databases: the same sources, questions, nights and commands on the same days, but in one
of them without everything that is more sensitive than a view. Then that view asks every GET route, every reading tool
and /v1/ask, with the ids and names of both; the ids of what is secret must be as unknown as any.
"""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from actors import accesses
from adapters import build
from config.settings import load
from deployments.app_context import AppContext, open_app_context
from deployments.gateway import create_app
from deployments.use_cases.asking import AskIn
from deployments.use_cases.tools import TOOLS
from memory.model.scopes import Sensitivity
from memory.model.timeline import DAY_S, iso
from memory.model.tokens import Token
from memory.services.night import run_night
from tests.api import test_isolation as isolation
from tests.api.conftest import PATIENT, Door
from tests.contract.conftest import database  # noqa: F401  (a session fixture)
from tests.databases import own_database
from tests.fakes.actor_client import LocalActorClient

OPEN, PRIVATE, SENSITIVE = Sensitivity
DAWN = datetime(2100, 3, 1, 12, tzinfo=UTC).timestamp()
"""Later than any machine's clock, so that work which the database has queued is due."""
USER = "u-maya"
WHO, WHERE = ("Zoe", "Zora", "Priyanka"), ("Porto", "Faro", "Lagos")
SAYINGS = (
    "I live in {where}.",
    "I moved to {where}.",
    "I like {where}.",
    "I don't like {where}.",
    "I work at {where} Bank.",
    "My sister {who} lives in {where}.",
    "My friend {who}, we call her {nick}, visits me on Friday.",
    "{who} called about {where}.",
    "I'll send {who} the plan tomorrow.",
    "I decided to visit {who} in {where}.",
    "I feel anxious about {who}.",
    "I have two dogs.",
    "I have three dogs now.",
)
_FRACTIONS = re.compile(r"(t\d\d:\d\d:\d\d)\.\d{3,6}(?=z|\+)")
MOST = 8
"""Ids of one sensitivity that every route is asked for."""
QUESTIONS = ("Where do I live?", "What about Zoe?", "Who lives in Porto?")


@dataclass(frozen=True)
class Day:
    """What happens on one day, and how secret it is."""

    kind: str
    level: Sensitivity
    lines: tuple[str, ...]
    question: str
    number: int


def days(seed: int) -> list[Day]:
    """Fourteen days of a random life, the first four of them full of words of every sensitivity."""
    chance = random.Random(seed)
    levels = chance.sample((OPEN, PRIVATE, OPEN, SENSITIVE), 4)
    kinds = ("heard", "heard", "heard", "heard", "told", "asked", "asked", "night", "renamed", "forgotten")
    return [
        Day(
            kind="heard" if number < 4 else chance.choice(kinds),
            level=levels[number] if number < 4 else chance.choice((OPEN, OPEN, PRIVATE, SENSITIVE)),
            lines=tuple(
                chance.choice(SAYINGS).format(
                    who=chance.choice(WHO), where=chance.choice(WHERE), nick=chance.choice(("Zo", *WHO))
                )
                for _ in range(4)
            ),
            question=chance.choice(QUESTIONS),
            number=chance.randrange(100),
        )
        for number in range(14)
    ]


@dataclass
class Driven:
    """A clock that stands still until it is set."""

    moment: float = DAWN

    def now(self) -> float:
        return self.moment


@dataclass
class Lived:
    """One memory, the clock of its life, and tokens of every clearance."""

    app: AppContext
    actors: LocalActorClient
    clock: Driven
    clients: dict[Sensitivity, httpx.AsyncClient] = field(default_factory=dict)

    async def live(self, story: Sequence[Day], up_to: Sensitivity) -> None:
        """Every day at its own time; words above `up_to` are never said."""
        await self._write(SENSITIVE, "PUT", "/v1/profile", "profile", {"name": "Maya"})
        for number, day in enumerate(story):
            self.clock.moment = DAWN + (1 + 7 * number) * DAY_S
            self.actors.of(USER)._accesses._batch = 100 * number  # an id tells how many batches there were
            await getattr(self, f"_{day.kind}")(number, day, up_to)
        self.clock.moment = DAWN + 200 * DAY_S

    async def _heard(self, number: int, day: Day, up_to: Sensitivity) -> None:
        if day.level > up_to:
            return
        at = self.clock.moment - (day.number % 40) * DAY_S
        segments = [
            {"segment_id": str(place), "speaker": "Maya", "text": line, "start": place, "end": place + 1}
            for place, line in enumerate(day.lines)
        ]
        body = {
            "source_id": f"day-{number}",
            "started_at": at,
            "segments": segments,
            "sensitivity": day.level.name.lower(),
        }
        answer = await self.clients[SENSITIVE].post("/v1/sources", json=body)
        assert answer.status_code == 202, answer.text
        await self.actors.settle(self.app.stores)

    async def _told(self, number: int, day: Day, up_to: Sensitivity) -> None:
        await self._write(OPEN, "POST", "/v1/facts", f"day-{number}", {"text": day.lines[0]})
        await self.actors.settle(self.app.stores)

    async def _asked(self, number: int, day: Day, up_to: Sensitivity) -> None:
        """By a token that sees everything: what it finds of the open words must not depend on the others."""
        for level in (SENSITIVE, OPEN):
            answer = await self.clients[level].get("/v1/context", params={"query": day.question, "cut": "none"})
            assert answer.status_code == 200, answer.text
            await self.actors.of(USER)._accesses.commit()
            self.clock.moment += 60

    async def _night(self, number: int, day: Day, up_to: Sensitivity) -> None:
        night = datetime.fromtimestamp(self.clock.moment, UTC).date()
        parts = build.night_parts(self.app.settings, self.app.stores.nights, self.actors, None)
        await run_night(USER, night, "UTC", parts)

    async def _renamed(self, number: int, day: Day, up_to: Sensitivity) -> None:
        listed = (await self.clients[OPEN].get("/v1/entities", params={"entity_type": "person"})).json()["entities"]
        others = [each for each in listed if not each["is_owner"]]
        if others:
            chosen, name = others[day.number % len(others)]["entity_id"], WHO[day.number % len(WHO)]
            await self._write(OPEN, "POST", f"/v1/entities/{chosen}/rename", f"day-{number}", {"name": name})

    async def _forgotten(self, number: int, day: Day, up_to: Sensitivity) -> None:
        """Sources: of the open ones always the same, of the others whichever it is."""
        for level in Sensitivity:
            listed = (await self.clients[level].get("/v1/sources")).json()["sources"]
            mine = sorted(each["source_id"] for each in listed if each["sensitivity"] == level.name.lower())
            if mine and (level == OPEN or day.level == level):
                source_id = mine[day.number % len(mine)]
                await self._write(SENSITIVE, "DELETE", f"/v1/sources/{source_id}", f"gone-{source_id}", None)
            self.clock.moment += 60

    async def _write(self, level: Sensitivity, method: str, path: str, key: str, body: Any) -> None:
        headers = {"Idempotency-Key": key}
        answer = await self.clients[level].request(method, path, json=body, headers=headers)
        assert answer.status_code < 500, answer.text


@asynccontextmanager
async def lived(dsn: str, home: Path) -> AsyncIterator[Lived]:
    """A memory without anything in it, in a database of its own."""
    home.mkdir()
    (home / "token").write_text("a" * 43)
    settings = load(
        home,
        {"dsn": dsn, "models": {"encoder": {"kind": "hashing"}, "extraction": {"kind": "rules"}}, "recall": PATIENT},
        {},
    )
    actors, clock = LocalActorClient(settings), Driven()
    app = await open_app_context(settings, actors)
    app.clock = clock
    actors.of(USER)._accesses._origin = "life"
    life = Lived(app, actors, clock)
    for level in Sensitivity:
        await app.tokens.put(level.name, Token(level.name, USER, (), "write", level))
        transport = httpx.ASGITransport(create_app(app))
        headers = {"X-Internal-Token": level.name}
        life.clients[level] = httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers)
        assert (await life.clients[level].post("/login", data={"token": level.name})).status_code == 303
    yield life
    for client in life.clients.values():
        await client.aclose()
    await app.stores.pool.close()
    await actors.close()


@pytest.fixture
def databases(database: str) -> Iterator[tuple[str, str]]:  # noqa: F811
    """Two fresh databases."""
    template = psycopg.conninfo.conninfo_to_dict(database)["dbname"]
    with own_database(database, "one", template) as one, own_database(database, "other", template) as other:
        yield one, other


async def asked_of(whole: Lived, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every GET route and reading tool, with the ids and names of everything there is."""
    middle = DAWN + 50 * DAY_S
    times = {
        "date": ("2100-03-08",),
        "from": ("2100-01-01",),
        "to": ("2150-01-01",),
        "as_of": (str(middle),),
        "known_as_of": (str(middle),),
        "status": ("all",),
        "since": (str(iso(middle)),),
    }
    monkeypatch.setattr(isolation, "TIMES", times)
    monkeypatch.setattr(isolation, "FREE_WORDS", {"query": QUESTIONS, "q": QUESTIONS[:1]})
    believed = await whole.app.stores.memory.journal.load(USER)
    assert max(each.sensitivity for each in believed.facts.values()) > OPEN, "a life without secrets proves nothing"
    ids = {
        "entity_id": _some({each.entity_id: each.sensitivity for each in believed.entities.values()}),
        "fact_id": _some({each.fact_id: each.sensitivity for each in believed.facts.values()}),
        "source_id": {f"day-{number}" for number in range(14)},
    }
    names = ["Zo", "Zoe", "Porto", "Maya"]
    routes = [*isolation._routes(create_app(whole.app).openapi()), isolation.Route("/", (), ("q",))]
    tools = {f"/v1/tools/{name}": tool.arguments for name, tool in TOOLS.items() if not tool.writes}
    posts = [
        post for path, body in ({"/v1/ask": AskIn} | tools).items() for post in isolation._posts(path, body, ids, names)
    ]
    # events tell of the work itself, with ids of chance and its moments; test_events.py holds what a view sees of them
    told = [route for route in routes if route.path != "/v1/events"]
    return [*posts, *(url for route in told for url in isolation._urls(route, ids, names))]


def _some(known: Mapping[str, Sensitivity]) -> set[str]:
    """Ids of a few things of every sensitivity there is."""
    return {each for level in Sensitivity for each in sorted(each for each in known if known[each] == level)[:MOST]}


@pytest.mark.parametrize(("seed", "view"), [(1, OPEN), (2, OPEN), (3, PRIVATE)])
async def test_a_view_does_not_notice_what_it_may_not_see(
    seed: int, view: Sensitivity, databases: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accesses, "BATCH_S", DAY_S)
    story, answers, urls = days(seed), [], list[str]()
    for name, dsn, up_to in zip(("whole", "alone"), databases, (SENSITIVE, view), strict=True):
        async with lived(dsn, tmp_path / name) as life:
            monkeypatch.setattr(build, "clock", lambda life=life: life.clock)
            await life.live(story, up_to)
            urls = urls or await asked_of(life, monkeypatch)
            answers.append(await isolation.answers(life.clients[view], urls))
    whole, alone = ({url: to_the_second(said) for url, said in each.items()} for each in answers)
    differing = [_difference(url, whole[url], alone[url]) for url in urls if whole[url] != alone[url]]
    assert differing == [], f"{len(differing)} answers differ"
    found = [url for url in urls if whole[url].startswith("200")]
    assert len(found) > 100, "a view that sees nothing would prove nothing"


def to_the_second(said: str) -> str:
    """An answer without fractions of seconds: the clock of these lives stands still within a day, so that each commit
    of it is a thousandth later than the last one, and thousandths count commits. A clock that goes on hides that.
    """
    return _FRACTIONS.sub(r"\1", said)


def _difference(url: str, whole: str, alone: str) -> tuple[str, ...]:
    """A request, and what its two answers say from the first byte on at which they differ."""
    first = next((place for place, (a, b) in enumerate(zip(whole, alone, strict=False)) if a != b), 0)
    return url, whole[max(0, first - 60) : first + 60], alone[max(0, first - 60) : first + 60]


async def test_who_sees_both_is_shown_that_a_secret_took_the_place(door: Door) -> None:
    """Of the open fact nothing has changed: it is over only in the eyes of who knows what followed."""
    for number, (line, level) in enumerate((("I live in Porto.", "open"), ("I live in Lisbon now.", "sensitive"))):
        segments = [{"segment_id": "0", "speaker": "Maya", "text": line, "start": 0, "end": 1}]
        body = {"source_id": level, "started_at": 1.77e9 + number * DAY_S, "segments": segments, "sensitivity": level}
        await door.post("/v1/sources", body, 202)
    await door.settle()
    shown = {}
    for level in (OPEN, SENSITIVE):
        async with await door.client_of(door.user, clearance=level) as client:
            facts = (await client.get("/v1/facts", params={"predicate": "lives_in", "status": "all"})).json()["facts"]
            shown[level] = {each["object"]: (each["status"], each["valid_to"]) for each in facts}
    assert shown[OPEN] == {"Porto": ("active", None)}
    assert shown[SENSITIVE] == {"Porto": ("superseded", iso(1.77e9 + DAY_S)), "Lisbon": ("active", None)}
