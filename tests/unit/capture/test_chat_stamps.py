"""In whose mouth a chat puts its words: the stamps phones write, and what is refused rather than told of the owner."""

from pathlib import Path

import pytest

from adapters.capture.formats import read, recognise
from adapters.capture.text import TextFile
from memory.errors import Invalid


def chat(tmp_path: Path, text: str) -> TextFile:
    (tmp_path / "chat.txt").write_text(text, encoding="utf-8")
    return TextFile(tmp_path / "chat.txt")


def said(file: TextFile) -> list[tuple[str, str]]:
    return [(segment["speaker"], segment["text"]) for body in read(file) for segment in body["segments"]]


STAMPS = [
    "14/03/2026 à 20:01 - ",
    "14.3.2026 klo 20.01 - ",
    "[14.3.2026 klo 20.01.07] ",
    "14/3/2026, 8:01 μ.μ. - ",
    "١٤\u200f/٣\u200f/٢٠٢٦، ٨:٠١ م - ",
    "14\u200f/3\u200f/2026، 8:01 م - ",
    "[١٤\u200f/٣\u200f/٢٠٢٦، ٨:٠١:٠٧ م] ",
    "2026년 3월 14일 오후 8:01, ",
    "2026. 3. 14. 오후 8:01 - ",
    "[2026/3/14 下午8:01:07] ",
    "[2026/3/14 晚上8:01:07] ",
    "2026年3月14日 20:01 - ",
    "2026. 03. 14. 20:01 - ",
    "14.03.26, 20:01 - ",
    "[14.03.26, 20:01:07] ",
    "14/03/26 20:01 - ",
    "2026-03-14 20:01 - ",
    "2026-03-14 kl. 20:01 - ",
    "2026-03-14 20 h 01 - ",
    "3/14/26, 8:01\u202fPM - ",
    "3/14/26, 8:01:07 PM: ",
    "14. 3. 2026 20:01 - ",
    "14.03.26 г., 20:01 ч. - ",
    "14/03/2026, 8:01 p. m. - ",
    "20:01, 14/03/2026 - ",
    "[20:01, 14/03/2026] ",
    "[8:01 pm, 14/03/2026] ",
    "[14/03/2026, 20:01] ",
    "\u200e[14/03/2026, 20:01:07] \u200e",
]


@pytest.mark.parametrize("stamp", STAMPS)
def test_what_others_say_stays_theirs_however_the_phone_writes_the_date(stamp, tmp_path):
    file = chat(tmp_path, f"{stamp}Rui: I live in Lyon.\nSince May.\n{stamp}Ana: I do not.\n")
    assert recognise(file).name == "whatsapp"
    (body,) = read(file)
    assert body["started_at"].startswith("2026-03-14T20:01")
    assert said(file) == [("Rui", "I live in Lyon.\nSince May."), ("Ana", "I do not.")]


@pytest.mark.parametrize(
    ("stamp", "at"),
    [
        ("14/3/2026, 12:01 π.μ. - ", "2026-03-14T00:01"),
        ("2026년 3월 14일 오전 12:01, ", "2026-03-14T00:01"),
        ("[2026/3/9 上午8:01:07] ", "2026-03-09T08:01"),
        ("[2026/3/9 中午12:01:07] ", "2026-03-09T12:01"),
        ("26年3月9日 8:01 - ", "2026-03-09T08:01"),
        ("٩/٣/٢٠٢٦، ٨:٠١ ص - ", "2026-03-09T08:01"),
        ("14.3.2026, 8:01 e pasdites - ", "2026-03-14T20:01"),
        ("14/3/2026, 8:01 अपराह्न - ", "2026-03-14T20:01"),
    ],
)
def test_the_half_of_the_day_and_the_order_follow_the_script(stamp, at, tmp_path):
    (body,) = read(chat(tmp_path, f"{stamp}Rui: hi\n"))
    assert body["started_at"].startswith(at)


def test_a_day_over_twelve_anywhere_settles_the_order_of_a_new_form_too(tmp_path):
    file = chat(tmp_path, "03/04/2026 à 20:01 - Rui: hi\n25/04/2026 à 20:01 - Rui: you\n")
    assert [body["started_at"][:10] for body in read(file)] == ["2026-04-03", "2026-04-25"]


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Das Budget < 500 Euro und Zimmer > 2 bitte", "Das Budget < 500 Euro und Zimmer > 2 bitte"),
        ("Ist 3 < 5 Euro oder 7 >", "Ist 3 < 5 Euro oder 7 >"),
        ("Schreib <dein Name> und komm", "Schreib <dein Name> und komm"),
        ("Komm um acht <Diese Nachricht wurde bearbeitet>", "Komm um acht"),
        ("<attached: 00000012-PHOTO.jpg>\nIn Lyon.", "In Lyon."),
    ],
)
def test_words_between_brackets_stay_but_what_stands_for_a_picture_goes(written, kept, tmp_path):
    assert said(chat(tmp_path, f"12.03.24, 10:00 - Ben: {written}\n")) == [("Ben", kept)]


@pytest.mark.parametrize(
    "notice",
    [
        "14/03/2026 à 20:01 - Rui: Diese Nachricht wurde gelöscht.",
        "14/03/2026 à 20:01 - Rui: Du hast diese Nachricht gelöscht",
        "14/03/2026 à 20:01 - Rui: Verpasster Sprachanruf",
        "14/03/2026 à 20:01 - Rui: Verpasster Videoanruf",
        "14/03/2026 à 20:01 - Les messages et les appels sont chiffrés de bout en bout.",
        "14/03/2026 à 20:01 - Rui a remplacé le sujet par « Voyage : Lyon »",
        "14/03/2026 à 20:01 - Rui: IMG-20260314-WA0001.jpg (fichier joint)",
        "2026년 3월 14일 오후 8:00",
    ],
)
def test_what_nobody_said_is_left_out_in_any_language(notice, tmp_path):
    day = "2026년 3월 14일 오후 8:01, " if "년" in notice else "14/03/2026 à 20:01 - "
    assert said(chat(tmp_path, f"{day}Rui: hi\n{notice}\n{day}Ana: yes\n")) == [("Rui", "hi"), ("Ana", "yes")]


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-14 20:01 - Ate soup.\n2026-03-15 20:10 - Slept.\n",
        "2026년 3월 14일 오후 8:01\n\nI live in Lyon.\n",
        "14.03.2026 20:01 - 21:30: Dinner with Rui\n",
        "On 14.3.2026 at 20:01, Rui said: I live in Lyon.\n",
        "Dinner 14.3.2026 20:01 - Rui: bring wine\n",
        "March 2026: 14 days, 3 of them at 20:01 or later, with Rui: fine.\n",
        "14 March 2026\n\nRui called at 20:01 - he lives in Lyon.\n",
        "- 14/03/2026: dentist\n- 15/03/2026: bank\n",
    ],
)
def test_a_note_with_dates_stays_a_note(text, tmp_path):
    assert recognise(chat(tmp_path, text)).name == "note"


def test_a_transcript_with_stamps_in_brackets_stays_one(tmp_path):
    file = chat(tmp_path, "[2026-03-14 20:01] Rui: I live in Lyon.\n[2026-03-14 20:02] Ana: I do not.\n")
    assert recognise(file).name == "transcript"


@pytest.mark.parametrize(
    "stamp",
    [
        "14 de mar. de 2026 20:01 - ",
        "14/3/2026, 8:01 xyzw - ",
        "14 mars 2026 à 20:01 – ",
        "[14 mrt. 2026 20:01:07] ",
        "[14 мар. 2026 г., 20:01:07] ",
        "March 14, 2026, 8:01 PM, ",
        "01.04.2026 - 16:00:27; ",
    ],
)
def test_a_chat_with_unknown_stamps_is_refused_and_told_how_to_go_on(stamp, tmp_path):
    file = chat(tmp_path, f"{stamp}Rui : I live in Lyon.\n{stamp}Ana : I do not.\n")
    with pytest.raises(Invalid, match=r"chat\.txt, line 1: .*--as note"):
        list(read(file))
    assert recognise(file, "note").name == "note"


@pytest.mark.parametrize(
    "head", ["14 de mar. de 2026 20:01 - As mensagens são protegidas.\n\n", "Chat with Rui\n\nDate Saved : March 14\n"]
)
def test_what_stands_above_the_first_message_hides_nothing(head, tmp_path):
    file = chat(tmp_path, f"{head}March 14, 2026, 8:01 PM, Rui : I live in Lyon.\n")
    with pytest.raises(Invalid, match=rf"chat\.txt, line {head.count(chr(10)) + 1}: "):
        list(read(file))


def test_a_stamp_not_understood_inside_a_chat_is_not_of_whoever_spoke_before(tmp_path):
    (tmp_path / "chat.txt").write_text(
        "2026/3/14 下午8:01 - Ana: hi\nyou\n2026/3/14 夜8:02 - Rui: I live in Lyon.\nSince May.\n"
        "2026/3/14 下午8:03 - Ana: oh\n",
        encoding="utf-8",
    )
    rejected = []
    file = TextFile(tmp_path / "chat.txt", set_aside=rejected.append)
    assert said(file) == [("Ana", "hi\nyou"), ("Ana", "oh")]
    assert [each.line_no for each in rejected] == [3]


def test_paragraphs_that_each_have_a_name_of_their_own_are_a_note(tmp_path):
    text = "\n\n".join(f"Paragraph {number}: the roses need some water." for number in range(1900))
    assert recognise(chat(tmp_path, text)).name == "note"
    assert recognise(chat(tmp_path, text + "\n\nParagraph 7: again, water.")).name == "note"


@pytest.mark.parametrize(
    "text",
    [
        "Ana: I live in Lyon.\nBen: I live in Porto.\n",
        "Ana: hi\nBen: hi\nAna: bye\n",
        "Host: Who is here today?\n"
        + "".join(
            f"{name}: I am here today.\n"
            for name in ("Ana", "Ben", "Cleo", "Dora", "Emil", "Finn", "Gil", "Hana", "Ivo")
        )
        + "Host: Thank you all.\n",
    ],
)
def test_a_dialogue_stays_a_transcript(text, tmp_path):
    assert recognise(chat(tmp_path, text)).name == "transcript"
