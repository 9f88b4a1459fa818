import csv
import io
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from wording import to_staff

from autograder import csv_table as table_module
from autograder.csv_table import (
    TableError,
    as_read_back,
    escape_formulas,
    parse_decimal,
    read_table,
    unescape_formulas,
    write_table,
)


def known(header):
    return len({"id", "name"} & set(header))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_separator_and_encoding_are_found(tmp_path, separator, encoding):
    path = tmp_path / "class.csv"
    path.write_bytes(f" id {separator}name\r\n1{separator}Zoë\r\n".encode(encoding))
    table = read_table(path, known)
    assert table.header == ("id", "name")
    assert table.rows == ((2, ["1", "Zoë"]),)


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;", "sep=;;;"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_excels_first_line_names_the_separator(tmp_path, line, encoding):
    path = tmp_path / "class.csv"
    path.write_bytes(f"{line}\r\nid;name\r\n1;Zoë\r\n2;a, b\r\n".encode(encoding))
    table = read_table(path, known)
    assert table.header == ("id", "name")
    assert table.rows == ((3, ["1", "Zoë"]), (4, ["2", "a, b"]))


def test_a_table_of_western_windows_is_read_and_said(tmp_path):
    path = tmp_path / "class.csv"
    path.write_bytes("id;name\n1;Zoë\n".encode("cp1252"))
    table = read_table(path, known)
    assert table.rows == ((2, ["1", "Zoë"]),)
    assert table.note == to_staff["csv_table.windows"]
    assert read_table(path, len).note == table.note
    path.write_bytes("id;name\n1;Zoë\n".encode())
    assert read_table(path, known).note == ""


def test_a_line_number_is_that_of_the_file_where_a_cell_has_several_lines(tmp_path):
    path = tmp_path / "class.csv"
    path.write_text('id,name\n1,"Ada\nLovelace"\n2,Bo\n', "utf-8")
    assert [line for line, _ in read_table(path, known).rows] == [3, 4]


def test_lines_of_separators_alone_are_no_reason_to_refuse_a_table(tmp_path):
    path = tmp_path / "class.csv"
    path.write_bytes(b"id,name\n1,Ada\n,,,\n")
    assert next(row for _, row in read_table(path, known).rows) == ["1", "Ada"]


def test_an_empty_file_is_an_empty_table(tmp_path):
    path = tmp_path / "class.csv"
    path.write_bytes(b"")
    assert read_table(path, known) == table_module.Table((), ())


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"id,name\n1,Zo\x81\n", "is not in UTF-8: save it as CSV UTF-8"),
        (b"i\0d\0,\0\xeb\0", "is not in UTF-8: save it as CSV UTF-8"),
        (b"id,name\n1,Ada\n2," + b"x" * 200_000, "line 2 or after it: field larger than"),
        (b"id,name\n1,Ada\n2,Bo, Jr\n", "line 3.*: more cells than columns"),
        (b"id,name\n1,5,\n", "line 2.*: more cells than columns"),
        (b"id," + b"x" * 200_000, "field larger than"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_the_remedy(tmp_path, data, reason):
    path = tmp_path / "class.csv"
    path.write_bytes(data)
    with pytest.raises(TableError, match=rf"class\.csv.* {reason}"):
        read_table(path, known)


def test_a_table_that_is_not_there_is_named(tmp_path):
    with pytest.raises(TableError, check=to_staff["csv_table.cannot-be-read"]):
        read_table(tmp_path / "nowhere.csv", known)


def test_a_file_too_large_for_a_class_is_not_read_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(table_module, "MAX_BYTES", 10)
    path = tmp_path / "class.csv"
    path.write_bytes(b"id,name\n1,Ada\n")
    with pytest.raises(TableError, match="larger than"):
        read_table(path, known)


# Cells: no text becomes a formula in any spreadsheet, and every text comes back as it was

SIGNS = "=+-@＝＋－＠"
LETTERS = st.sampled_from([*SIGNS, *"a1,;\t\r\n'\" \ufeff()"]) | st.characters(codec="utf-8")
TEXTS = st.text(LETTERS, max_size=12)


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", "\ufeff=1", "'=1", '"=1']
)
def test_what_a_spreadsheet_takes_for_a_formula_becomes_text(text):
    assert escape_formulas(text).startswith(f"'{text[0]}")


@pytest.mark.parametrize(
    "text", ["ada;=1", "ada\t=1", "ada\n=1", "ada; =1", 'ada;"=1"', "ada;'=1", "ada;＝1"]
)
def test_so_does_a_part_of_a_text_that_another_separator_would_make_a_cell(text):
    assert escape_formulas(text) == f"{text[:4]}'{text[4:]}"


@pytest.mark.parametrize("text", ["", "ada", "O'Brien", "a=b", "12", " 12", "-", "a; b", "a,=b", "a -b"])
def test_all_other_text_stays(text):
    assert escape_formulas(text) == text


@settings(deadline=None)
@given(TEXTS)
@example("＝ada")
@example("'=ada;'+1")
def test_escaping_can_be_undone(text):
    assert unescape_formulas(escape_formulas(text)) == text


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
    assert cell.strip() == as_read_back(" \udcff ＝")


@given(st.decimals(0, 999, places=2), st.sampled_from([",", "."]))
def test_a_number_is_the_same_with_a_point_and_with_a_comma(value, sign):
    assert parse_decimal(f" {value}".replace(".", sign)) == float(value)


@pytest.mark.parametrize("text", ["1,234", "-12,500", "1,2,3", "1.234,5", "1,234.5", "1_0", "3,5 %", "", "x"])
def test_a_number_that_may_be_another_one_is_none(text):
    with pytest.raises(ValueError, match="could "):
        parse_decimal(text)


@pytest.mark.parametrize(("text", "value"), [("0,125", 0.125), ("3,", 3), (",5", 0.5), ("1,0625", 1.0625)])
def test_three_digits_after_a_comma_are_thousands_only_after_other_digits(text, value):
    assert parse_decimal(text) == value


def test_platforms_that_schools_have_added_find_their_names():
    from autograder.intake import csv_table as earlier_path

    assert earlier_path.write_table is table_module.write_table
    assert earlier_path.Cell is table_module.Cell
