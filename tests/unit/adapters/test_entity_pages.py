"""Pages of entities while others are forgotten."""

from __future__ import annotations

from typing import Any, cast

from adapters.postgres.entity_reads import PostgresEntityReads, Q
from adapters.postgres.pool import Pool
from memory.model.scopes import View


class _Forgetting:
    """Lists three entities, of which none is there any more when they are looked up."""

    async def rows(self, statement: Any, **given: Any) -> list[dict[str, Any]]:
        listed = [{"entity_id": f"e-{each}", "mark": float(each), "key": f"e-{each}", "total": 3} for each in (3, 2, 1)]
        return listed[: given["limit"]] if statement is Q["entities_now"] else []


async def test_a_page_of_which_all_were_forgotten_in_between_is_not_the_last() -> None:
    reads = PostgresEntityReads(cast(Pool, _Forgetting()))
    page = await reads.page(View("maya"), 2)
    assert (list(page.shown), page.total, page.last) == ([], 3, (2.0, "e-2"))
    assert (await reads.page(View("maya"), 3)).last is None
