"""A model's answer in every shape it comes in."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.extraction.model_answer import (
    MAX_ENTITIES,
    MAX_FACTS,
    SCHEMA,
    ExtractionReply,
    SaidFact,
    SeenEntity,
    answer_of,
)
from memory.errors import ModelFailed
from memory.words.predicates import named

PLACE = {"evidence": "moved to Oslo", "type": "place", "name": "Oslo"}
FACT = {
    "evidence": "moved to Oslo",
    "subject": "Tom",
    "predicate": "moved_to",
    "object": "Oslo",
    "statement": "Tom moved to Oslo",
}
WHOLE = {"entities": [PLACE], "facts": [FACT]}
ENTITY = SeenEntity("place", "Oslo", "moved to Oslo")
SAID = SaidFact("Tom", "moved_to", "Oslo", "Tom moved to Oslo", "moved to Oslo")
BOTH = ExtractionReply((ENTITY,), (SAID,))
CLEAN = json.dumps(WHOLE)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (CLEAN, BOTH),
        (json.dumps(WHOLE, indent=2), BOTH),
        (f"```json\n{CLEAN}\n```", BOTH),
        (f"```\n{CLEAN}\n```\nHope this helps!", BOTH),
        (f"Sure! Here is what I found: {CLEAN} Let me know.", BOTH),
        (json.dumps([PLACE, FACT]), BOTH),
        (json.dumps(PLACE), ExtractionReply((ENTITY,), ())),
        (json.dumps(FACT), ExtractionReply((), (SAID,))),
        (json.dumps({"entities": PLACE, "facts": FACT}), BOTH),
        (json.dumps({"facts": [FACT]}), ExtractionReply((), (SAID,))),
        (json.dumps({"entities": None, "facts": [FACT]}), ExtractionReply((), (SAID,))),
        (f"{json.dumps(PLACE)}\n{json.dumps(FACT)}", BOTH),
        (json.dumps({"entities": [PLACE, {"type": "place"}, 5], "facts": [FACT, {"subject": None}]}), BOTH),
        (json.dumps([{**PLACE, "confidence": 0.95, "sensitivity": "open"}]), ExtractionReply((ENTITY,), ())),
        ('{"entities": [], "facts": []}', ExtractionReply()),
        ("Nothing is stated: ```{}```", ExtractionReply()),
        ("[]", ExtractionReply()),
    ],
)
def test_every_shape_is_read(text, answer):
    assert answer_of(text) == answer


@pytest.mark.parametrize("cut", [len(CLEAN) - 1, len(CLEAN) - 2, CLEAN.index('"facts"'), CLEAN.index('"facts"') + 25])
def test_the_complete_elements_of_a_cut_answer_are_saved(cut):
    answer = answer_of(CLEAN[:cut])
    assert answer.entities == (ENTITY,)
    assert set(answer.facts) <= {SAID}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I could not find anything.",
        "See [1] for details.",
        CLEAN[:20],
        '{"entities": "none", "facts": 5}',
        '{"answer": 42}',
        json.dumps([{**PLACE, "name": 5}]),
        json.dumps([{**PLACE, "name": "  "}]),
        json.dumps([{**PLACE, "type": "vegetable"}]),
        json.dumps([{**FACT, "object": ["Oslo"]}]),
        "null",
        "[" * 60_000,
        "{" * 60_000,
    ],
)
def test_what_is_no_answer_fails(text):
    with pytest.raises(ModelFailed):
        answer_of(text)


@given(st.text(max_size=60), st.text(max_size=60))
def test_noise_around_never_changes_what_is_read(before, after):
    quiet = str.maketrans("", "", "{}[]")
    assert answer_of(before.translate(quiet) + CLEAN + after.translate(quiet)) == BOTH


@given(st.integers(0, len(CLEAN)))
def test_a_cut_answer_is_never_read_as_something_else(cut):
    try:
        answer = answer_of(CLEAN[:cut])
    except ModelFailed:
        return
    assert set(answer.entities) <= {ENTITY}
    assert set(answer.facts) <= {SAID}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
        max_leaves=8,
    )
)
def test_any_json_is_an_answer_or_a_failure(value):
    with suppress(ModelFailed):
        assert isinstance(answer_of(json.dumps(value)), ExtractionReply)


def test_a_model_that_does_not_stop_is_cut():
    answer = answer_of(json.dumps({"entities": [PLACE] * 50, "facts": [FACT] * 50}))
    assert (len(answer.entities), len(answer.facts)) == (MAX_ENTITIES, MAX_FACTS)


def test_the_schema_bounds_every_list_and_word():
    for elements in SCHEMA["properties"].values():
        assert elements["maxItems"] <= 8
        for value in elements["items"]["properties"].values():
            assert "enum" in value or value["maxLength"] <= 200


def test_the_predicates_of_the_schema_are_those_of_the_inventory():
    predicates = SCHEMA["properties"]["facts"]["items"]["properties"]["predicate"]["enum"]
    assert [name for name in predicates if named(name) is None] == ["other"]
