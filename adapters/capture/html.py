"""HTML as a reader sees it: its words in paragraphs, without scripts, styles and what it quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from memory.words.vocabulary import words

_TOKEN = re.compile(r"<!-->|<!--|-->|<[!?][^<>]*>|<(?P<end>/?)(?P<tag>[a-zA-Z][\w:-]*)(?P<rest>[^<>]*)>")
"""Tags and comments. No page makes it read on from one place twice: the parser of the standard library takes half a
minute for 25,000 characters of broken tags, and a mail is written by anybody."""
_NO_CHARACTER = re.compile(r"&#[xX]?[0-9a-fA-F]{8,};?")
"""Numbers that no character has."""
_RAW = words("script style title")
"""Elements within which nothing but their own end is read."""
_UNSEEN = _RAW | words("head template noscript svg object blockquote")
"""Elements without words of the sender: what a page does, how it looks, and the mail it answers."""
_DEEPEST = 100
"""Unseen elements within each other that are counted: more are no quotations of quotations."""
_PARAGRAPHS = words("p div table tr ul ol dl h1 h2 h3 h4 h5 h6 hr section article header footer pre")
_LINES = words("br li td th dt dd option")


def words_of(page: str) -> str:
    """The visible text: a blank line between paragraphs, a line for each item and break. Bad HTML is read as well."""
    seen = _NO_CHARACTER.sub(" ", "".join(_visible(page)))
    return "\n".join(" ".join(unescape(line).split()) for line in seen.split("\n")).strip()


def _visible(page: str) -> Iterator[str]:
    """Pieces of text outside unseen elements, and the breaks between them; line ends of the page are spaces."""
    page, unseen, at = page.replace("\n", " ").replace("\r", " "), list[str](), 0
    for token in _TOKEN.finditer(page):
        if not unseen:
            yield page[at : token.start()]
        at = token.end()
        name = (token["tag"] or token.group()).lower()
        if name == "-->" and not unseen:
            yield name
        _follow(unseen, name, opens=not token["end"] and not (token["rest"] or "").endswith("/"))
        if not unseen and name in _PARAGRAPHS | _LINES:
            yield "\n\n" if name in _PARAGRAPHS else "\n"
    if not unseen:
        yield page[at:]


def _follow(unseen: list[str], name: str, *, opens: bool) -> None:
    """What is open and hides all within it, after a tag; an end closes whatever was left open within its element."""
    inside = unseen[-1] if unseen else ""
    if inside == "<!--" or inside in _RAW:
        if name == "-->" if inside == "<!--" else name == inside and not opens:
            unseen.pop()
    elif name == "<!--" or (opens and name in _UNSEEN):
        if len(unseen) < _DEEPEST:
            unseen.append(name)
    elif name == "body":
        unseen.clear()  # a head needs no end
    elif not opens and name in unseen:
        del unseen[len(unseen) - 1 - unseen[::-1].index(name) :]
