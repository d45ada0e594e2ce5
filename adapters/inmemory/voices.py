"""The bank of voices without a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.errors import Stale
from memory.model.voices import BankChange, VoiceBank, is_numbered
from memory.rules.voice_bank import applied
from memory.services.voices import KnownChange


class InMemoryVoices:
    """See memory.services.voices.VoiceStore."""

    def __init__(self) -> None:
        self._banks: dict[str, VoiceBank] = {}
        self._changes: dict[str, list[BankChange]] = {}

    async def bank(self, scope: str) -> VoiceBank:
        """See memory.services.voices.VoiceStore."""
        return self._banks.get(scope, VoiceBank())

    async def version(self, scope: str) -> str:
        """See memory.services.voices.VersionedBanks."""
        bank = await self.bank(scope)
        return str(
            (sorted(bank.voices.items()), sorted((each.print_id, each.voice_id) for each in bank.prints.values()))
        )

    async def commit(self, scope: str, change: BankChange) -> bool:
        """See memory.services.voices.VoiceStore."""
        known = self._changes.setdefault(scope, [])
        if any(each.change_id == change.change_id for each in known):
            return False
        after = applied(await self.bank(scope), change)
        labels = [each.label for each in after.voices.values()]
        if len(labels) != len(set(labels)):
            raise Stale("Another voice has got that label meanwhile.")
        self._banks[scope] = after
        known.append(change)
        return True

    async def changes(self, scope: str, change_id: str | None = None, limit: int = 100) -> Sequence[KnownChange]:
        """See memory.services.voices.VoiceStore."""
        prints, noted = (await self.bank(scope)).prints, self._changes.get(scope, [])
        undone = {each.undoes for each in noted}
        found = [each for each in reversed(noted) if change_id in (None, each.change_id)][:limit]
        kept = [
            replace(each, voices=(), prints=())
            if each.undoes
            else replace(
                each,
                prints=tuple(
                    replace(swap, print=prints[swap.print.print_id])
                    for swap in each.prints
                    if swap.print.print_id in prints
                ),
            )
            for each in found
        ]
        return [KnownChange(each, each.change_id in undone) for each in kept]

    async def told_apart(self, scope: str) -> set[tuple[str, str]]:
        """See memory.services.night_voices.VoiceReads."""
        noted = self._changes.get(scope, [])
        undone = {each.undoes for each in noted}
        return {
            (each.apart[0], each.apart[1])
            for each in noted
            if each.apart and each.undoes is None and each.change_id not in undone
        }

    async def erase(self, scope: str, voice_ids: Sequence[str] = (), print_ids: Sequence[str] = ()) -> int:
        """See memory.services.voices.VoiceStore."""
        bank, ids = await self.bank(scope), set(voice_ids)
        kept = {k: row for k, row in bank.prints.items() if k not in print_ids and row.voice_id not in ids}
        voices = {
            key: replace(row, name="", merged_into=None, forgotten=True) if key in ids else row
            for key, row in bank.voices.items()
            if key not in ids or is_numbered(row.label)
        }
        self._banks[scope] = VoiceBank(voices, kept)
        noted = self._changes.get(scope, [])
        self._changes[scope] = [each for each in noted if not (each.touched & ids or _brought(each, print_ids))]
        return len(bank.prints) - len(kept)


def _brought(change: BankChange, print_ids: Sequence[str]) -> bool:
    """Whether one of these prints came with a change."""
    return any(each.before is None and each.print.print_id in print_ids for each in change.prints)
