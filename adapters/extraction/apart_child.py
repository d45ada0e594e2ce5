"""The process that reads: `python -m adapters.extraction.apart_child FD`, begun by adapters.extraction.apart alone."""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import socket
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from adapters.child_process import be_ended_first, end_with_parent
from adapters.extraction.apart import LENGTH
from memory.errors import DomainError
from memory.ports import Extractor

LAST = 19
"""Niceness of the thread that comes last (0053)."""
SWITCH_S = 0.0005
"""Seconds a thread keeps the interpreter from one that somebody waits for."""


def main() -> None:
    """Read what is sent until the other end is gone."""
    end_with_parent()
    be_ended_first()
    sys.setswitchinterval(SWITCH_S)
    stream: BinaryIO = socket.socket(fileno=int(sys.argv[1])).makefile("rwb")  # type: ignore[assignment]
    extractor = _receive(stream)
    _send(stream, _failure(extractor))
    sending = Lock()
    asked, last = ThreadPoolExecutor(1), ThreadPoolExecutor(1, initializer=_step_last)

    def answer(number: int, utterances: Any) -> None:
        told = _told(extractor, utterances)
        with sending:
            _send(stream, (number, *told))

    with suppress(EOFError):
        while True:
            number, comes_last, utterances = _receive(stream)
            (last if comes_last else asked).submit(answer, number, utterances)
    os._exit(0)  # nobody waits for what is under way


def _failure(extractor: Extractor) -> DomainError | None:
    """Why nothing can be read here, if so; the model is loaded now, for no deadline is to count that."""
    try:
        getattr(extractor, "prepare", lambda: None)()
    except DomainError as error:
        return error
    return None


def _told(extractor: Extractor, utterances: Any) -> tuple[bool, object]:
    """Whether it was read, and the reading, the error, or what broke and where: an error's own text may hold words."""
    try:
        return True, asyncio.run(extractor.read(utterances))
    except DomainError as error:
        return False, error
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"
        logging.getLogger("memoray.reading").error("reading broke: %s", where)
        return False, where


def _step_last() -> None:
    """Niceness is a thread's own on Linux alone; elsewhere it would be that of the whole process."""
    if sys.platform == "linux":
        os.nice(LAST)


def _send(stream: BinaryIO, told: object) -> None:
    body = pickle.dumps(told, pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(body)) + body)
    stream.flush()


def _receive(stream: BinaryIO) -> Any:
    """Raises EOFError when the other end is gone."""
    (length,) = LENGTH.unpack(_exactly(stream, LENGTH.size))
    return pickle.loads(_exactly(stream, length))


def _exactly(stream: BinaryIO, length: int) -> bytes:
    body = stream.read(length)
    if len(body) < length:
        raise EOFError
    return body


if __name__ == "__main__":
    main()
