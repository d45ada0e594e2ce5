"""Markdown as a reader sees it: the words, without the marks around them, line by line.

Links become their labels, `[[wikilinks]]` the page or what stands for it, boxes of tasks `☐` and `☑`, quoted lines
quotations, since they are somebody else's words. Code keeps its fences, by which it is known to be no talk. What is
shown as a picture holds no words.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

SUFFIXES = frozenset({".md", ".markdown"})
BOXES = {" ": "☐", "x": "☑", "X": "☑", "-": "☒"}

_FENCE = re.compile(r"[ \t]*(?:```|~~~).*")
LINE_CHARS = 10_000
"""Of a line that is cleaned; a longer one was not written by a person, and stays as it is (chosen)."""
_REFERENCE = re.compile(r"\[[^\]\n]{1,200}\]:[ \t]*\S.*")
_QUOTED = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+(?P<text>.*)")
_CALLOUT = re.compile(r"\[![\w-]{1,40}\][+-]?[ \t]*")
_BOX = re.compile(r"^(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[(?P<mark>[ xX-])\](?=[ \t])")
_BULLET = re.compile(r"^(?P<indent>[ \t]*)[*+](?=[ \t])")
_HEADING = re.compile(r"^#{1,6}[ \t]+(?P<text>.*?)(?:[ \t]+#+)?[ \t]*$")
_CELL = re.compile(r"[ \t]*\|[ \t]*")
_LITERAL = re.compile(r"(?<!`)(`{1,3})(?!`)(?P<code>[^\n`]{1,2000})\1(?!`)|\\(?P<escaped>[!-/:-@\[-`{-~])")
_GONE = re.compile(
    r"!\[\[[^\[\]\n]{1,300}\]\]|!\[[^\[\]\n]{0,300}\]\((?:[^()\n]|\([^()\n]*\)){0,2000}\)|!\[[^\[\]\n]{0,300}\]\[[^\[\]\n]{0,200}\]"
    r"|\[\^[^\]\n]{1,100}\]|<!--.{0,500}?-->|%%.{0,500}?%%|</?[a-zA-Z][\w-]{0,30}(?:\s[^<>\n]{0,500})?/?>"
)
"""Pictures and embedded pages, marks of footnotes, comments, and tags."""
_LINKS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\[\[[^\[\]|\n]{0,300}\|(?P<label>[^\[\]|\n]{1,300})\]\]"), r"\g<label>"),
    (re.compile(r"\[\[(?P<page>[^\[\]|#\n]{1,300})(?:#[^\[\]|\n]{0,300})?\]\]"), r"\g<page>"),
    (re.compile(r"\[\[#(?P<heading>[^\[\]|\n]{1,300})\]\]"), r"\g<heading>"),
    (re.compile(r"\[(?P<label>[^\[\]\n]{1,1000})\]\((?:[^()\n]|\([^()\n]*\)){0,2000}\)"), r"\g<label>"),
    (re.compile(r"\[(?P<label>[^\[\]\n]{1,1000})\]\[[^\[\]\n]{0,200}\]"), r"\g<label>"),
    (re.compile(r"<(?P<url>(?:https?://|mailto:)[^<>\s]{1,2000})>"), r"\g<url>"),
)
_EMPHASIS = tuple(
    re.compile(
        rf"(?<![\w\\{mark[-1]}])(?:{mark})(?=[^\s{mark[-1]}])(?P<text>[^\n]{{1,300}}?)(?<=[^\s{mark[-1]}])(?:{mark})(?![\w{mark[-1]}])"
    )
    for mark in (r"\*\*\*", r"\*\*", r"\*", "___", "__", "_", "~~", "==")
)
_BLOCK_ID = re.compile(r"[ \t]\^[\w-]{1,60}$")
_KEPT = "\ue000{}\ue001"
_KEEPING = re.compile("\ue000(\\d+)\ue001")


def plain(text: str) -> str:
    """A paragraph of Markdown as text. Takes time in proportion to its length."""
    return "\n".join(_quoting(text.split("\n"))).strip("\n")


def tasks_plain(line: str) -> str:
    """A line, with the box of a task as a character of its own; it is one in plain notes as well."""
    return _BOX.sub(lambda found: f"{found['indent']}{BOXES[found['mark']]}", line)


def _quoting(lines: list[str]) -> Iterator[str]:
    """The lines, those quoted one after another in quotation marks; a callout is the writer's own."""
    quoted: list[str] = []
    own = fenced = False
    for line in lines:
        found = None if fenced else _QUOTED.fullmatch(line)
        if found is not None:
            own = own or (not quoted and _CALLOUT.match(found["text"]) is not None)
            quoted.append(_line(_CALLOUT.sub("", found["text"], count=1) if own else found["text"]))
            continue
        yield from _quotation(quoted, own)
        quoted, own = [], False
        if _FENCE.fullmatch(line):
            fenced = not fenced
            yield line
        elif fenced:
            yield line
        elif not (_is_ruled(line.strip()) or _REFERENCE.fullmatch(line.strip())):
            yield _line(line)
    yield from _quotation(quoted, own)


def _is_ruled(line: str) -> bool:
    """A line across the page, or the one below the head of a table."""
    signs = set(line.replace(" ", "").replace("\t", ""))
    across = signs in ({"-"}, {"*"}, {"_"}) and len(line) >= 3
    return across or ({"|", "-"} <= signs <= {"|", "-", ":"})


def _quotation(lines: list[str], own: bool) -> Iterator[str]:
    words = [line for line in lines if line.strip()]
    if words and not own:
        words = ["“" + "\n".join(words) + "”"]
    yield from words


def _line(line: str) -> str:
    if len(line) > LINE_CHARS:
        return line
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found["code"] or found["escaped"])
        return _KEPT.format(len(kept) - 1)

    line = _LITERAL.sub(keep, line.replace("\ue000", "").replace("\ue001", ""))
    line = _BLOCK_ID.sub("", _GONE.sub("", line))
    for pattern, words in _LINKS:
        line = pattern.sub(words, line)
    line = _HEADING.sub(r"\g<text>", _BULLET.sub(r"\g<indent>-", tasks_plain(line)))
    for pattern in _EMPHASIS:
        line = pattern.sub(r"\g<text>", line)
    if line.lstrip().startswith("|"):
        line = " | ".join(filter(None, _CELL.split(line.strip())))
    return html.unescape(_KEEPING.sub(lambda found: kept[int(found[1])], line)).rstrip()
