"""German, by the order of words: what a main clause says of its speaker, of "my sister" or of somebody named.

No parser: a German main clause has its finite verb second, so "ich wohne" and "am Montag fahre ich" are found by their
verb. Subjunctives, conditions, hearsay, dreams and questions (verb first) assert nothing. What is read stays in the
speaker's words, in the third person; only the plainest clauses are typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from adapters.extraction.german_promises import is_reminder, promise_of
from adapters.extraction.german_ties import KIN, tied
from adapters.extraction.rules_promises import sighting_of
from memory.model.claims import Claim, Sighting, Utterance
from memory.words.names import is_name
from memory.words.normalise import clean, split_sentences
from memory.words.polarity import quotations_masked, unmasked, without_quotations
from memory.words.predicates import class_of, named

_I = re.IGNORECASE
_FRAMED = re.compile(
    r"\b(?:stell dir vor|angenommen|geträumt|im traum|traum|hier steht|da steht|stand|refrain|strophe|lied|"
    r"beispiel\w*|lautet|"
    r"sprich mir nach|im spiel|rolle|kapitel|ich bin jetzt (?:der|die|das)|ich bin (?:\w+ )?(?:der|die) (?:könig|"
    r"prinz|zauber|"
    r"hexe|ritter|pirat|räuber)\w*|les(?:e)? (?:das |es |mal )*vor|haha\w*|ha ha|na super|na toll|ja klar|"
    r"aber klar|scherz)\b|^klar,|/s\b",
    _I,
)  # fmt: skip
"""Dreams, games, songs, pages and mockery: nothing after it is meant."""
_UNREAL = re.compile(
    r"\b(?:wenn|falls|sofern|ob|wenn's|um ein haar|hätt\w*|wär\w*|würd\w*|könnt\w*|eigentlich wollt\w*|"
    r"wollt\w* (?:ich )?(?:ja |eigentlich )|möchte\w*|wünschte|wünsche|sollte\w*|dürfte\w*|"
    r"müsste\w*|sei|seien|"
    r"vielleicht|eventuell|womöglich|möglicherweise|vermutlich|wahrscheinlich|angeblich|wohl|anscheinend|offenbar|"
    r"gerücht\w*|fast|"
    r"beinahe|überleg\w+|gedanken?|unentschieden|weder|behauptet\w*|sagt|sagte\w*|meint|meinte\w*|erzählt\w*|gehört|"
    r"heißt es|schreibt|"
    r"glaubt|denkt|hoffe|hoffentlich|keine ahnung|weiß (?:es|ich|noch)? ?(?:echt |noch )?nicht|irgendwann|"
    r"am überlegen)\b",
    _I,
)  # fmt: skip
_SAYS = (
    r"(?:sagt|sagte|meint|meinte|behauptet|behauptete|erzählt|erzählte|schreibt|schrieb|glaubt|glaubte|denkt|dachte|"
    r"ha(?:t|tte|ben) (?:\w+ )*(?:gesagt|behauptet|geschrieben|gemeint))"
)
_HEARSAY = re.compile(
    rf"^(?!.*\b(?:ich|wir|wie)\b).*\b{_SAYS}(?: (?:mir|uns|dir|allen|jedem|immer|oft|ja|auch|nur|gern))*$"
    r"|\bes heißt$|\bheißt es$|^laut (?-i:[A-ZÄÖÜ])|\bzufolge\b", _I,
)  # fmt: skip
"""What others say; one's own words, and "wie Tom sagt", are no hearsay."""
_SAID_AFTER = re.compile(rf"{_SAYS} (?!ich\b|wir\b)\w+(?: (?-i:[A-ZÄÖÜ])\w+)?$|so (?-i:[A-ZÄÖÜ])\w+$", _I)
"""Ich wohne in Kiel, sagt Tom."""
_WITNESS = re.compile(
    r"\b(?:\w*arzt|\w*ärztin|doktor|labor\w*|klinik|krankenhaus|befund\w*|\w*test|bluttest|apothek\w+|amt|bank|"
    r"vertrag|mietvertrag|ausweis|brief|schule|universität)\b", _I,
)  # fmt: skip
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
_DENIED = re.compile(r"\b(?:nichts?|nix|kaum|kein\w*|nie|niemals|nirgend\w*)\b", _I)
_STANDS = re.compile(r"\bkann\b.* nicht (?:mehr )?(?:ausstehen|leiden)\b", _I)
"""A dislike that is told by a denial: kann ihn nicht ausstehen."""
_IRREGULAR = {
    "bin": "ist", "habe": "hat", "hab": "hat", "kann": "kann", "mag": "mag", "will": "will", "muss": "muss",
    "darf": "darf", "soll": "soll", "weiß": "weiß", "werde": "wird", "fahre": "fährt", "spreche": "spricht",
    "esse": "isst", "nehme": "nimmt", "lese": "liest", "schlafe": "schläft", "laufe": "läuft", "trage": "trägt",
    "sehe": "sieht", "gebe": "gibt", "treffe": "trifft", "helfe": "hilft", "verspreche": "verspricht",
    "vergesse": "vergisst", "halte": "hält", "verlasse": "verlässt", "war": "war", "hatte": "hatte",
    "wollte": "wollte", "konnte": "konnte", "musste": "musste", "ging": "ging", "wurde": "wurde",
    "wohnte": "wohnte", "lebte": "lebte", "arbeitete": "arbeitete",
}  # fmt: skip
_PRONOUNS = {"ich": "{0}", "mir": "sich", "mich": "sich", "wir": "{0} und andere", "uns": "sich"}
_NOBODY = frozenset({"das", "es", "der", "die", "du", "er", "sie", "ihr", "man", "dies", "was", "wer"})
_MINE = re.compile(r"\b(?:mein|unser)(?:e[mnrs]?)?\b", _I)
_FINITE = re.compile(r"(?:ist|hat|war|wird|kann|mag|[a-zäöüß]{2,}t)$")
_THING = r"(?P<object>[\wäöüßÄÖÜ-]+)"
_HOW = r"(?:(?:jetzt|inzwischen|mittlerweile|wieder|wirklich|total|sehr|auch|nur|so|kein\w*) )*"
"""What stands between an attitude and what it is to."""
_LIKED = rf"(?:(?:den|die|das) (?=(?-i:[A-ZÄÖÜ])))?(?!(?:es|das|sie|ihn|dich|euch|mich|uns|dass)\b){_THING}"
"""A thing, and not what only points at one."""
_AGAIN = r"(?:(?:nicht|nie|kein\w*|wieder|mehr|jetzt|noch|immer|gern|gerne|auch|nur|schon|strenge?r?|ein\w*) )*"
"""What stands between a verb and what is eaten, drunk or played, and names no time and no single thing."""
_DIET = r"(?P<known>vegetari|vegan|pes[kc]etari)\w*\b(?! (?:essen|kochen|gegessen|gekocht))"
_IN_ENGLISH = {
    "vegetari": "vegetarian", "vegan": "vegan", "pesketari": "pescatarian", "pescetari": "pescatarian",
    "rauchen": "smoke", "trinken": "drink",
}  # fmt: skip
"""What is compared with words of an English list: diets by how their names begin, and deeds."""
_PREDICATES = tuple(
    (re.compile(pattern, _I), predicate)
    for pattern, predicate in (
        (rf"\b(?:bin|ist|lebe|lebt|ernähr\w+ (?:mich|sich)) (?:seit \w+ \w+ )?{_AGAIN}{_DIET}", "has_condition"),
        (rf"\b(?:wohn|leb)\w+ (?:[a-zäöüß]+ )*?in {_THING}", "lives_in"),
        (rf"\bnach {_THING} (?:um)?gezogen", "moved_to"),
        (rf"\b(?:aus|von) {_THING} (?:weg|aus)gezogen|\b(?:habe|hab|hat) (?P<other>[A-ZÄÖÜ]\w+) verlassen", "left"),
        (r"\b(?:mich|sich|uns)(?: von (?P<other>(?-i:[A-ZÄÖÜ])\w+))?(?: \w+)? getrennt", "separated_from"),
        (r"\b(?P<known>rauchen|trinken)\b.* aufgehört|aufgehört,? zu (?P<ceased>rauchen|trinken)", "stopped"),
        (rf"\b(?:esse|isst) (?!ein){_AGAIN}(?P<food>(?-i:[A-ZÄÖÜ])\w+)", "habit:eat"),
        (rf"\b(?:trinke|trinkt) (?!ein){_AGAIN}(?P<food>(?-i:[A-ZÄÖÜ])\w+)", "habit:drink"),
        (r"\b(?:rauche|raucht)(?: (?:nicht|nie|wieder|mehr|jetzt|noch|immer))*$", "habit:smoke"),
        (rf"\b(?:gegen {_THING} allergisch|allergisch gegen (?P<other>\w+))", "has_condition"),
        (rf"\barbeit\w+ .*?\b(?:bei|beim|für) (?:der |dem |die |den )?{_THING}", "works_at"),
        (rf"\b(?:bin|ist) {_THING} von beruf", "works_as"),
        (rf"\blieber {_THING}", "prefers"),
        (rf"\b(?:mag|liebe|liebt) {_HOW}{_LIKED}", "likes"),
        (rf"\b(?:hasse|hasst|verabscheue|verabscheut) {_HOW}{_LIKED}", "dislikes"),
        (rf"\bkann {_HOW}{_LIKED} (?:\w+ )*?nicht (?:mehr )?(?:ausstehen|leiden)", "dislikes"),
        (rf"\b(?:spiele|spielt) {_AGAIN}(?P<played>(?-i:[A-ZÄÖÜ])[\wäöüßÄÖÜ-]+)", "plays"),
        (rf"\b(?:habe|hab|hat) (?:den |die |das |\w*(?:ein|mein|sein|ihr)\w* )?{_THING} (?:\w+ )?verkauft", "lost"),
        (r"\bversprech\w*|\bversprochen", "promises"),
        (rf"\bheißt {_THING}", "is_named"),
        (r"\b(?:jede[nsr]?|täglich|immer|meistens) ", "habit"),
    )
)
_PERFECT = re.compile(r"\b(?:habe|hab|hat|bin|ist)\b.*\b\w*(?:ge\w+(?:t|en)|iert|(?:ver|be|er|ent)\w+(?:t|en))$", _I)
_TYPED, _PLAIN = 0.7, 0.6
_LEAST = 3
"""Words a statement has at least."""
_CHANGED = re.compile(r"\b(?:jetzt|inzwischen|mittlerweile|neuerdings|wieder|mehr)\b", _I)
"""Words of change: what they deny was so until then."""
_ELSE_DENIED = re.compile(
    r"\b(?:nicht|nie) (?:mehr )?(?!(?:mehr )?(?:in|bei|beim|für)\b)\w+ (?:.* )?(?:in|bei|beim|für)\b"
    r"|\b(?:\w+tags|abends|morgens|nachts|heute|morgen) (?:nicht|nie)\b", _I,
)  # fmt: skip
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
        sentence = clean(quote)
        spoken = without_quotations(sentence) != sentence
        yield from ((quote, clause) for clause in (() if spoken or _is_asked(sentence) else _asserted(sentence)))
        if spoken or _FRAMED.search(sentence):
            return


def _is_asked(sentence: str) -> bool:
    return sentence.endswith("?") and not is_reminder(sentence)


_LINK = re.compile(r"^(?:und|aber|sondern|denn|doch) (?=(?:ich|wir|mein\w*)\b)", _I)
_TAKEN_BACK = re.compile(
    r"(?:ach |nein |nee )?(?:quatsch|moment|stimmt nicht|stopp|falsch|vielmehr|besser gesagt)\b", _I
)
"""What was said just before is not meant: ach Quatsch, zehn sind's."""
_VOW = re.compile(
    r"(?:versprochen|ehrenwort|(?:ich (?:verspreche|versprech|schwöre)|(?:verspreche|schwöre) ich)"
    r"(?:['’]s| es)?(?: dir| euch| ihnen)?)", _I,
)  # fmt: skip
"""What is vowed follows: ich verspreche dir, dass ich komme."""
_OF_ITS_OWN = re.compile(r"(?:aber |sondern |doch )?(?:ich|wir|mein\w*|unser\w*) ", _I)
"""A main clause that begins with its subject stands beside a condition, not under it: falls du suchst, wir haben."""
_DAY_OF = re.compile(r"(\d{1,2})\. (?=[A-ZÄÖÜ])")


def _whole_dates(text: str) -> str:
    """The stop of "7. März" ends no sentence: it is masked, as those within quotations are."""
    return _DAY_OF.sub(lambda match: quotations_masked(f'"{match.group()}"').strip('"'), text)


def _asserted(sentence: str) -> list[str]:
    """Its clauses up to the first that is not asserted; clauses without a subject of their own stay with the first.

    A condition ends where a main clause of its own begins, what others say only where something is set against it.
    """
    found: list[str] = []
    suspended = reported = False
    for part in (part.strip(" .!,") for part in _JOINT.split(sentence)):
        if _TAKEN_BACK.match(part) or (_SAID_AFTER.match(part) and not _WITNESS.search(part)):
            return found[:-1]
        if _FRAMED.search(part):
            return found
        reported = _is_hearsay(part) or (reported and not _SET_AGAINST.match(part))
        suspended = reported or bool(_UNREAL.search(part)) or (suspended and not _OF_ITS_OWN.match(part))
        if suspended:
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
        or re.match(r"(?:[A-ZÄÖÜ]\w+|der|die) \w+t\b", part)
    )


def _claim(clause: str, quote: str, utterance: Utterance, listener: str | None) -> Claim | None:
    whole, clause = clause, " ".join(_LINK.sub("", _OPENERS.sub("", clause)).split())
    subject = _subject(clause, utterance.speaker)
    if subject is None or _QUESTION.match(clause):
        return None
    statement = _in_third_person(clause, utterance.speaker, listener)
    if len(statement.split()) < _LEAST:
        return None
    predicate, object_ = _typed(whole)
    if predicate in ("lives_in", "works_at") and _ELSE_DENIED.search(clause):
        predicate, object_ = None, None
    promise = promise_of(whole, quote, utterance, listener)
    if promise is not None:
        predicate, object_ = "promises", None
    row = named(predicate)
    claim = Claim(
        subject=subject, statement=statement, segment_key=utterance.segment_key, quote=quote, predicate=predicate,
        object=object_, object_type=row.object_type if row else None, kind=row.kind if row else "factual",
        importance=4 + (row.weight if row else 0), confidence=_TYPED if row else _PLAIN,
        polarity=not _DENIED.search(clause) or _STANDS.search(clause) is not None,
        tense="plan" if promise is not None else "event" if _PERFECT.search(clause) else "state",
        valid_from=utterance.at, due=promise.due if promise is not None else None,
        change=_CHANGED.search(clause) is not None, slot=_slot(predicate, object_),
    )  # fmt: skip
    return tied(_of_kin(_of_mine(claim, clause), clause), clause, utterance.speaker)


def _subject(clause: str, speaker: str) -> str | None:
    """The speaker of "ich", "wir" and "meine ..."; a name before a finite verb; None for all others."""
    tokens = clause.split()
    if (
        re.search(r"\b(?:ich|wir)\b", clause, _I)
        or _MINE.match(clause)
        or (tokens and tokens[0].lower() in ("hab", "habe", "bin"))
    ):
        return speaker
    if len(tokens) > 2 and is_name(tokens[0]) and _FINITE.match(tokens[1].lower()) and tokens[0].lower() not in _NOBODY:
        return tokens[0]
    return None


def _in_third_person(clause: str, speaker: str, listener: str | None) -> str:
    tokens = clause.split()
    if tokens[0].lower() in ("hab", "habe", "bin"):
        tokens = ["ich", *tokens]
    said = []
    for place, token in enumerate(tokens):
        lower = token.lower()
        beside = {
            tokens[place - 1].lower() if place else "",
            tokens[place + 1].lower() if place + 1 < len(tokens) else "",
        }
        if lower in _PRONOUNS:
            said.append(_PRONOUNS[lower].format(speaker))
        elif listener is not None and lower.strip(",") in ("dir", "dich"):
            said.append(listener + lower[len(lower.strip(",")) :])
        elif _MINE.fullmatch(lower):
            said.append(f"{speaker}s")
        elif place == 1 and tokens[0].lower() == "ich" and lower.isalpha() and not lower.endswith(("e", "n", "t")):
            said.append(_IRREGULAR.get(lower) or _third_person(lower + "e"))
        elif (
            "ich" in beside
            or (place == len(tokens) - 1 and "dass ich" in clause.lower())
            or (place and tokens[place - 1].lower() == "und")
        ):
            said.append(_third_person(token))
        else:
            said.append(token)
    words = " ".join(said)
    return words[:1].upper() + words[1:]


def _third_person(verb: str) -> str:
    lower, stop = verb.lower().rstrip(","), "," * verb.endswith(",")
    if lower in _IRREGULAR:
        return _IRREGULAR[lower] + stop
    if not lower.endswith("e") or verb[:1].isupper():
        return verb
    return (lower + "t" if lower[:-1].endswith(("t", "d")) else lower[:-1] + "t") + stop


def _typed(clause: str) -> tuple[str | None, str | None]:
    for pattern, predicate in _PREDICATES:
        match = pattern.search(clause)
        if match:
            parts = match.groupdict()
            found = next((words for words in parts.values() if words), None)
            return predicate, _IN_ENGLISH.get((found or "").lower(), found)
    return None, None


def _slot(predicate: str | None, object_: str | None) -> str | None:
    """Who is vegan is vegetarian no more; an allergy ends nothing."""
    return class_of(object_ or "") if predicate == "has_condition" else None


def _of_mine(claim: Claim, clause: str) -> Claim:
    """Meine Schwester wohnt in Köln: that is her home; of anything else of mine only the words are kept."""
    if claim.predicate in (None, "is_named", "promises") or not _MINE.match(clause):
        return claim
    noun = re.match(r"\w+ (?:[a-zäöüß]+e[nr]? )?(\w+)", clause)
    kin = KIN.get(noun.group(1).lower()) if noun else None
    if kin is None:
        return replace(claim, predicate=None, object=None, object_type=None, slot=None)
    return replace(claim, subject=f"{claim.subject}'s {kin}")


def _of_kin(claim: Claim, clause: str) -> Claim:
    """Meine Schwester heißt Katrin: the speaker has a sister; of anything else named only the words are kept."""
    if claim.predicate != "is_named":
        return claim
    noun = re.match(r"(?:mein|unser)e? (?:\w+ )?(\w+) heißt", clause, _I)
    kin = KIN.get(noun.group(1).lower()) if noun else None
    if kin is None or claim.object is None:
        return replace(claim, predicate=None, object=None)
    return replace(claim, predicate=f"has_{kin}", object=claim.object.capitalize(), object_type="person", tense="state")


def _consequences(claim: Claim) -> Iterator[Claim]:
    if claim.predicate == "moved_to" and claim.polarity and claim.object:
        yield replace(
            claim,
            predicate="lives_in",
            tense="state",
            change=True,
            statement=f"{claim.subject} wohnt in {claim.object}",
        )
