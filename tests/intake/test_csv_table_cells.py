"""Cells of CSV files: no text becomes a formula in any spreadsheet, and every text comes back as it was."""

import csv
import io
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from autograder.intake.csv_table import as_read, decimal, plain, read_table, safe, write_table

SIGNS = "=+-@＝＋－＠"
LETTERS = st.sampled_from([*SIGNS, *"a1,;\t\r\n'\" \ufeff()"]) | st.characters(codec="utf-8")
TEXTS = st.text(LETTERS, max_size=12)


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", "\ufeff=1", "'=1", '"=1']
)
def test_what_a_spreadsheet_takes_for_a_formula_becomes_text(text):
    assert safe(text).startswith(f"'{text[0]}")


@pytest.mark.parametrize(
    "text", ["ada;=1", "ada\t=1", "ada\n=1", "ada; =1", 'ada;"=1"', "ada;'=1", "ada;＝1"]
)
def test_so_does_a_part_of_a_text_that_another_separator_would_make_a_cell(text):
    assert safe(text) == f"{text[:4]}'{text[4:]}"


@pytest.mark.parametrize("text", ["", "ada", "O'Brien", "a=b", "12", " 12", "-", "a; b", "a,=b", "a -b"])
def test_all_other_text_stays(text):
    assert safe(text) == text


@settings(deadline=None)
@given(TEXTS)
@example("＝ada")
@example("'=ada;'+1")
def test_escaping_can_be_undone(text):
    assert plain(safe(text)) == text


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@settings(deadline=None)
@given(rows=st.lists(st.lists(TEXTS, min_size=3, max_size=3), min_size=1, max_size=3))
def test_no_reader_finds_a_cell_that_begins_a_formula(rows, separator, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "cells.csv"
    write_table(path, ["a", "b", "c"], rows)
    written = io.StringIO(path.read_bytes().decode("utf-8"), newline="")
    for row in csv.reader(written, delimiter=separator):
        for cell in row:
            # A lone sign is none, also where the rest of its line, read as one cell, goes on with a comma.
            assert not re.match(rf"[ \ufeff]*[{re.escape(SIGNS)}](?!,|$)", cell), cell


@settings(deadline=None)
@given(rows=st.lists(st.tuples(TEXTS, TEXTS), max_size=4))
def test_a_table_comes_back_as_it_was_written(rows, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "table.csv"
    write_table(path, ["=x", "y"], rows)
    found = read_table(path, len)
    assert found.header == ("=x", "y")
    assert [tuple(row) for _, row in found.rows] == rows


def test_numbers_stay_numbers_and_nothing_is_a_blank(tmp_path):
    write_table(tmp_path / "t.csv", ["x"], [["ada", -0.5, None, 3]])
    assert (tmp_path / "t.csv").read_text("utf-8").splitlines()[1] == "ada,-0.5,,3"


def test_a_name_that_is_no_utf_8_is_known_by_how_it_comes_back(tmp_path):
    write_table(tmp_path / "t.csv", ["x"], [[" \udcff ＝"]])
    [(_, [cell])] = read_table(tmp_path / "t.csv", len).rows
    assert cell.strip() == as_read(" \udcff ＝")


@given(st.decimals(0, 999, places=2), st.sampled_from([",", "."]))
def test_a_number_is_the_same_with_a_point_and_with_a_comma(value, sign):
    assert decimal(f" {value}".replace(".", sign)) == float(value)


@pytest.mark.parametrize("text", ["1,234", "-12,500", "1,2,3", "1.234,5", "1,234.5", "1_0", "3,5 %", "", "x"])
def test_a_number_that_may_be_another_one_is_none(text):
    with pytest.raises(ValueError, match="could "):
        decimal(text)


@pytest.mark.parametrize(("text", "value"), [("0,125", 0.125), ("3,", 3), (",5", 0.5), ("1,0625", 1.0625)])
def test_three_digits_after_a_comma_are_thousands_only_after_other_digits(text, value):
    assert decimal(text) == value
