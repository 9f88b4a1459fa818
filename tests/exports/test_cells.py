from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.exports.cells import FORMULA_STARTS, is_formula, safe, write_table


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", "\ufeff=1"]
)
def test_what_a_spreadsheet_takes_for_a_formula_becomes_text(text: str) -> None:
    assert safe(text) == "'" + text


@pytest.mark.parametrize("text", ["", "ada", "O'Brien", "a=b", "12", " 12", "'=1", "-"])
def test_all_other_text_stays(text: str) -> None:
    assert safe(text) == text


@given(st.text(max_size=20))
def test_a_safe_cell_is_no_formula_and_keeps_its_text(text: str) -> None:
    assert not is_formula(safe(text))
    assert len(safe(text)) < 2 or not safe(text).startswith(FORMULA_STARTS)
    assert safe(text).endswith(text)


def test_a_table_comes_back_as_it_was_written(tmp_path: Path) -> None:
    rows = [["a,b", 'c"d'], ["line\nbreak", "é"]]
    write_table(tmp_path / "t.csv", ["x", "y"], rows)
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["x", "y"], *rows]
