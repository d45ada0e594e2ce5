"""Endings: what was left, cancelled, broken off or given up, as cues of the predicates that put an end to a state.

Most of these verbs say other things, too: one leaves a town out of a list, or for the weekend; a meeting breaks up; one
stops for a moment. Which state ends is decided where the states are known (`memory.rules.ending`): who leaves the
office ends nothing, unless they live there.
"""

from __future__ import annotations

from collections.abc import Iterator

from adapters.extraction.rules_clauses import Clause
from adapters.extraction.rules_model import Token
from adapters.extraction.rules_voice import Voice
from memory.words.names import relation
from memory.words.vocabulary import EVENT_NOUNS, words

GROUPS = words(
    "club band team choir orchestra party church company startup firm university college school association society "
    "league ensemble union"
)
"""What one belongs to, and so can leave."""
CONTRACTS = words("membership subscription contract account plan")
"""What is cancelled is not these but what they are of."""
_ASIDE = words("out off in on behind at with under to")
"""Beside "left", words by which nobody went away: left it out, off, behind, to somebody."""
_MOMENT = words("moment minute second while bit break rest sec")
_FOR_GOOD = words("live work study settle start join move become be")
"""Left to do these: not for the day."""
_CLOCK = words(
    "early late today tonight morning noon midday midnight afternoon evening dawn dusk breakfast lunch dinner"
)
_WENT = words("drive fly walk ride cycle come return head")
_RIDES = words("taxi cab uber bus train tram metro ferry flight plane")
"""What follows a departure: left the club and took a taxi; who leaves for good joins, starts or moves."""
WEATHER = words("rain snow pour hail drizzle thunder storm freeze")
_INTERRUPTS = words("ring rang buzz knock") | WEATHER
_SETS_OUT = words("head go return travel fly drive come leave set")
"""To get somewhere: for good, that is a move."""
_GIVEN_UP = ("no longer", "any more", "anymore", "any longer")
_LONGER = words("no longer any more anymore")
_PART = words("with without on after before during until till")
_WHENEVER = words("when whenever while unless")
_SEASONS = words("winter summer spring autumn fall morning afternoon evening night noon weekend holiday")
_ALONE = words("alone together weekends nights evenings mornings today tonight")


def ending_cues(clause: Clause) -> Iterator[tuple[str, Token | None]]:
    """The cues of what a clause ends, each with the word its object hangs on."""
    head, direct = clause.head, _direct(clause.head)
    lemma = head.lemma_.lower()
    if lemma == "leave" and direct is not None and _is_left(direct) and not _is_passing(head):
        yield "leave HOME", direct
    if lemma in _SETS_OUT and (place := _for_good(head)) is not None:
        yield "move to", place
    if lemma in _AWAY and (place := _away_from(head)) is not None:
        yield _AWAY[lemma], place
    if lemma in ("cancel", "terminate", "unsubscribe") and direct is not None and _is_contract(direct):
        yield "cancel CONTRACT", direct
    if _parts(clause):
        yield "part PAIR", _other_of(clause)


_AWAY = {"move": "move from", "relocate": "move from", "drop": "leave HOME"}
"""Verbs whose "out of" and "away from" say what is left."""


def is_no_end(head: Token) -> bool:
    """Stopped to tie a shoe, for a moment, when it began to rain: it is done again after. Dropped them a line.

    Who switched for the workshop goes back after it.
    """
    if head.lemma_ in ("leave", "drop"):
        return _is_gift(head)
    if head.lemma_ in ("switch", "change", "convert"):
        return any(map(_is_for_a_while, head.children))
    if head.lemma_ not in ("stop", "quit"):
        return False
    beside = [t for c in (head, *_complements(head)) for t in c.children]
    return any(map(_is_short, beside)) or any(map(_is_errand_or_weather, beside))


def _is_dating(token: Token) -> bool:
    """A time, and the "since" before it."""
    own = [token] if token.dep_ != "prep" else list(token.children)
    return bool(own) and all(t.ent_type_ in ("DATE", "TIME") for t in own)


def is_put_off(clause: Clause) -> bool:
    """Didn't move there until 2020: then it was done."""
    waited = clause.negated and clause.tense == "past"
    return waited and any(t.lower_ in ("until", "till") and t.i > clause.head.i for t in clause.tokens)


def is_no_longer(clause: Clause) -> bool:
    """Whether it is said of something that it is so no longer."""
    said = " ".join(t.lower_ for t in clause.tokens)
    return any(f" {cue}" in f" {said}" for cue in _GIVEN_UP)


def _is_gift(head: Token) -> bool:
    """Left the town a bad review: two objects, of which neither is a time."""
    objects = (c for c in head.children if c.dep_ in ("dobj", "dative", "npadvmod", "oprd") and c.i > head.i)
    return sum(c.ent_type_ not in ("DATE", "TIME") and c.lemma_ not in ("time", "while") for c in objects) > 1


def is_in_part(clause: Clause, target: Token | None) -> bool:
    """Whether only a part of something is denied: with Tom, on Fridays, after noon, full time, until 2016.

    `target` is what the deed itself is of: who does not work on a project does not.
    """
    beside = [c for t in (clause.head, _direct(clause.head)) if t is not None for c in t.children]
    return any(map(is_part, (c for c in beside if target is None or target.head != c)))


def is_part(token: Token) -> bool:
    """Whether a word tells of a part: with Tom, on Fridays, alone, when it is cold."""
    if token.dep_ == "advcl" and token.tag_ != "VB":
        return any(c.lower_ in _WHENEVER for c in token.children)
    if token.dep_ == "prep":
        seasonal = token.lower_ in ("in", "at") and any(c.lemma_.lower() in _SEASONS for c in token.children)
        return token.lower_ in _PART or seasonal
    share = any(c.lower_ in ("full", "part") for c in token.children)
    return token.lower_ in _ALONE or (token.lower_ == "time" and share)


def given_up(clause: Clause, voice: Voice) -> str | None:
    """What somebody does no longer, from the verb on: "swim in the river" of "I don't swim in the river any more"."""
    if clause.tense not in ("present", "perfect") or not is_no_longer(clause):
        return None
    rest = [t for t in clause.tokens if t.i > clause.head.i and t.dep_ != "neg" and t.lower_ not in _LONGER]
    part = is_in_part(clause, None)
    kept = [t for t in rest if t.pos_ != "PUNCT" and (part or not _is_dating(t))]
    return " ".join((clause.head.lemma_.lower(), voice.say(kept).lower())).strip()


def _other_of(clause: Clause) -> Token | None:
    """The other of a pair, if named: Maria, of "Maria and I broke up" and of "I broke up with Maria"."""
    beside = [t for c in clause.head.children if c.dep_ == "prep" and c.lower_ == "with" for t in c.children]
    own = clause.subject
    told = [] if own is None else [own, *(c for c in own.children if c.dep_ == "conj")]
    others = told if speaks_for_both(clause) else told[1:]
    direct = _direct(clause.head)
    return next((t for t in (*beside, *others, direct) if t is not None and t.pos_ == "PROPN"), None)


def speaks_for_both(clause: Clause) -> bool:
    """Maria and I: the speaker tells of himself and another."""
    subject, head = clause.subject, clause.head
    if subject is None or subject.i > head.i:
        return False
    beside = [c for c in subject.children if c.dep_ == "conj"] + [c for c in head.children if c.dep_ == "nsubj"]
    return any(c.lower_ in ("i", "me") and subject.i < c.i < head.i for c in beside)


def _direct(head: Token) -> Token | None:
    return next((c for c in head.children if c.dep_ in ("dobj", "obj")), None)


def _complements(head: Token) -> Iterator[Token]:
    return (c for c in head.children if c.dep_ in ("xcomp", "ccomp", "dobj"))


def _is_short(token: Token) -> bool:
    return token.dep_ == "prep" and token.lower_ == "for" and any(c.lemma_ in _MOMENT for c in token.children)


def _is_for_a_while(token: Token) -> bool:
    """For or during the workshop, for a week, for now, until Friday; but not for good, for its speed, for years now."""
    below = list(token.children)
    if token.dep_ != "prep" or token.lower_ not in ("for", "during", "until", "till"):
        return token.lower_ in ("temporarily", "briefly", "provisionally")
    timed = any(t.ent_type_ in ("DATE", "TIME", "EVENT") or t.lemma_.lower() in EVENT_NOUNS | {"now"} for t in below)
    return token.lower_ != "for" or timed


def _for_good(head: Token) -> Token | None:
    """Denver, of "headed to Denver for good" and "left for Denver for good"; none where good coffee is had there."""
    beside = [t for c in head.children for t in (c, *c.children)]
    if not any(t.lower_ == "permanently" or _is_for_ever(t) for t in beside):
        return None
    way = "for" if head.lemma_ == "leave" else "to"
    towards = (t for p in beside if p.dep_ == "prep" and p.lower_ == way for t in p.children if t.dep_ == "pobj")
    return next((t for t in towards if t.pos_ == "PROPN"), None)


def _is_for_ever(token: Token) -> bool:
    return (
        token.dep_ == "prep"
        and token.lower_ == "for"
        and any(c.lower_ in ("good", "ever") and c.dep_ != "amod" for c in token.children)
    )


def _is_errand_or_weather(token: Token) -> bool:
    """To tie a shoe; when it began to rain, or the phone rang: not since I was thirty."""
    said = {c.lower_ for c in token.children}
    if token.tag_ == "VB":
        return token.dep_ in ("advcl", "xcomp", "relcl") and "to" in said
    when = token.dep_ == "advcl" and bool(said & {"when", "as", "while"})
    return when and ("it" in said or token.lemma_ in _INTERRUPTS)


def _is_left(token: Token) -> bool:
    named = token.pos_ == "PROPN" and token.ent_type_ not in ("DATE", "TIME")
    return named or token.lemma_.lower() in GROUPS


def _is_passing(head: Token) -> bool:
    """Left it out, off or behind; for the weekend; at noon; left somebody something: nothing is over."""
    if head.dep_ == "advcl" and _is_weather(head.head):
        return True
    for child in head.children:
        if child.dep_ in ("dative", "oprd", "ccomp") or child.lower_ in _ASIDE:
            return True
        if child.dep_ == "prep" and child.lower_ == "for" and any(_is_errand(c) for c in child.children):
            return True
        if child.dep_ in ("advcl", "xcomp") and child.tag_ == "VB" and child.lemma_ not in _FOR_GOOD:
            return True
        if child.dep_ == "conj" and (child.lemma_ in _WENT or any(c.lemma_ in _RIDES for c in child.subtree)):
            return True
    return any(t.ent_type_ == "TIME" or t.lower_ in _CLOCK for t in head.subtree if t.i > head.i)


def _is_weather(verb: Token) -> bool:
    """When Tom left Rome, it rained, or the sun shone: what dates an hour is no parting from a town."""
    subject = next((c.lemma_.lower() for c in verb.children if c.dep_ in ("nsubj", "expl")), "")
    return verb.lemma_ in WEATHER if subject == "it" else subject in ("sun", "rain", "snow", "storm")


def _is_errand(token: Token) -> bool:
    return token.pos_ not in ("PROPN", "ADJ", "ADV") and token.lower_ != "good"


def _away_from(head: Token) -> Token | None:
    """Oslo, of "moved out of Oslo" and "moved away from Oslo"; but not of "moved the couch out of Oslo"."""
    ways = [c for c in head.children if c.lower_ in ("out", "away")]
    moved = [c for c in head.children if c.pos_ in ("NOUN", "PROPN") and any(head.i < c.i < way.i for way in ways)]
    after = [
        p
        for way in ways
        if not moved
        for p in (*way.children, *head.children)
        if p.lower_ in ("of", "from") and p.i > way.i
    ]
    return next((t for p in after for t in p.children if t.dep_ == "pobj"), None)


def _is_contract(token: Token) -> bool:
    if token.lemma_.lower() in CONTRACTS:
        return True
    return token.pos_ == "PROPN" and token.ent_type_ not in ("PERSON", "DATE", "TIME", "EVENT")


def _parts(clause: Clause) -> bool:
    """Whether two people break up: a pair, or one with the other, and no thing that is taken apart."""
    head, subject = clause.head, clause.subject
    if subject is None or any(c.dep_ == "advcl" and c.tag_ == "VB" for c in head.children):
        return False
    pair = clause.person == "we" or speaks_for_both(clause) or any(c.dep_ == "conj" for c in subject.children)
    particle = any(c.lower_ == "up" and c.dep_ in ("prt", "prep", "advmod") for c in head.children)
    if any(map(_is_round_about, head.children)):
        return False
    direct = _direct(head)
    if head.lemma_ in ("break", "split") and particle:
        return direct is None and (pair or any(map(_is_with_somebody, head.children)))
    divorced = head.lemma_ == "get" and any(c.lower_ in ("divorced", "separated") for c in head.children)
    if divorced or head.lemma_ in ("divorce", "separate"):
        return pair if direct is None else direct.ent_type_ == "PERSON" or relation(direct.text) is not None
    return False


def _is_round_about(preposition: Token) -> bool:
    """Split up into groups, at the museum, for an hour: they meet again."""
    if preposition.dep_ != "prep":
        return False
    short = preposition.lower_ == "for" and any(map(_is_errand, preposition.children))
    return short or (preposition.head.lemma_ == "split" and preposition.lower_ in ("at", "into"))


def _is_with_somebody(preposition: Token) -> bool:
    somebody = (t.pos_ == "PROPN" or t.lower_ in ("him", "her") or relation(t.text) for t in preposition.children)
    return preposition.lower_ == "with" and any(somebody)
