"""The laws of leases: the budget, who excludes whom, the order, expiry, and that everybody gets their turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.rules.leases import (
    ALONE,
    MOST_SHARE,
    USERS,
    Lease,
    LeaseBook,
    LeaseTerms,
    LeaseUser,
    asked,
    next_change,
    renewed,
    returned,
    settled,
)

TERMS = LeaseTerms(100.0, {"sweep": 10.0, "live": 9.0, "embedding": 45.0, "extraction": 50.0})
LONGEST_S = 10.0
"""Seconds for which nobody of these tests holds a lease longer."""
user = st.sampled_from(USERS)
step = st.tuples(st.sampled_from(("ask", "renew", "return", "wait")), st.integers(0, 7), user, st.floats(0, 9))


def walked(
    steps: Sequence[tuple[str, int, LeaseUser, float]], terms: LeaseTerms = TERMS
) -> list[tuple[LeaseBook, float]]:
    """The book after each step, and when that was; a ticket is always of the same user."""
    book, now, seen = LeaseBook(terms), 0.0, []
    for what, number, who, later in steps:
        now += later
        ticket = f"{who}-{number}"
        if what == "ask":
            book = asked(book, ticket, who, now)
        elif what == "renew":
            book = renewed(book, ticket, who, now)
        elif what == "return":
            book = returned(book, ticket, now)
        else:
            book = settled(book, now)
        seen.append((book, now))
    return seen


@given(st.lists(step, max_size=60))
def test_nobody_holds_more_than_there_is_and_a_sweep_is_alone(steps: list[tuple[str, int, LeaseUser, float]]) -> None:
    for book, now in walked(steps):
        assert book.declared <= TERMS.budget
        users = [each.user for each in book.held]
        assert len(users) == 1 or not set(users) & ALONE
        tickets = [each.ticket for each in (*book.held, *book.waiting)]
        assert len(tickets) == len(set(tickets))
        assert all(each.until > now for each in (*book.held, *book.waiting))


@given(st.lists(step, max_size=60))
def test_whoever_could_have_a_lease_has_it(steps: list[tuple[str, int, LeaseUser, float]]) -> None:
    """No wake-up is lost: the first who waits could not be let in beside those who hold."""
    for book, now in walked(steps):
        assert settled(book, now) == book
        if book.waiting:
            first = book.waiting[0]
            alone = replace(book, waiting=(first,))
            assert settled(alone, now).waiting == (first,)


@given(st.lists(step, max_size=40))
def test_nothing_changes_by_itself_before_it_is_told(steps: list[tuple[str, int, LeaseUser, float]]) -> None:
    for book, now in walked(steps):
        told = next_change(book, now)
        assert (told is None) == (not book.held and not book.waiting)
        if told is not None and told > now:
            between = settled(book, (now + told) / 2)
            assert [each.ticket for each in between.held] == [each.ticket for each in book.held]


@given(st.lists(user, min_size=1, max_size=12), st.permutations(range(12)))
def test_who_waits_is_let_in_by_importance_and_then_by_time(users: list[LeaseUser], order: list[int]) -> None:
    """One after the other, for each declares all there is."""
    terms = replace(TERMS, declared=dict.fromkeys(USERS, TERMS.budget), alone=frozenset())
    book = asked(LeaseBook(terms), "first", "extraction", 0.0)
    for place, each in enumerate(users):
        book = asked(book, f"t{place}", each, 0.001 * (place + 1))
    served, now = [], 1.0
    book = returned(book, "first", now)
    while book.held:
        served.append(book.held[0].ticket)
        book = returned(book, served[-1], now)
    assert served == [f"t{n}" for n in sorted(range(len(users)), key=lambda n: (USERS.index(users[n]), n))]


@given(st.lists(st.tuples(user, st.floats(0.05, 2.0)), min_size=1, max_size=150), user)
@settings(max_examples=60)
def test_everybody_gets_their_turn_whoever_comes(others: list[tuple[LeaseUser, float]], mine: LeaseUser) -> None:
    """However many come that are more important, and each holds as long as it may."""
    terms = replace(TERMS, declared=dict.fromkeys(USERS, TERMS.budget), term_s=1e9, patience_s=20.0)
    book, now, got = asked(asked(LeaseBook(terms), "first", "sweep", 0.0), "mine", mine, 0.0), 0.0, None
    for number, (who, gap) in enumerate(others * 20):
        now += gap
        book = asked(book, f"o{number}", who, now)
        for each in book.held:
            if now - each.since >= LONGEST_S or each.ticket == "first":
                book = returned(book, each.ticket, now)
        if book.holds("mine"):
            got = now
            break
        if now > 300:
            break
    ahead = 1 + 2 * LONGEST_S  # whoever holds when patience ends, and the step in which that is seen
    if got is None:
        assert now <= terms.patience_s + ahead, "mine was starved"
    else:
        assert got <= terms.patience_s + ahead


def test_a_holder_that_died_gives_back_when_its_term_is_over() -> None:
    book = asked(asked(LeaseBook(TERMS), "dead", "sweep", 0.0), "live", "live", 1.0)
    book = asked(book, "live", "live", 14.0)  # it asks again, and keeps its place
    assert [each.ticket for each in settled(book, 14.9).held] == ["dead"]
    assert [each.ticket for each in settled(book, 15.0).held] == ["live"]


def test_a_holder_that_renews_keeps_it_and_one_that_comes_too_late_does_not() -> None:
    book = renewed(asked(LeaseBook(TERMS), "s", "sweep", 0.0), "s", "sweep", 10.0)
    assert settled(book, 24.9).holds("s")
    late = renewed(book, "s", "sweep", 25.0)
    assert not late.holds("s")


def test_a_waiting_sweep_is_not_passed_by_those_who_would_keep_it_waiting() -> None:
    """Extraction holds and more of it comes: beside the sweep that waits none of it may begin."""
    book = asked(LeaseBook(TERMS), "e1", "extraction", 0.0)
    book = asked(book, "s", "sweep", 1.0)
    book = asked(book, "e2", "extraction", 2.0)
    book = asked(book, "l", "live", 2.0)
    assert [each.ticket for each in book.held] == ["e1"]
    assert [each.ticket for each in book.waiting] == ["s", "l", "e2"]
    book = returned(book, "e1", 3.0)
    assert [each.ticket for each in book.held] == ["s"]
    book = returned(book, "s", 4.0)
    assert [each.ticket for each in book.held] == ["l", "e2"], "both fit"


def test_a_book_that_was_lost_grants_nothing_until_its_holders_have_told() -> None:
    book = LeaseBook(TERMS, opens_at=15.0)
    book = asked(book, "new", "live", 1.0)
    assert not book.held
    assert next_change(book, 1.0) == 15.0
    book = renewed(book, "old", "sweep", 3.0)
    book = asked(book, "new", "live", 14.0)
    book = settled(renewed(book, "old", "sweep", 14.0), 15.0)
    assert [each.ticket for each in book.held] == ["old"]
    assert not renewed(returned(book, "old", 16.0), "ghost", "sweep", 16.0).holds("ghost"), "the book is open"


@pytest.mark.conforms("001:gpu.priority")
def test_the_order_of_the_founding_design() -> None:
    assert USERS == ("sweep", "live", "embedding", "extraction")
    terms = LeaseTerms(100.0, dict.fromkeys(USERS, 10.0))
    for other in ("live", "embedding", "extraction"):
        book = asked(asked(LeaseBook(terms), "s", "sweep", 0.0), "o", other, 1.0)
        assert [each.user for each in book.held] == ["sweep"], "a sweep blocks everything"
    book = LeaseBook(terms, held=(Lease("h", "sweep", 0.0, 99.0),))
    for number, each in enumerate(("extraction", "embedding", "live", "sweep")):
        book = asked(book, str(number), each, 1.0)
    assert [each.user for each in book.waiting] == ["sweep", "live", "embedding", "extraction"]
    both = asked(asked(LeaseBook(terms), "l", "live", 0.0), "e", "extraction", 1.0)
    assert [each.user for each in both.held] == ["live", "extraction"], "others share it"
    assert [each.user for each in asked(both, "s", "sweep", 2.0).waiting] == ["sweep"]
    too_much = LeaseTerms(100.0, {"live": 60.0, "embedding": 60.0})
    book = asked(asked(LeaseBook(too_much), "l", "live", 0.0), "e", "embedding", 1.0)
    assert [each.user for each in book.held] == ["live"]


def test_four_fifths_of_the_memory_may_be_declared_at_most() -> None:
    assert MOST_SHARE == 0.8


def test_whoever_has_waited_long_comes_when_that_is_noticed_without_another_word() -> None:
    """A sweep that came later stands before it in the queue until then, and could not begin beside the holder."""
    terms = LeaseTerms(100.0, dict.fromkeys(USERS, 10.0), term_s=1_000.0)
    book = asked(LeaseBook(terms), "e", "extraction", 0.0)
    book = asked(book, "s", "sweep", 1.0)
    book = asked(book, "l", "live", 0.5 + 1.0)
    book = replace(
        book, waiting=tuple(replace(each, since=0.5) if each.user == "live" else each for each in book.waiting)
    )
    assert next_change(book, 1.5) == 60.5
    assert settled(book, 60.5).holds("l")
