"""The YAML files Ray reads: every key is one Ray knows (Ray itself ignores misspelt ones), every share fits the GPU."""

from __future__ import annotations

import copy
import importlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, get_args

import jsonschema
import pytest
import yaml
from pydantic import BaseModel, ValidationError
from ray.autoscaler._private.util import prepare_config, validate_config
from ray.serve._private.api import call_user_app_builder_with_args_if_necessary
from ray.serve._private.build_app import build_app
from ray.serve.schema import ServeDeploySchema

from config.settings import Http, project_root
from deployments.arguments import GPU_SHARES, AppArgs
from deployments.environments import requirement_sets
from memory.errors import ConfigError

LAPTOP = "config/serve.laptop.yaml"
SPARK = "serve_config.yaml"
FILES = (LAPTOP, SPARK)


def read(path: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((project_root() / path).read_text(encoding="utf-8"))
    return content


def application(path: str) -> dict[str, Any]:
    (only,) = read(path)["applications"]
    return dict(only)


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The pydantic models an annotation mentions, at any depth."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from models_in(inner)


def unknown_keys(schema: type[BaseModel], content: Any, path: str = "") -> Iterator[str]:
    """Keys of the content that no field of the schema has."""
    if isinstance(content, list):
        for place, entry in enumerate(content):
            yield from unknown_keys(schema, entry, f"{path}[{place}]")
    elif isinstance(content, Mapping):
        for key, value in content.items():
            if key not in schema.model_fields:
                yield f"{path}.{key}"
                continue
            for inner in models_in(schema.model_fields[key].annotation):
                yield from unknown_keys(inner, value, f"{path}.{key}")


@pytest.mark.parametrize("path", FILES)
def test_a_serve_file_fits_the_schema_and_holds_no_unknown_key(path: str) -> None:
    content = read(path)
    assert ServeDeploySchema.model_validate(content).applications[0].name == "memoray"
    assert list(unknown_keys(ServeDeploySchema, content)) == []


@pytest.mark.parametrize(
    ("where", "key"),
    [
        ((), "http_option"),
        (("logging_config",), "log_levels"),
        (("applications", 0), "route_prefixes"),
        (("applications", 0, "deployments", 0), "num_replica"),
        (("applications", 0, "deployments", 0, "ray_actor_options"), "num_gpu"),
    ],
)
@pytest.mark.parametrize("path", FILES)
def test_a_misspelt_key_is_found_wherever_it_hides(path: str, where: tuple[str | int, ...], key: str) -> None:
    content: Any = read(path)
    place = content
    for step in where:
        place = place[step]
    place[key] = 1
    assert [found.rsplit(".", 1)[1] for found in unknown_keys(ServeDeploySchema, content)] == [key]


@pytest.mark.parametrize("path", FILES)
def test_arguments_are_checked_before_anything_starts(path: str) -> None:
    args = application(path)["args"]
    assert AppArgs.model_validate(args).profile in ("laptop", "spark")
    for wrong in ({**args, "bakend": "gpu"}, {**args, "backend": "tpu"}, {**args, "speech": {"num_gpu": 0.1}}):
        with pytest.raises(ValidationError):
            AppArgs.model_validate(wrong)


def test_the_shares_of_the_spark_fit_one_gpu_and_an_update_of_a_small_part_beside_them() -> None:
    args = AppArgs.model_validate(application(SPARK)["args"])
    shares = [part.num_gpus for part in (args.language, args.embedding, args.speech, args.retrieval)]
    assert all(share > 0 for share in shares)
    assert args.shares() == pytest.approx(sum(shares))
    small = [part.num_gpus for part in (args.embedding, args.speech, args.retrieval)]
    assert args.shares() + max(small) <= GPU_SHARES + 1e-9, "the new replica starts beside the old one"
    assert AppArgs.model_validate(application(LAPTOP)["args"]).shares() == 0.0


def test_a_share_stands_in_one_place_only() -> None:
    for deployment in application(SPARK)["deployments"]:
        assert "num_gpus" not in deployment.get("ray_actor_options", {}), "it would replace the builder's"
        assert "placement_group_bundles" not in deployment


def test_the_spark_s_file_names_the_set_and_the_interpreter_of_every_part() -> None:
    written = application(SPARK)["args"]
    args = AppArgs.model_validate(written)
    for name in ("language", "embedding", "speech", "retrieval"):
        assert {"requirements", "python"} <= written[name].keys()
        assert getattr(args, name).requirements in (None, *requirement_sets())
    deployed = [name for name in requirement_sets() if written.get(name, {}).get("requirements") == name]
    assert deployed == ["embedding", "language", "speech"], "communities are found by a job, retrieval imports nothing"


def test_promising_more_than_the_gpu_has_is_refused() -> None:
    args = copy.deepcopy(application(SPARK)["args"])
    args["language"]["num_gpus"] = 0.75
    with pytest.raises(ValidationError, match=r"sum to 1\.05"):
        AppArgs.model_validate(args)


def test_what_vllm_promises_itself_fits_beside_the_rest() -> None:
    engine = application(SPARK)["args"]["language"]["engine_kwargs"]
    assert engine["gpu_memory_utilization"] <= 0.85, "above it Ray's memory monitor or the host itself gives way"
    assert engine["kv_cache_memory_bytes"] > 0


def test_an_engine_s_arguments_are_ones_ray_knows() -> None:
    private = importlib.import_module("ray.llm._internal.serve.core.configs.llm_config")
    args = AppArgs.model_validate(application(SPARK)["args"]).language
    config = private.LLMConfig(**args.llm_config("Language"))
    assert config.model_loading_config.model_id == "Language"
    assert config.placement_group_config == {"bundles": [{"CPU": 0, "GPU": args.num_gpus}]}
    assert config.accelerator_type is None, "GB10 is not among the types Ray's LLMConfig accepts"
    with pytest.raises(ValidationError):
        private.LLMConfig(**args.llm_config("Language"), engine_kwarg={})


@pytest.mark.parametrize("path", FILES)
def test_the_builder_binds_the_deployments_the_file_names(path: str) -> None:
    declared = application(path)
    module, name = declared["import_path"].split(":")
    args = {**declared["args"], "backend": "stub"}
    app = call_user_app_builder_with_args_if_necessary(getattr(importlib.import_module(module), name), args)
    bound = {deployment.name for deployment in build_app(app, name="memoray").deployments}
    assert bound == {deployment["name"] for deployment in declared["deployments"]}


@pytest.mark.parametrize("path", FILES)
def test_serve_opens_no_front_door_of_its_own(path: str) -> None:
    assert read(path)["proxy_location"] == "Disabled"
    assert "http_options" not in read(path)
    assert Http().host == "127.0.0.1"


def test_the_cluster_file_is_one_ray_up_accepts() -> None:
    prepared = prepare_config(read("ray_cluster.yaml"))
    validate_config(prepared)
    assert list(prepared["available_node_types"]) == ["local.cluster.node"]


@pytest.mark.parametrize("key", ["initial_workers", "autoscaling_mode", "head_start_ray_command"])
def test_the_cluster_file_admits_no_unknown_key(key: str) -> None:
    with pytest.raises(jsonschema.ValidationError, match=key):
        validate_config(prepare_config({**read("ray_cluster.yaml"), key: "default"}))


def test_the_cluster_installs_what_can_be_installed() -> None:
    extras = tomllib.loads((project_root() / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for command in read("ray_cluster.yaml")["setup_commands"]:
        assert set(re.findall(r"\.\[(\w+)\]", command)) <= set(extras), "an extra that is not there"


def test_the_cluster_starts_with_authentication_and_a_small_object_store() -> None:
    content = read("ray_cluster.yaml")
    for start in (content["head_start_ray_commands"][-1], content["worker_start_ray_commands"][-1]):
        assert "RAY_AUTH_MODE=token" in start
        assert "--object-store-memory=4000000000" in start


@pytest.mark.parametrize("jobs", [(0.0, 0.0), (0.15, 0.2), (0.2, 0.0)])
def test_a_job_with_a_share_fits_beside_the_deployments(jobs: tuple[float, float]) -> None:
    AppArgs.model_validate(application(SPARK)["args"]).must_fit_beside(*jobs)


def test_a_job_that_would_wait_for_its_share_for_ever_is_refused() -> None:
    args = AppArgs.model_validate(application(SPARK)["args"])
    with pytest.raises(ConfigError, match=r"hold 0\.80 of the GPU and a job asks for 0\.25"):
        args.must_fit_beside(0.1, 0.25)
    args.model_copy(update={"backend": "cpu"}).must_fit_beside(0.1, 0.25)
