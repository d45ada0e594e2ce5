"""From payloads to sources: growth, silence, sweeps."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.capture.payloads import Payload
from adapters.capture.sessions import fold_payloads
from memory.model.sources import NEVER, SESSION_GAP_S, Segment, SessionPart
from memory.rules.sweep import apply_sweep

START = 1709542800.0


def payload(*spans, session="walk", is_sweep=False, text="words") -> Payload:
    segments = tuple(
        Segment(f"{'w' if is_sweep else 'f'}{start}", "ana", text, start, end, is_sweep=is_sweep)
        for start, end in spans
    )
    return Payload(session, START, segments, "pendant")


def parts_of(sources) -> list[SessionPart]:
    return [SessionPart(each.session_id, each.source_id, each.started_at, each.ended_at) for each in sources]


def test_a_session_is_a_source():
    (source,) = fold_payloads([payload((0.0, 4.5)), payload((5.0, 9.0))], "user:ben")
    assert (source.source_id, source.session_id, source.scope) == ("walk", "walk", "user:ben")
    assert (source.started_at, source.ended_at, source.device_id) == (START, START + 9, "pendant")
    assert [segment.start for segment in source.segments] == [0.0, 5.0]


def test_fifteen_minutes_of_silence_open_the_next_part():
    end = 10.0
    just_short, enough = end + SESSION_GAP_S - 1, end + 2 * SESSION_GAP_S
    sources = fold_payloads([payload((0, end)), payload((just_short, just_short)), payload((enough, enough + 3))], "u")
    assert [source.source_id for source in sources] == ["walk", "walk.2"]
    assert {source.session_id for source in sources} == {"walk"}
    second = sources[1]
    assert second.started_at == START + enough
    assert [(segment.start, segment.end) for segment in second.segments] == [(0.0, 3.0)]


def test_exactly_fifteen_minutes_are_a_silence():
    assert len(fold_payloads([payload((0, 10.0)), payload((10 + SESSION_GAP_S, 10 + SESSION_GAP_S))], "u")) == 2


def test_a_part_known_from_an_earlier_read_grows():
    known = [SessionPart("walk", "walk", START, START + 10), SessionPart("walk", "walk.2", START + 5000, START + 5010)]
    (source,) = fold_payloads([payload((5020.0, 5025.0))], "u", known)
    assert source.source_id == "walk.2"
    assert (source.started_at, source.ended_at) == (START + 5000, START + 5025)
    assert source.segments[0].start == 20.0


WALKS = [SessionPart("walk", each, START + at, START + at + 10) for each, at in (("walk", 0), ("walk.2", 3000))]
LAST = SessionPart("walk", "walk.3", START + 6000, START + 6010)


@pytest.mark.parametrize(
    ("known", "opened"),
    [
        ([], "walk"),
        (WALKS[:1], "walk.2"),
        (WALKS[1:], "walk.3"),
        ([WALKS[0], LAST], "walk.4"),
        ([SessionPart("walk", "walk.2", NEVER, NEVER)], "walk.3"),
        ([SessionPart("walk", "told at once", START, START)], "walk"),
    ],
)
def test_a_number_is_given_once(known, opened):
    (source,) = fold_payloads([payload((9000.0, 9005.0))], "u", known)
    assert source.source_id == opened
    assert source.started_at == (START if opened == "walk" else START + 9000)


def test_what_belongs_to_a_forgotten_part_opens_no_other_and_what_comes_later_does():
    again, later = payload((3004.0, 3006.0)), payload((3010 + SESSION_GAP_S, 3990.0))
    (old,) = fold_payloads([again], "u", WALKS, {"walk.2"})
    assert old.source_id == "walk.2"
    (new,) = fold_payloads([later], "u", WALKS, {"walk.2"})
    assert (new.source_id, new.started_at) == ("walk.3", START + 3010 + SESSION_GAP_S)
    both = fold_payloads([again, payload((3500.0, 3600.0)), later], "u", WALKS, {"walk.2"})
    assert [each.source_id for each in both] == ["walk.2", "walk.3"], "a forgotten part does not grow"
    assert both[1] == new
    assert fold_payloads([later], "u", [*WALKS, *parts_of([new])], {"walk.2"}) == [new], (
        "told again it is the same part"
    )


def test_a_sweep_that_comes_late_joins_the_part_it_is_about():
    fast = [payload((0.0, 10.0)), payload((5000.0, 5010.0))]
    sources = fold_payloads([*fast, payload((4999.5, 5010.0), is_sweep=True)], "u")
    kept, replaced_by = apply_sweep((), sources[1].segments)
    assert [segment.segment_id for segment in kept] == ["w4999.5"]
    assert replaced_by == {"f5000.0": "w4999.5"}
    assert kept[0].start == 0.0


def test_what_a_sweep_does_not_tell_joins_a_part_and_opens_none():
    unsaid = payload((3.0, 8.0), (5000.0, 5010.0), is_sweep=True, text="")
    (source,) = fold_payloads([payload((0.0, 10.0)), unsaid], "u")
    assert (source.source_id, [each.segment_id for each in source.segments]) == ("walk", ["f0.0", "w3.0"])
    assert source.ended_at == START + 10
    assert fold_payloads([unsaid], "u") == []


def test_what_a_sweep_does_not_tell_is_held_by_a_part_that_comes_with_it():
    told = payload((0.0, 5.0), (6.0, 9.0), is_sweep=True)
    first, second = told.segments
    (source,) = fold_payloads([replace(told, segments=(replace(first, text=""), second))], "u")
    assert [each.segment_id for each in source.segments] == ["w0.0", "w6.0"]


def test_the_latest_writing_of_a_segment_wins():
    (source,) = fold_payloads([payload((0.0, 1.0), text="wreck a nice"), payload((0.0, 1.0), text="recognise")], "u")
    assert [segment.text for segment in source.segments] == ["recognise"]


def test_sessions_do_not_mix():
    sources = fold_payloads([payload((0, 1)), payload((0, 1), session="talk"), payload((2, 3))], "u")
    assert {source.source_id: len(source.segments) for source in sources} == {"walk": 2, "talk": 1}


def test_nothing_said_is_no_source():
    assert fold_payloads([payload()], "u") == []


@given(st.lists(st.integers(0, 20_000), max_size=15, unique=True), st.integers(0, 15))
def test_folding_in_pieces_is_folding_at_once(starts, cut):
    payloads = [payload((float(start), start + 30.0)) for start in starts]
    whole = {s.source_id: s for s in fold_payloads(payloads, "u")}
    first = fold_payloads(payloads[:cut], "u")
    second = fold_payloads(payloads[cut:], "u", parts_of(first))
    pieces = {}
    for source in [*first, *second]:
        pieces.setdefault(source.source_id, []).append(source)
    assert pieces.keys() == whole.keys()
    for source_id, grown in pieces.items():
        together = {segment.segment_id: segment for each in grown for segment in each.segments}
        assert together == {segment.segment_id: segment for segment in whole[source_id].segments}
        assert grown[-1].ended_at == pytest.approx(whole[source_id].ended_at)
        assert {each.started_at for each in grown} == {whole[source_id].started_at}
