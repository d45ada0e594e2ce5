"""What each import format makes of its own peculiarities: stamps, names, dates, splits."""

from zoneinfo import ZoneInfo

import pytest

from adapters.capture.formats import read, recognise
from adapters.capture.text import TextFile
from memory.errors import Invalid
from tests.contract.test_capture_formats import ANDROID, IOS, JSONL, SAMPLES, SRT, VTT, said


def test_jsonl_gives_the_fast_path_then_its_sweep_and_splits_at_silence(written):
    bodies = list(read(written(*SAMPLES["jsonl"])))
    assert [(body["source_id"], body["is_sweep"]) for body in bodies] == [
        ("walk", False),
        ("walk", True),
        ("walk.2", False),
    ]
    assert bodies[2]["provenance"]["session_id"] == "walk"
    assert bodies[0]["segments"][0]["emotion"] == {"label": "joy", "score": 0.9}
    assert bodies[0]["device_id"] == "pendant"


def test_jsonl_sets_bad_lines_aside_and_takes_a_last_line_without_its_end(written):
    rejected = []
    file = written("walk.jsonl", "nonsense\n" + JSONL, set_aside=rejected.append)
    assert len(list(read(file))) == 3
    assert [each.line_no for each in rejected] == [1]


def test_android_messages(written):
    bodies = list(read(written(*SAMPLES["whatsapp"])))
    assert said(bodies) == [
        ("Ana", "Happy new year!\nShall we meet at 10:30?"),
        ("Ben", "Yes: at the station"),
        ("Cleo", "Hello you two"),
    ]
    assert [body["started_at"] for body in bodies] == ["2023-12-31T21:05:00.000+00:00", "2024-01-01T00:02:00.000+00:00"]
    assert bodies[0]["segments"][1]["start"] == 180.0
    assert bodies[0]["participants"] == ["Ana", "Ben"]


def test_ios_messages(written):
    bodies = list(read(written("_chat.txt", IOS)))
    assert said(bodies) == [("Ana", "Did you book the boat?"), ("Ben", "Not yet, Ana"), ("Ben", "Booked it")]
    assert [body["started_at"][:19] for body in bodies] == ["2024-01-31T21:05:40", "2024-02-01T08:00:00"]


STAMPS = {
    "12/31/23, 9:05 PM - Ana: hi": "2023-12-31T21:05",
    "31/12/23, 9:05 pm - Ana: hi": "2023-12-31T21:05",
    "31.12.23, 21:05 - Ana: hi": "2023-12-31T21:05",
    "31.12.2023 21.05 - Ana: hi": "2023-12-31T21:05",
    "2023-12-31, 21:05 - Ana: hi": "2023-12-31T21:05",
    "31-12-2023 21:05 - Ana: hi": "2023-12-31T21:05",
    "31/12/2023, 12:05 a. m. - Ana: hi": "2023-12-31T00:05",
    "[31.12.23, 21:05:33] Ana: hi": "2023-12-31T21:05",
    "[2023/12/31, 9:05:33\u202fPM] Ana: hi": "2023-12-31T21:05",
    "[31/12/2023 21:05:33] Ana: hi": "2023-12-31T21:05",
}


@pytest.mark.parametrize(("line", "at"), STAMPS.items())
def test_whatsapp_stamps(line, at, written):
    (body,) = read(written("chat.txt", line))
    assert body["started_at"].startswith(at)
    assert said([body]) == [("Ana", "hi")]


ORDERS = {
    "a day over twelve later on": (["03/04/24, 9:00", "25/04/24, 9:00"], "2024-04-03"),
    "a month first": (["03/04/24, 9:00", "03/25/24, 9:00"], "2024-03-04"),
    "only one runs forward": (["11/01/24, 9:00", "01/02/24, 9:00", "05/02/24, 9:00"], "2024-01-11"),
    "neighbouring days": (["03/04/24, 9:00", "03/05/24, 9:00", "03/06/24, 9:00"], "2024-03-04"),
    "open: day first": (["03/04/24, 9:00"], "2024-04-03"),
    "open: as in the United States": (["3/4/24, 9:00 AM"], "2024-03-04"),
    "year first": (["23/12/30, 9:00", "24/01/02, 9:00"], "2023-12-30"),
}


@pytest.mark.parametrize(("stamps", "day"), ORDERS.values(), ids=ORDERS.keys())
def test_the_order_of_a_date_is_found_in_the_whole_chat(stamps, day, written):
    text = "\n".join(f"{stamp} - Ana: words" for stamp in stamps)
    assert next(iter(read(written("chat.txt", text))))["started_at"].startswith(day)


def test_whatsapp_splits_by_day_and_by_six_silent_hours(written):
    times = ["1/5/24, 08:00", "1/5/24, 13:59", "1/5/24, 19:59", "2/5/24, 00:01", "13/5/24, 00:01"]
    text = "\n".join(f"{moment} - Ana: words" for moment in times)
    assert [len(body["segments"]) for body in read(written("chat.txt", text))] == [2, 1, 1, 1]


def test_an_export_that_has_grown_adds_only_what_is_new(written):
    before = {
        (body["source_id"], segment["segment_id"])
        for body in read(written("chat.txt", ANDROID))
        for segment in body["segments"]
    }
    grown = ANDROID + "01/01/2024, 00:05 - Ana: Hello you two\n02/01/2024, 09:00 - Cleo: Hello you two\n"
    after = {
        (body["source_id"], segment["segment_id"])
        for body in read(written("chat.txt", grown))
        for segment in body["segments"]
    }
    assert before < after
    assert len(after - before) == 2


def test_equal_words_are_kept_as_often_as_they_were_said(written):
    text = "1/5/24, 08:00 - Ana: ok\n1/5/24, 08:00 - Ana: ok\n13/5/24, 08:00 - Ana: ok\n"
    assert len({(b["source_id"], s["segment_id"]) for b in read(written("c.txt", text)) for s in b["segments"]}) == 3


@pytest.mark.parametrize(
    "text",
    [
        "31/12/23, 21:05 - Ana: IMG-2023-WA0001.jpg (file attached)",
        "31/12/23, 21:05 - Ana: <Medien ausgeschlossen>",
        "31/12/23, 21:05 - Ana: This message was deleted",
        "31/12/23, 21:05 - Ana: null",
        "31/12/23, 21:05 - Ana changed the subject to “Trip: Rome”",
        "[31/12/23, 21:05:01] Ana: \u200eimage omitted",
        "[31/12/23, 21:05:01] Ana: \u200eYou created this group",
        "[31/12/23, 21:05:01] Ana: \u200eReport.pdf • 3 pages \u200edocument omitted",
    ],
)
def test_what_nobody_said_is_left_out(text, written):
    assert list(read(written("chat.txt", text))) == []


def test_a_caption_is_kept(written):
    text = "31/12/23, 21:05 - Ana: IMG-1.jpg (file attached)\nOur new kitchen <3"
    assert said(read(written("chat.txt", text))) == [("Ana", "Our new kitchen <3")]


def test_dates_that_fit_no_order_are_refused(written):
    with pytest.raises(Invalid, match=r"chat\.txt"):
        list(read(written("chat.txt", "44/55/24, 9:00 - Ana: hi\n")))


def test_a_transcript_by_the_clock(written):
    (body,) = read(written(*SAMPLES["transcript"]))
    assert body["started_at"].startswith("2024-05-01T10:32:00")
    assert body["provenance"]["dated_by"] == "text"
    assert [segment["start"] for segment in body["segments"]] == [0.0, 60.0, 180.0]
    assert said([body])[1] == ("Ben", "I will do it on Friday. He was good last time.")


TURNS = {
    "plain": "Ana: I live in Porto now\nBen: Since when is that?\n",
    "bold": "**Ana:** I live in Porto now\n\n**Ben**: Since when is that?\n",
    "offsets": "(00:00:02) Ana: I live in Porto now\n(00:01:02) Ben: Since when is that?\n",
    "bare times": "0:02 Ana: I live in Porto now\n1:02 Ben: Since when is that?\n",
    "time behind": "Ana [00:00:02]: I live in Porto now\nBen [00:01:02]: Since when is that?\n",
    "time above": "Ana  0:02\nI live in Porto now\n\nBen  1:02\nSince when is that?\n",
    "name above": "Ana:\nI live in Porto now\nBen:\nSince when is that?\n",
    "full stamps": "[2024-05-01 10:00] Ana: I live in Porto now\n[2024-05-01 10:01] Ben: Since when is that?\n",
    "bare stamps": "2024-05-01 10:00 Ana: I live in Porto now\n2024-05-01T10:01:00 Ben: Since when is that?\n",
}


@pytest.mark.parametrize("text", TURNS.values(), ids=TURNS.keys())
def test_turns_in_many_dresses(text, written):
    (body,) = read(written("2024-05-01 call.txt", text))
    assert body["source_id"].startswith("transcript-")
    assert body["started_at"].startswith("2024-05-01")
    assert said([body]) == [("Ana", "I live in Porto now"), ("Ben", "Since when is that?")]
    gap = body["segments"][1]["start"] - body["segments"][0]["start"]
    assert gap == pytest.approx(60.0 if "02" in text or "10:01" in text else 2.0)


def test_a_transcript_past_midnight_and_one_of_two_days(written):
    late = "1 May 2024\n[23:58] Ana: one more thing\n[00:03] Ben: go to sleep\n"
    (body,) = read(written("late.txt", late))
    assert body["segments"][1]["start"] == 300.0
    days = "## 1 May 2024\nAna: one thing today\nBen: and nothing else\n## May 2, 2024\nAna: another day now\n"
    assert [body["started_at"][:10] for body in read(written("days.txt", days))] == ["2024-05-01", "2024-05-02"]


def test_prose_with_a_colon_is_a_note(written):
    text = "Shopping\n\nMilk: two bottles\nBread: one\n\nAnd he said: never again.\n"
    assert recognise(written("list.txt", text)).name == "note"


@pytest.mark.parametrize(("since", "turns"), [("06,000", 1), ("06,100", 2)])
def test_a_sentence_goes_on_in_a_cue_two_seconds_later_at_most(written, since, turns):
    text = (
        f"1\n00:00:01,000 --> 00:00:04,000\nAna: We could meet\n\n2\n00:00:{since} --> 00:00:08,000\nat the station.\n"
    )
    (body,) = read(written("meeting.srt", text))
    assert len(body["segments"]) == turns
    assert " ".join(each["text"] for each in body["segments"]) == "We could meet at the station."


def test_voices_and_sentences_across_cues(written):
    (body,) = read(written(*SAMPLES["vtt"]))
    assert said([body]) == [("Ana Silva", "I moved to Porto last spring."), ("Ben", "Q&A is next")]
    assert [(s["start"], s["end"]) for s in body["segments"]] == [(1.0, 6.0), (7.0, 9.0)]
    assert body["started_at"].startswith("2024-05-01T12:00")
    assert body["provenance"]["dated_by"] == "file name"


def test_captions_that_roll_up_say_every_word_once(written):
    cues = [
        ("00:00:00.000 --> 00:00:02.000", " ", "we<00:00:00.500><c> moved</c><00:00:01.000><c> to</c>"),
        ("00:00:02.000 --> 00:00:02.010", "we moved to", " "),
        ("00:00:02.010 --> 00:00:04.000", "we moved to", "Porto<00:00:02.500><c> in</c><00:00:03.000><c> May</c>"),
        ("00:00:04.000 --> 00:00:04.010", "Porto in May", " "),
    ]
    text = "WEBVTT\n\n" + "".join("\n".join(cue) + "\n\n" for cue in cues)
    (body,) = read(written("talk.vtt", text))
    assert [(each["text"], each["start"]) for each in body["segments"]] == [("we moved to Porto in May", 0.0)]


def test_an_arrow_between_words_is_no_timing(written):
    (body,) = read(written("t.srt", "1\n00:00:01,000 --> 00:00:02,000\nBen: Porto --> Lisbon is sold out.\n"))
    assert said([body]) == [("Ben", "Porto --> Lisbon is sold out.")]


def test_what_is_said_twice_is_kept_twice(written):
    (body,) = read(written("t.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nNo.\n\n00:02.000 --> 00:03.000\nNo.\n"))
    assert [each["text"] for each in body["segments"]] == ["No.", "No."]


def test_subrip_names(written):
    (body,) = read(written(*SAMPLES["srt"]))
    assert said([body]) == [("Ana", "Is it raining in Oslo?"), ("Ben", "Not today.")]


def test_a_meeting_named_by_its_utc_time(written):
    (body,) = read(written("GMT20240501-103000_Recording.transcript.vtt", VTT, zone=ZoneInfo("Asia/Tokyo")))
    assert body["started_at"] == "2024-05-01T10:30:00.000+00:00"


@pytest.mark.parametrize(("timing", "line"), [("00:00:03,000 --> 00:00:01,000", 2), ("00:00:03,000 --> soon", 6)])
def test_a_bad_timing_is_named_by_file_and_line(timing, line, written):
    text = SRT if line == 6 else ""
    text = text.replace("00:00:03,100 --> 00:00:05,000", timing) if text else f"1\n{timing}\nhi\n"
    with pytest.raises(Invalid, match=rf"meeting\.srt, line {line}: "):
        list(read(written("meeting.srt", text)))


def test_a_note_has_the_date_of_its_front_matter_and_its_paragraphs(written):
    (body,) = read(written(*SAMPLES["note"]))
    assert body["started_at"].startswith("2024-05-01T12:00")
    assert said([body]) == [("Ana", "Garden\nThe roses need water."), ("Ana", "Plans\n- dig\n- plant")]
    assert body["kind"] == "note"


@pytest.mark.parametrize(
    ("name", "text", "day", "dated_by"),
    [
        ("2023-02-01.md", "words", "2023-02-01T12:00", "file name"),
        ("20230201_1015 idea.txt", "words", "2023-02-01T10:15", "file name"),
        ("idea.txt", "words", "2024-05-01T12:00", "modification time"),
        ("idea 20231399.txt", "words", "2024-05-01T12:00", "modification time"),
        ("2023-02-01.md", "---\ncreated: 2022-01-05 10:30\n---\nwords", "2022-01-05T10:30", "text"),
        ("diary.md", "# 3 March 2021\nwords", "2021-03-03T12:00", "text"),
    ],
)
def test_how_a_note_is_dated(name, text, day, dated_by, written):
    (body,) = read(written(name, text))
    assert body["started_at"].startswith(day)
    assert body["provenance"]["dated_by"] == dated_by
    assert said([body]) == [("me", "words")]


def test_a_diary_is_a_source_a_date(written):
    text = "# Diary\n\n## 2024-04-01\n\nRain.\n\n## 2024-04-02\n\nSun.\n\n```\ncode\n\n# 2024-04-03\n```\n"
    bodies = list(read(written("diary.md", text, owner="Ben")))
    assert [body["started_at"][:10] for body in bodies] == ["2024-05-01", "2024-04-01", "2024-04-02"]
    assert said(bodies[1:]) == [("Ben", "Rain."), ("Ben", "Sun."), ("Ben", "```\ncode\n\n# 2024-04-03\n```")]


@pytest.mark.parametrize("text", ["“Lyon” costs 5 €.", "Dr. \x81 Zoë"])
def test_a_note_in_an_encoding_of_windows_keeps_its_signs(tmp_path, text):
    (tmp_path / "a.txt").write_bytes(text.encode("latin-1" if "\x81" in text else "cp1252"))
    assert said(read(TextFile(tmp_path / "a.txt"))) == [("me", text)]


def test_a_rule_at_the_top_is_no_front_matter(written):
    assert said(read(written("a.md", "---\nwords"))) == [("me", "words")]


@pytest.mark.parametrize("front", ["a: [", "a: !!bool ja", 'a: !!int ""', "a: !!timestamp x", "a: !!binary ä"])
def test_front_matter_that_is_not_yaml_is_refused(written, front):
    with pytest.raises(Invalid, match=r"a\.md, line \d"):
        list(read(written("a.md", f"---\n{front}\n---\nwords")))


def test_a_paragraph_beyond_measure_is_cut_between_sentences(written):
    text = "This is a sentence of some length. " * 500
    (body,) = read(written("long.txt", text))
    pieces = [segment["text"] for segment in body["segments"]]
    assert len(pieces) > 3
    assert all(len(piece) <= 4000 and piece.endswith(".") for piece in pieces)
    assert " ".join(pieces) == text.strip()


def test_a_large_source_comes_in_pages(written):
    text = "\n\n".join(f"Paragraph {number}" for number in range(1201))
    bodies = list(read(written("many.txt", text)))
    assert [len(body["segments"]) for body in bodies] == [500, 500, 201]
    assert len({body["source_id"] for body in bodies}) == 1
    assert said(bodies)[1200] == ("me", "Paragraph 1200")
