from __future__ import annotations

import pytest

from memory.words import polarity, retractions

CASES = {
    polarity.is_question: (
        ["Do you live here?", "What's up?", "Have you been to Rome", "Where do you work"],
        ["I do.", "What a day!", "Where I live it rains."],
    ),
    polarity.is_negated: (
        ["I don't eat meat.", "I never smoked.", "I no longer work there.", "I cannot come.", "There is no milk."],
        ["I eat meat.", "No doubt I will.", "I noticed it."],
    ),
    polarity.is_hypothetical: (
        [
            "If I move, I'll call.",
            "Unless it rains, we go.",
            "What if I moved?",
            "Imagine I won.",
            "I wish I were rich.",
        ],
        ["I moved because it rained.", "I wished for rain."],
    ),
    polarity.is_unreal: (
        ["I would move.", "I might go.", "You should rest.", "She may live in Porto."],
        [
            "I would love to go.",
            "I'd like to go.",
            "I will go.",
            "I've lived here since May 2021.",
            "I married May.",
            "My birthday is on may 3rd.",
            "I've been in Porto since may and I stay.",
        ],
    ),
    retractions.is_joke: (
        ["Just kidding!", "jk", "I married a giraffe, lol not really", "I'm only joking.", "Kidding!"],
        ["I'm not kidding.", "No joke, I moved.", "We were kidding around.", "lol that was fun"],
    ),
    polarity.is_boast: (
        ["I'm a billionaire, I'll buy you the restaurant.", "I am basically Superman.", "I'm the king of the world!"],
        ["My uncle is a billionaire.", "I'm not a billionaire.", "I work for a billionaire.", "I'm a godfather."],
    ),
    polarity.is_hearsay: (
        ["She said it rained.", "Apparently it's closed.", "I heard that it moved."],
        ["I said so.", "It rained."],
    ),
    polarity.is_hedged: (["Maybe I'll go.", "I think so.", "It seems fine."], ["I go.", "It is fine."]),
    polarity.is_phatic: (
        ["Talk to you soon!", "Take care!", "That sounds great.", "I'm glad to hear it.", "I see.", "Thanks a lot."],
        ["I see them once a week.", "I talk to my plants.", "I care for my aunt."],
    ),
    polarity.is_proposal: (["Let's go!", "Please call me.", "Don't forget it."], ["I let it go.", "I don't forget."]),
    polarity.has_change_cue: (
        ["I work there now.", "I no longer smoke.", "I've switched to tea.", "I moved.", "I used to run."],
        ["I work there.", "I smoke."],
    ),
    polarity.is_conditional: (["I'll go if it is dry."], ["I'll go."]),
}


@pytest.mark.parametrize(
    ("predicate", "sentence", "holds"),
    [
        (p, s, holds)
        for p, pair in CASES.items()
        for holds, sentences in zip((True, False), pair, strict=True)
        for s in sentences
    ],
)
def test_predicate(predicate: object, sentence: str, holds: bool) -> None:
    assert predicate(sentence) is holds  # type: ignore[operator]


def test_spoken_quotations_go_and_titles_stay() -> None:
    assert polarity.without_quotations('He said "I am old" twice') == "He said  twice"
    assert polarity.without_quotations('I read "War and Peace"') == 'I read "War and Peace"'
    assert polarity.is_quotation('"I love you too."')
    assert not polarity.is_quotation('I read "War and Peace" in one week')
