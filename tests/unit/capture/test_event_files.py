"""Files of events: what is no file keeps no other from being read."""

from __future__ import annotations

import os
from pathlib import Path

from adapters.capture.event_files import spools


def test_what_is_no_file_keeps_no_file_from_being_read(tmp_path: Path) -> None:
    (tmp_path / "around.jsonl").symlink_to("around.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "told.jsonl").write_text('{"a": 1}\n{"torn')
    (spool,) = spools(tmp_path, "maya")
    assert (spool.path.name, spool.user_id, spool.read()) == ("told.jsonl", "maya", ([{"a": 1}], 9))
    (spool.path).unlink()
    spool.path.mkdir()
    assert spool.read() == ([], 0)
