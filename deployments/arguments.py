"""What a serve YAML tells the application builder, checked before anything starts: unknown keys are refused.

GPU shares are bookkeeping: Ray schedules by them and shows them, nothing enforces them. What an engine really takes is
bounded by its own arguments (`gpu_memory_utilization`, `kv_cache_memory_bytes`).
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from deployments.environments import requirement_sets, runtime_env
from memory.errors import ConfigError

GPU_SHARES = 0.95
"""Most of one GPU that may be promised: an update in place needs a little room (measured on logical GPUs)."""
ONGOING_REQUESTS = 64
"""Concurrent requests a replica accepts; Serve's own 5 starves streams and background tasks."""
LIVELINESS = {"health_check_period_s": 1.0, "health_check_timeout_s": 5.0, "graceful_shutdown_timeout_s": 2.0}
"""Seconds; a killed replica is back after 2.3 s, with Serve's defaults after 8 to 12 s (measured)."""

Backend = Literal["cpu", "gpu", "stub"]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Reserved(_Arguments):
    """A deployment that may hold a share of the GPU, and an environment of its own."""

    num_gpus: float = Field(0.0, ge=0.0, le=GPU_SHARES)
    """Share of one GPU, as Ray counts it."""
    requirements: str | None = None
    """The set of deployments/requirements that Ray installs for it where the GPU serves; null = none."""
    python: str | None = None
    """The interpreter of an environment that holds that set already; then Ray installs nothing."""

    @field_validator("requirements")
    @classmethod
    def _exists(cls, name: str | None) -> str | None:
        if name is not None and name not in (known := requirement_sets()):
            raise ValueError(f"there is no requirement set {name!r}: {', '.join(known)}")
        return name


class EngineArgs(Reserved):
    """A vLLM engine."""

    requirements: str | None = "language"
    model: str = ""
    """A hub id, or a local folder (then nothing is downloaded)."""
    engine_kwargs: dict[str, Any] = Field(default_factory=dict)
    """vLLM's engine arguments, spelt as vLLM spells them."""

    def llm_config(self, name: str) -> dict[str, Any]:
        """The arguments of `ray.serve.llm.LLMConfig`.

        No `accelerator_type`, since GB10 is not among those it knows.
        """
        return {
            "model_loading_config": {"model_id": name, "model_source": self.model},
            "placement_group_config": {"bundles": self.bundles()},
            "engine_kwargs": self.engine_kwargs,
        }

    def bundles(self) -> list[dict[str, float]]:
        """What the replica and the engine's worker beside it hold together; the replica asks for nothing itself."""
        return [{"CPU": 0, "GPU": self.num_gpus}]


class EncoderArgs(Reserved):
    """The encoder of the settings, on PyTorch; its weights come with Memoray's packages."""

    requirements: str | None = "embedding"
    device: str = "cuda"
    """As PyTorch spells it; `cpu` rehearses the same code without a GPU."""


class SpeechArgs(Reserved):
    """What hears. Each model is a folder, whose weights `models.trusted` names by SHA-256, or a name on the hub."""

    requirements: str | None = "speech"
    model: str = "large-v3-turbo"
    """Whisper, in CTranslate2's form, for WhisperX."""
    aligners: dict[str, str] = Field(default_factory=dict)
    """Language -> a wav2vec 2.0 model that tells when each word was said. Without one WhisperX fetches its own, if it
    may; else words share the time of their piece."""
    voices: str | None = None
    """A pipeline of pyannote.audio 4, such as pyannote/speaker-diarization-community-1; null = the CPU's models."""
    emotion: str | None = None
    """emotion2vec+, such as emotion2vec/emotion2vec_plus_large; null = the CPU's guess."""
    language: str | None = None
    """ISO 639-1 code of what is spoken where nobody says so; null = recognised from the sound."""
    fetch: bool = False
    """Whether models that are not on this machine are fetched."""


class AppArgs(_Arguments):
    """The `args` of the application `memoray`."""

    profile: Literal["laptop", "spark"] = "laptop"
    """`laptop` binds one deployment, the gateway; `spark` binds the models and the retrieval on their own."""
    backend: Backend = "cpu"
    """`gpu` loads engines; `cpu` serves small models and reserves no GPU; `stub` reserves the shares, loads nothing."""
    embedding: EncoderArgs = EncoderArgs()
    language: EngineArgs = EngineArgs()
    speech: SpeechArgs = SpeechArgs()
    retrieval: Reserved = Reserved()

    @model_validator(mode="after")
    def _fits(self) -> AppArgs:
        if (shares := self.shares()) > GPU_SHARES + 1e-9:
            raise ValueError(f"num_gpus sum to {shares:.2f}; at most {GPU_SHARES} of the GPU may be promised")
        if self.backend == "gpu" and not self.language.model:
            raise ValueError("backend gpu needs language.model")
        return self

    def shares(self) -> float:
        """The GPU shares promised, summed."""
        return sum(part.num_gpus for part in (self.embedding, self.language, self.speech, self.retrieval))

    def must_fit_beside(self, *jobs: float) -> None:
        """Raises ConfigError where a job that asks for such a share of the GPU would wait for ever.

        The night and the job that finds communities never run at once (actors/scheduler.py).
        """
        taken = 0.0 if self.backend == "cpu" else self.shares()
        if taken + max(jobs) > 1.0 + 1e-9:
            raise ConfigError(
                f"The deployments hold {taken:.2f} of the GPU and a job asks for {max(jobs):.2f}: lower night.num_gpus,"
                " communities_job.num_gpus, or the shares of the serve file, to 1 in all."
            )

    def reserved(self, part: Reserved) -> float:
        """The share a plain deployment asks for: its own, except where the CPU serves."""
        return 0.0 if self.backend == "cpu" else part.num_gpus

    def environment(self, part: Reserved) -> dict[str, Any] | None:
        """Its Ray runtime environment: none but where the GPU serves, for only engines need what is not here."""
        return runtime_env(part.requirements, part.python) if self.backend == "gpu" else None

    def part_options(self, name: str, part: Reserved) -> dict[str, Any]:
        """Options of a plain deployment that holds this part."""
        return deployment_options(name, self.reserved(part), self.environment(part))


def replica_options() -> dict[str, Any]:
    """What every deployment of ours has in common."""
    return {"num_replicas": 1, "max_ongoing_requests": ONGOING_REQUESTS, **LIVELINESS}


def deployment_options(name: str, num_gpus: float = 0.0, runtime_env: dict[str, Any] | None = None) -> dict[str, Any]:
    """Options of a plain deployment; it asks for no CPU, or a third replica would never start on two cores."""
    actor: dict[str, Any] = {"num_cpus": 0, "num_gpus": num_gpus}
    if runtime_env:
        actor["runtime_env"] = runtime_env
    return {"name": name, "ray_actor_options": actor, **replica_options()}
