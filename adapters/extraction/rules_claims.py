"""Claims: what each clause of a piece asserts, typed, dated and weighed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from adapters.extraction.rules_clauses import Clause, clauses
from adapters.extraction.rules_dating import Scene, dated, dating_of, timed
from adapters.extraction.rules_frames import Frame, frame_of
from adapters.extraction.rules_kinds import name_of, names_somebody, settled
from adapters.extraction.rules_model import Doc, Token
from adapters.extraction.rules_mood import is_actual
from adapters.extraction.rules_objects import head_noun, is_bare_pronoun, phrase
from adapters.extraction.rules_people import Relation
from adapters.extraction.rules_promises import promise_of
from adapters.extraction.rules_weight import VAGUE_SUBJECTS, importance
from memory.model.claims import Claim
from memory.words import polarity
from memory.words.names import is_name, is_pet, relation
from memory.words.normalise import Piece
from memory.words.predicates import STRONG, class_of, named
from memory.words.vocabulary import FAMILY, words

_UNREAL = frozenset({"would", "could", "might", "should", "may", "must"})
_MIN_WORDS = 3


def claims_of(piece: Piece, doc: Doc, scene: Scene) -> Iterator[Claim]:
    """Everything a piece asserts. Questions, hypotheticals, quotations, applause and proposals assert nothing."""
    if piece.question or not piece.asserted or not is_assertion(piece.text):
        return
    for clause in clauses(doc):
        claim = _claim(clause, piece, scene)
        if claim is None:
            continue
        yield claim
        yield from _consequences(claim, clause, scene)
        for follower in clause.followers:
            further = _claim(follower, piece, scene)
            if further is not None and _stands_out(further) and further.statement != claim.statement:
                yield further
                yield from _consequences(further, follower, scene)


def relation_claims(related: Sequence[Relation], piece: Piece, scene: Scene) -> Iterator[Claim]:
    """Has a sister Jane, has a dog Rex: one claim a relation whose bearer was named in an assertion."""
    if piece.question or not piece.asserted or not is_assertion(piece.text):
        return
    for found in related:
        if found.name:
            row = named(f"has_{found.kind}")
            yield Claim(
                subject=found.owner, statement=_relation_statement(found),
                segment_key=scene.utterance.segment_key, quote=piece.quote, predicate=row.name if row else None,
                object=found.name, object_type="topic" if found.kind == "pet" else "person",
                importance=6, confidence=0.85, valid_from=scene.utterance.at,
            )  # fmt: skip


def _relation_statement(found: Relation) -> str:
    if found.kind == "pet":
        return f"{found.owner} has a {found.noun} named {found.name}"
    return f"{found.owner}'s {found.noun} is {found.name}"


def is_assertion(text: str) -> bool:
    """Whether a sentence may assert something at all."""
    return not (
        polarity.is_hypothetical(text)
        or polarity.is_phatic(text)
        or polarity.is_proposal(text)
        or polarity.is_quotation(text)
        or polarity.is_joke(text)
    )


def _stands_out(claim: Claim) -> bool:
    return claim.predicate in STRONG or claim.importance >= 7


def _claim(clause: Clause, piece: Piece, scene: Scene) -> Claim | None:
    if clause.subject is None or _is_unreal(clause) or _depends(clause) or _is_summons(clause) or not is_actual(clause):
        return None
    if clause.person == "you":
        return None  # praise and advice, told to somebody's face, say nothing of them
    statement, frame = _statement(clause, scene), frame_of(clause)
    if clause.modal == "should":
        statement = f"{scene.utterance.speaker} believes {statement[:1].lower()}{statement[1:]}"
    if (
        len(statement.split()) < _MIN_WORDS
        or (frame is None and _is_empty(clause))
        or _is_pointing(clause, scene)
        or _is_commonplace(clause)
    ):
        return None
    dating = dating_of(clause, statement, piece, scene)
    subject, subject_type = _subject(clause, frame, scene)
    own = subject is not None or (frame is not None and frame.row.name in _OF_THE_SPEAKER)
    predicate = _predicate(frame, clause, habit=dating.habit) if own else None
    object_ = _object(frame, clause, scene) if predicate else None
    if object_ is None and frame is not None and frame.row.single and predicate != "died":
        predicate = None  # "I prefer it": a new value nobody can name must not close a known one
    claim = Claim(
        subject=subject or scene.utterance.speaker, subject_type=subject_type,
        statement=dated(statement, dating, scene),
        segment_key=scene.utterance.segment_key, quote=piece.quote, predicate=predicate, object=object_,
        object_type=_object_type(frame, object_, scene), slot=_slot(frame, clause, object_) if predicate else None,
        kind=_kind(frame, clause, predicate), change=polarity.has_change_cue(piece.text),
        polarity=not clause.negated or (predicate == "dislikes" and clause.modal == "can"),
        confidence=_confidence(clause, predicate, piece),
    )  # fmt: skip
    claim = timed(claim, frame, clause, dating, scene)
    if clause.person == "i" and clause.tense == "future" and promise_of(piece, scene) is not None:
        claim = replace(claim, predicate="promises", tense="plan")
    return replace(claim, importance=importance(claim, clause, statement, dating, scene))


def _is_empty(clause: Clause) -> bool:
    """It was awesome; that paid off: nothing one could look for."""
    subject = clause.subject
    if subject is None or subject.lower_ not in VAGUE_SUBJECTS:
        return False
    return not any(t.pos_ in ("NOUN", "PROPN", "NUM") or (t.pos_ == "VERB" and t != clause.head) for t in clause.tokens)


def _is_commonplace(clause: Clause) -> bool:
    """Everybody gets that wrong: said of all and of nothing named."""
    everybody = clause.subject is not None and clause.subject.lower_ in _ALL_AND_NONE and clause.tense == "present"
    return everybody and not any(t.pos_ == "PROPN" for t in clause.tokens)


_ALL_AND_NONE = words("everybody everyone nobody somebody someone anybody anyone people folks")


def _is_pointing(clause: Clause, scene: Scene) -> bool:
    """I need it; we did that: nothing is named but by pointing, not even a time."""
    target = next((c for c in clause.head.children if c.dep_ in ("dobj", "obj")), None)
    if target is None or target.i in scene.voice.referents or not is_bare_pronoun(target):
        return False
    return not any(t.pos_ in ("NOUN", "PROPN", "NUM") and t.dep_ != "nsubj" for t in clause.tokens)


def _is_summons(clause: Clause) -> bool:
    """Nova, play some jazz: a third person before a bare verb is called upon, not told of."""
    subject, head = clause.subject, clause.head
    if subject is None or clause.person != "third" or subject.tag_ not in ("NN", "NNP") or clause.auxiliaries:
        return False
    if clause.tokens[0].tag_ == "VB" or (subject.i == head.i - 2 and str(subject.doc[head.i - 1]) == ","):
        return True  # Nova, set a timer; add batteries
    several = any(c.dep_ == "conj" for c in subject.children) or subject.lower_ in FAMILY | _COLLECTIVE
    return head.tag_ in ("VB", "VBP") and head.lower_ == head.lemma_ and head.lemma_ != "be" and not several


_COLLECTIVE = words("everyone everybody people team staff police crew band rest half lot couple majority")


def _is_unreal(clause: Clause) -> bool:
    opinion = clause.modal == "should" and clause.role == "content" and clause.person == "third"
    return clause.modal in _UNREAL and not opinion


def _depends(clause: Clause) -> bool:
    return any(
        child.dep_ == "advcl" and any(c.dep_ == "mark" and c.lower_ in ("if", "unless") for c in child.children)
        for child in clause.head.children
    )


def _statement(clause: Clause, scene: Scene) -> str:
    tokens: Sequence[Token] = clause.tokens
    subject = clause.subject
    if subject is not None and subject not in tokens:
        tokens = [*subject.subtree, *tokens] if len(list(subject.subtree)) < 8 else [subject, *tokens]
    told_apart = _whose_kin(subject)
    return scene.voice.say([token for token in tokens if token.i not in told_apart])


def _whose_kin(subject: Token | None) -> set[int]:
    """Anna Keller's boyfriend, before Tobi: that is a fact of its own, about her, and forgotten with her."""
    if subject is None or not _kin_beside(subject):
        return set()
    whose = [c for c in subject.children if c.dep_ == "poss" and c.pos_ == "PROPN"]
    kin = [c for c in subject.children if c.dep_ == "compound" and relation(c.text)]
    return {t.i for each in (*whose, *kin) for t in each.subtree} if whose and kin else set()


def _subject(clause: Clause, frame: Frame | None, scene: Scene) -> tuple[str | None, str]:
    """The entity a clause is about and its type; None for what is no entity (the fact is then its speaker's)."""
    token = clause.subject
    if token is None:
        return None, "person"
    if clause.person in ("i", "we"):
        return scene.utterance.speaker, "person"
    if token.i in scene.voice.referents:
        return scene.voice.referents[token.i], "person"
    if (
        token.ent_type_ == "PERSON"
        or (token.pos_ == "PROPN" and token.text[:1].isupper())
        or _acts_as_person(token, frame)
    ):
        name = _one_name(token) or phrase(token, scene.voice)
        kind = "person" if _kin_beside(token) else _ENTITY_TYPES.get(token.ent_type_, "person")
        return (name, settled(kind, name, scene.kinds)) if name else (None, "person")
    apposed = next((c for c in token.children if c.dep_ == "appos" and c.pos_ == "PROPN" and is_name(c.text)), None)
    if apposed is not None and names_somebody(token):
        return name_of(apposed), "person"
    return _kin_subject(token, scene), "person"


def _one_name(token: Token) -> str | None:
    """Tom, of "Tom and Alice": a fact is about the first of those it names; Tobi, of "Anna's boyfriend Tobi"."""
    if _kin_beside(token):
        return name_of(token)
    if not any(c.dep_ == "conj" for c in token.children):
        return None
    name = _proper(token)
    return name if is_name(name) else None


def _kin_beside(token: Token) -> bool:
    """Whether a name is told with whose kin it is: Anna's boyfriend Tobi."""
    return token.pos_ == "PROPN" and any(c.dep_ == "compound" and names_somebody(c) for c in token.children)


def _acts_as_person(token: Token, frame: Frame | None) -> bool:
    """Viktor retired: a bare capitalised noun that does what only people do is a name the parser does not know."""
    bare_noun = token.tag_ == "NN" and not list(token.children) and is_name(token.text)
    return bare_noun and frame is not None and frame.row.name in _PERSONAL


_PERSONAL = words(
    "lives_in moved_to works_at works_as left_job married_to has_condition studies joined acquired completed"
)
_ENTITY_TYPES = {"PERSON": "person", "GPE": "place", "LOC": "place", "FAC": "place", "ORG": "organization",
                 "EVENT": "event",                  "PRODUCT": "tool", "WORK_OF_ART": "topic"}  # fmt: skip


_OF_THE_SPEAKER = frozenset({"deadline_is"})
"""What is the speaker's own affair whatever the grammar's subject: the deadline of the report."""


def _kin_subject(token: Token, scene: Scene) -> str | None:
    """My sister: by her name if it was said; my goal, my favorite: the speaker's own affair."""
    owner = next((c for c in token.children if c.dep_ == "poss"), None)
    if owner is None or owner.lower_ not in ("my", "our"):
        return (
            owner.text if owner is not None and owner.ent_type_ == "PERSON" and token.lemma_ in _OWN_AFFAIRS else None
        )
    noun = token.lower_
    if token.tag_ == "NN" and (relation(noun) or is_pet(noun)):
        speaker = scene.utterance.speaker
        noun = f"{noun}-in-law" if str(token.doc[token.i + 1 : token.i + 5]) == "-in-law" else noun
        return scene.kin.get((speaker, noun), f"{speaker}'s {noun}")
    own = token.lemma_ in _OWN_AFFAIRS or _is_favourite(token)
    return scene.utterance.speaker if own else None


_OWN_AFFAIRS = words("pick choice favorite goal dream birthday name nickname ambition job")


def _predicate(frame: Frame | None, clause: Clause, *, habit: bool) -> str | None:
    lemma = clause.head.lemma_.lower()
    if habit and (frame is None or frame.row.weight < 2):
        return f"habit:{lemma}"
    if frame is None:
        never = clause.tense in ("perfect", "past") and any(c.lower_ == "never" for c in clause.head.children)
        return "never_did" if never else None
    if frame.row.name == "formerly" and frame.object is not None:
        return f"formerly:{frame.object.lemma_.lower()}"
    return frame.row.name


def _object(frame: Frame | None, clause: Clause, scene: Scene) -> str | None:
    if frame is None:
        target = next((c for c in clause.head.children if c.dep_ in ("dobj", "obj")), None)
        return phrase(target, scene.voice)
    target = _employer(clause) if frame.row.name == "left_job" else frame.object
    if target is not None and frame.row.name == "feels" and target.pos_ in ("ADJ", "VERB"):
        return str(target.lower_)
    if target is not None and frame.row.name == "birthday_is":
        return " ".join(t.text for t in target.subtree)
    if target is not None and frame.row.name == "age_is":
        return next((t.text for t in target.subtree if t.pos_ == "NUM"), None)
    if target is not None and frame.row.name == "visited" and any(map(_is_place_beside, target.children)):
        return _proper(target)
    if target is not None and frame.row.object_type == "person" and target.pos_ == "PROPN":
        return name_of(target)
    if target is not None and target.lower_ in ("them", "those", "it") and scene.plural:
        return scene.plural
    if frame.row.name == "prefers" and clause.head.lemma_ == "be" and target is not None and _is_favourite(target):
        target = clause.subject  # contemporary is my top pick
    return phrase(target, scene.voice)


def _employer(clause: Clause) -> Token | None:
    """Lost my job AT the bank."""
    places = (t for t in clause.head.subtree if t.dep_ == "pobj" and t.head.lower_ in ("at", "from", "with"))
    return next(places, None)


def _is_favourite(token: Token) -> bool:
    return any(word.lower_ in ("favorite", "top") for word in token.subtree) or token.lower_ in ("favorite", "go-to")


def _object_type(frame: Frame | None, object_: str | None, scene: Scene) -> str | None:
    if frame is None or object_ is None:
        return None
    if frame.object is not None and frame.object.ent_type_ in _ENTITY_TYPES:
        return settled(_ENTITY_TYPES[frame.object.ent_type_], object_, scene.kinds)
    verbal = frame.object is not None and frame.object.pos_ in ("VERB", "AUX")
    return None if verbal and frame.row.object_type == "project" else frame.row.object_type


def _slot(frame: Frame | None, clause: Clause, object_: str | None) -> str | None:
    """What a slotted predicate is about: my favorite COFFEE, prefer lattes (coffee), the DEADLINE of the sprint."""
    if frame is None or not frame.row.slotted:
        return None
    if frame.row.name == "deadline_is":
        return head_noun(clause.subject) if clause.subject is not None else None
    if frame.row.name == "has_condition":
        return class_of(object_ or "")  # who is pescatarian is vegetarian no more; an allergy ends nothing
    if frame.row.name != "prefers":
        return None
    for token in (clause.subject, frame.object):
        if (
            clause.head.lemma_ == "be"
            and token is not None
            and _is_favourite(token)
            and token.lower_ not in _BARE_FAVOURITES
        ):
            return head_noun(token)
    known = class_of(object_ or "")
    if known is None and frame.object is not None and frame.object.pos_ == "NOUN" and clause.head.lemma_ == "prefer":
        other = [
            t for c in clause.head.subtree if c.lower_ in ("over", "to", "than") for t in c.children if t.dep_ == "pobj"
        ]
        known = next(
            (class_of(t.text) or (t.lemma_.lower() if t.lemma_ == frame.object.lemma_ else None) for t in other), None
        )
    return known


_BARE_FAVOURITES = frozenset({"favorite", "pick", "choice", "go-to", "one"})


def _kind(frame: Frame | None, clause: Clause, predicate: str | None) -> str:
    if predicate and frame is not None:
        return frame.row.kind
    return "opinion" if clause.head.lemma_ == "be" and _judges(clause) else "factual"


def _judges(clause: Clause) -> bool:
    return any(child.dep_ == "acomp" for child in clause.head.children)


def _confidence(clause: Clause, predicate: str | None, piece: Piece) -> float:
    """Rules know how they read: typed 0.85, plain 0.75, of others 0.65; hearsay and doubt take 0.2 off."""
    base = 0.85 if predicate in STRONG else 0.75 if clause.person == "i" else 0.65
    shaky = clause.doubted or polarity.is_hearsay(piece.text) or polarity.is_hedged(piece.text)
    return round(base - (0.2 if shaky else 0.0), 2)


def _consequences(claim: Claim, clause: Clause, scene: Scene) -> Iterator[Claim]:
    """What a change entails: who moved to a town lives there; who switched to a coffee prefers it."""
    if claim.object is None or not claim.polarity or claim.tense == "plan" or claim.predicate not in _ENTAILED:
        return
    if claim.predicate == "visited":
        for place in _named_beside(clause):
            yield replace(claim, object=place, statement=f"{claim.subject} visited {place}")
    if clause.tense == "present":
        return  # who is moving to a town has not moved yet
    if claim.predicate == "moved_to" and claim.object[:1].isupper():
        yield replace(claim, predicate="lives_in", object_type="place", tense="state", valid_to=None, change=True,
                      statement=f"{claim.subject} lives in {claim.object}")  # fmt: skip
    if claim.predicate == "switched_to" and class_of(claim.object):
        slot = class_of(claim.object)
        yield replace(claim, predicate="prefers", slot=slot, tense="state", valid_to=None, change=True,
                      statement=f"{claim.subject} prefers {claim.object}")  # fmt: skip


def _named_beside(clause: Clause) -> Iterator[str]:
    """Porto and then MADRID: the places named together with the one that was visited."""
    frame = frame_of(clause)
    first = frame.object if frame is not None else None
    if first is None or first.pos_ != "PROPN":
        return
    yield from (_proper(token) for token in first.subtree if _is_place_beside(token))


def _is_place_beside(token: Token) -> bool:
    return bool(token.dep_ == "conj" and token.pos_ == "PROPN" and token.ent_type_ in ("GPE", "LOC", "FAC"))


def _proper(token: Token) -> str:
    """A name with the words it is made of: New York."""
    return " ".join(t.text for t in token.subtree if t == token or (t.dep_ == "compound" and t.head == token))


_ENTAILED = frozenset({"moved_to", "switched_to", "visited"})
