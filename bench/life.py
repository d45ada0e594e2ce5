"""An invented life: who somebody is, what they say on which day, and what they ask; the same for the same seed.

One person moves house, changes jobs, changes their mind about shoes, makes promises and keeps some, has a habit, and
says much that must not become a fact: questions, wishes, jokes, what others might do, and what an assistant repeats.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class LifeSource:
    """One source: who said what, on which day and at which hour where the owner lives."""

    id: str
    day: int
    hour: int
    lines: tuple[tuple[str, str], ...]
    ttl_policy: str = "decay"


@dataclass(frozen=True, slots=True)
class DatedQuestion:
    """A question of some day, and the words that all have to be in its answer."""

    day: int
    text: str
    expects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Invented:
    """A life from day 0 to day `days`. `forgotten` is (day, words): a statement with these words is to be forgotten."""

    owner: str
    zone: str
    start: date
    days: int
    talks: tuple[LifeSource, ...]
    asked: tuple[DatedQuestion, ...]
    closing: tuple[DatedQuestion, ...]
    chatter: frozenset[str] = frozenset()
    """Lines that nothing may be believed of."""
    forgotten: tuple[tuple[int, str], ...] = ()


ASSISTANT = "assistant"
_FRIENDS = ("Maria", "Daniel", "Sofia", "Thomas", "Laura", "Peter", "Julia", "Martin")
_KIN = (("brother", "Arjun"), ("sister", "Anita"), ("brother", "Vikram"), ("sister", "Kavita"))
_CITIES = ("Bangalore", "Chennai", "Mumbai", "Berlin", "London", "Madrid", "Vienna", "Dublin")
_COMPANIES = ("Infosys", "Siemens", "Bosch", "Google", "Microsoft", "Philips")
_SHOES = ("Nike", "Hoka", "Adidas", "Brooks")
_HABITS = ("I swim every Tuesday.", "I run every morning.", "I meditate every evening.")
_SECRETS = ("coriander", "karaoke", "horror films")
_EVERYDAY = (
    "I met {friend} in the park.",
    "I called {friend} today.",
    "{friend} is learning the guitar.",
    "I visited the museum with {friend}.",
    "I cooked dinner for {friend}.",
)
_CHATTER = (
    "How was your day?",
    "Did you sleep well?",
    "If I won the lottery, I would live in Monaco.",
    "Haha, I am practically a penguin today, just kidding.",
    "Maybe I should buy a boat.",
    "Do you like sushi?",
    "{friend} said she might move to Mars.",
    "What if I quit and joined a circus?",
    "What time is it?",
    "If it rains, I will stay in bed.",
    "Imagine I owned a castle.",
    "Should I learn to juggle?",
)
_REPEATED = (
    "I remember that you live in Atlantis.",
    "You told me that you work at Acme.",
    "Your favorite shoes are Crocs shoes.",
)
_WEEK = 7
_LONG, _FIRST_VISIT, _BETWEEN_VISITS = 200, 40, 150
"""Days: lives from which on somebody visits, and when. A storyline closes in between, and two make a macro."""
_TALKATIVE = 0.45
"""Share of days with a talk of the everyday kind (invented, like all of this)."""


def invented(base: Invented, seed: int, days: int) -> Invented:
    """A life of so many days around the talks of a base, which keep their days."""
    chance = random.Random(seed)
    person = _Person.drawn(chance, days)
    talks = [*person.turns(), *person.visits(), *_everyday(chance, person.friends, days)]
    told = tuple(each for each in base.talks if each.day <= days)
    ordered = sorted((*told, *_talks(talks, base.owner)), key=lambda each: (each.day, each.hour, each.id))
    closing = base.closing if days >= base.days else ()
    return Invented(
        base.owner,
        base.zone,
        base.start,
        days,
        tuple(ordered),
        tuple(sorted((*person.asked_weekly(chance), *person.asked_of_visits()), key=lambda each: each.day)),
        (*(DatedQuestion(days, each.text, each.expects) for each in closing), *person.closing()),
        frozenset(text.format(friend=friend) for text in (*_CHATTER, *_REPEATED) for friend in _FRIENDS),
        ((days * 2 // 3, person.secret),),
    )


@dataclass(frozen=True, slots=True)
class _Person:
    """Who it is; each pair is before and after."""

    days: int
    kin: tuple[str, str]
    friends: tuple[str, ...]
    cities: tuple[str, str]
    companies: tuple[str, str]
    shoes: tuple[str, str]
    habit: str
    secret: str
    moved: int
    changed: int
    walked: int

    @classmethod
    def drawn(cls, chance: random.Random, days: int) -> _Person:
        """Everything by chance; the changes lie in the middle of the life."""

        def two(names: Sequence[str]) -> tuple[str, str]:
            one, other = chance.sample(names, 2)
            return one, other

        def middle() -> int:
            return chance.randint(days // 4, days * 3 // 4)

        return cls(
            days,
            chance.choice(_KIN),
            tuple(chance.sample(_FRIENDS, 3)),
            two(_CITIES),
            two(_COMPANIES),
            two(_SHOES),
            chance.choice(_HABITS),
            chance.choice(_SECRETS),
            moved=middle(),
            changed=middle(),
            walked=middle(),
        )

    def turns(self) -> Iterator[tuple[int, str]]:
        """What is said once, and what is said again; (day, words)."""
        relation, name = self.kin
        yield 1, f"I live in {self.cities[0]}."
        yield 1, f"I work at {self.companies[0]}."
        yield 2, f"{name} is my {relation}."
        yield 4, f"My favorite shoes are {self.shoes[0]} shoes."
        yield 5, f"I hate {self.secret}."
        yield 6, f"I promised {self.friends[0]} to water the plants by Friday."
        yield 9, "I kept my promise about the plants."
        yield 10, f"I promised {self.friends[1]} to fix the bike by Friday."
        yield 20, "I broke my promise about the bike."
        yield from ((day, self.habit) for day in range(3, self.days, 16))
        yield from ((day, f"I had dinner with my {relation} {name}.") for day in range(12, self.days, 20))
        yield self.moved, f"I moved to {self.cities[1]}."
        yield self.changed, f"I work at {self.companies[1]} now."
        yield self.walked, f"My favorite shoes are {self.shoes[1]} shoes now."

    def visits(self) -> Iterator[tuple[int, str]]:
        """A friend from afar comes for ten days, and again after months; only a long life has such visits."""
        for began in self.visited():
            yield from ((began + day, text.format(friend=self.guest)) for day, text in enumerate(_EVERYDAY * 2))

    def visited(self) -> Sequence[int]:
        """The days on which these visits begin."""
        return range(_FIRST_VISIT, self.days - 2 * _WEEK, _BETWEEN_VISITS) if self.days >= _LONG else ()

    @property
    def guest(self) -> str:
        """Who visits."""
        return next(each for each in _FRIENDS if each not in self.friends)

    def asked_of_visits(self) -> Iterator[DatedQuestion]:
        """What is asked at the end of each visit."""
        return (DatedQuestion(day + len(_EVERYDAY), f"What did I do with {self.guest}?") for day in self.visited())

    def asked_weekly(self, chance: random.Random) -> list[DatedQuestion]:
        """A question a week."""
        return [DatedQuestion(day, chance.choice(self.questions())) for day in range(_WEEK, self.days, _WEEK)]

    def questions(self) -> tuple[str, ...]:
        """What is asked now and then."""
        relation, _ = self.kin
        return ("Where do I live?", "Where do I work?", f"Who is my {relation}?", "What are my favorite shoes?")

    def closing(self) -> Iterator[DatedQuestion]:
        """The questions of the last day."""
        answers = (self.cities[1], self.companies[1], self.kin[1], self.shoes[1])
        return (
            DatedQuestion(self.days, text, (answer,)) for text, answer in zip(self.questions(), answers, strict=True)
        )


def _everyday(chance: random.Random, friends: Sequence[str], days: int) -> Iterator[tuple[int, str]]:
    """Small talk: something about a friend, and something that is nothing."""
    said: list[str] = []
    for day in range(days):
        if chance.random() < _TALKATIVE:
            said = said or chance.sample(_CHATTER, len(_CHATTER))  # nobody tells the same joke twice a week
            friend = chance.choice(friends)
            yield day, chance.choice(_EVERYDAY).format(friend=friend)
            yield day, said.pop().format(friend=friend)
            yield day, f"{ASSISTANT}: {chance.choice(_REPEATED)}"


def _talks(turns: Sequence[tuple[int, str]], owner: str) -> Iterator[LifeSource]:
    """One talk a day, in the evening; every fifth is a voice that need not be kept."""
    for day in sorted({day for day, _ in turns}):
        said = (text for on, text in turns if on == day)
        lines = tuple(
            (ASSISTANT, text.removeprefix(f"{ASSISTANT}: ")) if text.startswith(ASSISTANT) else (owner, text)
            for text in said
        )
        yield LifeSource(f"day-{day:03}", day, 19, lines, "ephemeral" if day % 5 == 0 else "decay")
