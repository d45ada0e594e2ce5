"""Claims: what each clause of a piece asserts, typed, dated and weighed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from adapters.extraction.rules_clauses import Clause, clauses
from adapters.extraction.rules_consequences import consequences
from adapters.extraction.rules_dating import TAKEN, Dating, Scene, dated, dating_of, timed
from adapters.extraction.rules_endings import given_up, is_in_part, is_no_longer, is_put_off
from adapters.extraction.rules_frames import Frame, frame_of
from adapters.extraction.rules_model import Doc, Token
from adapters.extraction.rules_mood import is_actual
from adapters.extraction.rules_objects import is_bare_pronoun
from adapters.extraction.rules_people import Relation
from adapters.extraction.rules_pointing import is_asked, is_dangling, is_no_person, is_said_to_somebody
from adapters.extraction.rules_promises import Promise, is_taught, promise_of
from adapters.extraction.rules_subjects import subject_of_claim, whose, whose_kin
from adapters.extraction.rules_ties import without_tie
from adapters.extraction.rules_values import object_of, slot_of, type_of
from adapters.extraction.rules_void import is_void
from adapters.extraction.rules_weight import VAGUE_SUBJECTS, importance
from memory.model.claims import Claim
from memory.model.ids import fold
from memory.model.timeline import DAY_S
from memory.words import idioms, polarity, tone
from memory.words.normalise import UtterancePiece
from memory.words.predicates import FORMERLY, HABIT, NEVER, PROMISE, STRONG, habit_of, known_by, named, tie
from memory.words.retractions import is_joke
from memory.words.vocabulary import FAMILY, words

_UNREAL = frozenset({"would", "could", "might", "should", "may", "must"})
_MIN_WORDS = 3
_YEAR_S = 365 * DAY_S
_OVER = Frame(known_by("stop"), None)
"""What is stated by "no longer" and "not any more" of a deed."""


def claims_of(piece: UtterancePiece, doc: Doc, scene: Scene) -> Iterator[Claim]:
    """Everything a piece asserts. Questions, hypotheticals, quotations, applause and proposals assert nothing."""
    if piece.question or not piece.asserted or not is_assertion(piece.text):
        return
    for clause in clauses(doc):
        claim = _claim(clause, piece, scene)
        if claim is None:
            continue
        yield claim
        yield from consequences(claim, clause)
        for follower in clause.followers:
            further = _claim(follower, piece, scene)
            if further is not None and _stands_out(further) and further.statement != claim.statement:
                yield further
                yield from consequences(further, follower)


def relation_claims(related: Sequence[Relation], piece: UtterancePiece, scene: Scene) -> Iterator[Claim]:
    """Has a sister Jane, has a dog Rex: one claim a relation whose bearer was named in an assertion."""
    if piece.question or not piece.asserted or not is_assertion(piece.text):
        return
    for found in related:
        if found.name:
            row = tie(found.kind)
            yield Claim(
                subject=found.owner,
                statement=_relation_statement(found),
                segment_key=scene.utterance.segment_key,
                quote=piece.quote,
                predicate=row.name if row else None,
                object=found.name,
                object_type="topic" if found.kind == "pet" else "person",
                importance=6,
                confidence=0.85,
                valid_from=scene.utterance.at,
                change=polarity.has_change_cue(piece.text),
            )


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
        or is_joke(text)
    )


def _stands_out(claim: Claim) -> bool:
    return claim.predicate in STRONG or claim.importance >= 7


def _claim(clause: Clause, piece: UtterancePiece, scene: Scene) -> Claim | None:
    if clause.subject is None or not _is_stated(clause):
        return None
    statement, frame = _statement(clause, scene), frame_of(clause)
    dating = dating_of(clause, frame, statement, piece, scene)
    if len(statement.split()) < _MIN_WORDS or _says_nothing(clause, frame, dating, scene):
        return None
    subject, subject_type = subject_of_claim(clause, frame, scene)
    if is_said_to_somebody(clause, subject, scene):
        return None
    own = subject is not None or (frame is not None and frame.row.appointed)  # the deadline of the report
    frame, predicate, object_ = _typed(frame, clause, scene, habit=dating.habit) if own else (frame, None, None)
    if _is_not_theirs_to_tell(predicate, subject, scene) or _is_outgrown(predicate, dating, scene):
        frame, predicate, object_ = None, None, None
    over = frame is _OVER
    dating = replace(dating, habit=dating.habit and not over)
    claim = Claim(
        subject=subject or whose(clause, scene),
        subject_type=subject_type,
        statement=dated(statement, dating, scene),
        segment_key=scene.utterance.segment_key,
        quote=piece.quote,
        predicate=predicate,
        object=object_,
        object_type=type_of(frame, object_, scene),
        slot=slot_of(frame, clause, object_) if predicate else None,
        kind=_kind(frame, clause, predicate),
        change=polarity.has_change_cue(piece.text),
        polarity=not clause.negated or over or _is_so_after_all(clause, frame),
        confidence=_confidence(clause, predicate, piece),
    )
    promise = promise_of(piece, scene) if clause.person == "i" else None
    owed = promise is not None and (clause.tense == "future" or is_taught(piece, scene.utterance) is True)
    if not owed and _is_nobodys(clause, frame, claim, scene):
        return None
    claim = without_tie(timed(claim, frame, clause, dating, scene), clause, scene)
    if owed and promise is not None:
        claim = _owed(claim, promise, scene)
    return replace(claim, importance=importance(claim, clause, statement, dating, scene))


def _owed(claim: Claim, promise: Promise, scene: Scene) -> Claim:
    """The claim as a promise. What was told to be done later (I told him I'd pay by June) is not over with its day."""
    if claim.tense != "plan":
        claim = replace(claim, valid_from=scene.utterance.at, valid_to=None, due=promise.due)
    return replace(claim, predicate=PROMISE, tense="plan")


def _is_stated(clause: Clause) -> bool:
    """Whether it says what is so. Praise and advice, told to somebody's face, say nothing of them."""
    unsaid = _is_unreal(clause) or _depends(clause) or _is_summons(clause) or is_asked(clause) or _is_idiom(clause)
    return not unsaid and clause.person != "you" and is_actual(clause)


def _is_idiom(clause: Clause) -> bool:
    return idioms.is_idiom("".join(token.text_with_ws for token in clause.tokens))


def _is_nobodys(clause: Clause, frame: Frame | None, claim: Claim, scene: Scene) -> bool:
    """Whether nobody could tell later whom or what it is of: a fact needs somebody or something that is named."""
    answers = scene.answering and clause.subject is not None and clause.subject.lower_ in VAGUE_SUBJECTS
    dangling = is_dangling(clause, frame, claim.object, scene) and not answers
    to_oneself = claim.object is not None and fold(claim.object) == fold(claim.subject)
    return dangling or to_oneself or is_no_person(clause, frame, claim.subject_type)


def _is_not_theirs_to_tell(predicate: str | None, subject: str | None, scene: Scene) -> bool:
    row = named(predicate)
    return row is not None and row.own and subject != scene.utterance.speaker and subject in scene.present


def _is_outgrown(predicate: str | None, dating: Dating, scene: Scene) -> bool:
    """Turned thirty in 2010: no age of today."""
    since = dating.span.start if dating.span is not None else None
    row = named(predicate)
    return row is not None and "age" in row.tells and since is not None and scene.utterance.at - since > _YEAR_S


def _says_nothing(clause: Clause, frame: Frame | None, dating: Dating, scene: Scene) -> bool:
    """Whether nothing is named that somebody could ask for later."""
    nothing = frame is None and (_is_empty(clause) or (dating.span is None and is_void(clause)))
    return nothing or _is_pointing(clause, scene) or _is_commonplace(clause)


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
    """I need it; got it, thanks; changed my mind: nothing is named but by pointing, not even a time or a manner."""
    target = next((c for c in clause.head.children if c.dep_ in ("dobj", "obj")), None)
    if target is None or target.i in scene.voice.referents:
        return False
    if not is_bare_pronoun(target) and (clause.head.lemma_, target.lower_) != ("change", "mind"):
        return False
    plain = all(t.pos_ != "ADJ" for t in clause.tokens)  # but: I take it black, thanks
    named = [t for t in clause.tokens if t.pos_ in ("NOUN", "PROPN", "NUM") and not (plain and t.lower_ == "thanks")]
    return all(t == target or t.dep_ == "nsubj" for t in named)


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
    told_apart = whose_kin(subject)
    said = scene.voice.say([token for token in tokens if token.i not in told_apart])
    return f"{scene.utterance.speaker} believes {said[:1].lower()}{said[1:]}" if clause.modal == "should" else said


def _typed(
    frame: Frame | None, clause: Clause, scene: Scene, *, habit: bool
) -> tuple[Frame | None, str | None, str | None]:
    """Frame, predicate and object; what is done no longer was stopped."""
    predicate = _predicate(frame, clause, habit=habit)
    deed = given_up(clause, scene.voice) if _is_a_deed(frame, predicate) else None
    if deed is not None:
        return _OVER, _OVER.row.name, deed
    denied = not _is_so_after_all(clause, frame) and (clause.negated or is_no_longer(clause))
    if denied and _is_lasting(frame, predicate) and is_in_part(clause, frame.object if frame else None):
        return frame, None, None
    object_ = object_of(frame, clause, scene) if predicate else None
    if object_ is None and frame is not None and frame.row.single and frame.row.ends != "all":
        predicate = None  # "I prefer it": a new value nobody can name must not close a known one
    return frame, predicate, object_


def _is_so_after_all(clause: Clause, frame: Frame | None) -> bool:
    """Can't stand it: that is the dislike; didn't move there until 2020: then it was done."""
    if clause.modal == "can" and frame is not None and frame.row.disliked:
        return True
    return frame is not None and (frame.row.tense == "event" or frame.row.single) and is_put_off(clause)


def _is_a_deed(frame: Frame | None, predicate: str | None) -> bool:
    """What is no state with words of its own: swims, goes to the gym; what one takes in can be told anew."""
    kind, _, verb = (predicate or "").partition(":")
    if kind in (HABIT, NEVER):
        return verb not in TAKEN
    return frame is None or (frame.row.tense == "event" and frame.row.weight < 2)


def _is_lasting(frame: Frame | None, predicate: str | None) -> bool:
    return (predicate or "").startswith(HABIT) or (frame is not None and frame.row.tense == "state")


def _predicate(frame: Frame | None, clause: Clause, *, habit: bool) -> str | None:
    lemma = clause.head.lemma_.lower()
    if habit and (frame is None or frame.row.weight < 2):
        return habit_of(lemma)
    if frame is None:
        never = clause.tense in ("perfect", "past") and any(c.lower_ == "never" for c in clause.head.children)
        return NEVER if never else None
    if frame.row.name == FORMERLY and frame.object is not None:
        return f"{FORMERLY}:{frame.object.lemma_.lower()}"
    return frame.row.name


def _kind(frame: Frame | None, clause: Clause, predicate: str | None) -> str:
    if predicate and frame is not None:
        return frame.row.kind
    return "opinion" if clause.head.lemma_ == "be" and _judges(clause) else "factual"


def _judges(clause: Clause) -> bool:
    return any(child.dep_ == "acomp" for child in clause.head.children)


def _confidence(clause: Clause, predicate: str | None, piece: UtterancePiece) -> float:
    """Rules know how they read: typed 0.85, plain 0.75, of others 0.65; hearsay and doubt take 0.2 off."""
    base = 0.85 if predicate in STRONG else 0.75 if clause.person == "i" else 0.65
    shaky = (
        clause.doubted
        or polarity.is_hearsay(piece.text)
        or polarity.is_hedged(piece.text)
        or tone.is_light(piece.quote)
    )
    return round(base - (0.2 if shaky else 0.0), 2)
