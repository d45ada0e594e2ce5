"""Sessions of chats: who has them, how many, how long, and how much they hold."""

from __future__ import annotations

from deployments.chats import IDLE_S, MOST_A_USER, MOST_CHARACTERS, MOST_SESSIONS, MOST_TURNS, ChatSessions, ChatTurn
from memory.model.scopes import Sensitivity, View

ANN = View("ann")


def test_a_session_is_found_again_by_whoever_sees_the_same() -> None:
    chats = ChatSessions()
    first = chats.session(ANN, None, "s1", 0.0)
    assert (first.session_id, first.is_lost) == ("s1", False)
    assert chats.session(ANN, "s1", "s2", 1.0) is first
    for other in (View("bob"), View("ann", ("team",)), View("ann", clearance=Sensitivity.SENSITIVE)):
        assert chats.session(other, "s1", "s2", 1.0) is not first
        assert [each.session_id for each in chats.active(other, 1.0)] == ["s1"]
    assert chats.session(ANN, "unknown", "s2", 1.0).is_lost


def test_sessions_end_when_they_are_idle() -> None:
    chats = ChatSessions()
    first = chats.session(ANN, None, "s1", 0.0)
    chats.session(ANN, "s1", "s2", IDLE_S)
    assert chats.active(ANN, 2 * IDLE_S) == [first]
    assert chats.active(ANN, 2 * IDLE_S + 1) == []
    assert chats.session(ANN, "s1", "s2", 3 * IDLE_S).is_lost


def test_the_longest_idle_make_room() -> None:
    chats = ChatSessions()
    for number in range(MOST_A_USER + 5):
        chats.session(ANN, None, f"s{number}", float(number))
    kept = [each.session_id for each in chats.active(ANN, 30.0)]
    assert kept == [f"s{number}" for number in range(MOST_A_USER + 4, 4, -1)]
    for number in range(MOST_SESSIONS):
        chats.session(View(f"u{number}"), None, "s", 100.0)
    assert chats.active(ANN, 100.0) == []
    assert len(chats.active(View("u0"), 100.0)) == 1


def test_what_is_before_ones_eyes_is_bounded() -> None:
    session = ChatSessions().session(ANN, None, "s1", 0.0)
    for number in range(MOST_TURNS):
        session.add(ChatTurn("user", f"q{number}"), ChatTurn("assistant", f"a{number}"))
        assert len(session.turns) <= MOST_TURNS
        assert session.turns[-1].words == f"a{number}"
        assert session.turns[0].role == "user"
    session.add(ChatTurn("user", "x" * MOST_CHARACTERS), ChatTurn("assistant", "y"))
    assert session.turns == []


def test_forgetting_ends_the_sessions_it_concerns() -> None:
    chats = ChatSessions()
    team = View("bob", ("team",))
    for view in (ANN, team, View("carl")):
        chats.session(view, None, "s1", 0.0).add(ChatTurn("user", "Otter"))
    held = chats.session(team, "s1", "s2", 0.0)
    chats.drop("ann", ("user:ann", "team:team"))
    assert (chats.active(ANN, 0.0), chats.active(team, 0.0), held.turns) == ([], [], [])
    assert len(chats.active(View("carl"), 0.0)) == 1
