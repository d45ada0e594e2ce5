"""Cleaning: remembered words as they are shown to a language model or a person. What is stored stays as it was said.

`visible` takes out what no reader sees; all that leaves the front door as JSON passes it, and the terminal's lines do.
Where words become part of a text of ours they must not pass for a piece of it: `harmless` makes them data on one line,
`in_quotes` a quotation they cannot close, `sentence` a line of an answer, `called` a speaker's name.

Joiners stay where a script or an emoji needs them: between two letters of the Arabic, Syriac, Mongolian and Indic
families, between two emoji, and one sign of presentation behind an emoji. All other selectors go, those of rare
ideographs and of the three flags that are spelt with tags too: they carry any message unseen.
"""

from __future__ import annotations

import re
from collections.abc import Collection

MOST_NAME = 80
"""Characters of a speaker's name that are told (chosen: the longest names of people have about sixty)."""

_UNSEEN = (
    "\x00-\x08\r\x0e-\x1b\x7f-\x84\x86-\x9f"  # commands to a terminal
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # hyphens, joiners and fillers without a shape
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff"
    "\ud800-\udfff\ue000-\uf8ff"  # halves of characters, and what has no agreed meaning
)
_UNSEEN_BEYOND = "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
"""The same beyond the first 65,536: signs of shorthand and music, tags, selectors, private ones."""
_BLANK = "\x0b\x0c\x1c-\x1f\x85\u2028\u2029\u2800"
"""Breaks that are not shown as such, and the Braille cell without a dot."""
_SELECTORS = "\u200c\u200d\ufe0e\ufe0f"
"""Joiners and signs of presentation."""
_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_JOINED = "\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1820-\u18af"
_EMOJI = "\u00a9\u00ae\u2190-\u23ff\u2460-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff"
_SIGNED = f"{_EMOJI}#*0-9\u203c\u2049\u2122\u2139\u3030\u303d\u3297\u3299"
"""What has two presentations, as a letter and as a picture."""
_ODD, _BEYOND = re.compile(f"[{_UNSEEN}{_BLANK}{_SELECTORS}{_MARKS}]"), re.compile("[\U00010000-\U0010ffff]")
"""Without one of these a text is visible, as nearly every text is. Two, since each alone is one look-up a character."""
_DROPPED, _BLANKED = re.compile(f"[{_UNSEEN}{_UNSEEN_BEYOND}]"), re.compile(f"[{_BLANK}]")
_NEEDLESS = re.compile(
    f"((?<=[{_JOINED}])[\u200c\u200d](?=[{_JOINED}])"
    f"|(?:(?<=[{_EMOJI}])|(?<=[{_EMOJI}]\ufe0f))\u200d(?=[{_EMOJI}])"
    f"|(?<=[{_SIGNED}])[\ufe0e\ufe0f])"
    f"|[{_SELECTORS}]"
)
"""Joiners and signs of presentation; the group holds those that are needed where they stand."""
_STACKED = re.compile(f"([{_MARKS}]{{3}})[{_MARKS}]+")
"""More marks on a letter than any language writes: they cover the lines above and below."""
_ESCAPES = re.compile(r"\\(?:u00[017]|[bfr])")
_ESCAPED = re.compile(r"\\(?:u00(?:[01][0-9a-f]|7f)|[bfr])|(\\.)")
"""A control character as JSON writes it; the group holds the other escapes, which stay. Few documents have one."""

_ANGLES = {"‹": "<＜﹤≮〈⟨〈❬❮❰⧼⦑≪⟪˂𝈶", "›": ">＞﹥≯〉⟩〉❭❯❱⧽⦒≫⟫˃𝈷"}
_BRACKETS = {"(": "[［﹇【〔〖〚〘⟦⟬❲⁅⦋⦍⦏﹝⸢⸤⎡⎣", ")": "]］﹈】〕〗〛〙⟧⟭❳⁆⦌⦎⦐﹞⸣⸥⎤⎦"}
_TICKS = {"'": "`｀\u1fef"}
_SIGNS = {ord(sign): told for table in (_ANGLES, _BRACKETS, _TICKS) for told, signs in table.items() for sign in signs}
"""Inside a memory nothing can open or close a tag, pass for a citation, or begin code, a link or a picture."""
_LETTERS = re.compile("(?:([ᐸᚲ])|[ᐳ𖼿])(?<![\u1400-\u167f\u16a0-\u16ff].)(?![\u1400-\u167f\u16a0-\u16ff])")
"""Letters that look like angles, where they stand beside no other letter of their script."""
_QUOTES = dict.fromkeys(map(ord, '"“”„‟＂〝〞〟❝❞″‶ʺ˝ˮ'), "'")
_BETWEEN = ":：﹕꞉ː˸։∶︓⩴,，﹐、︐;；﹔︔\u037e|｜🄁🄂🄃🄄🄅🄆🄇🄈🄉🄊"
_NAME_SIGNS = _QUOTES | dict.fromkeys(map(ord, _BETWEEN), " ")
"""What stands between a name, a day and words, and the digits that are drawn with a comma."""
_LEADING = " \t-–—―#>*+=~_.|•·›/\\"
"""What begins a heading, a list, a rule or a quotation of Markdown."""
_ROLE = re.compile(
    r"^(\W*(?:system|assistant|user|human|developer|tool|function|model|ai|instructions?)(?: \w+)?)\s*[:：﹕꞉∶]", re.I
)


def visible(text: str) -> str:
    """Words without what no reader sees; line breaks, tabs and everything with a shape stay as they are."""
    if text.isascii():
        return text if text.isprintable() else _BLANKED.sub(" ", _DROPPED.sub("", text))
    if not (_ODD.search(text) or _BEYOND.search(text)):
        return text
    return _STACKED.sub(r"\1", _NEEDLESS.sub(r"\1", _BLANKED.sub(" ", _DROPPED.sub("", text))))


def visible_json(document: str) -> str:
    """A JSON document whose strings are `visible`, control characters that it writes as escapes included."""
    return visible(_ESCAPED.sub(r"\1", document) if _ESCAPES.search(document) else document)


def harmless(text: str) -> str:
    """Words as data: on one line, all of it visible, unable to close a tag or to cite."""
    line = " ".join(visible(text).split()).translate(_SIGNS)
    return line if line.isascii() else _LETTERS.sub(lambda found: "‹" if found[1] else "›", line)


def in_quotes(text: str) -> str:
    """Words between quotation marks of ours, which they cannot close: those within become single ones."""
    return f'"{harmless(text).translate(_QUOTES).rstrip(_ESCAPING)}"'


_ESCAPING = "\\＼﹨ "
"""At the end of a quotation they would take its last mark away."""


def reference(text: str) -> str:
    """An id within brackets of ours."""
    return harmless(text).translate(_QUOTES)


def sentence(text: str) -> str:
    """A line of an answer told of what is believed: no quotation, no heading, and nobody's turn to speak."""
    line = harmless(text).translate(_QUOTES).lstrip(_LEADING)
    return _ROLE.sub(r"\1,", line)


def written(text: str, cited: Collection[int]) -> str:
    """What a language model wrote: its lines as data, with the citations of these numbers and without others.

    No link, picture or reference of Markdown is left: all other brackets are round, and none follows a citation.
    """
    return "\n".join(_line(line, cited) for line in visible(text).splitlines()).strip()


_CITATION = re.compile(r"\[(\d{1,9})\]")


def _line(text: str, cited: Collection[int]) -> str:
    told, place = [], 0
    for found in _CITATION.finditer(text):
        told.append(_data(text[place : found.start()]))
        told.append(f"[{found[1]}]" if int(found[1]) in cited else "")
        place = found.end()
    told.append(_data(text[place:]))
    return _AFTER_CITATION.sub(r"\1 ", "".join(told)).rstrip()


_AFTER_CITATION = re.compile(r"(\[\d+\])(?=[(:])")


def _data(text: str) -> str:
    """`harmless`, with the white space around it that separates it from what stands beside."""
    inner = harmless(text)
    before, after = (" " if text[:1].isspace() else ""), (" " if inner and text[-1:].isspace() else "")
    return f"{before}{inner}{after}"


def called(name: str, otherwise: str = "Somebody") -> str:
    """A speaker's name in front of a day or of words: neither can be part of it, and it has `MOST_NAME` characters."""
    told = " ".join(harmless(name).translate(_NAME_SIGNS).split()).strip(_LEADING)
    return (told if len(told) <= MOST_NAME else f"{told[: MOST_NAME - 1].rstrip()}…") or otherwise
