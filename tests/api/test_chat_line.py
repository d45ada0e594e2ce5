"""`memoray chat` at a front door that answers: what a person types, and what they read."""

from __future__ import annotations

import json

import pytest

from cli.client import RequestRefused
from memory.errors import Invalid
from tests.api.conftest import Door
from tests.api.test_chat import Script, turn
from tests.api.test_command_line import Line, line, lived, serving  # noqa: F401  (fixtures)
from tests.api.test_openai import behind
from tests.fakes.model_server import ModelServer

pytestmark = pytest.mark.postgres


async def test_one_message_is_answered_with_what_it_rests_on(serving: Door, line: Line) -> None:  # noqa: F811
    await lived(serving)
    told = await line("chat", "Where does Nora live?")
    assert told.startswith("Nora lives in Leipzig")
    assert told.endswith("\n[1] supper/0\n")


async def test_lines_of_a_pipe_are_one_talk(serving: Door, line: Line) -> None:  # noqa: F811
    await lived(serving)
    said = b"Where does Nora live?\n\n/sessions\n/new\nWho likes figs?\n/sessions\n/quit\nnever said\n"
    told = await line("chat", said=said)
    assert "Leipzig" in told
    assert "figs" in told
    assert told.count("1 message, auto") == 3
    assert "never said" not in told
    assert sum(each.startswith("* ") for each in told.splitlines()) == 2


async def test_for_a_program_every_event_is_a_line_of_json(serving: Door, line: Line) -> None:  # noqa: F811
    await lived(serving)
    events = [json.loads(each) for each in (await line("chat", "Where does Nora live?", "--json")).splitlines()]
    assert [events[0]["type"], events[1]["type"], events[-1]["type"]] == ["session", "token", "done"]
    session_id = events[0]["session_id"]
    again = await line("chat", "And Elena?", "--json", "--session", session_id, "--backend", "quoted")
    assert json.loads(again.splitlines()[0])["session_id"] == session_id


async def test_what_a_model_shows_is_shown(serving: Door, line: Line) -> None:  # noqa: F811
    await lived(serving)
    script = Script(
        turn("think", thought="A [table]\x1b[2J then."),
        turn("render_table", title="Likes", columns=["who", "what"], rows=[["Elena", "figs"], ["Tomas", None]]),
        turn("render_chart", labels=["figs", "tea"], values=[2, 1]),
        turn(answer="That is all [1]."),
    )
    with ModelServer(script) as server:
        behind(serving, server)
        told = await line("chat", "Who likes what?")
    assert "(think thought: A [table][2J then.)" in told
    assert "│ Elena │ figs │" in told
    assert f"figs {'█' * 40} 2" in told
    assert "That is all [1]." in told
    assert "[1] Nora, 2026-03-0" in told


async def test_what_cannot_be_said_is_told(line: Line) -> None:  # noqa: F811
    with pytest.raises(RequestRefused, match="llm_backend: must be one of auto, quoted"):
        await line("chat", "Hello", "--backend", "gpt-9")
    with pytest.raises(Invalid, match="no such command"):
        await line("chat", said=b"/dance\n")
    with pytest.raises(Invalid, match="not UTF-8"):
        await line("chat", said=b"\xff\xfe\n")
