"""Connections at the front door: who makes room for whom, and who never does."""

from __future__ import annotations

from dataclasses import dataclass

from deployments.connections import REST_S, Connections


@dataclass(eq=False)
class Wire:
    """A connection that remembers whether it was ended."""

    origin: str = "here"
    trusted: bool = False
    used_at: float = 0.0
    answering: bool = False
    ended: bool = False

    def hang_up(self) -> None:
        self.ended = True


def opened(*wires: Wire, most: int = 4, most_of_one: int = 3) -> Connections:
    connections = Connections(most, most_of_one)
    for wire in wires:
        connections.join(wire)
    return connections


def test_nobody_is_ended_before_it_could_be_read() -> None:
    fresh = [Wire(used_at=10.0) for _ in range(3)]
    connections = opened(*fresh)
    connections.make_room("here", 10.0 + REST_S / 2)
    assert not connections.has_room("here")
    assert not any(wire.ended for wire in fresh)
    connections.make_room("here", 10.0 + REST_S)
    assert connections.has_room("here")
    assert [wire.ended for wire in fresh].count(True) == 1


def test_who_has_been_idle_longest_goes_and_who_has_shown_a_token_last() -> None:
    known, old, young = Wire(trusted=True), Wire(used_at=1.0), Wire(used_at=2.0)
    connections = opened(known, old, young)
    for expected in (old, young, known):
        connections.make_room("here", 10.0)
        assert expected.ended
        connections.join(Wire(used_at=3.0, answering=True))
    connections.make_room("here", 99.0)
    assert not connections.has_room("here"), "all of them are being answered"


def test_one_address_makes_room_for_itself_alone() -> None:
    crowd, other = [Wire(used_at=1.0) for _ in range(3)], Wire(origin="there")
    connections = opened(*crowd, other, most=5)
    assert connections.has_room("elsewhere")
    connections.make_room("here", 10.0)
    assert not other.ended
    assert sum(wire.ended for wire in crowd) == 1


def test_where_all_is_full_whoever_is_idle_longest_makes_room_for_another_address() -> None:
    crowd, other = [Wire(used_at=1.0) for _ in range(3)], Wire(origin="there", used_at=2.0)
    connections = opened(*crowd, other)
    assert not connections.has_room("elsewhere")
    connections.make_room("elsewhere", 10.0)
    assert connections.has_room("elsewhere")
    assert not other.ended
    connections.leave(other)
    assert len(connections) == 2
