"""What the tests of the command line share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.temporary import vacate
from cli.runtime import Places


@pytest.fixture
def prepared(tmp_path: Path) -> Iterator[Path]:
    """A home with its folders, and none in /tmp afterwards."""
    Places(tmp_path).prepare()
    yield tmp_path
    vacate(tmp_path)
