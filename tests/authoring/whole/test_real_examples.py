"""The worked examples of this course, computed once more in another way, and the code that students paste."""

import re

import numpy as np
import pytest
from homeworks import SIX

from autograder.handouts.text import read_example

HOMEWORKS = SIX


def softmax(scores, axis):
    shares = np.exp(scores - scores.max(axis, keepdims=True))
    return np.asarray(shares / shares.sum(axis, keepdims=True))


def normalised(x):
    return np.asarray((x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True))


def check_hw1(n):
    assert np.allclose(n["weights"], softmax(n["Q"] @ n["K"].T / np.sqrt(2), 1))
    assert np.allclose(n["output"], n["weights"] @ n["V"])
    assert n["weights"][1, 0] == n["weights"][1, 2] > n["weights"][1, 1]


def check_hw2(n):
    for name in "qkv":
        assert np.array_equal(n[name.upper()], n["X"] @ n[f"W_{name}"])
    assert np.allclose(n["weights"], softmax(n["Q"] @ n["K"].T / np.sqrt(2), 1))
    assert np.allclose(n["output"], n["weights"] @ n["V"])


def check_hw3(n):
    assert np.allclose(n["weights"] * [8, 8, 8], [[1, 3, 4], [3.2, 0.8, 4]])
    assert np.allclose(n["context"], n["weights"] @ n["V"])
    assert np.allclose(n["scaled_4"], n["scaled_64"])
    assert n["entropy_raw_64"] < n["entropy_raw_4"] < n["entropy_scaled_64"]


def check_hw4(n):
    scores = (n["omega_k"] @ n["X"] + n["beta_k"]).T @ (n["omega_q"] @ n["X"] + n["beta_q"])
    assert np.allclose(n["weights"], softmax(scores, 0))
    assert np.allclose(n["output"], n["V"] @ n["weights"])
    assert np.allclose(n["scaled_output"], n["V"] @ softmax(scores / np.sqrt(2), 0))
    assert np.array_equal(n["exchanged"], n["X"][:, ::-1])


def check_hw5(n):
    heads = [n[f"omega_v{i}"] @ n["X"] @ n[f"weights{i}"] for i in (1, 2)]
    assert np.allclose(n["stacked"], np.vstack(heads))
    assert np.allclose(n["output"], n["omega_c"] @ n["stacked"])
    assert np.allclose(n["odds_weights"], n["odds"] / n["odds"].sum(0))
    assert not np.isclose(n["transposed"], n["printed"][0, 0], atol=1)


def check_hw6(n):
    assert np.allclose(n["y"], normalised(n["x"] + n["attended"]), atol=1e-4)
    assert np.allclose(n["z"], normalised(n["y"] + np.maximum(0, n["y"])), atol=1e-4)
    parts = n["count_self_attn"] + n["count_ff"] + 2 * n["count_norm1"]
    assert n["count_all"] == parts


CHECKS = (
    check_hw1,
    check_hw2,
    check_hw3,
    check_hw4,
    check_hw5,
    check_hw6,
)


PAIRS = [
    (homework, check)
    for homework in HOMEWORKS
    for check in CHECKS
    if check.__name__ == f"check_{homework[:3]}"
]


@pytest.mark.parametrize(("homework_id", "check"), PAIRS, ids=[homework_id for homework_id, _ in PAIRS])
def test_an_example_says_what_its_formula_says(homework_id, check, course, pool):
    example = read_example(course.homework(homework_id), pool)
    check({name: matrix.numbers for name, matrix in example.matrices.items()})
    check_pasted(example, (course.assignments / homework_id / "handout.md").read_text("utf-8"))


def check_pasted(example, handout):
    """What a student pastes gives the arrays that were computed with."""
    names = {"np": np}
    for code in re.findall(r"```python\n(.*?)```", handout, re.DOTALL):
        if "torch" not in code:
            exec(code, names)
    pasted = {name: value for name, value in names.items() if name in example.matrices}
    assert len(pasted) >= 1
    for name, value in pasted.items():
        matrix = example.matrices[name]
        if name not in (
            "W_q",
            "W_k",
            "W_v",
        ):  # pasted once for the example and once for the notebook's numbers
            assert np.allclose(value, matrix.numbers, atol=1e-8), name
            assert np.asarray(value).dtype.kind == matrix.numbers.dtype.kind


def test_the_block_that_students_build_by_the_handout_gives_its_numbers(course):
    import torch

    homework = course.homework("hw6_encoder_block")
    handout = (course.assignments / homework.id / "handout.md").read_text("utf-8")
    names = {"np": np, "torch": torch}
    exec(homework.solution.read_text("utf-8"), names)
    for code in re.findall(r"```python\n(.*?)```", handout, re.DOTALL):
        exec(code, names)
    printed = re.findall(r"^cats .*", handout, re.MULTILINE)[1]
    assert [f"{number:.2f}" for number in names["z"][0].tolist()] == printed.split()[6:]
