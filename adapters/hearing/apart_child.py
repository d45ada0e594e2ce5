"""The process that hears: `python -m` this and its wishes as JSON; the sound is its standard input.

It writes one line of JSON: what was heard, or why nothing was. Sound files are read by much code in C, and one may be
made to break it; so nothing else lives here, and memory and time are bounded.
"""

from __future__ import annotations

import logging
import os
import resource
import sys
import traceback
from collections.abc import Callable, Collection
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from adapters.child_process import be_ended_first, end_with_parent
from adapters.hearing.installed import has_voice_models
from adapters.hearing.omi_files import FileDecoder
from adapters.hearing.segmentation import SpeakerSegmentation
from adapters.hearing.silero import SileroActivity
from adapters.hearing.voice_print import CamPlusPlus
from adapters.hearing.whisper import WhisperTranscriber
from memory.errors import DomainError
from memory.model.sound import HeardSound, pcm_of
from memory.ports_sound import EmotionReader
from memory.services.diarising import VoiceModels
from memory.services.hearing import Ears, hear, within

MOST_MEMORY = 6_000_000_000
"""Bytes of address space: models and libraries take half of it, most of which is never touched (measured)."""
DECODING_S, DECODED_BYTES = 20, 2_000_000
"""Seconds of a processor that decoding may take, and bytes that have one more (chosen: ten minutes of speech take two,
by itself; a small machine is four times slower)."""


def main() -> None:
    """Hear what is given."""
    wishes = orjson.loads(sys.argv[1])
    bound(wishes["step_back"])
    with own_output() as output, os.fdopen(0, "rb") as file:
        output.write(orjson.dumps(guarded(lambda: _told(file, wishes))) + b"\n")


def own_output() -> BinaryIO:
    """Where it is told what was heard. What libraries print from now on is an error's, and does not get between."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return output


def bound(step_back: int) -> None:
    """Bound what this process may take: it ends with its parent, and before all others where memory runs out."""
    end_with_parent()
    be_ended_first()
    os.nice(step_back)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.environ["HF_HUB_OFFLINE"] = "1"


def guarded(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What comes of work, or why nothing does."""
    try:
        return work()
    except DomainError as error:
        return {"error": error.kind, "detail": error.detail}
    except MemoryError:
        return {"error": "invalid", "detail": "This sound needs more memory to be heard than any should."}
    except Exception as error:  # an error's own text may hold words
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"
        logging.getLogger("memoray.hearing").error("hearing broke: %s", where)
        return {"error": "model-failed", "detail": f"Hearing it broke: {where}."}


def _told(file: BinaryIO, wishes: dict[str, Any]) -> dict[str, Any]:
    return _decoded(file, wishes) if "decoded" in wishes else {"heard": asdict(_heard(file, wishes))}


def _heard(file: BinaryIO, wishes: dict[str, Any]) -> HeardSound:
    own, voices = (Path(wishes[name]) if wishes[name] else None for name in ("path", "voices"))
    transcriber = WhisperTranscriber(wishes["kind"], own, wishes["trusted"])
    models = voice_models(voices, wishes["trusted"]) if wishes["tell_apart"] else None
    ears = Ears(FileDecoder(), SileroActivity(), transcriber, models, emotion_reader(wishes["emotion"]))
    return hear(ears, file, wishes["most_s"], wishes["language"])


def _decoded(file: BinaryIO, wishes: dict[str, Any]) -> dict[str, Any]:
    """Write the samples of a file into another, which was opened before.

    Code in C that does not come to an end is ended with its process, which is told as the sound's fault.
    """
    most = int(DECODING_S + os.fstat(file.fileno()).st_size / DECODED_BYTES)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
    with os.fdopen(wishes["decoded"], "wb") as written:
        for block in within(FileDecoder().open(file).blocks, wishes["most_s"]):
            written.write(pcm_of(block))
    return {"decoded": True}


def voice_models(own: Path | None, trusted: Collection[str]) -> VoiceModels | None:
    """What voices are told apart with; without the package or a folder of one's own all is one voice."""
    if not has_voice_models(own):
        return None
    return VoiceModels(SpeakerSegmentation(own, trusted), CamPlusPlus(own, trusted))


def emotion_reader(wished: bool) -> EmotionReader | None:
    """What guesses at feelings, by the packaged encoder, whichever one the memory has."""
    from adapters.embedding.minilm import MiniLmEmbedder  # whoever only decodes is not kept waiting by its runtime
    from adapters.hearing.prosody import ProsodyReader

    return ProsodyReader(MiniLmEmbedder()) if wished else None


if __name__ == "__main__":
    main()
