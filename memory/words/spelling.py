"""Spelling: what was typed or heard as it was meant - chat forms, fillers, stutters, and slips put right at once."""

from __future__ import annotations

import re

from memory.words.languages import is_english
from memory.words.names import is_name, relation

CHAT_FORMS: tuple[tuple[str, str], ...] = (
    ("gonna", "going to"),
    ("wanna", "want to"),
    ("gotta", "have got to"),
    ("kinda", "kind of"),
    ("sorta", "sort of"),
    ("lemme", "let me"),
    ("gimme", "give me"),
    ("dunno", "don't know"),
    ("'cause", "because"),
    ("cuz", "because"),
    ("coz", "because"),
    ("fave", "favorite"),
    ("fav", "favorite"),
    ("y'?all", "you all"),
    ("ya", "you"),
    ("u", "you"),
    ("'em", "them"),
    ("ive", "I've"),
    ("im", "I'm"),
    ("ill be", "I'll be"),
    ("dont", "don't"),
    ("cant", "can't"),
    ("didnt", "didn't"),
    ("wasnt", "wasn't"),
    ("isnt", "isn't"),
    ("havent", "haven't"),
    ("wont", "won't"),
    ("thats", "that's"),
    ("alot", "a lot"),
    ("tho", "though"),
    ("thru", "through"),
    ("bday", "birthday"),
    ("coulda", "could have"),
    ("woulda", "would have"),
    ("shoulda", "should have"),
    ("btw", "by the way"),
    ("lil", "little"),
    ("pls", "please"),
    ("prolly", "probably"),
    ("favourite", "favorite"),
)
"""Chat spelling and what it stands for; the left side is a pattern between word edges."""

_CHAT = tuple((re.compile(rf"(?<![\w']){short}(?![\w'])", re.IGNORECASE), long) for short, long in CHAT_FORMS)
_ANY_CHAT = re.compile("|".join(pattern.pattern for pattern, _ in _CHAT), re.IGNORECASE)
"""Most sentences have no chat spelling: one search spares them forty."""
_G_DROPPED = re.compile(r"\b([a-z]{2,}in)['’](?=\s|[.,!?]|$)")


def spell_out(sentence: str) -> str:
    """Chat spelling as plain English, without fillers: gonna -> going to, thinkin' -> thinking, since, like, 2015."""
    sentence = _STUTTER.sub(r"\1", _FILLER.sub("", sentence))
    sentence = _THAT_IS.sub(_named_kin, sentence)
    sentence = _ME_AND.sub(r"\1 and I", _PERFECT.sub(" has ", sentence))
    sentence = _CAUSE.sub("because", sentence)
    sentence = _CONTRACTED.sub(" is ", _REMINDS.sub("", _G_DROPPED.sub(r"\1g", sentence)))
    if _ANY_CHAT.search(sentence):
        for short, long in _CHAT:
            sentence = short.sub(long, sentence)
    return sentence


def quotable(text: str) -> str:
    """Words as a summary quotes them: without fillers and words said twice, and else as they were said."""
    english = is_english(text)
    opened = (_OPENING if english else _OPENING_ABROAD).sub(lambda found: f"{found[1]}{found[2].upper()}", text)
    said = (_QUOTED_FILLER if english else _HESITATION).sub("", opened)
    return _QUOTED_STUTTER.sub(r"\1", said) if english else said


_FILLER = re.compile(r",? \b(?:um+|uh+|er+m?|hm+)\b,?(?= )|, (?:like|you know|right|gosh|what),(?= )", re.IGNORECASE)
_HESITATION = re.compile(r",? (?:u+h+m*|erm+|hm+|[äö]h+m?)\b(?!['’-]),?(?= )", re.IGNORECASE)
"""What is said while one thinks and is a word of no language; um and er are words of German and Portuguese."""
_QUOTED_FILLER = re.compile(r",? \b(?:[Uu]m+|[Uu]h+|erm?|[Hh]m+)\b,?(?= )|, (?:like|you know),(?= )")
"""What stands in quotation marks keeps what may be meant: the ER, "my cat, right, and the bird"."""
_OPENING = re.compile(r"(^|[.!?…] +)(?:(?:[Uu]m+|[Uu]+h+m*|[Ee]rm?|[Hh]m+)\b(?!['’-])[,.…]* +)+(\w)")
_OPENING_ABROAD = re.compile(r"(^|[.!?…] +)(?:(?:u+h+m*|hm+|[äö]h+m?)\b(?!['’-])[,.…]* +)+(\w)", re.IGNORECASE)
_STUTTER = re.compile(r"\b(I|we|he|she|they|it|the|my|our|a)(?:,| -|\.\.\.)? \1(?= )", re.IGNORECASE)
"""I, I think; but not: that that, had had."""
_QUOTED_STUTTER = re.compile(r"\b(I|we|he|she|they|the|my|our)(?:,| -|\.\.\.)? \1(?= )")
"""Without "it, it" and "A, a", which may be two: I bought it, it was cheap."""
_ME_AND = re.compile(r"^[Mm]e and ((?:my \w+|[A-Z]\w+))(?= (?:are|were|have|had|'ve|'re|both|moved|live|lived|work)\b)")
_THAT_IS = re.compile(r"^([A-Z]\w+), that(?:'s| is) ((?:my|our) (\w+))(?=[,.]| and\b)")


def _named_kin(found: re.Match[str]) -> str:
    """Lena, that's my sister, lives in Graz."""
    return f"{found[1]} is {found[2]}" if relation(found[3]) else found[0]


_AFTER_A_NAME = r"(?<=[A-Za-z][a-z]{2})(?<![Ll]et)'s "
_PERFECT = re.compile(
    rf"{_AFTER_A_NAME}(?=(?:been|got(?! me| us)|gone|become|begun|moved|started|joined|quit|bought)\b|"
    r"(?:just|already|recently|finally|never) (?:been|got|gone|become|begun|moved|started|joined|quit|bought|had|taken|"
    r"left|found|lost|won|turned|come|given)\b)"
)
"""Priya's just started: after a name, 's before a participle is has."""
_CONTRACTED = re.compile(
    rf"{_AFTER_A_NAME}(?=(?:the|a|an|on|in|at|not|called|named|due|my|our|allergic|"
    r"diabetic|pregnant|married|divorced|retired|deaf|blind|vegan|vegetarian|ill|sick|dead|home|from|\w+ing)\b)"
)
"""After a noun, 's before an article or preposition is no owner's."""
_CAUSE = re.compile(r"\bcause(?= (?:i|it|we|they|he|she|you|there)\b)", re.IGNORECASE)
"""The cause is a noun; cause I like it is because."""
_REMINDS = re.compile(r"^you (?:remember|know) (\w+)(?: right)?,? (?:well,? )?(?=\1\b)", re.IGNORECASE)
"""You remember Henrik, well, Henrik ..."""


_NUMBER = (
    r"(?:\d[\d.,]*(?:st|nd|rd|th)?|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ]\w+(?<=[enrox]))?|"
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen)"
)
_NAME = r"(?-i:[A-Z][\w'-]+)"
_MENDED = re.compile(
    rf"(?P<said>.*\b\w+ )(?:(?P<number>{_NUMBER})|(?P<name>{_NAME}))(?:,|\.\.\.| -| –)? (?:(?:no|wait|"
    r"sorry|er|uh|um|oh|actually|i mean|i meant|make that|scratch that)[, ]+){1,4}"
    rf"(?(number)(?P<other>{_NUMBER})|(?P<another>{_NAME}))"
    r"(?P<rest>(?(number)(?:\W.*)?|(?:[.,!;].*|\s(?:and|but|so|now|since|for|with|last|next|at|on)\b.*)?))",
    re.IGNORECASE,
)
"""One number or one name put right in the same breath by another: in Cardiff, sorry, Swansea; 34, no, wait, 35."""


def put_right(sentence: str) -> str:
    """With the number or the name that its speaker puts in the place of another, as if it had been said at once."""
    found = _MENDED.fullmatch(sentence)
    if found is None or not (found["number"] or (is_name(found["name"]) and is_name(found["another"] or ""))):
        return sentence
    return f"{found['said']}{found['other'] or found['another']}{found['rest']}"
