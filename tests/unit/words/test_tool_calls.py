"""Calls of tools that a model writes as words are taken out, and nothing else is."""

from __future__ import annotations

import time

import pytest

from memory.words.tool_calls import without_tool_calls

CALL = '{"name": "search_memory", "arguments": {"query": "a {b} \\"c\\""}}'


@pytest.mark.parametrize(
    ("leaked", "left"),
    [
        (f"<tool_call>{CALL}</tool_call>", ""),
        (f"Well. <tool_call>\n{CALL}", "Well. "),
        (f"<tool_call>{CALL}</tool_call>Hello.", "Hello."),
        ("<function=search_memory>{}</function> Hello.", " Hello."),
        ('<invoke name="search_memory"><parameter name="query">x</parameter></invoke>Hello.', "Hello."),
        (f"<|python_tag|>{CALL}<|eom_id|>", ""),
        (f"Hello. [TOOL_CALLS] [{CALL}]", "Hello. "),
        (f"Hello. {CALL} Bye.", "Hello.  Bye."),
        (f"Hello.\n```json\n{CALL}\n```", "Hello.\n"),
        ("```tool_code\nprint(search_memory(query='x'))\n```Hello.", "Hello."),
        ('{"type": "function", "function": {"name": "f", "arguments": {}}}', ""),
        ("Let me see: search_memory(query='x').", "Let me see: ."),
        ("<think>He asks for her.</think>She is in Coimbra.", "She is in Coimbra."),
        ("She is in Coimbra.</tool_call><|eot_id|>", "She is in Coimbra."),
    ],
)
def test_a_leaked_call_is_taken_out(leaked: str, left: str) -> None:
    assert without_tool_calls(leaked, ["search_memory"]) == left


@pytest.mark.parametrize(
    "words",
    [
        "She is in Coimbra.",
        "I can search your memory, and I think (so far) that 1 < 2 > 0.",
        '{"name": "Ines", "town": "Coimbra"}',
        '```json\n{"title": "x"}\n```',
        "a <table> of <b>tools</b> [1], {so}: `search_memory`",
        '{"name": "broken", "arguments": {',
    ],
)
def test_other_words_stay(words: str) -> None:
    assert without_tool_calls(words, ["search_memory"]) == words


@pytest.mark.parametrize(
    "piece", ["<tool_call", "<tool_call>", "<think ", '{"name":', "{", "search_memory(", "```tool_code", "<|a", "```"]
)
def test_no_words_take_long(piece: str) -> None:
    """Eight times the words take far less than 64 times as long."""
    short, long = (min(_seconds(piece * count) for _ in range(3)) for count in (2_500, 20_000))
    assert long < 24 * max(short, 0.001)


def _seconds(text: str) -> float:
    begun = time.process_time()
    without_tool_calls(text, ["search_memory"])
    return time.process_time() - begun
