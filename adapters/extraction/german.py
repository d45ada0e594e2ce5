"""German, by the order of words: what a main clause says of its speaker, of "my sister" or of somebody named.

No parser: a German main clause has its finite verb second, so "ich wohne" and "am Montag fahre ich" are found by their
verb. Subjunctives, conditions, hearsay, dreams and questions (verb first) assert nothing. What is read stays in the
speaker's words, in the third person; only the plainest clauses are typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from adapters.extraction.german_persons import in_third_person
from adapters.extraction.german_promises import is_reminder, promise_of
from adapters.extraction.german_ties import THEIRS, tied
from adapters.extraction.german_types import typed
from adapters.extraction.rules_consequences import follows
from adapters.extraction.rules_promises import sighting_of
from memory.model.claims import Claim, Sighting, Utterance
from memory.model.ids import fold
from memory.words.classes import GERMAN_PETS
from memory.words.everyday import GERMAN_KIN, GERMAN_NOUNS
from memory.words.german_times import since
from memory.words.idioms import is_idiom
from memory.words.languages import is_common
from memory.words.names import is_name
from memory.words.normalise import clean, split_sentences
from memory.words.polarity import is_negated_in_german, quotations_masked, unmasked, without_quotations
from memory.words.predicates import PROMISE, class_of, named, tie
from memory.words.retractions import corrects_in_german
from memory.words.tone import is_light, without_tone
from memory.words.vocabulary import listed, words

_I = re.IGNORECASE
_FRAMED = re.compile(
    r"\b(?:stell dir vor|angenommen|geträumt|im traum|traum|hier steht|da steht|stand|refrain|strophe|lied|"
    r"beispiel\w*|lautet|"
    r"sprich mir nach|im spiel|rolle|kapitel|ich bin jetzt (?:der|die|das)|ich bin (?:\w+ )?(?:der|die) (?:könig|"
    r"prinz|zauber|"
    r"hexe|ritter|pirat|räuber)\w*|les(?:e)? (?:das |es |mal )*vor|na super|na toll|ja klar|"
    r"aber klar|scherz)\b|^klar,|/s\b",
    _I,
)
"""Dreams, games, songs, pages and mockery: nothing after it is meant."""
_UNREAL = re.compile(
    r"\b(?:wenn|falls|sofern|ob|wenn's|um ein haar|hätt\w*|wär\w*|würd\w*|könnt\w*|eigentlich wollt\w*|"
    r"wollt\w* (?:ich )?(?:ja |eigentlich )|möchte\w*|wünschte|wünsche|sollte\w*|dürfte\w*|"
    r"müsste\w*|sei|seien|"
    r"vielleicht|eventuell|womöglich|möglicherweise|vermutlich|wahrscheinlich|angeblich|wohl|"
    r"gerücht\w*|fast|"
    r"beinahe|überleg\w+|gedanken?|unentschieden|weder|behauptet\w*|sagt|sagte\w*|meint|meinte\w*|erzählt\w*|gehört|"
    r"heißt es|schreibt|"
    r"glaubt|denkt|hoffe|hoffentlich|keine ahnung|weiß (?:es|ich|noch)? ?(?:echt |noch )?nicht|irgendwann|"
    r"am überlegen)\b",
    _I,
)
_SAYS = (
    r"(?:sagt|sagte|meint|meinte|behauptet|behauptete|erzählt|erzählte|schreibt|schrieb|glaubt|glaubte|denkt|dachte|"
    r"ha(?:t|tte|ben) (?:\w+ )*(?:gesagt|behauptet|geschrieben|gemeint))"
)
_HEARSAY = re.compile(
    rf"^(?!.*\b(?:ich|wir|wie)\b).*\b{_SAYS}(?: (?:mir|uns|dir|allen|jedem|immer|oft|ja|auch|nur|gern))*$"
    r"|\bes heißt$|\bheißt es$|^laut (?-i:[A-ZÄÖÜ])|\bzufolge\b",
    _I,
)
"""What others say; one's own words, and "wie Tom sagt", are no hearsay."""
_SAID_AFTER = re.compile(rf"{_SAYS} (?!ich\b|wir\b)\w+(?: (?-i:[A-ZÄÖÜ])\w+)?$|so (?-i:[A-ZÄÖÜ])\w+$", _I)
"""Ich wohne in Kiel, sagt Tom."""
_THINKS = re.compile(
    r"(?:ich )?(?:glaube?|denke?|schätze?|vermute?|nehme an|schätz|vermut)(?: (?:nicht|schon|mal|ja))*", _I
)
"""What one only thinks follows: ich glaube, Tom arbeitet bei Bosch."""
_WITNESS = re.compile(
    r"\b(?:\w*arzt|\w*ärztin|doktor|labor\w*|klinik|krankenhaus|befund\w*|\w*test|bluttest|apothek\w+|amt|bank|"
    r"vertrag|mietvertrag|ausweis|brief|schule|universität)\b",
    _I,
)
"""Who says what they are there to know is quoted as a witness."""
_SET_AGAINST = re.compile(r"(?:aber|doch|sondern|dabei|nur)\b", _I)
_JOINT = re.compile(r",\s*|\s+(?=(?:und|aber|oder|denn)\s)", _I)
_OPENERS = re.compile(
    r"^(?:(?:ja|nein|also|ach|naja|na|nee|hm+|äh+|ähm|ehrlich|übrigens|versprochen|doch|sag mal)[,.! ]+)+", _I
)
_QUESTION = re.compile(
    r"(?:was|wer|wen|wem|wo|wohin|woher|wann|warum|wieso|wie|welche\w*)\b|[a-zäöüß]+(?:st|t|e|en|b)? (?:du|ich|er|"
    r"sie|es|ihr|wir)\b",
    _I,
)
_STANDS = re.compile(r"\bkann\b.* nicht (?:mehr )?(?:ausstehen|leiden)\b", _I)
"""A dislike that is told by a denial: kann ihn nicht ausstehen."""
_NAME = r"(?-i:[A-ZÄÖÜ])[\wäöüß-]+"
_NOBODY = GERMAN_NOUNS | listed("no_names", "de")
"""Folded words that stand large at the beginning of a sentence and name nobody."""
_MINE = re.compile(r"\b(?:mein|unser)(?:e[mnrs]?)?\b", _I)
_OF_MINE = re.compile(r"(?:mein|unser)(?:e[mnrs]?)? (?:(?P<which>(?-i:[a-zäöüß]+))e[nrs]? )?(?P<noun>\w+)", _I)
_OF_THEIRS = re.compile(rf"{THEIRS} (?=[a-zäöüß]+t\b|war\b|kann\b|mag\b|wird\b)")
_FRIENDLY = words("best gut alt lieb")
"""Beside these a Freundin is a friend, and nobody's partner."""
_BIRTHDAY = "geburtstag"
_WHERE = ("place", "organization")
_FINITE = re.compile(r"(?:ist|hat|war|wird|kann|mag|[a-zäöüß]{2,}t)$")
_PERFECT = re.compile(r"\b(?:habe|hab|hat|bin|ist)\b.*\b\w*(?:ge\w+(?:t|en)|iert|(?:ver|be|er|ent)\w+(?:t|en))$", _I)
_TYPED, _PLAIN, _LIGHT = 0.7, 0.6, 0.2
"""Confidence of what has a predicate and of what has none; what laughter and "offenbar" take off both."""
_LEAST = 3
"""Words a statement has at least."""
_CHANGED = re.compile(r"\b(?:jetzt|inzwischen|mittlerweile|neuerdings|wieder|mehr)\b", _I)
"""Words of change: what they deny was so until then."""
_ELSE_DENIED = re.compile(
    r"\b(?:nicht|nie) (?:mehr )?(?!(?:mehr )?(?:in|bei|beim|für)\b)\w+ (?:.* )?(?:in|bei|beim|für)\b"
    r"|\b(?:\w+tags|abends|morgens|nachts|heute|morgen) (?:nicht|nie)\b",
    _I,
)
"""Lives no longer alone in a town, works on Fridays not at a firm: neither the town nor the firm is denied."""


def claims_of(utterance: Utterance, listener: str | None = None) -> Iterator[Claim]:
    """What a German utterance asserts, clause by clause; `listener` is who "du" is, if that is just one."""
    for quote, clause in _clauses(utterance):
        claim = _claim(clause, quote, utterance, listener)
        if claim is not None:
            yield claim
            yield from _consequences(claim)


def promises_of(utterance: Utterance, listener: str | None = None) -> Iterator[Sighting]:
    """The promises and reminders of a German utterance."""
    for quote, clause in _clauses(utterance):
        promise = promise_of(clause, quote, utterance, listener)
        if promise is not None:
            yield sighting_of(promise, quote, utterance.segment_key)


def _clauses(utterance: Utterance) -> Iterator[tuple[str, str]]:
    """(quote, clause) of all that is asserted, up to where a frame opens."""
    for quote in map(unmasked, split_sentences(quotations_masked(_whole_dates(utterance.text)))):
        sentence = without_tone(clean(quote))
        spoken = without_quotations(sentence) != sentence
        yield from ((quote, clause) for clause in (() if spoken or _is_asked(sentence) else _asserted(sentence)))
        if spoken or _FRAMED.search(sentence):
            return


def _is_asked(sentence: str) -> bool:
    return sentence.endswith("?") and not is_reminder(sentence)


_LINK = re.compile(r"^(?:und|aber|sondern|denn|doch) (?=(?:ich|wir|mein\w*)\b|(?-i:[A-ZÄÖÜ])\w+ )", _I)
_VOW = re.compile(
    r"(?:versprochen|ehrenwort|(?:ich (?:verspreche|versprech|schwöre)|(?:verspreche|schwöre) ich)"
    r"(?:['’]s| es)?(?: dir| euch| ihnen)?)",
    _I,
)
"""What is vowed follows: ich verspreche dir, dass ich komme."""
_OF_ITS_OWN = re.compile(
    r"(?:aber |sondern |doch )?(?:ich|wir|mein\w*|unser\w*) "
    r"|(?:aber|sondern|doch) (?:jetzt|nun|inzwischen|mittlerweile) \w+ (?:ich|wir)\b",
    _I,
)
"""A main clause that begins with its subject stands beside a condition, not under it: falls du suchst, wir haben."""
_UNDER = re.compile(
    r"(?:(?:und|aber|denn|doch) )?(?:(?:weil|obwohl|nachdem|seitdem|bevor)\b|"
    r"(?:da|als|seit|während) (?:ich|wir|er|sie|es|man|(?:mein|unser)\w*) )",
    _I,
)
"""How a clause begins that says why or when, before the main clause; "seit Mai" and "als Kind" are none."""
_VERB_FIRST = re.compile(
    rf"(?P<verb>[a-zäöüß]+(?:e|en|t|bin|hab|kann|mag|will|muss|darf|ging|kam|war)|bin|hab|war) "
    rf"(?P<who>ich|wir|(?:mein|unser)e? \w+|{_NAME}) (?P<rest>.+)"
)
_DAY_OF = re.compile(r"(\d{1,2}|\d{1,2}\.\d{1,2})\. (?=[A-ZÄÖÜ])")


def _whole_dates(text: str) -> str:
    """The stop of "7. März" ends no sentence: it is masked, as those within quotations are."""
    return _DAY_OF.sub(lambda match: quotations_masked(f'"{match.group()}"').strip('"'), text)


def _asserted(sentence: str) -> list[str]:
    """Its clauses up to the first that is not asserted; clauses without a subject of their own stay with the first.

    A condition ends where a main clause of its own begins, what others say only where something is set against it.
    """
    found: list[str] = []
    suspended = reported = under = False
    for said in (part.strip(" .!,") for part in _JOINT.split(sentence)):
        if corrects_in_german(said) or (_SAID_AFTER.match(said) and not _WITNESS.search(said)):
            return found[:-1]
        if _FRAMED.search(said):
            return found
        main = _VERB_FIRST.fullmatch(said) if under and not found else None
        part = said if main is None else f"{main['who']} {main['verb']} {main['rest']}"
        reported = (
            _is_hearsay(part) or _THINKS.fullmatch(part) is not None or (reported and not _SET_AGAINST.match(part))
        )
        suspended = reported or bool(_UNREAL.search(part)) or (suspended and not _OF_ITS_OWN.match(part))
        under = (under and main is None) or _UNDER.match(part) is not None
        if suspended or (under and not found):
            continue
        together = bool(found) and part.lower().startswith("und ich ") and len(found[-1].split()) <= _LEAST
        if found and _VOW.fullmatch(found[-1]):
            found[-1] = f"{found[-1]}, {part}"
        elif found and (together or not _has_subject(part)):
            found[-1] = f"{found[-1]} {part}"
        elif part:
            found.append(part)
    return found


def _is_hearsay(part: str) -> bool:
    """Tom says, and what follows is his to the end of the sentence, of whomever he says it."""
    return _HEARSAY.search(part) is not None and _WITNESS.search(part) is None


def _has_subject(part: str) -> bool:
    return bool(
        re.search(r"\b(?:ich|wir|er|sie|es|das|du|mein\w*|keiner)\b", part, _I)
        or re.match(
            r"(?:und |aber |denn )?(?:(?:der|die|das|[A-ZÄÖÜ]\w+s) [A-ZÄÖÜ]\w+|[A-ZÄÖÜ]\w+|der|die) [a-zäöüß]+t\b", part
        )
    )


def _claim(clause: str, quote: str, utterance: Utterance, listener: str | None) -> Claim | None:
    whole, clause = clause, " ".join(_LINK.sub("", _OPENERS.sub("", clause)).split())
    subject = _subject(clause, utterance.speaker)
    if subject is None or _QUESTION.match(clause) or is_idiom(clause):
        return None
    statement = in_third_person(clause, utterance.speaker, listener)
    if len(statement.split()) < _LEAST:
        return None
    predicate, object_ = typed(whole)
    row = named(predicate)
    led = row is not None and row.passing and row.object_type in _WHERE
    if led and _ELSE_DENIED.search(clause):
        predicate, object_ = None, None
    promise = promise_of(whole, quote, utterance, listener)
    if promise is not None:
        predicate, object_ = PROMISE, None
    row = named(predicate)
    claim = Claim(
        subject=subject,
        statement=statement,
        segment_key=utterance.segment_key,
        quote=quote,
        predicate=predicate,
        object=object_,
        object_type=row.object_type if row else None,
        kind=row.kind if row else "factual",
        importance=4 + (row.weight if row else 0),
        confidence=_confidence(quote, known=row is not None),
        polarity=not is_negated_in_german(clause) or _STANDS.search(clause) is not None,
        tense="plan" if promise is not None else _tense(clause, predicate),
        valid_from=utterance.at,
        due=promise.due if promise is not None else None,
        change=_CHANGED.search(clause) is not None,
        slot=_slot(predicate, object_),
    )
    claim = _of_kin(_of_mine(claim, clause, utterance.speaker), clause, utterance.speaker)
    begun = since(clause, utterance.at, utterance.clock) if claim.tense == "state" else None
    claim = claim if begun is None else replace(claim, valid_from=begun)
    return tied(claim, clause, utterance.speaker)


def _confidence(quote: str, *, known: bool) -> float:
    return round((_TYPED if known else _PLAIN) - (_LIGHT if is_light(quote) else 0.0), 2)


def _tense(clause: str, predicate: str | None) -> str:
    """A perfect tells an event; who is divorced or born somewhere is so from then on."""
    row = named(predicate)
    return "event" if not (row and row.lasting) and _PERFECT.search(clause) else "state"


def _subject(clause: str, speaker: str) -> str | None:
    """The speaker of "ich", "wir" and "meine ..."; a name before a finite verb; None for all others."""
    tokens = clause.split()
    if (
        re.search(r"\b(?:ich|wir)\b", clause, _I)
        or _MINE.match(clause)
        or (tokens and tokens[0].lower() in ("hab", "habe", "bin"))
    ):
        return speaker
    owned = _owned(clause, speaker)
    if owned is not None:
        return owned[0]
    told = len(tokens) > 2 and is_name(tokens[0]) and _FINITE.match(tokens[1].lower()) is not None
    first = fold(tokens[0]) if told else ""
    return tokens[0] if told and first not in _NOBODY and not is_common(first) else None


def _slot(predicate: str | None, object_: str | None) -> str | None:
    """Who is vegan is vegetarian no more; an allergy ends nothing."""
    row = named(predicate)
    return class_of(object_ or "") if row is not None and row.slotted == "class" else None


def _owned(clause: str, speaker: str) -> tuple[str, str] | None:
    """Whose what a clause is about, folded: meine kleine Schwester, Lenas Bruder, mein Geburtstag."""
    mine = _OF_MINE.match(clause)
    if mine is not None:
        noun = fold(mine["noun"])
        return speaker, "freund" if noun == "freundin" and mine["which"] in _FRIENDLY else noun
    theirs = _OF_THEIRS.match(clause)
    noun = fold(theirs["noun"]) if theirs else ""
    known = noun in GERMAN_KIN or noun in GERMAN_PETS or noun == _BIRTHDAY
    return (theirs["owner"], noun) if theirs is not None and known and is_name(theirs["owner"]) else None


def _of_mine(claim: Claim, clause: str, speaker: str) -> Claim:
    """Meine Schwester wohnt in Köln: that is her home; of anything else of mine only the words are kept."""
    owned = _owned(clause, speaker)
    row = named(claim.predicate)
    if row is None or row.owed or "own_name" in row.tells or owned is None:
        return claim
    owner, noun = owned
    if "day" in row.tells and noun == _BIRTHDAY:
        return claim
    kin = GERMAN_KIN.get(noun)
    if kin is None:
        return replace(claim, predicate=None, object=None, object_type=None, slot=None)
    return replace(claim, subject=f"{owner}'s {kin}")


def _of_kin(claim: Claim, clause: str, speaker: str) -> Claim:
    """Meine Schwester heißt Katrin: the speaker has a sister; of anything else named only the words are kept."""
    told = named(claim.predicate)
    if told is None or "own_name" not in told.tells:
        return claim
    owned, name = _owned(clause, speaker), claim.object or ""
    kin = GERMAN_KIN.get(owned[1]) if owned else None
    pet = owned is not None and owned[1] in GERMAN_PETS
    row = tie("pet" if pet else kin)
    if row is None or not name or not claim.polarity:
        return replace(claim, predicate=None, object=None)
    shown = name if name[:1].isupper() else name.capitalize()
    return replace(
        claim,
        predicate=row.name,
        object=shown,
        object_type=row.object_type,
        kind=row.kind,
        importance=4 + row.weight,
        tense="state",
    )


def _consequences(claim: Claim) -> Iterator[Claim]:
    row = named(claim.predicate)
    if row is not None and row.sort == "new_home" and claim.polarity and claim.object:
        yield follows(claim, f"{claim.subject} wohnt in {claim.object}")
