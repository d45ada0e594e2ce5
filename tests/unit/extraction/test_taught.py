"""The taught reader's choice: which of the rules' claims stay, and which sentences are added, by the heads' chances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from adapters.extraction.taught import Cuts, Scored, ScoredSentence, TaughtReader
from adapters.extraction.taught_features import NOBODY, SEEN, SIZED, Person
from adapters.extraction.taught_heads import KINDS, VERDICTS, load
from adapters.extraction.taught_votes import DOUBTS, MARKS, doubts, marks, quoted
from memory.errors import ModelFailed
from memory.model.claims import Claim, Reading, Utterance
from memory.model.timeline import iso

TEXT = "I moved to Porto in March. Freelance, four years now."
SAID = Utterance("s", "1", 1, 1, "Ana", TEXT, 1_709_406_600.0, listeners=("Bo",), language="en")
CLAIM = Claim("Ana", "Ana moved to Porto in March", 1, "I moved to Porto in March.", importance=5, confidence=0.8)
ANA = Person("Ana", "speaker", (0, 3))
CUTS = Cuts(useful=0.1, wrong=0.5, keep=0.5, trap=0.5, who=0.5, covered=0.3)


def sentence(span: tuple[int, int], **told: object) -> ScoredSentence:
    """A sentence that is worth keeping and about Ana, unless it is told otherwise."""
    given = {
        "keep": 0.9,
        "trap": 0.1,
        "kind": "state",
        "people": (ANA, NOBODY),
        "who": np.array([0.9, 0.1], np.float32),
    }
    return ScoredSentence(0, span, **{**given, **told})  # type: ignore[arg-type]


def scored(*sentences: ScoredSentence, vote=(0.8, 0.1, 0.1), said: Utterance = SAID) -> Scored:
    """One turn, of which the rules read the first sentence."""
    votes = np.array([vote], np.float32)
    return Scored(Reading((), (CLAIM,)), (said,), sentences, votes, (0,))


FIRST, SECOND = (0, 26), (27, 53)


def statements(given: Scored) -> list[str]:
    """What is claimed."""
    return [each.statement for each in TaughtReader(cuts=CUTS).chosen(given).claims]


def test_what_the_rules_read_and_the_heads_believe_stays_as_it_is():
    reading = TaughtReader(cuts=CUTS).chosen(scored(sentence(FIRST)))
    assert reading.claims == (CLAIM,)
    assert reading.extractor == "taught"


@pytest.mark.parametrize("vote", [(0.05, 0.9, 0.05), (0.3, 0.1, 0.6)])
def test_what_is_not_worth_it_or_wrong_is_not_believed(vote):
    assert statements(scored(sentence(FIRST, keep=0.1), vote=vote)) == []


def test_a_sentence_the_rules_missed_is_added_of_whom_it_is():
    found = TaughtReader(cuts=CUTS).chosen(scored(sentence(FIRST), sentence(SECOND))).claims
    assert [each.subject for each in found] == ["Ana", "Ana"]
    added = found[1]
    assert "Freelance" in added.statement
    assert added.quote in TEXT
    assert added.predicate is None
    assert added.valid_from is not None
    assert 0 < (added.confidence or 0) <= 1
    assert 4 <= added.importance <= 8


@pytest.mark.parametrize(
    "told",
    [
        {"keep": 0.4},
        {"trap": 0.6},
        {"who": np.array([0.45, 0.55], np.float32)},
        {"who": np.array([0.1, 0.9], np.float32)},
    ],
)
def test_a_doubt_adds_nothing(told):
    assert statements(scored(sentence(FIRST), sentence(SECOND, **told))) == [CLAIM.statement]


def test_a_question_and_an_assistant_add_nothing():
    asked = replace(SAID, text="I moved to Porto in March. Freelance, four years?")
    assert statements(scored(sentence(FIRST), sentence((27, 49)), said=asked)) == [CLAIM.statement]
    silent = replace(SAID, role="assistant")
    given = replace(scored(sentence(SECOND), said=silent), reading=Reading(), votes=np.zeros((0, 3)), within=())
    assert statements(given) == []


def test_a_plan_is_due_and_an_event_has_its_time():
    plan = replace(SAID, text="We are off to Lisbon tomorrow.")
    given = replace(scored(said=plan), reading=Reading(), votes=np.zeros((0, 3)), within=())
    reader = TaughtReader(cuts=CUTS)
    (claim,) = reader.chosen(replace(given, sentences=(sentence((0, 30), kind="plan"),))).claims
    assert claim.tense == "plan"
    assert claim.due is not None
    assert claim.due > plan.at
    (claim,) = reader.chosen(replace(given, sentences=(sentence((0, 30), kind="event"),))).claims
    assert claim.tense == "event"


OCTOBER = 1_792_490_400.0
"""20 October 2026."""


@pytest.mark.parametrize(
    ("text", "kind", "words", "due"),
    [
        ("exam pushed to 12 October, phew", "event", "12 October 2027", "2027-10-12"),
        ("Rescheduled the vet to 2 March", "state", "2 March 2027", "2027-03-02"),
        ("We had a lovely picnic on 12 October", "event", "12 October 2026", None),
    ],
)
def test_a_day_that_was_set_is_the_next_one_as_by_the_rules(text, kind, words, due):
    told = replace(SAID, text=text, at=OCTOBER)
    given = replace(scored(said=told), reading=Reading(), votes=np.zeros((0, 3)), within=())
    made = replace(given, sentences=(sentence((0, len(text)), kind=kind),))
    (claim,) = TaughtReader(cuts=CUTS).chosen(made).claims
    assert words in claim.statement
    assert (claim.due is not None and iso(claim.due)[:10]) == (due or False)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("moved the surgery to 28 August", "Ana moved the surgery to 28 August (28 August 2024)"),
        ("The dentist got pushed back to 12 May", "The dentist got pushed back to 12 May (12 May 2024)"),
    ],
)
def test_what_the_rules_read_already_is_not_added_a_second_time(text, read):
    """The rules' claim stays although it is thought of little use, and then needs no other beside it."""
    told = replace(SAID, text=text)
    known = replace(CLAIM, statement=read, quote=text, predicate="schedules")
    given = replace(scored(sentence((0, len(text))), vote=(0.2, 0.1, 0.1), said=told), reading=Reading((), (known,)))
    assert statements(given) == [read]


def test_german_words_stay_as_they_were_said():
    german = replace(SAID, text="Ich wohne seit März in Porto.", language="de")
    given = replace(scored(said=german), reading=Reading(), votes=np.zeros((0, 3)), within=())
    (claim,) = TaughtReader(cuts=CUTS).chosen(replace(given, sentences=(sentence((0, 29)),))).claims
    assert claim.statement.startswith("Ana: Ich wohne")


def test_marks_and_doubts_are_of_their_lengths():
    assert quoted(CLAIM, SAID) == FIRST
    assert quoted(replace(CLAIM, quote="elsewhere"), SAID) == (0, len(TEXT))
    assert marks(CLAIM, SAID).shape == (MARKS,)
    found = doubts(CLAIM, (ANA, NOBODY), np.array([0.7, 0.3], np.float32), np.array([0.9, 0.2], np.float32))
    assert found.shape == (DOUBTS,)
    assert found[2] == pytest.approx(0.7)


def _written(path, **changed):
    shapes = {"sentence": (SEEN, 1 + len(KINDS)), "person": (SIZED, 1), "vote": (SEEN + MARKS + DOUBTS, len(VERDICTS))}
    parts = {}
    for name, (wide, out) in shapes.items():
        parts |= {
            f"{name}.mean": np.zeros(wide),
            f"{name}.scale": np.ones(wide),
            f"{name}.inner.weight": np.zeros((4, wide)),
            f"{name}.inner.bias": np.zeros(4),
            f"{name}.outer.weight": np.zeros((out, 4)),
            f"{name}.outer.bias": np.zeros(out),
        }
    np.savez(path, **{**parts, **changed})
    return path


def test_heads_give_chances_and_others_are_refused(tmp_path):
    heads = load(_written(tmp_path / "heads.npz"))
    assert heads.votes(np.zeros((2, SEEN + MARKS + DOUBTS), np.float32)).sum(1) == pytest.approx([1, 1])
    assert heads.persons(np.zeros((3, SIZED), np.float32)) == pytest.approx([1 / 3] * 3)
    with pytest.raises(ModelFailed):
        load(_written(tmp_path / "other.npz", **{"person.inner.weight": np.zeros((4, 7))}))
    (tmp_path / "broken.npz").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(ModelFailed):
        load(tmp_path / "broken.npz")


HANDFUL = (
    ("Ana", "We moved to Porto in March, and I work at the bakery on Rua Nova now."),
    ("Bo", "And what do you do all day?"),
    ("Ana", "My sister keeps bees."),
    ("Bo", "I'm the king of Sweden, obviously."),
    ("Ana", "Blood pressure 150 over 95 at the doctor's today, so no salt until May."),
    ("Bo", "Well, thanks, talk soon!"),
    ("Ana", "Dentist on Thursday at nine."),
)


async def test_the_packaged_weights_read_a_handful_of_turns_as_recorded():
    reader = TaughtReader()
    talk = [
        Utterance("s", str(key), key, 1, who, said, SAID.at + key, listeners=("Bo" if who == "Ana" else "Ana",))
        for key, (who, said) in enumerate(HANDFUL)
    ]
    found = {(each.segment_key, each.subject, each.predicate, each.tense) for each in (await reader.read(talk)).claims}
    assert found == {
        (0, "Ana", "moved_to", "plan"),
        (0, "Ana", "works_at", "state"),
        (2, "Ana's sister", None, "state"),
        (4, "Ana", None, "state"),
        (6, "Ana", None, "plan"),
    }
