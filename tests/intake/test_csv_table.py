import pytest
from wording import to_staff

from autograder.intake import csv_table as table_module
from autograder.intake.csv_table import TableError, encoding_note, read_table


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
    assert encoding_note(path) == table.note
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
    ("data", "told"),
    [
        (b"id,name\n1,Zo\x81\n", "is not in UTF-8: save it as CSV UTF-8"),
        (b"i\0d\0,\0\xeb\0", "is not in UTF-8: save it as CSV UTF-8"),
        (b"id,name\n1,Ada\n2," + b"x" * 200_000, "line 2 or after it: field larger than"),
        (b"id,name\n1,Ada\n2,Bo, Jr\n", "line 3.*: more cells than columns"),
        (b"id,name\n1,5,\n", "line 2.*: more cells than columns"),
        (b"id," + b"x" * 200_000, "field larger than"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_the_remedy(tmp_path, data, told):
    path = tmp_path / "class.csv"
    path.write_bytes(data)
    with pytest.raises(TableError, match=rf"class\.csv.* {told}"):
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
