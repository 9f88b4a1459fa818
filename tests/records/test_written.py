import base64
import csv
import hashlib
import json
from dataclasses import replace

import pytest
from asked import ask
from results import PASSED, homework, submission
from wording import to_staff

from autograder.csv_table import write_table
from autograder.gradebook.decisions import Mark
from autograder.policy.policy import PolicyError
from autograder.report.written import (
    COLUMNS,
    code_of,
    collect_written,
    find_unequal_marks,
    is_code,
    merge_written,
    write_written_page,
)
from autograder.verdict.checks import CheckResult, Outcome

from .test_report import ANSI, EVIL, Reader

SECRET = "a secret of this gradebook"
COLLECTED = CheckResult("theory_why", "theory", "Why twice", 2.0, Outcome.COLLECTED)


def answered(name, text=""):
    return submission(name, homework(checks=(PASSED, replace(COLLECTED, answer=text or f"{name} thinks so"))))


@pytest.fixture
def asking(tiny):
    ask(tiny)
    return tiny


def collect(asking, *results, anonymous=False):
    return collect_written(results, [asking.homework], SECRET, anonymous=anonymous)


def merge(asking, path, *results, anonymous=False, chosen="hwx"):
    groups_collected = collect(asking, *results, anonymous=anonymous)
    names = [result.name for result in results]
    table = merge_written(path, groups_collected, names, [chosen], (), SECRET, anonymous=anonymous)
    write_table(path, table.columns, table.cells)
    return table


def rows(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def enter(path, name, points, comment=""):
    """Mark one answer as a person does in a spreadsheet."""
    lines = rows(path)
    for row in lines:
        if row["submission"] == name:
            row.update(points=points, comment=comment)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, lines[0].keys())
        writer.writeheader()
        writer.writerows(lines)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "written.csv"


def test_answers_are_collected_by_question_with_alike_ones_beside_each_other(asking):
    texts = {"bo": "Because.", "ada": "ada thinks so", "cyd": "because", "eve": " BECAUSE\n"}
    [collected] = collect(asking, *(answered(name, text) for name, text in texts.items()), submission("dee"))
    assert collected.question.id == "why"
    names = [[[answer.shown for answer in equal] for equal in near] for near in collected.groups]
    assert names == [[["ada"]], [["cyd", "eve"], ["bo"]]]
    assert [answer.text for answer in collected.answers] == [
        "ada thinks so",
        "because",
        " BECAUSE\n",
        "Because.",
    ]


def test_letters_that_only_look_equal_are_not(asking):
    [collected] = collect(
        asking,
        answered("ada", "x²"),
        answered("bo", "x2"),
        answered("cyd", "caf\u00e9"),
        answered("dee", "CAFE\u0301"),
    )
    assert [[len(equal) for equal in near] for near in collected.groups] == [[1, 1], [2]]


def test_marks_in_the_gradebook_fill_in_what_the_table_lacks(asking, path):
    results = [answered(name) for name in ("ada", "bo", "cyd")]
    merge(asking, path, *results)
    enter(path, "ada", "2")
    marks = [
        Mark("ada", "hwx", "why", 1, 2, "old"),
        Mark("bo", "hwx", "why", 0.5, 2, "short"),
        Mark("cyd", "hwx", "why", None, 2),
    ]
    table = merge_written(
        path, collect(asking, *results), ["ada", "bo", "cyd"], ["hwx"], marks, anonymous=False
    )
    assert [(row["points"], row["comment"]) for row in table.rows] == [("2", ""), ("0.5", "short"), ("", "")]


def test_a_question_without_answers_is_left_out(asking):
    assert collect(asking, submission("ada", homework())) == []


def test_the_table_has_a_blank_row_for_each_answer(asking, path):
    table = merge(asking, path, answered("bo"), answered("ada"))
    assert rows(path) == [
        {"submission": n, "homework": "hwx", "question": "why", "max": "2", "points": "", "comment": ""}
        for n in ("ada", "bo")
    ]
    assert tuple(rows(path)[0]) == COLUMNS
    assert table.unmarked == 2


def test_what_people_entered_stays_while_answers_come_and_go(asking, path):
    merge(asking, path, answered("ada"), answered("bo"), answered("cyd"))
    enter(path, "ada", "1.5", "good, but\nsay why")
    enter(path, "cyd", "0")
    table = merge(asking, path, answered("ada"), answered("eve"))
    entered = [(row["submission"], row["points"], row["comment"]) for row in rows(path)]
    assert entered == [("ada", "1.5", "good, but\nsay why"), ("eve", "", ""), ("cyd", "0", "")]
    assert table.orphans == [("cyd", "hwx", "why")]


def test_merging_again_changes_nothing(asking, path):
    results = answered("ada"), answered("=bo")
    merge(asking, path, *results)
    enter(path, "ada", "2", "＝wide, =narrow")
    enter(path, "'=bo", "1", "'quoted'")
    merge(asking, path, *results)
    before = path.read_bytes()
    merge(asking, path, *results)
    assert path.read_bytes() == before
    assert sorted(row["points"] for row in rows(path)) == ["1", "2"]


def test_columns_that_people_added_stay(asking, path):
    merge(asking, path, answered("ada"))
    path.write_text(
        path.read_text("utf-8").replace("comment", "comment,marked by").replace("2,,", "2,1,,Kim")
    )
    merge(asking, path, answered("ada"), answered("bo"))
    assert [(row["points"], row["marked by"]) for row in rows(path)] == [("1", "Kim"), ("", "")]


def test_rows_of_homeworks_not_asked_for_stay(asking, path):
    merge(asking, path, answered("ada"))
    table = merge_written(path, [], ["ada"], ["hw_other"], anonymous=False)
    assert [row["submission"] for row in table.rows] == ["ada"]
    assert table.orphans == []


def test_a_spreadsheets_semicolons_are_read(asking, path):
    path.write_text(
        "submission;homework;question;max;points;comment\nada;hwx;why;2;1;so, so\n", encoding="utf-8"
    )
    merge(asking, path, answered("ada"))
    assert [(row["points"], row["comment"]) for row in rows(path)] == [("1", "so, so")]


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "submission,homework,question,max,points\n", "\xff\xfe"])
def test_a_table_that_cannot_be_read_is_left_alone(asking, path, text):
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(PolicyError, match=r"written\.csv"):
        merge(asking, path, answered("ada"))
    assert path.read_bytes() == text.encode("latin-1")


def test_two_rows_for_one_answer_are_refused(asking, path):
    merge(asking, path, answered("ada"))
    path.write_text(path.read_text("utf-8") + "ada,hwx,why,2,1,\n", encoding="utf-8")
    with pytest.raises(PolicyError, check=to_staff["written.line-a-second-row-for-ada"]):
        merge(asking, path, answered("ada"))


@pytest.mark.parametrize("name", ["=1+1", "+x", "-x", "@x"])
def test_no_cell_becomes_a_formula_and_the_name_is_known_again(asking, path, name):
    merge(asking, path, answered(name))
    assert rows(path)[0]["submission"] == f"'{name}"
    enter(path, f"'{name}", "1", "=HYPERLINK(1)")
    merge(asking, path, answered(name))
    assert [(row["points"], row["comment"]) for row in rows(path)] == [("1", "'=HYPERLINK(1)")]


def test_codes_stand_for_names_and_are_turned_back(asking, path):
    results = answered("ada"), answered("bo")
    merge(asking, path, *results, anonymous=True)
    assert {row["submission"] for row in rows(path)} == {code_of("ada", SECRET), code_of("bo", SECRET)}
    enter(path, code_of("bo", SECRET), "2", "fine")
    merge(asking, path, *results, anonymous=True)
    merge(asking, path, *results)
    assert [(row["submission"], row["points"]) for row in rows(path)] == [("ada", ""), ("bo", "2")]


def test_a_code_tells_no_name_and_is_always_the_same():
    assert code_of("ada", SECRET) == code_of("ada", SECRET) != code_of("bo", SECRET)
    assert is_code(code_of("ada", SECRET))
    assert is_code(code_of("caf\udce9", SECRET))
    assert not is_code("ada")


def test_another_gradebook_has_other_codes_and_none_has_any_without_a_secret():
    assert code_of("ada", SECRET) != code_of("ada", "another secret")
    with pytest.raises(ValueError, match="secret"):
        code_of("ada", "")


def test_a_submission_that_is_called_like_a_code_is_one_like_any_other(asking, path):
    results = answered("ada"), answered("anonymous-aaaaaaaa", "So I think.")
    _, text = page(asking, path, *results, anonymous=True)
    codes = {code_of("ada", SECRET), code_of("anonymous-aaaaaaaa", SECRET)}
    assert {row["submission"] for row in rows(path)} == codes
    assert "anonymous-aaaaaaaa" not in text
    enter(path, code_of("anonymous-aaaaaaaa", SECRET), "2")
    merge(asking, path, *results)
    entered = [(row["submission"], row["points"]) for row in rows(path)]
    assert entered == [("ada", ""), ("anonymous-aaaaaaaa", "2")]


def test_a_name_that_was_chosen_as_anothers_code_takes_no_row_from_it(asking, path):
    # Codes used to be a plain hash, which anybody can compute: bo calls himself what ada was called then.
    code_taken = "anonymous-" + base64.b32encode(hashlib.sha256(b"ada").digest())[:8].decode().lower()
    results = answered("ada"), answered(code_taken)
    merge(asking, path, *results, anonymous=True)
    assert len({row["submission"] for row in rows(path)}) == 2
    enter(path, code_of("ada", SECRET), "2")
    merge(asking, path, *results)
    assert {row["submission"]: row["points"] for row in rows(path)} == {"ada": "2", code_taken: ""}


def test_a_table_with_codes_of_an_earlier_version_is_read(asking, path):
    merge(asking, path, answered("ada"))
    code = "anonymous-" + base64.b32encode(hashlib.sha256(b"ada").digest())[:8].decode().lower()
    path.write_text(path.read_text("utf-8").replace("ada,hwx,why,2,,", f"{code},hwx,why,2,1.5,"), "utf-8")
    merge(asking, path, answered("ada"))
    assert [(row["submission"], row["points"]) for row in rows(path)] == [("ada", "1.5")]


def test_a_mark_whose_submission_is_gone_loses_its_name_too(asking, path):
    merge(asking, path, answered("ada"), answered("bo"))
    enter(path, "bo", "1")
    merge(asking, path, answered("ada"), anonymous=True)
    assert "bo" not in {row["submission"] for row in rows(path)}
    merge(asking, path, answered("ada"), answered("bo"))
    assert [(row["submission"], row["points"]) for row in rows(path)] == [("ada", ""), ("bo", "1")]


def page(asking, path, *results, anonymous=False):
    table = merge(asking, path, *results, anonymous=anonymous)
    html = path.with_name("written.html")
    write_written_page(html, collect(asking, *results, anonymous=anonymous), table, "2027")
    return Reader(html.read_text("utf-8")), html.read_text("utf-8")


def test_the_page_shows_question_rubric_answers_and_marks(asking, path):
    merge(asking, path, answered("ada"))
    enter(path, "ada", "1.5", "say more")
    reader, _ = page(asking, path, answered("ada"), answered("bo", "ada thinks so"))
    for words in ("Say why.", "Names a reason.", "ada thinks so", "1.5 of 2. say more", "____ of 2"):
        assert words in reader.text
    assert to_staff["written.answers-that-are-the-same"] in reader.text


def test_the_page_holds_the_table_and_begins_with_the_rows_that_it_shows(asking, path):
    merge(asking, path, answered("zed"))
    enter(path, "zed", "1")
    _, text = page(asking, path, answered("bo", EVIL), answered("caf\udce9"))
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    assert data["gradebook"] == "2027"
    assert tuple(data["columns"]) == COLUMNS
    assert (
        [row[0] for row in data["rows"]]
        == [row["submission"] for row in rows(path)]
        == ["bo", "caf\\udce9", "zed"]
    )


def test_what_students_write_stays_text(asking, path):
    reader, text = page(asking, path, answered(EVIL, EVIL + ANSI + "</p></article>"))
    assert reader.tags.count("script") == 2
    assert EVIL in reader.text
    assert not set("\x1b\x07\u202e") & set(text)


def test_no_name_is_on_an_anonymous_page(asking, path):
    reader, text = page(
        asking, path, answered("ada", "so it is"), answered("bo", "so it was"), anonymous=True
    )
    assert not {"ada", "bo"} & set(reader.text.split())
    assert code_of("ada", SECRET) in text


def test_equal_answers_with_different_points_are_found_and_shown(asking, path, tmp_path):
    texts = {"ada": "Because.", "bo": "because.", "cyd": "BECAUSE.", "dee": "because. ", "eve": "Because!"}
    results = [answered(name, text) for name, text in texts.items()]
    merge(asking, path, *results)
    for name, points in {"ada": "0", "bo": "1,5", "cyd": "1.50", "eve": "2"}.items():
        enter(path, name, points)
    table = merge(asking, path, *results)
    groups_collected = collect(asking, *results)
    points = {(row["submission"], "hwx", "why"): row["points"] for row in table.rows}
    [unequal] = find_unequal_marks(groups_collected, points)
    assert unequal.first == ("ada", "hwx", "why")
    assert unequal.names == {"0": ["ada"], "1.5": ["bo", "cyd"]}
    page = tmp_path / "written.html"
    write_written_page(page, groups_collected, table, "g")
    assert (
        page.read_text("utf-8").count("Equal answers with different points: 0 (ada) and 1.5 (bo and cyd).")
        == 1
    )
