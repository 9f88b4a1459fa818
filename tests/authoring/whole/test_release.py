"""Slow tests of the same subject as ``test_release``, for CI and `make test WHOLE=1`."""

import pytest
from homeworks import PAIR
from released import inside, released

from autograder.authoring.checks_package import (
    KIT,
)


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
