"""What a turn was decided on must still be there when it is committed: sources may be changed or deleted meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.postgres.pool import Connection
from adapters.postgres.sql import queries
from memory.errors import Conflict, Forgotten, Stale
from memory.model.changes import ChangeSet
from memory.model.groups import SUMMARY, Group

Q = queries("journal")


async def check_read(connection: Connection, user_id: str, changes: ChangeSet) -> None:
    """What was read must still stand in those words: a source may have been deleted or corrected meanwhile."""
    if not await _stand(connection, user_id, changes.read):
        raise Stale("The words that were read have changed or are gone; read again.")


async def check_summed_up(connection: Connection, user_id: str, changes: ChangeSet) -> None:
    """What a night has summed up must still be there: no entity tells the memory that a source was forgotten."""
    groups = [each.after for each in changes.changes if isinstance(each.after, Group) and each.after.kind == SUMMARY]
    sources = list({source for group in groups for source in group.members})
    keys = list({key for group in groups for key in group.quotes})
    if not groups:
        return
    key = {"user_id": user_id, "sources": sources, "keys": keys}
    row = await (await connection.execute(Q["still_told"], key, binary=True)).fetchone()
    if row is None or row["count"] != len(sources) + len(keys):
        raise Forgotten("A source was forgotten while a night summed it up.")


async def check_quoted(connection: Connection, user_id: str, changes: ChangeSet) -> None:
    """What summaries quote must still stand in those words, or a night of other days would have to find them out."""
    if not await _stand(connection, user_id, changes.quoted):
        raise Conflict("Words were changed while a night summed them up; the next night sums them up anew.")


async def _stand(connection: Connection, user_id: str, read: Sequence[tuple[int, int]]) -> bool:
    """Whether these (segment key, revision) pairs are there; they are locked until the turn is over."""
    keys, revisions = zip(*read, strict=True) if read else ((), ())
    key = {"user_id": user_id, "keys": list(keys), "revisions": list(revisions)}
    row = await (await connection.execute(Q["still_standing"], key, binary=True)).fetchone()
    return row is not None and row["count"] == len(keys)
