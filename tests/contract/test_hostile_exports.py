"""Exports that are damaged or made to do harm: a precise error, or a part of them, with what is missing counted."""

from __future__ import annotations

import io
import json
import random
import stat
import struct
import sys
import zipfile
import zlib
from collections import Counter
from pathlib import Path

import pytest

from adapters.capture import documents, json_stream, packages
from adapters.capture.formats import files_under
from adapters.capture.text import TextFile
from memory.errors import Invalid
from tests.contract.export_reading import Read, fits
from tests.contract.test_exports import CHATGPT_SAID, SLACK_SAID
from tests.exports import CHATGPT, CLAUDE, EXPORTS, PARAGRAPHS, SLACK, node, said
from tests.packing import docx, packed, pdf


class TestHostilePackages:
    @pytest.mark.parametrize(
        "name", ["../evil.json", "/etc/evil.json", "a/../../evil.json", "C:\\evil.json", "..\\evil"]
    )
    def test_a_name_that_leads_out_is_refused(self, name: str, found: Read) -> None:
        with pytest.raises(
            Invalid, match=r"a\.zip: its member .* would lead out of the archive; nothing of it was read"
        ):
            found("a.zip", packed(SLACK | {name: "[]"}))

    def test_a_link_is_refused(self, found: Read) -> None:
        out = io.BytesIO(packed(SLACK))
        with zipfile.ZipFile(out, "a") as pack:
            link = zipfile.ZipInfo("general/2024-05-03.json")
            link.external_attr = (stat.S_IFLNK | 0o777) << 16
            pack.writestr(link, "/etc/passwd")
        with pytest.raises(Invalid, match="is a link"):
            found("a.zip", out.getvalue())

    def test_a_bomb_is_refused(self, found: Read) -> None:
        with pytest.raises(Invalid, match=r"conversations\.json would unpack to 30,000,000 bytes, as no export does"):
            found("a.zip", packed({"conversations.json": b" " * 30_000_000}))

    def test_overlapping_and_doubled_members_are_refused(self, found: Read) -> None:
        content = bytearray(
            packed({"a.json": random.Random(1).randbytes(5000), "b.json": random.Random(2).randbytes(5000)})
        )
        at = content.rfind(b"PK\x01\x02")
        content[at + 42 : at + 46] = struct.pack("<L", 0)
        content[at - 1 : at - 1] = b""
        with pytest.raises(Invalid):
            found("a.zip", bytes(content))
        out = io.BytesIO(packed(SLACK))
        with zipfile.ZipFile(out, "a") as pack, pytest.warns(UserWarning, match="Duplicate"):
            pack.writestr("users.json", "[]")
        with pytest.raises(Invalid, match="stands in it twice"):
            found("b.zip", out.getvalue())

    def test_too_many_members_are_refused_before_they_are_read(
        self, found: Read, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(packages, "MOST_MEMBERS", 3)
        with pytest.raises(Invalid, match="more than 3 members"):
            found("a.zip", packed(SLACK))

    def test_what_a_second_end_says_of_the_directory_is_not_passed_by(
        self, found: Read, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The end of ZIP64 holds wherever it stands, though the usual one has room for the numbers."""
        content = packed(SLACK)
        mark, *parts, _, directory, start, comment = struct.unpack("<4s4H2LH", content[-22:])
        large = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, directory, start)
        locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(content) - 22, 1)
        told = struct.pack("<4s4H2LH", mark, *parts[:2], 1, 1, 46, start, comment)
        both = content[:-22] + large + locator + told
        assert found("a.zip", both).said[0] == SLACK_SAID[0]
        for limit, most in (("MOST_MEMBERS", 3), ("MOST_DIRECTORY", 100)):
            with monkeypatch.context() as patched:
                patched.setattr(packages, limit, most)
                with pytest.raises(Invalid, match="members"):
                    found("a.zip", both)

    def test_many_small_members_are_no_way_around_the_bound(self, found: Read, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(packages, "MOST_BYTES", 5_000_000)
        small = {f"general/{number}.json": b" " * 900_000 for number in range(8)}
        with pytest.raises(Invalid, match=r"a\.zip: would unpack to 7,\d+,\d+ bytes, as no export does"):
            found("a.zip", packed(SLACK | small))

    @pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    def test_what_makes_any_size_of_one_piece_is_not_unpacked(self, method: int, found: Read) -> None:
        out = io.BytesIO(packed(SLACK))
        with zipfile.ZipFile(out, "a", method) as pack:
            pack.writestr("general/2024-05-03.json", b" " * 900_000)
        with pytest.raises(Invalid, match="is packed in a way that no export is"):
            found("a.zip", out.getvalue())

    def test_a_zip_in_a_zip_is_not_looked_into(self, found: Read) -> None:
        with pytest.raises(Invalid, match="holds another ZIP: unpack it"):
            found("a.zip", packed({"inner.zip": packed(SLACK)}))
        assert found("b.zip", packed(SLACK | {"inner.zip": packed(SLACK)})).said[0] == SLACK_SAID[0]

    def test_a_damaged_export_is_found_in_a_folder_whatever_it_is_called(self, tmp_path: Path) -> None:
        torn = tmp_path / "is in no format that is read.zip"
        torn.write_bytes(packed(SLACK)[:700])
        (tmp_path / "empty.json").write_bytes(b"")
        assert list(files_under(tmp_path)) == [torn]

    def test_what_is_no_whole_zip_is_told_so(self, found: Read) -> None:
        with pytest.raises(Invalid, match="the ZIP has no end"):
            found("a.zip", packed(SLACK)[:700])


class TestHostileJson:
    @pytest.mark.parametrize("chars", [200_000, 2_000_000])
    def test_a_member_that_is_damaged_gives_what_came_before(self, chars: int, found: Read) -> None:
        """What is held of a chat is told, whether the damage is near or far."""
        pad = random.Random(3).randbytes(chars // 2).hex()
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as pack:
            pack.writestr("conversations.json", json.dumps([CHATGPT[1], {"pad": pad}, {"pad": pad}]))
        content = bytearray(out.getvalue())
        content[-chars // 2 - 1000] ^= 1
        got = found("c.zip", bytes(content))
        assert [text for *_, text in got.said] == ["I like tea."]
        assert "the ZIP is damaged near byte" in got.rejected[0].reason

    def test_a_line_of_50_megabytes_is_read(self, found: Read) -> None:
        many = json.dumps(
            [CHATGPT[1] | {"id": str(n), "conversation_id": str(n), "pad": "x" * 1_000_000} for n in range(50)]
        )
        assert len(found("conversations.json", many).bodies) == 50

    def test_a_string_without_end_is_told(self, found: Read, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(json_stream, "TOKEN_BYTES", 200_000)
        got = found("c.json", json.dumps([CHATGPT[1], CHATGPT[1] | {"id": "2", "title": "x" * 900_000}]))
        assert [text for *_, text in got.said] == ["I like tea."]
        assert "a value is longer than 200,000 bytes near byte" in got.rejected[0].reason

    def test_a_conversation_that_is_too_large_is_passed_over(
        self, found: Read, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(json_stream, "VALUE_CHARS", 20_000)
        large = CHATGPT[0] | {"pad": ["x" * 1000] * 50}
        got = found("c.json", json.dumps([large, CHATGPT[1]]))
        assert [text for *_, text in got.said] == ["I like tea."]
        assert "value 1 is larger or deeper than any program writes it" in got.rejected[0].reason

    @pytest.mark.parametrize("content", ["[" * 1_000_000, '{"a":' * 500_000, '[{"mapping":' + "[" * 100_000])
    def test_values_within_values_end(self, content: str, found: Read) -> None:
        with pytest.raises(Invalid):
            found("c.json", content)
        with pytest.raises(Invalid):
            found("c.json", content, "chatgpt")

    def test_a_file_that_breaks_off_gives_what_came_before(self, found: Read) -> None:
        whole = json.dumps(CHATGPT)
        got = found("c.json", whole[:-20])
        assert got.said == CHATGPT_SAID[:3]
        (torn,) = got.rejected
        assert (
            torn.reason
            == f"the JSON breaks off or is damaged near byte {len(whole) - 20:,}; the 1 values before it were read"
        )

    def test_half_characters_and_nul_are_no_words(self, found: Read) -> None:
        nodes = {"a": node("a", None, said("a", "user", ["Hi \ud800 \x00there"], 1e9))}
        got = found("c.json", json.dumps([{"mapping": nodes, "current_node": "a", "id": "x"}]))
        for body in got.bodies:
            fits(body)
        assert "there" in got.said[0][2]

    def test_times_outside_of_all_years_are_set_aside(self, found: Read) -> None:
        for at in (1e18, -1e18, True, "soon", []):
            nodes = {"a": node("a", None, said("a", "user", ["Hi"], at))}  # type: ignore[arg-type]
            got = found("c.json", json.dumps([{"mapping": nodes, "current_node": "a", "id": "x"}, CHATGPT[1]]))
            assert [text for *_, text in got.said] == ["I like tea."]
            assert "a message without a time" in got.rejected[0].reason


class TestHostileDocuments:
    def test_a_stream_that_unpacks_without_end_is_refused(self, found: Read) -> None:
        content = pdf(PARAGRAPHS)
        bomb = zlib.compress(b"(x) Tj " * 30_000_000, 9)
        at, end = content.index(b"<< /Length"), content.index(b"endstream")
        content = (
            content[:at] + b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\n" % (len(bomb), bomb) + content[end:]
        )
        with pytest.raises(Invalid, match=r"^a\.pdf: "):
            found("a.pdf", content)

    def test_a_document_that_unpacks_without_end_is_refused(self, found: Read) -> None:
        out = io.BytesIO(docx(PARAGRAPHS))
        with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as pack:
            pack.writestr("word/media/image1.png", b"\x00" * 50_000_000)
        with pytest.raises(Invalid, match="as no export does"):
            found("a.docx", out.getvalue())

    def test_entities_within_entities_are_not_unfolded(self, found: Read) -> None:
        files = {each.filename: b"" for each in zipfile.ZipFile(io.BytesIO(docx(PARAGRAPHS))).infolist()}
        with zipfile.ZipFile(io.BytesIO(docx(PARAGRAPHS))) as pack:
            files = {name: pack.read(name) for name in files}
        laughs = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
        head, _, rest = files["word/document.xml"].partition(b"?>")
        told = rest.replace(b"The boat needs paint.", b"&a9;&file;", 1)
        files["word/document.xml"] = (
            head
            + b"?>"
            + (f'<!DOCTYPE x [<!ENTITY a0 "ha">{laughs}<!ENTITY file SYSTEM "file:///etc/passwd">]>').encode()
            + told
        )
        try:
            got = found("a.docx", packed(files))
        except Invalid as error:
            assert "a.docx: is damaged" in error.detail  # noqa: PT017
        else:
            assert "root:" not in str(got.said)
            assert len(str(got.said)) < 10_000

    def test_no_file_of_the_folder_one_stands_in_is_run(
        self, found: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("resource", "orjson", "pypdf", "adapters"):
            (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'run')!r}, 'w')")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", [*sys.path, ""])
        assert found("a.pdf", pdf(PARAGRAPHS)).said
        assert not (tmp_path / "run").exists()

    def test_a_process_that_was_ended_is_told(self, tmp_path: Path) -> None:
        written = io.BytesIO(b'{"author": "", "at": null}\n{"text": "One."}\n')
        lines = documents._until_whole(TextFile(tmp_path / "a.pdf"), written)
        assert [next(lines), next(lines)] == [{"author": "", "at": None}, {"text": "One."}]
        with pytest.raises(Invalid, match="takes more memory or time to read than any document should"):
            next(lines)


VARIANTS = 300


def damaged(content: bytes, chance: random.Random) -> bytes:
    """A file with some of it cut, doubled, overwritten, or exchanged for another value."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed) + 1)
        span = chance.choice((1, 3, 20, 200))
        kind = chance.randrange(6)
        if kind == 0:
            del changed[at : at + span]
        elif kind == 1:
            changed[at:at] = changed[at : at + span]
        elif kind == 2:
            changed[at : at + span] = chance.randbytes(min(span, len(changed) - at))
        elif kind == 3:
            del changed[at:]
        else:
            values = (
                b"null",
                b"[]",
                b"{}",
                b"-1",
                b"1e999",
                b'"\\ud800"',
                b'"\\u0000"',
                b"true",
                b'"' + b"9" * 30 + b'"',
            )
            old = chance.choice((b'"text"', b"null", b"1714", b'"message"', b'"user"', b"[", b"{", b'"U1"', b"{}"))
            changed[:] = changed.replace(old, chance.choice(values), chance.randint(1, 3))
    return bytes(changed)


@pytest.mark.parametrize("form", EXPORTS)
def test_damage_is_told_and_never_a_crash(form: str, found: Read) -> None:
    """A precise error, or what could be read of it, with what could not be counted: 300 variants of all kinds."""
    plain = {
        "slack": {name: text.encode() for name, text in SLACK.items()},
        "chatgpt": {"conversations.json": json.dumps(CHATGPT).encode()},
        "claude": {"conversations.json": json.dumps(CLAUDE).encode()},
    }
    chance = random.Random(f"damage {form}")
    told = Counter[str]()
    names = [each.rpartition("/")[2] for each in (*SLACK, *plain["chatgpt"], "result.json")]
    for number in range(-(-VARIANTS // len(EXPORTS)) if form not in ("docx", "pdf") else 20):
        name, content = EXPORTS[form]
        if form in plain and number % 2:
            files = dict(plain[form])
            victim = chance.choice(sorted(files))
            content = packed(files | {victim: damaged(files[victim], chance)})
        else:
            content = damaged(content, chance)
        try:
            got = found(name, content, form if number % 3 == 0 else None)
        except Invalid as error:
            told["refused" if error.detail.startswith((name, "_chat", *names, *SLACK)) else error.detail] += 1
            continue
        for body in got.bodies:
            fits(body)
        told["partly" if got.rejected else "read"] += 1
    assert told.keys() <= {"refused", "partly", "read"}
    assert told.total() >= 20
    assert told["refused"] + told["partly"] > 0
