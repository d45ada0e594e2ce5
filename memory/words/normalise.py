"""Talk made readable: from an utterance as typed or heard to plain assertions, before any parser sees it.

Five steps, each a table: clean, take off greetings and vocatives, give back dropped subjects, split spliced clauses,
free the assertions inside questions. Measured on three dialogues: most of what a small parser gets wrong in chat
is a dropped subject or a vocative, so most of the gain of extraction is made here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memory.words import assertion, stage
from memory.words.passages import cut_at
from memory.words.polarity import is_negated, is_question, quotations_masked, unmasked, without_quotations
from memory.words.retractions import corrects
from memory.words.spelling import put_right, spell_out
from memory.words.tone import without_tone


@dataclass(frozen=True, slots=True)
class UtterancePiece:
    """One assertion or question of an utterance: readable `text`, and the `quote` it was made from, verbatim."""

    text: str
    quote: str
    question: bool = False
    asserted: bool = True
    """False for what is reported, supposed, wished, doubted, played or mocked."""


_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_REMOVED = re.compile(
    r"https?://\S+|\bwww\.\S+"
    r"|^[ \t]*(?:[-*•]|\d+[.)])[ \t]+\S{0,24}[ \t]*$"  # lines that are only a list mark and a word
    r"|[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F\u200D]"  # emoji
    r"|[\ud800-\udfff\x00]"  # halves of characters, which no parser takes
    r"|<3|(?<!\w)[:;]-?[)(DPp](?!\w)",
    re.MULTILINE,
)

_LONGEST = 1_000
"""Characters of a sentence; what runs on for longer without an end is cut where it pauses."""
_PAUSE = re.compile(r"[,;:–—] ")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_MOST_TOKENS = 250
"""Words and marks of a piece; more in _LONGEST characters are no speech, and a parser takes seconds for them."""

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]”’*]*\s+(?=[\"'(\[“*#@A-Z0-9])|(?<=[.!?…]{2})\s+|(?<=[!?])\s+|\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|vs|prof|jr|sr|no|e\.g|i\.e|approx|[A-Z])|str|\b[ap]\.m)\.$", re.IGNORECASE
)
_ABBREVIATED = 10
"""Characters before an end in which an abbreviation is looked for, more than the longest has."""

_FREE_OPENERS = (
    r"hey there|hey|hi there|hi|hello|wow|whoa|woah|thanks|thank you|thx|yeah|yep|yup|yes|nope|nah|oh no|oh|ah|aw+|"
    r"congrats|congratulations|haha+|lol|hmm+|oof|okay|ok|ooh|ugh|by the way|fyi|anyway|well|man|good morning|"
    r"good evening|welcome back|yay|woohoo|hooray|also|plus|so|and|but|honestly|actually|luckily|unfortunately"
)
_STRICT_OPENERS = (
    r"no|cool|great|awesome|nice|sure|sure thing|definitely|absolutely|totally|right|exactly|agreed|true|sounds good|"
    r"sounds great|good to see you|good to see you too|long time no see|great to hear from you|no problem|no worries|"
    r"you're right|good point|of course|sorry|great news|good news|guess what|thanks for asking|amazing|fantastic|"
    r"wonderful|perfect|seriously|sweet|oh man|my gosh|oh my gosh|good question|i know|i see|same here|me too|"
    r"listen|look|(?:big|my|quick|other|bad) (?:news|update)|update|heads up"
)
_FREE = re.compile(rf"(?:{_FREE_OPENERS})\b(?!['’])[\s,!.:–—-]*", re.IGNORECASE)
_STRICT = re.compile(rf"(?:{_STRICT_OPENERS})\b(?: (?:so much|again|there|too))?\s*[,!.:–—-]+\s*", re.IGNORECASE)
_SINCE_WE_TALKED = re.compile(
    r",?\s*\b(?:since|after) (?:the last time )?we(?:'ve)? last (?:talked|spoke|chatted|met|saw)(?: each "
    r"other)?(?: (?:in|on|at|about) [^,.!?-]*)?,?",
    re.IGNORECASE,
)

_PAST = (
    "lost|took|went|made|got|had|saw|met|found|bought|ate|ran|won|did|gave|came|left|began|wrote|read|spent|started|"
    "finished|tried|decided|moved|visited|joined|signed|called|talked|worked|played|watched|cooked|baked|planted|"
    "painted|created|organized|volunteered|attended|passed|finally|adopted|learned|received|helped|wanted|needed|"
    "planned|quit|sold|hit|set|put|booked|ordered|applied|hosted|traveled|travelled|enjoyed|celebrated|used to|broke|"
    "retired|forgot|headed|dropped|returned|brought|handed|posted|sent|paid|fixed|delivered|picked up|"
    "enrolled|graduated|qualified|grew|married|emigrated|relocated|resigned|swapped|gave up|tore|sprained|fell|slept"
)
_DOING = (
    "looking forward|trying|working|planning|thinking (?:of|about)|hoping|getting|feeling|finishing|heading|starting|"
    "staying|going|doing|learning|reading|loving|enjoying|considering|hosting|preparing|"
    "(?:still|just) (?!something|nothing|anything)\\w+ing"
)
_STATES = (
    "excited|glad|proud|happy|stoked|sorry|grateful|thankful|ready|lucky|pumped|thrilled|keen|sad|tired|busy|"
    "obsessed|passionate|allergic|nervous|worried|swamped|"
    "pretty \\w+"
)
_WILLING = (
    "can't|couldn't|don't (?:think|know|feel|have|like|want|remember|see)|didn't|won't|haven't|love|hope|need|want|"
    "hate|miss|wish|enjoy|prefer|used to|"
    "(?:just|finally) (?:\\w+ed|bought|got|had|went|made|took|sold|found|quit|won|met)"
)
_NOT_A_SUBJECTLESS = r"(?! me\b| us\b)"
_FINITE_LATER = (
    r"(?![^,;.]*\b(?:(?:is|was|are|were|has|does)(?:n['’]t)|is|was|are|were|has|makes?|made|helps?|can(?:['’]t|not)?|feels?|"
    r"means|keeps|brings|gives|sounds)\b)"
)

SUBJECTS: tuple[tuple[str, str], ...] = (
    (r"(?:never )?been\b(?! (?:an? )?(?:\w+ ){0,2}(?:week|while|day|month|year|time|minute|ages|journey)\b)", "I've "),
    (r"(?:going to|will) be\b", "It's "),
    (rf"(?:{_DOING})\b{_FINITE_LATER}", "I'm "),
    (rf"(?:(?:super|so|really|very) )?(?:{_STATES}) (?:to|for|about|that|of|with|we|I|at|on)\b", "I'm "),
    (rf"(?:{_WILLING})\b{_NOT_A_SUBJECTLESS}", "I "),
    (rf"(?:{_PAST})\b{_NOT_A_SUBJECTLESS}{_FINITE_LATER}", "I "),
)
"""What a sentence that has lost its subject begins with, and the subject it gets back."""

_SUBJECTS = tuple((re.compile(pattern, re.IGNORECASE), subject) for pattern, subject in SUBJECTS)

_PRONOUN_CLAUSE = (
    r"(?:it|he|she|that|there)(?:'s| is| was)|(?:i|we|they|you)(?:'m|'ve|'re|'d|'ll)|i (?:am|was|have|had|went|got)"
)
_SPLICE = re.compile(rf",\s+(?=(?:{_PRONOUN_CLAUSE})\b)", re.IGNORECASE)
_SPLICE_AFTER_CLAUSE = re.compile(rf",\s+(?=(?:{_PRONOUN_CLAUSE}|i (?!mean|guess|think|know)\w+)\b)", re.IGNORECASE)
_PRONOUN_FIRST = re.compile(r"(?:i|you|we|he|she|they|it|my \w+)(?:'\w+)?\b", re.IGNORECASE)
_NEXT_DEED = re.compile(rf",\s+(?=(?:{_PAST})\b)", re.IGNORECASE)
"""Sold the Fiat, bought a Skoda: who leaves out the subject once leaves it out again."""
_DASH = re.compile(
    r"\s*(?:\s[-–—]{1,3}|—)\s+(?=(?:i|he|she|it|we|they|you|this|that|there|my|our|here)\b|\w+'(?:s|ve|re|m)\b)|"
    r"\s*;\s+",
    re.IGNORECASE,
)
_DEPENDENT = re.compile(
    r"(?:when|if|because|since|as|although|though|while|after|before|once|whenever|even|so|until|unless|now that|"
    r"every time|last|this|next|yesterday|today|the|in|on|at|with|by|for)\b",
    re.IGNORECASE,
)

_REQUEST_TAIL = re.compile(
    r",?\s*(?:\b(?:so|and|but|then)\b\s*)?\b(?:(?:can|could|would|will|do|are|have|did|should) (?:you|i|we)\b|"
    r"how (?:can|do|should|would|about)\b|what(?:'s|’s| is| are| do| should| about| would)\b|is (?:there|it|that)\b|"
    r"any (?:ideas|tips|"
    r"thoughts|advice|suggestions)\b|right\s*\?|don't you\b|isn't it\b|want to\b)[^?]*\?$",
    re.IGNORECASE,
)
_INNER_ASSERTION = re.compile(
    r"\b(?:considering(?: that)?|given that|since|because|now that|the fact that|and|but)\s+(?=(?:I|I've|I'm|my|"
    r"we|we're)\b)",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"(?:I|I'm|I've|I'd|I'll|My|We|We're|We've|Our)\b", re.IGNORECASE)


def clean(text: str) -> str:
    """Without code blocks, links, emoji and bare list marks; straight apostrophes. Inline code stays."""
    kept = _REMOVED.sub(" ", _CODE.sub(" ", text).replace("’", "'").replace("‘", "'").replace("`", ""))
    return re.sub(r"[ \t]+", " ", kept).strip()


def split_sentences(text: str) -> list[str]:
    """Sentences as they stand, ends kept; abbreviations and single initials do not end one.

    None is longer than _LONGEST: grammar costs with the square of what it looks at.
    """
    sentences: list[str] = []
    start = 0
    for end in _SENTENCE_END.finditer(text):
        stop = end.start() + len(end.group()) - len(end.group().lstrip('"”'))
        abbreviated = _ABBREVIATION.search(text[max(start, stop - _ABBREVIATED) : stop].rstrip())
        if abbreviated and "\n" not in end.group():
            continue
        sentences.extend(_in_breaths(text[start:stop].strip()))
        start = end.end()
    return [*sentences, *_in_breaths(text[start:].strip())]


def _in_breaths(sentence: str) -> Iterator[str]:
    """The sentence, or what of it can be said in one breath, one after the other."""
    while len(sentence) > _LONGEST:
        first = cut_at(sentence, _LONGEST, _PAUSE)
        yield first.rstrip()
        sentence = sentence[len(first) :].lstrip()
    if sentence:
        yield sentence


def unaddressed(sentence: str, listeners: Sequence[str] = ()) -> str:
    """Without greeting, interjection and the listener's name at either end ("Hey Val, ...", "..., Valerie!")."""
    name = _names_of(listeners)
    tail = re.compile(rf",\s*(?:{name})\s*(?=[.!?]*$)", re.IGNORECASE) if name else None
    head = re.compile(rf"(?:{name})\s*[,!.:–—-]+\s*", re.IGNORECASE) if name else None
    sentence = _SINCE_WE_TALKED.sub(", ", sentence).strip(" ,")
    if tail:
        sentence = tail.sub("", sentence)
    previous = None
    while previous != sentence:
        previous = sentence
        for pattern in (_STRICT, _FREE, head):
            match = pattern.match(sentence) if pattern else None
            if match:
                sentence = sentence[match.end() :].lstrip(" ,!.-–—")
    return _capitalised(sentence)


_NAME_CHARS = 20
"""Characters of a first name that are looked for, more than nearly all have: each prefix of it is a pattern."""


def _names_of(listeners: Sequence[str]) -> str:
    """An alternation of the listeners' first names and of their nicknames, prefixes of three letters or more."""
    words = [word[:_NAME_CHARS] for name in listeners for word in name.split()[:1] if len(word) >= 3]
    forms = {word[:length] for word in words for length in range(3, len(word) + 1)}
    return "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))


def with_subject(sentence: str) -> str:
    """The subject given back to a sentence that dropped it: "Sold the boat" -> "I sold the boat"."""
    for pattern, subject in _SUBJECTS:
        if pattern.match(sentence):
            return subject + sentence[0].lower() + sentence[1:]
    return sentence


def split_splices(sentence: str) -> list[str]:
    """Independent clauses joined by a comma, a dash or a semicolon, apart; a dependent first clause stays."""
    parts: list[str] = []
    for run in _DASH.split(sentence):
        clause = _PRONOUN_FIRST.match(run) or with_subject(run) != run
        splice = _SPLICE_AFTER_CLAUSE if clause else _SPLICE
        pieces = [run] if _DEPENDENT.match(run) else splice.split(run)
        if with_subject(run) != run:
            pieces = [part for piece in pieces for part in _NEXT_DEED.split(piece)]
        parts.extend(_capitalised(piece.strip(" -–—,")) for piece in pieces)
    return [part for part in parts if part]


_PREPOSITION = r"(?P<where>in|to|at|for|from|near)"
_GAPPED = re.compile(
    rf"(?P<who>[A-Z][\w-]*|(?:my|our) \w+) (?P<verb>(?:has )?\w+) {_PREPOSITION} (?P<here>[A-Z][\w-]+(?: [A-Z][\w-]+)?)"
    r",? and (?P<other>[A-Z][\w-]+|my \w+) (?P=where) (?P<there>[A-Z].*)"
)
_BASE = {"live": "lives", "work": "works", "study": "studies", "come": "comes", "am": "is"}


def ungapped(clause: str) -> list[str]:
    """The verb given back to a clause that leaves it out: Nora lives in Ghent and Paula in Rome."""
    found = _GAPPED.fullmatch(clause)
    if found is None:
        return [clause]
    verb, where = found["verb"], found["where"]
    told = f"{_capitalised(found['other'])} {_BASE.get(verb, verb)} {where} {found['there']}"
    return [f"{found['who']} {verb} {where} {found['here']}.", told]


def free_assertions(sentence: str) -> list[tuple[str, bool]]:
    """A question as (text, is it a question): its request apart from what it asserts about the speaker."""
    if not sentence.rstrip("\"' ").endswith("?"):
        asks = is_question(sentence) or assertion.is_asked(sentence)
        return _spliced_on(sentence) if asks else [(sentence, False)]
    if _SNEERING_TAG.search(sentence) and not is_negated(sentence):
        return [(sentence, True)]
    announced = _ANNOUNCED.match(sentence)
    if announced:
        return [(_capitalised(_TAG.sub("", sentence[announced.end() :])), False)]
    tail = _REQUEST_TAIL.search(sentence)
    body = sentence[: tail.start()].strip(" ,") if tail else sentence
    freed = [_capitalised(part.strip(" ,")) for part in _INNER_ASSERTION.split(body)]
    asserted = [(part.rstrip("?"), False) for part in freed if _FIRST_PERSON.match(part) and len(part.split()) > 2]
    asked = _capitalised(tail.group().strip(" ,")) if tail and asserted else sentence
    return [*asserted, (asked, True)]


_SNEERING_TAG = re.compile(
    r", (?:am|are|is|do|does|did|have|has|was|were|can|will) (?:i|you|he|she|it|they|we|there)\s*\?$", re.IGNORECASE
)
"""After a statement that denies nothing, a tag that does not either: oh, so I'm the warden, am I?"""
_ANNOUNCED = re.compile(
    r"(?:did i (?:tell|mention to) you|did i (?:mention|say)|have i told you|you (?:do )?know|you remember)(?: that)? "
    r"(?=(?:i|i'm|i've|my|we|we've|we're|our)\b)",
    re.IGNORECASE,
)
"""Questions that tell: did I mention my dad has moved in?"""
_TAG = re.compile(r",? (?:right|yeah|don't you|ok|okay)?\s*\?+$", re.IGNORECASE)


def _spliced_on(sentence: str) -> list[tuple[str, bool]]:
    """A question without its mark, and what its speaker says of themself after it."""
    asked, *said = _SPLICE_AFTER_CLAUSE.split(sentence)
    own = next((place for place, part in enumerate(said) if _FIRST_PERSON.match(part)), len(said))
    told = ", ".join(said[own:])
    return [(", ".join([asked, *said[:own]]), True), *([(_capitalised(told), False)] if told else [])]


def _capitalised(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


@dataclass(frozen=True, slots=True)
class SplitUtterance:
    """An utterance in pieces, the kind of frame it ended in (none if empty), and whether it opened that itself."""

    pieces: tuple[UtterancePiece, ...]
    frame: str = ""
    opened: bool = False


def told(text: str, listeners: Sequence[str] = (), speaker: str = "", frame: str = "") -> SplitUtterance:
    """An utterance that begins within a frame of this kind, if any, in pieces; each keeps its sentence as its quote.

    Once a dream, a game, a song or a page is told, or another name is taken, nothing more is asserted until waking life
    is spoken of; who woke up, or corrects themself, takes back what they said before.
    """
    pieces: list[UtterancePiece] = []
    opened = False
    for quote in sentences_of(text):
        plain = " ".join(spell_out(clean(quote)).split())
        frame = "" if frame and stage.closes(plain) else frame
        plain = assertion.without_asides(put_right(plain))
        doubtful = assertion.is_doubtful(plain)
        another = assertion.takes_another_name(without_quotations(plain), speaker)
        new = "play" if another else stage.opens(plain) if doubtful else ""
        meant = not (frame or another or assertion.is_mocked(plain))
        if stage.takes_back(plain):
            pieces, meant, frame, new = [replace(piece, asserted=False) for piece in pieces], False, "", ""
        elif corrects(plain) or (pieces and assertion.mends(plain, pieces[-1].text)):
            pieces = _without_last(pieces)
        found = _pieces_of(quote, plain, listeners, doubtful)
        pieces.extend(piece if meant else replace(piece, asserted=False) for piece in found)
        frame, opened = new or frame, bool(new) or (opened and bool(frame))
    return SplitUtterance(tuple(pieces), frame, opened)


def _without_last(pieces: list[UtterancePiece]) -> list[UtterancePiece]:
    """What the last sentence said is taken back."""
    last = pieces[-1].quote if pieces else ""
    return [replace(piece, asserted=False) if piece.quote == last else piece for piece in pieces]


def questions_of(text: str, most: int) -> tuple[UtterancePiece, ...]:
    """The last questions of an utterance; nothing else of it is looked at."""
    asking = [quote for quote in sentences_of(text) if "?" in quote][-most:]
    pieces = [
        piece for quote in asking for piece in _pieces_of(quote, " ".join(spell_out(clean(quote)).split()), (), False)
    ]
    return tuple(piece for piece in pieces if piece.question)[-most:]


def sentences_of(text: str) -> list[str]:
    """The sentences, none of them ended by a stop within a quotation."""
    return [unmasked(sentence) for sentence in split_sentences(quotations_masked(_CODE.sub("\n", text)))]


def _pieces_of(quote: str, plain: str, listeners: Sequence[str], doubtful: bool) -> Iterator[UtterancePiece]:
    """The pieces of one sentence. What only leads up to quoted speech asserts nothing."""
    unquoted = without_quotations(plain)
    sentence = unaddressed(" ".join(without_tone(unquoted).split()), listeners)
    for part, question in free_assertions(sentence):
        parts = [(part, False)] if question else _clauses(part, doubtful)
        for words, asserted in parts:
            if 1 < len(words) <= _LONGEST and (
                len(words) <= _MOST_TOKENS or len(_TOKEN.findall(words)) <= _MOST_TOKENS
            ):
                yield UtterancePiece(words, quote, question, asserted and unquoted == plain)


def _clauses(sentence: str, doubtful: bool) -> Iterator[tuple[str, bool]]:
    """The clauses of a statement, subjects given back, each with whether it is asserted."""
    plain = [(sentence, not assertion.is_asked(sentence))]
    for stretch, asserted in assertion.asserted_parts(sentence) if doubtful else plain:
        for spliced in split_splices(stretch):
            for clause in ungapped(spliced):
                yield with_subject(clause), asserted
