"""What other programs export: what each kind becomes, and what is left out and counted."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from adapters.capture.formats import FORMATS, READ, files_under, recognise
from adapters.capture.text import TextFile
from memory.errors import Invalid
from tests.contract.export_reading import Found, Read, fits
from tests.exports import (
    CHATGPT,
    CLAUDE,
    EXPORTS,
    PARAGRAPHS,
    SLACK,
    TELEGRAM,
    TELEGRAM_CHAT,
    WHATSAPP_ANDROID,
    node,
    said,
)
from tests.packing import docx, form_docx, packed, pdf, unpacked


@pytest.mark.parametrize("form", EXPORTS)
class TestEveryExport:
    def test_is_told_by_what_is_inside_whatever_it_is_called(self, form: str, tmp_path: Path) -> None:
        name, content = EXPORTS[form]
        for called in (name, "download", "x.txt"):
            (tmp_path / called).write_bytes(content)
            assert recognise(TextFile(tmp_path / called)).name == form

    def test_gives_what_the_api_takes_and_the_same_again(self, form: str, found: Read) -> None:
        once, again = found(*EXPORTS[form]), found(*EXPORTS[form])
        assert once.bodies
        for body in once.bodies:
            fits(body)
        assert again.bodies == once.bodies
        assert not once.rejected

    def test_a_zone_changes_no_id(self, form: str, found: Read) -> None:
        assert found(*EXPORTS[form], zone=ZoneInfo("Asia/Tokyo")).ids == found(*EXPORTS[form]).ids

    def test_is_found_in_a_folder(self, form: str, tmp_path: Path) -> None:
        name, content = EXPORTS[form]
        unpacked(tmp_path, {f"sub/{name}": content, "sub/other.json": "{}", "sub/other.zip": packed({"a.bin": b"x"})})
        assert [path.name for path in files_under(tmp_path)] == [name]


SLACK_SAID = [
    ("Ana Silva", None, "Just for you: I quit."),
    ("me", "user", "I bought it."),
    ("Ana Silva", None, "Great!"),
    ("me", "user", "Thanks, Ana."),
    ("Ana Silva", None, "Hi @maya_l, see the boat & #general @here"),
    ("CI", "tool", "Build passed"),
    ("Deploy Bot", "tool", "Deployed https://x.org."),
    ("Cleo Stone", None, "Hello from outside."),
]
MAYA = frozenset({"maya lopez"})


def test_slack_as_people_read_it(found: Read) -> None:
    got = found(*EXPORTS["slack"], me=MAYA)
    assert got.said == SLACK_SAID
    assert got.left_out == {"notice": 1, "file": 1}
    assert {body["provenance"]["channel"] for body in got.bodies} == {"#general", "maya_l, Ana Silva"}


def test_a_slack_thread_is_one_source_over_days(found: Read) -> None:
    threads = [body for body in found(*EXPORTS["slack"]).bodies if "thread_ts" in body["provenance"]]
    assert len({(body["source_id"], body["started_at"]) for body in threads}) == 1
    assert [each["text"] for body in threads for each in body["segments"]] == ["I bought it.", "Great!", "Thanks, Ana."]
    assert threads[1]["segments"][0]["start"] == 86_398


def test_a_reply_after_more_than_a_year_is_kept(found: Read) -> None:
    late = [
        {"type": "message", "user": "U1", "ts": "1754557602.000100", "thread_ts": "1714557602.000100", "text": "Now."}
    ]
    got = found("s.zip", packed(SLACK | {"general/2025-08-07.json": json.dumps(late)}))
    assert got.bodies[0]["segments"]
    for body in got.bodies:
        fits(body)
    assert "Now." in {text for _, _, text in got.said}


def test_slack_in_a_folder_and_below_one_folder_of_a_zip_is_the_same(found: Read, tmp_path: Path) -> None:
    plain = found(*EXPORTS["slack"], me=MAYA)
    folder = unpacked(tmp_path / "export", SLACK)
    (folder / "general" / "2024-05-03.json").symlink_to("/etc/passwd")
    assert list(files_under(tmp_path)) == [folder, tmp_path / "slack.zip"]
    assert list(files_under(tmp_path, name="slack")) == [tmp_path]
    inside = Found(folder, me=MAYA)
    assert (inside.said, inside.ids) == (SLACK_SAID, plain.ids)
    assert inside.left_out["link"] == 1
    assert found("t.zip", packed({f"My export/{name}": text for name, text in SLACK.items()})).ids == plain.ids


def test_a_damaged_day_of_slack_costs_that_day_alone(found: Read) -> None:
    got = found("s.zip", packed(SLACK | {"general/2024-05-02.json": '[{"type": "mess', "D1/2024-05-01.json": "\x00"}))
    assert got.said == [
        ("maya_l" if speaker == "me" else speaker, role if role == "tool" else None, text)
        for speaker, role, text in SLACK_SAID
        if text not in ("Thanks, Ana.", "Just for you: I quit.")
    ]
    assert sorted(each.reason.split(":")[0] for each in got.rejected) == [
        "D1/2024-05-01.json",
        "general/2024-05-02.json",
    ]


def test_an_edited_message_keeps_its_id(found: Read) -> None:
    before = found("a.zip", packed(SLACK))
    after = found("a.zip", packed({name: text.replace("Great!", "Wonderful!") for name, text in SLACK.items()}))
    assert after.ids == before.ids
    assert after.said != before.said


CHATGPT_SAID = [
    ("me", "user", "I moved to Porto, as Ana did."),
    ("ChatGPT", "assistant", "Welcome! Porto is fine."),
    ("me", "user", "Thanks."),
    ("me", "user", "I like tea."),
]


def test_chatgpt_is_read_along_the_branch_on_the_screen(found: Read) -> None:
    got = found(*EXPORTS["chatgpt"])
    assert got.said == CHATGPT_SAID
    assert got.left_out == {"tool call": 2, "instruction": 1, "picture": 1, "reasoning": 1}
    assert got.bodies[0]["provenance"]["title"] == "Moving house"
    assert found("conversations.json", json.dumps(CHATGPT)).ids == got.ids
    parts = {f"conversations-00{n}.json": json.dumps([each]) for n, each in enumerate(CHATGPT)}
    assert found("large.zip", packed(parts)).ids == got.ids


def test_a_tree_that_runs_in_a_circle_ends(found: Read) -> None:
    nodes = {
        "a": node("a", "b", said("a", "user", ["One."], 1e9)),
        "b": node("b", "a", said("b", "user", ["Two."], 1e9)),
    }
    got = found("c.json", json.dumps([{"mapping": nodes, "current_node": "a", "id": "x"}]))
    assert [text for *_, text in got.said] == ["Two.", "One."]


def test_claude(found: Read) -> None:
    got = found(*EXPORTS["claude"])
    assert got.said == [("me", "user", "Ana bakes rye bread. How?"), ("Claude", "assistant", "Use rye.")]
    assert got.left_out == {"attachment": 2, "tool call": 2, "reasoning": 1}
    old = [{key: value for key, value in each.items() if key != "content"} for each in CLAUDE[0]["chat_messages"]]
    assert found("conversations.json", json.dumps([CLAUDE[0] | {"chat_messages": old}])).said[0] == got.said[0]


TELEGRAM_SAID = [
    ("me", "user", "Buy oars."),
    ("Ana", None, "See the boat, @maya"),
    ("me", "user", "I bought it."),
    ("Boris", None, "I sell boats."),
    ("Deleted account user9", None, "I have left."),
]


@pytest.mark.parametrize("form", ["slack", "telegram", "chatgpt", "claude"])
def test_what_is_held_at_once_is_bounded_by_its_size(form: str, found: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = found(*EXPORTS[form])
    monkeypatch.setattr("adapters.capture.messages.MOST_HELD", 100)
    monkeypatch.setattr("adapters.capture.slack.MOST_HELD", 100)
    parted = found(*EXPORTS[form])
    assert sorted(map(str, parted.said)) == sorted(map(str, whole.said))
    assert all(len(body["segments"]) == 1 for body in parted.bodies)
    assert any(len(body["segments"]) > 1 for body in whole.bodies)


def test_so_many_members_of_slack_are_known_by_name(found: Read) -> None:
    users = [{"id": f"U{number}", "name": "x" * 10_000} for number in range(3, 50)]
    known = json.loads(SLACK["users.json"])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("adapters.capture.slack.ENTRY_CHARS", 20_000_000)
        got = found("s.zip", packed(SLACK | {"users.json": json.dumps([*known, *users])}))
    (told,) = got.rejected
    assert told.reason == "more members and channels than are known by name: the others bear ids"
    assert got.said[0][0] == "Ana Silva"
    assert got.said != found("s.zip", packed(SLACK)).said


def test_telegram(found: Read) -> None:
    got = found(*EXPORTS["telegram"])
    assert got.said == TELEGRAM_SAID
    assert got.left_out == {"notice": 1, "picture": 1, "sticker": 1}
    alone = found("result.json", json.dumps(TELEGRAM_CHAT), me=frozenset({"maya l"}))
    assert alone.said == TELEGRAM_SAID[1:]
    assert alone.ids < got.ids
    assert found("t.zip", packed({"ChatExport/result.json": json.dumps(TELEGRAM)})).ids == got.ids


def test_of_several_accounts_under_the_owners_name_none_is_the_owner(found: Read) -> None:
    impostor = {"id": "U7", "name": "other", "real_name": "Maya Lopez", "profile": {"display_name": "me"}}
    users = [*json.loads(SLACK["users.json"]), impostor]
    days = {
        "general/2024-05-09.json": json.dumps([{"type": "message", "user": "U7", "ts": "1715250000.1", "text": "I!"}])
    }
    more = packed(SLACK | days | {"users.json": json.dumps(users)})
    got = found("s.zip", more, me=MAYA)
    assert ("me (U7)", None, "I!") in got.said
    assert "user" not in {role for _, role, _ in got.said}
    (told,) = got.rejected
    assert told.reason == "your name is borne by the accounts U1, U7: say which is yours with --me and its id"
    known = found("s.zip", more, me=frozenset({"u1"}), labels=MAYA)
    assert not known.rejected
    assert ("me (U7)", None, "I!") in known.said
    assert ("me", "user", "I bought it.") in known.said


def test_whoever_calls_themselves_like_the_account_that_exports_is_somebody_else(found: Read) -> None:
    claim = TELEGRAM_CHAT["messages"][-1] | {
        "id": 99,
        "from": "Maya L",
        "from_id": "user666",
        "text": "I sell the boat.",
    }
    claim = {key: value for key, value in claim.items() if "forwarded" not in key}
    passed = claim | {"id": 100, "from": "Ana", "forwarded_from": "Maya L", "text": "I sell the oars."}
    chat = TELEGRAM_CHAT | {"messages": [*TELEGRAM_CHAT["messages"], claim, passed]}
    whole = TELEGRAM | {"chats": {"about": "", "list": [chat]}}
    for content in (whole, chat):
        got = found("result.json", json.dumps(content), me=frozenset({"maya l"}))
        assert ("Maya L (user666)", None, "I sell the boat.") in got.said
        assert ("Maya L (unverified)", None, "I sell the oars.") in got.said
    assert [each.reason for each in got.rejected] == [
        "your name is borne by the accounts user1, user666: say which is yours with --me and its id"
    ]


def test_telegram_without_seconds_of_the_epoch_is_meant_in_the_zone(found: Read) -> None:
    old = [{key: value for key, value in each.items() if key != "date_unixtime"} for each in TELEGRAM_CHAT["messages"]]
    got = found("result.json", json.dumps(TELEGRAM_CHAT | {"messages": old}), zone=ZoneInfo("Europe/Berlin"))
    assert got.bodies[0]["started_at"] == "2024-05-01T12:00:00.000+02:00"


def test_the_zip_of_a_whatsapp_chat_is_the_chat_in_it(found: Read) -> None:
    got = found(*EXPORTS["whatsapp"])
    assert [(speaker, text) for speaker, _, text in got.said] == [
        ("Ben", "Shall we sail?"),
        ("Ana", "Yes, on the 14th."),
    ]
    assert got.left_out == {"notice": 1, "file, call or deleted message": 1}
    android = packed({"WhatsApp Chat with Ben.txt": WHATSAPP_ANDROID, "notes.txt": "x"})
    assert found("a.zip", android).ids == found("WhatsApp Chat with Ben.txt", WHATSAPP_ANDROID).ids


@pytest.mark.parametrize("form", ["slack", "chatgpt", "claude", "telegram", "whatsapp"])
def test_an_export_that_a_mac_has_packed_again_is_the_same(form: str, found: Read) -> None:
    name, content = EXPORTS[form]
    members = {name: content}
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as whole:
            members = {each: whole.read(each) for each in whole.namelist()}
    again = {f"export/{each}": said for each, said in members.items()}
    beside = {f"__MACOSX/export/{Path(each).parent}/._{Path(each).name}": b"\x00\x05\x16\x07" for each in members}
    assert found("again.zip", packed({".DS_Store": b"\x00", **again, **beside})).ids == found(name, content).ids


def test_documents_are_told_by_their_author_and_never_by_the_owner(found: Read) -> None:
    assert found(*EXPORTS["docx"]).said == [
        ("Ana Silva", None, f"The boat\n{PARAGRAPHS[0]}"),
        ("Ana Silva", None, PARAGRAPHS[1]),
        ("Ana Silva", None, "Length | 9 m"),
    ]
    assert found(*EXPORTS["pdf"]).said == [("Ana Silva", None, " ".join(PARAGRAPHS))]
    assert found("a.docx", docx(PARAGRAPHS, author="")).said[1][0] == "unknown"
    assert found("a.pdf", pdf(PARAGRAPHS, author=""), author="Ben").said[0][0] == "Ben"
    assert found("a.pdf", pdf(PARAGRAPHS), me=frozenset({"ana silva"})).said[0][0] == "me"


def test_no_word_of_a_document_is_lost_in_its_fields_and_tables(found: Read) -> None:
    got = found("form.docx", form_docx())
    assert [text for _, _, text in got.said] == [
        "I moved to Porto.",
        "The boat needs paint.",
        "Anchors | 2 | 2",
        "Sails | A red one",
        "Ropes",
    ]
    assert got.left_out == {"table of contents": 1}


def test_a_pdf_without_text_says_what_to_do(found: Read) -> None:
    with pytest.raises(
        Invalid, match=r"scan\.pdf: holds no text, only pictures of it: have the text recognised \(OCR\)"
    ):
        found("scan.pdf", pdf([]))


def test_a_pdf_with_a_password_says_so(found: Read) -> None:
    from pypdf import PdfReader, PdfWriter

    writer, out = PdfWriter(PdfReader(io.BytesIO(pdf(PARAGRAPHS)))), io.BytesIO()
    writer.encrypt("secret", algorithm="AES-256")
    writer.write(out)
    with pytest.raises(Invalid, match=r"a\.pdf: has a password"):
        found("a.pdf", out.getvalue())


def test_what_is_in_no_format_says_what_is_read_and_what_to_do(found: Read) -> None:
    for name, content, advice in (
        ("a.odt", packed({"mimetype": "x", "content.xml": "<x/>"}), "save it as .docx"),
        ("a.png", b"\x89PNG\r\n\x1a\n\x00", "have its text recognised"),
        ("a.json", '{"a": 1}', "--as"),
        ("a.zip", packed({"a.bin": b"x"}), "unpack it"),
    ):
        with pytest.raises(Invalid) as refusal:
            found(name, content)
        assert refusal.value.detail.startswith(f"{name}: is in no format that is read: ")
        assert advice in refusal.value.detail
        assert refusal.value.detail.endswith(f"Read are {READ}.")
        assert all(form.name in refusal.value.detail for form in FORMATS)


def test_a_format_that_is_named_is_not_argued_with(found: Read) -> None:
    for form, content in (
        ("slack", b"words"),
        ("docx", b"words"),
        ("claude", b"words"),
        ("telegram", b"\x00"),
        ("pdf", b"x"),
    ):
        with pytest.raises(Invalid):
            found("a.txt", content, form)
    assert found("a.json", '{"a": "Ana: hi"}', "note").said == [("me", None, '{"a": "Ana: hi"}')]


RAW = {"slack": "client_msg_id", "chatgpt": '"author"', "claude": '"sender"', "telegram": '"from_id"'}


@pytest.mark.parametrize("form", RAW)
def test_a_message_is_kept_as_it_came(form: str, found: Read) -> None:
    segments = [each for body in found(*EXPORTS[form]).bodies for each in body["segments"]]
    raws = [json.loads(each["raw"]) for each in segments]
    assert len(raws) == len(segments) > 0
    assert any(RAW[form] in each["raw"] for each in segments)


def test_of_a_long_message_the_first_piece_bears_what_it_came_as(found: Read) -> None:
    nodes = {"a": node("a", None, said("a", "user", ["Long. " * 60_000], 1e9))}
    bodies = found("c.json", json.dumps([{"mapping": nodes, "current_node": "a", "id": "x"}])).bodies
    segments = [each for body in bodies for each in body["segments"]]
    assert [len(each["raw"]) for each in segments if "raw" in each] == [200_000]
    assert len(segments) > 80
    assert all(len(json.dumps(body)) < 5_000_000 for body in bodies)
