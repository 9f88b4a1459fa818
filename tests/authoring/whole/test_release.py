"""Slow tests of the same subject as ``test_release``, for CI and `make test WHOLE=1`."""

import numpy as np
import pytest
from homeworks import PAIR
from released import inside, released

from autograder.authoring.checks_package import KIT
from autograder.course.cases import Group
from autograder.verdict.store import open_store
from autograder.worker.wire import Bag, encode

from ..test_release import IDS, handed_out, solution_lines, texts


@pytest.mark.parametrize("homework_id", PAIR)
def test_a_homework_is_few_files_and_one_archive_with_its_own_data_alone(homework_id):
    files = released(homework_id)
    assert len(files) <= 15
    assert all("/" not in name for name in files)
    homework = {f"public_checks.pyz/homework/{name}" for name in ("homework.json", "arrays.npz", "checks.py")}
    for_notebooks = {f"public_checks.pyz/{name}" for name in ("public_checks.py", "attention_plots.py")}
    for name in for_notebooks:
        assert inside(files)[name] == files[name.partition("/")[2]]
    others = set(inside(files)) - set(files) - homework - for_notebooks - {"public_checks.pyz/__main__.py"}
    assert {name.split("/")[1] for name in others} == {"autograder"}
    for name in others:
        assert inside(files)[name] == (KIT.parent / name.partition("/")[2]).read_bytes()


ENGINE = "public_checks.pyz/autograder/"
"""Byte for byte the kit's own files, which know no homework: `answers = {}` there gives nothing away."""


def arrays_of(value):
    bag = Bag()
    encode(value, bag)
    return [array for array in bag.values() if array.size >= 4 and array.dtype.kind != "b"]


def split_arrays(course, homework):
    """The arrays of hidden cases, and the bytes of those that are public.

    A hidden step of a public case, such as the softmax within a public attention, has no secret: its answer
    is among the public ones, and its input is computed from public ones. A mistake may return that input.
    """
    stored = open_store(course, homework).read()
    public = set()
    for known in stored:
        if known.case.group is not Group.HIDDEN:
            arrays = arrays_of([dict(known.case.call.as_mapping()), known.expected, known.gradients])
            public |= {array.tobytes() for array in arrays}
    hidden = []
    for known in stored:
        answers = arrays_of([known.expected, known.gradients])
        is_step_of_public_case = bool(answers) and all(
            array.tobytes() in public and not is_found_by_chance(array) for array in answers
        )
        if known.case.group is Group.HIDDEN and not is_step_of_public_case:
            hidden += [*arrays_of([dict(known.case.call.as_mapping())]), *answers]
    return hidden, public


def is_found_by_chance(array):
    """Whether a small array may be a piece of any other one: it holds 0 and 1, or one number only."""
    return bool(np.isin(array, (0, 1)).all() or np.unique(array).size == 1)


@pytest.mark.parametrize("homework_id", IDS)
def test_no_line_of_any_solution_is_released(course, homework_id):
    lines = solution_lines(course, homework_id)
    assert len(lines) > 30
    for name, text in texts(handed_out(homework_id)).items():
        if not name.startswith(ENGINE):
            assert [line for line in lines if line in text] == [], name


@pytest.mark.parametrize("homework_id", IDS)
def test_no_hidden_array_is_released_as_bytes_or_as_text(course, homework_id):
    hidden, public = split_arrays(course, course.homework(homework_id))
    hidden = [array for array in hidden if array.size > 64 or not is_found_by_chance(array)]
    # Weights of zeros, which switch a layer off, are no secret.
    hidden = [array for array in hidden if np.ptp(array.astype(np.float64)) > 0]
    secret = [array for array in hidden if array.tobytes() not in public]
    assert len(secret) >= 4
    files = handed_out(homework_id)
    blob = b"\0".join(files.values())
    text = "\n".join(texts(files).values())
    for array in secret:
        assert array.tobytes() not in blob
        numbers = [number for number in array.ravel()[:4].astype(np.float64) if len(f"{number:.6g}") > 6]
        assert not numbers or not all(f"{number:.5f}"[:-1] in text for number in numbers)
