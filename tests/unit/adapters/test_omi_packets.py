"""Fragments of an Omi's radio: whole packets in order, and one that was lost keeps its place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.hearing.omi_packets import HEADER_BYTES, MOST_LOST, RESTARTED, OmiPackets


def notifications(packets: list[list[bytes]], first: int = 0) -> list[bytes]:
    """What the radio sends of packets that are cut into these fragments."""
    sent, number = [], first
    for fragments in packets:
        for place, fragment in enumerate(fragments):
            sent.append((number % 65_536).to_bytes(2, "little") + bytes([place]) + fragment)
            number += 1
    return sent


def received(sent: list[bytes]) -> list[bytes | None]:
    packets = OmiPackets()
    return [whole for each in sent for whole in packets.feed(each)] + packets.rest()


_FRAGMENT = st.binary(min_size=1, max_size=20)
_PACKETS = st.lists(st.lists(_FRAGMENT, min_size=1, max_size=4), min_size=1, max_size=20)


@given(_PACKETS, st.integers(0, 65_535))
def test_what_is_cut_comes_out_whole_also_when_the_number_begins_anew(packets: list[list[bytes]], first: int) -> None:
    assert received(notifications(packets, first)) == [b"".join(each) for each in packets]


@given(st.lists(_FRAGMENT, min_size=3, max_size=40), st.data())
def test_every_lost_packet_keeps_its_place(packets: list[bytes], data: st.DataObject) -> None:
    sent = notifications([[each] for each in packets])
    lost = data.draw(st.sets(st.integers(1, len(packets) - 2)))
    kept = [each for place, each in enumerate(sent) if place not in lost]
    assert received(kept) == [None if place in lost else each for place, each in enumerate(packets)]


@given(st.integers(2, 4), st.data())
def test_a_packet_without_one_of_its_fragments_is_lost_as_a_whole(fragments: int, data: st.DataObject) -> None:
    packets = [[bytes([packet, part]) for part in range(fragments)] for packet in range(4)]
    sent = notifications(packets)
    gone = data.draw(st.integers(fragments, 3 * fragments - 1))
    found = received(sent[:gone] + sent[gone + 1 :])
    broken = gone // fragments
    assert found[:broken] == [b"".join(each) for each in packets[:broken]]
    assert None in found
    assert found[-1] == b"".join(packets[-1])


def test_what_comes_twice_or_late_or_is_too_short_is_left_out() -> None:
    first, second, third = notifications([[b"a"], [b"b"], [b"c"]])
    assert received([first, second, first, b"", b"\0\0\0", second, third]) == [b"a", b"b", b"c"]


@given(st.integers(200, 30_000), st.integers(1, 3))
def test_a_device_that_was_restarted_counts_from_the_beginning_and_is_heard_on(first: int, fragments: int) -> None:
    before = notifications([[b"a"] * fragments] * 9, first)
    after = notifications([[b"b"] * fragments] * 300)
    found = received(before + after)
    assert found[:9] == [b"a" * fragments] * 9
    assert found.count(b"b" * fragments) >= 300 - RESTARTED / fragments - 1
    assert found[-100:] == [b"b" * fragments] * 100


def test_what_comes_once_more_after_a_moment_is_heard_once() -> None:
    sent = notifications([[bytes([number])] for number in range(200)])
    again = sent[:150] + sent[150 - RESTARTED + 1 : 150] + sent[150:]
    assert received(again) == [bytes([number]) for number in range(200)]


def test_a_long_gap_is_made_up_for_up_to_a_minute() -> None:
    first, *_, last = notifications([[b"a"]] * 20_000)
    assert received([first, last]) == [b"a", *[None] * MOST_LOST, b"a"]


@given(st.lists(st.binary(max_size=200), max_size=30))
def test_garbage_breaks_nothing(sent: list[bytes]) -> None:
    assert all(each is None or len(each) <= sum(map(len, sent)) - HEADER_BYTES for each in received(sent))
