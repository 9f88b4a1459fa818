"""The hidden suite of one homework as a plain list of calls and expected values."""

import importlib.util
import pickle
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
CASES: list[dict[str, Any]] = pickle.loads((HERE / "cases.pkl").read_bytes())


def load(path: str) -> ModuleType:
    """Import a submission by its path."""
    spec = importlib.util.spec_from_file_location("submission", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_all(names: dict[str, Any]) -> None:
    """Hold a submission's names against every case; the first difference raises."""
    student = SimpleNamespace(**names)
    for case in CASES:
        check(student, case)


def check(student: Any, case: dict[str, Any]) -> None:
    """Make one call and compare what it returns, and its gradients, with what is expected."""
    returned, leaves = _call(student, case["call"])
    _same(returned, case["expected"], case["tolerance"])
    if case["gradients"]:
        output = returned[-1] if isinstance(returned, tuple) else returned
        (output * _live(case["call"]["cotangent"])).sum().backward()
        for key, expected in case["gradients"].items():
            if key in leaves and expected is not None:
                _same(leaves[key].grad, expected, case["tolerance"])


def _call(student: Any, call: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    instance = getattr(student, call["name"])
    arguments = [_live(argument) for argument in call["args"]]
    if call["op"] == "function":
        return instance(*arguments), {
            str(place): argument for place, argument in enumerate(arguments)
        }
    module = instance(*arguments)
    parameters = dict(module.named_parameters())
    for parameter, expected_parameter in zip(
        parameters.values(), call["parameters"].values(), strict=True
    ):
        parameter.data.copy_(_live(expected_parameter))
    module.train(call["training"])
    x = _live(call["input"])
    return module(x), {
        "input": x,
        **dict(zip(call["parameters"], parameters.values(), strict=True)),
    }


def _live(value: Any) -> Any:
    if not (isinstance(value, dict) and "tensor" in value):
        return value
    import torch

    return torch.tensor(value["tensor"], requires_grad=value["requires_grad"])


def _same(got: Any, expected: Any, tolerance: float) -> None:
    if isinstance(expected, tuple | list):
        assert len(got) == len(expected)
        for value, other in zip(got, expected, strict=True):
            _same(value, other, tolerance)
        return
    array = np.asarray(got.detach() if hasattr(got, "detach") else got)
    expected = np.asarray(
        expected["tensor"] if isinstance(expected, dict) else expected
    )
    assert array.shape == expected.shape
    largest = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(array, expected, rtol=0, atol=tolerance * largest)
