"""The command line at a front door that answers: what a person types, and what they read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import uvicorn
from typer.testing import CliRunner

from cli import client as cli_client
from cli.console import Exit
from cli.main import command_line, rooms
from deployments.gateway import create_app
from memory.errors import DomainError, Invalid
from tests.api.conftest import Door
from tests.api.test_assembled_context import talk
from tests.api.test_voices import hear

Line = Callable[..., Awaitable[str]]


@pytest.fixture
async def serving(door: Door, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Door]:
    """The door at a port of its own, which the command line takes for the system that runs."""
    config = uvicorn.Config(create_app(door.app), port=0, lifespan="off", log_config=None, access_log=False)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    monkeypatch.setattr(cli_client, "address", lambda home: (f"http://127.0.0.1:{port}", "a" * 43))
    yield door
    server.should_exit = True
    await task


@pytest.fixture
def line(serving: Door) -> Line:
    """Type a command as the user of the door; what it prints. An error raised on purpose is raised."""

    async def typed(*words: str, said: bytes | None = None, user: str | None = None) -> str:
        arguments = [*words, "--user", user or serving.user]
        app = command_line(rooms(words[0]))
        result = await asyncio.to_thread(CliRunner().invoke, app, arguments, said)
        if isinstance(result.exception, DomainError):
            raise result.exception
        assert result.exit_code == Exit.OK, result.output
        return str(result.output)

    return typed


async def lived(door: Door) -> None:
    await door.client.put("/v1/profile", json={"name": "Nora", "time_zone": "Europe/Berlin"})
    told = talk("supper", "2026-03-01", ("Nora", "I live in Leipzig."), ("Nora", "Elena likes figs."))
    await door.post("/v1/sources", {**told, "started_at": "2026-03-01T23:30:00+00:00"}, 202)
    await door.post("/v1/sources", talk("memo", "2026-03-05", ("Nora", "Tomas likes tea."), kind="note"), 202)
    await door.settle()


def id_in(text: str, words: str) -> str:
    """The id at the end of the line with these words."""
    return next(line.split()[-1] for line in text.splitlines() if words in line)


async def test_facts_are_listed_shown_corrected_and_confirmed_by_beginnings_of_their_ids(
    serving: Door, line: Line
) -> None:
    await lived(serving)
    listed = await line("facts")
    assert "Nora lives in Leipzig" in listed
    assert "2026-03-02" in listed, "by the clock of Berlin"
    assert "Tomas" not in await line("facts", "--subject", "Elena")
    home = id_in(listed, "Leipzig")
    short = home[:12]
    shown = await line("facts", short)
    assert '"I live in Leipzig." supper/0' in shown
    assert "since 2026-03-02 00:30" in shown
    done = await line("correct", short, "Nora lives in Halle")
    assert f"no longer believed Nora lives in Leipzig {home}" in done
    assert "believed instead Nora lives in Halle f-" in done
    assert "Leipzig" not in await line("facts")
    assert "Leipzig" in await line("facts", "--status", "invalidated")
    halle = id_in(done, "Halle")
    assert await line("confirm", halle[:12]) == f"confirmed Nora lives in Halle {halle}\n"
    assert json.loads(await line("facts", halle, "--json"))["confidence"] == 1.0
    assert {each["statement"] for each in json.loads(await line("facts", "--json"))["facts"]} >= {"Nora lives in Halle"}
    await line("undo")
    await line("undo")
    assert "Leipzig" in await line("facts")


async def test_sources_are_listed_filtered_and_shown(serving: Door, line: Line) -> None:
    await lived(serving)
    listed = await line("sources")
    assert [each.split()[-1] for each in listed.splitlines()[1:]] == ["memo", "supper"]
    assert "2026-03-02 00:30" in listed
    assert "supper" not in await line("sources", "--kind", "note")
    assert "There is nothing to list." in await line("sources", "--status", "failed")
    shown = await line("sources", "supp")
    assert "supper conversation, 2 segments, extracted" in shown
    assert "2026-03-02 00:30 Nora I live in Leipzig. supper/0" in shown
    assert len(json.loads(await line("sources", "supper", "--json"))["segments"]) == 2


async def test_a_phase_of_a_source_is_run_once_more(serving: Door, line: Line) -> None:
    await lived(serving)
    assert "supper conversation, 2 segments, processed" in await line("sources", "supper", "--phase", "read")
    await serving.settle()
    assert "2 segments, raw" in await line("sources", "supper", "--retry", "--phase", "embed")
    await serving.settle()
    assert "2 segments, extracted" in await line("sources", "supper", "--retry")
    with pytest.raises(AssertionError, match="need the id of a source"):
        await line("sources", "--phase", "read")


async def test_asked_verbosely_an_answer_tells_the_ids_of_its_facts(serving: Door, line: Line) -> None:
    await lived(serving)
    assert " f-" not in await line("ask", "Where does Nora live?")
    told = await line("ask", "Where does Nora live?", "--verbose")
    home = id_in(told, "Nora lives in Leipzig f-")
    assert "Leipzig" in await line("facts", home)
    facts = json.loads(await line("ask", "Where does Nora live?", "--verbose", "--json"))["facts"]
    assert home in {each["fact_id"] for each in facts}


async def test_what_is_remembered_may_come_from_standard_input(line: Line) -> None:
    assert "allergic to peanuts" in await line("remember", "-", said=b"I am allergic to peanuts.\n")
    for said, told in ((b" \n", "nothing to remember"), (b"\xff\xfe", "not UTF-8"), (b"x" * 2_000_001, "too much")):
        with pytest.raises(Invalid, match=told):
            await line("remember", "-", said=said)


@pytest.mark.parametrize(
    "words",
    [
        ["facts"],
        ["sources"],
        ["entities"],
        ["promises"],
        ["timeline"],
        ["recall", "figs"],
        ["ask", "Who likes figs?"],
        ["facts", "f-0a1b"],
        ["explain", "f-0a1b"],
        ["forget", "f-0a1b"],
        ["confirm", "f-0a1b"],
        ["sources", "supper"],
    ],
)
async def test_whose_memory_is_empty_is_told_so(serving: Door, line: Line, words: list[str]) -> None:
    await lived(serving)
    try:
        told = await line(*words, user="noar")
    except DomainError as error:
        told = error.detail
    assert "The memory of noar is empty: nothing has been told to it yet." in told
    try:
        told = await line(*words)
    except DomainError as error:
        told = error.detail
    assert "is empty" not in told


async def test_an_export_is_written_over_only_if_that_is_asked_for(line: Line, tmp_path: Path) -> None:
    target = tmp_path / "me.zip"
    target.write_text("a whole year")
    with pytest.raises(Invalid, match="--force"):
        await line("export", str(target))
    assert target.read_text() == "a whole year"
    await line("export", str(target), "--force")
    assert target.read_bytes().startswith(b"PK")


async def test_entities_are_renamed_aliased_and_merged_and_a_taken_name_tells_how(serving: Door, line: Line) -> None:
    await lived(serving)
    elena, tomas = [
        json.loads(await line("entities", "--name", name, "--json"))["entities"][0]["entity_id"]
        for name in ("Elena", "Tomas")
    ]
    assert "Now called Elena Costa" in await line("entities", "rename", elena[:8], "Elena Costa")
    assert "Also called Leni" in await line("entities", "alias", elena, "Leni")
    for verb in ("rename", "alias"):
        with pytest.raises(DomainError) as refused:
            await line("entities", verb, tomas, "Leni")
        assert refused.value.detail.endswith(
            f"merge them instead: memoray entities merge {tomas} {elena} --user {serving.user}"
        )
    assert "Elena Costa" in (merged := await line("entities", "merge", tomas, elena))
    assert merged.startswith("Merged into ")
    assert "Elena Costa" in await line("entities", "--name", "Elena Costa", "--json")
    await line("undo")
    assert json.loads(await line("entities", "--name", "Leni", "--json"))["entities"][0]["entity_id"] == elena


async def test_what_is_erased_is_named_in_full_and_may_be_named_in_short(serving: Door, line: Line) -> None:
    await lived(serving)
    told = await line("forget", "supp", said=b"y\n")
    assert "Erase supper (conversation of 2026-03-02, 2 segments) for good" in told
    assert "Forgotten: 2 segments" in told
    assert (await serving.client.get("/v1/sources/supper")).status_code == 404
    with pytest.raises(DomainError, match="named whole: memo"):
        await line("forget", "mem", "--yes")


async def test_a_voice_is_named_before_it_is_erased(serving: Door, line: Line) -> None:
    await hear(serving, "lunch", 5, "I live in Halle.")
    [voice] = (await serving.get("/v1/voices"))["voices"]
    await line("voices", "name", voice["voice_id"], "Tom")
    with pytest.raises(Invalid, match="No voice begins with v-nobody"):
        await line("voices", "forget", "v-nobody")
    told = await line("voices", "forget", voice["voice_id"][:6], "--words", said=b"y\n")
    assert "Erase the voice of Tom (Speaker 1 of 3 May) for good with all that it said?" in told
    assert "Forgotten: 1 print, 1 segment." in told


async def test_a_timeline_that_goes_on_says_so(serving: Door, line: Line) -> None:
    await lived(serving)
    assert "--limit shows more" in await line("timeline", "--limit", "1")
    assert "--limit" not in await line("timeline")
    assert json.loads(await line("timeline", "--limit", "1", "--json"))["cursor"]
