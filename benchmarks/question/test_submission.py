"""The question as a plain pytest module: one test per case."""

import os
from types import ModuleType
from typing import Any

import pytest
from question import CASES, check, load


@pytest.fixture(scope="module")
def student() -> ModuleType:
    """The submission that the environment names."""
    module: ModuleType = load(os.environ["SUBMISSION"])
    return module


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(student: ModuleType, case: dict[str, Any]) -> None:
    """The submission agrees on this case."""
    check(student, case)
