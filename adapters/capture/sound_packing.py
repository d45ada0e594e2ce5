"""Sessions that are over get their lasting form: Opus where the extra is there, encrypted where a key is named.

Another form is made beside a session, in a draft that nobody reads, and takes its place by its name once all of it was
read back from the disk. So whoever dies meanwhile leaves the session as it was, and the next one begins the draft anew.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from adapters.capture.files import PRIVATE, locked, settle, sync_folder
from adapters.capture.sound_blocks import BLOCK_S, OPUS, SAMPLES, BlockSeal, new_head, written_block
from adapters.capture.sound_forms import (
    BlockSamples,
    KeptSamples,
    SoundForm,
    SoundForms,
    blocks_path,
    draft_path,
    is_kept,
    lead_of,
)
from adapters.capture.sound_sessions import KeptSession, SoundSessions, session_at
from adapters.capture.sound_states import read_state
from adapters.capture.sounds import rate_of
from memory.errors import SoundDamaged
from memory.model.sound import SAMPLE
from memory.model.timeline import Instant

log = logging.getLogger("memoray.hearing")
PACKING = ".packing"
"""The file whose lock whoever packs holds."""
MOST_TRIES = 3
"""Times packing a session may fail before it stays as it is (chosen, as hearing it)."""


class SoundPacking:
    """Packs the sessions below one folder. Every method works on the disk: call it off the event loop.

    Where sessions are swept (`after_sweeps`), one is packed when all of it was heard: what is heard then is the sound
    as it came.
    """

    def __init__(self, root: Path, sessions: SoundSessions, forms: SoundForms, *, after_sweeps: bool) -> None:
        self._root, self._sessions, self._forms, self._after_sweeps = root, sessions, forms, after_sweeps

    def next(self, now: Instant) -> bool:
        """Pack one session that is due; False where there is none, or somebody else packs.

        Raises SoundSealed where sound is to be encrypted and its file of keys cannot be used, and OSError of a disk.
        """
        with self._taken() as mine:
            if not mine:
                return False
            for path in self._sessions.everybodys():
                if self._wanted(path) is not None and (session := session_at(path)) and self._is_due(session, now):
                    self._pack(session)
                    return True
        return False

    def _is_due(self, session: KeptSession, now: Instant) -> bool:
        heard = not self._after_sweeps or session.state.heard >= session.size
        return heard and session.is_over(now) and session.state.unpacked < MOST_TRIES

    def _wanted(self, path: Path) -> SoundForm | None:
        """The form that a session is to have; None where it has it already, or cannot be read now."""
        try:
            form = self._forms.form(path)
        except SoundDamaged:
            return None
        if form is None:
            return None
        known, coder = self._forms.keys.all(), self._forms.coder
        if form.key_id is not None and all(form.key_id != each.key_id for each in known):
            return None
        has_coder = coder is not None and coder.is_installed
        if form.codec == OPUS and not has_coder:  # nobody could check what is written
            return None
        may_code = has_coder and coder is not None and coder.is_wanted and rate_of(path) in coder.rates
        codec = OPUS if form.codec == OPUS or may_code else SAMPLES
        wanted = SoundForm(codec, known[0].key_id if known else form.key_id, is_plain=codec == SAMPLES and not known)
        if form.is_plain and wanted.is_plain:
            return None
        is_lasting = not form.is_plain and form.total is not None and not path.exists()
        return None if is_lasting and (form.codec, form.key_id) == (wanted.codec, wanted.key_id) else wanted

    def _pack(self, session: KeptSession) -> None:
        wanted, draft = self._wanted(session.path), draft_path(session.path)
        if wanted is None:
            return
        try:
            total = self._write(session, wanted)
            self._check(session, total)
            self._settle(session)
        except FileNotFoundError:  # it was removed meanwhile
            pass
        except SoundDamaged:
            log.warning("a session of sound stays in its form: it does not read back")
            self._sessions.note_unpacked(session)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise
            log.warning("a session of sound stays in its form: %s", type(error).__name__)
            self._sessions.note_unpacked(session)  # else no other would ever be packed
        finally:
            draft.unlink(missing_ok=True)

    def _write(self, session: KeptSession, wanted: SoundForm) -> int:
        """Write the draft: blocks as they are where only their key changes, else samples that are coded anew; how many
        samples it holds."""
        key = self._forms.keys.named(wanted.key_id) if wanted.key_id else None
        draft = draft_path(session.path)
        draft.touch(PRIVATE)
        with draft.open("wb") as file, self._forms.opened(session.path) as kept:
            same = kept if isinstance(kept, BlockSamples) and kept.head.codec == wanted.codec else None
            total = same.head.total if same and same.head.total else session.size // SAMPLE
            head = new_head(wanted.codec, session.rate, total, key)
            seal = self._forms.seal(head, session.path)
            file.write(head.written())
            if same is None:
                self._code(file, seal, kept, session, wanted.codec)
            else:  # behind the last one there may be those of a piece whose writer died
                for block in (each for each in same.blocks if each.end <= total):
                    file.write(written_block(seal, block.start, block.count, same.content(block)))
            file.flush()
            os.fsync(file.fileno())
        return total

    def _code(self, file: BinaryIO, seal: BlockSeal, kept: KeptSamples, session: KeptSession, codec: int) -> None:
        total, rate = session.size // SAMPLE, session.rate
        for start in range(0, total, BLOCK_S * rate):
            count = min(BLOCK_S * rate, total - start)
            lead = lead_of(start, rate) if codec == OPUS else 0
            samples = kept.read((start - lead) * SAMPLE, (lead + count) * SAMPLE)
            samples += bytes((lead + count) * SAMPLE - len(samples))  # a disk has lost its end: times stay true
            if not any(samples[lead * SAMPLE :]):
                content = None
            elif codec == OPUS:
                assert self._forms.coder is not None
                content = self._forms.coder.encode(samples, rate)
            else:
                content = samples
            file.write(written_block(seal, start, count, content))

    def _check(self, session: KeptSession, total: int) -> None:
        """Read the draft back. Raises SoundDamaged of one that has fewer samples or more, or cannot be read."""
        with draft_path(session.path).open("rb") as file:
            kept = self._forms.blocks_of(file, session.path)
            length = sum(len(kept.read(each.start * SAMPLE, each.count * SAMPLE)) for each in kept.blocks)
        if length != total * SAMPLE:
            raise SoundDamaged

    def _settle(self, session: KeptSession) -> None:
        """Put the draft in the place of the session, unless that was changed meanwhile."""
        path, draft = session.path, draft_path(session.path)
        with locked(path.with_name(session.stream)):
            now = session_at(path) if is_kept(path) else None
            is_same = now is not None and now.size == session.size
            if not is_same or read_state(path).silenced != session.state.silenced:
                return
            settle(draft, blocks_path(path))
            path.unlink(missing_ok=True)
            sync_folder(path.parent)

    @contextmanager
    def _taken(self) -> Iterator[bool]:
        """Nobody else packs meanwhile. False where somebody does; a dead one does not."""
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(self._root / PACKING, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE), "r+b") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
