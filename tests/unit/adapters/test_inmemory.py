"""What is kept in memory: sources until they are read, and how near at hand nights leave them."""

from __future__ import annotations

from adapters.inmemory.journal import InMemoryJournal
from adapters.inmemory.sources import InMemorySources
from memory.model.accesses import SOURCE, Access
from memory.model.changes import Change, ChangeSet
from memory.model.entities import STATES
from memory.model.sources import TTL_POLICIES, Segment, Source, SourceState
from memory.model.working_set import WorkingSet

SEGMENTS = tuple(Segment(f"l{n}", "Ann" if n % 2 else "Ben", f"words {n}", 10.0 * n, 10.0 * n + 9) for n in range(8))
SOURCE_ROW = Source("s", "user:u", "conversation", 1_000.0, offset_s=3600, ttl_policy="ephemeral", segments=SEGMENTS)
KEYS = [SOURCE_ROW.key_of(each) for each in SEGMENTS]


async def commit(journal: InMemoryJournal, identity: str, **changed: object) -> None:
    epoch = await journal.claim("u", "shard-0")
    entry = ChangeSet(identity, "kind", "actor", 2_000.0, **changed)  # type: ignore[arg-type]
    assert await journal.commit(epoch, await journal.load("u"), entry, {})


async def test_what_was_read_is_context_for_what_was_not() -> None:
    journal = InMemoryJournal()
    sources = InMemorySources(journal)
    sources.store(SOURCE_ROW)
    first = (await sources.unread("u", "user:u", "s", 8)).utterances
    assert [each.segment_key for each in first] == KEYS
    assert (first[1].at, first[1].offset_s, first[1].listeners) == (1_010.0, 3600, ("Ben",))
    await commit(journal, "c1", read=tuple((key, 1) for key in KEYS[:6]))
    rest = (await sources.unread("u", "user:u", "s", 8)).utterances
    assert [(each.segment_id, each.context_only) for each in rest] == [
        ("l2", True),
        ("l3", True),
        ("l4", True),
        ("l5", True),
        ("l6", False),
        ("l7", False),
    ]
    await commit(journal, "c2", unread=(KEYS[0],), read=((KEYS[6], 1), (KEYS[7], 1)))
    assert [each.segment_id for each in (await sources.unread("u", "user:u", "s", 8)).utterances] == ["l0"]


async def test_a_source_is_as_near_at_hand_as_nights_and_recalls_left_it() -> None:
    journal = InMemoryJournal()
    sources = InMemorySources(journal)
    sources.store(SOURCE_ROW)
    assert sources.of(KEYS[:1]) == {KEYS[0]: ("s", 1_000.0)}
    (row,) = sources.rows({})
    assert (STATES[row["state"]], TTL_POLICIES[row["ttl"]], row["count"]) == ("candidate", "ephemeral", 0)
    moved = Change("candidate to archived", SourceState("s", "candidate"), SourceState("s", "archived"))
    await commit(journal, "c1", changes=(moved,))
    (row,) = sources.rows({f"{SOURCE}s": Access(f"{SOURCE}s", 3, 1_500.0, 0.6)})
    assert (STATES[row["state"]], row["count"], row["accessed_at"], row["value"]) == ("archived", 3, 1_500.0, 0.6)
    assert await journal.load("u") == WorkingSet("u", 1), "sources are no part of a working set"
