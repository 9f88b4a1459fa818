import contextlib
import io
import shutil

import pytest
from wording import to_staff

from autograder.cli import options as options_module
from autograder.sandbox.levels import PROCESS_ONLY

from .conftest import RIGHT, TRIPLES
from .running import grade, results_of, run

RAISES = RIGHT.replace("return factor * x", 'raise ValueError("\\x1b[2Jred\\u202e" + str(x))')
SEED = ("--seed", "11")


def explain(kit, *arguments):
    return run("explain", "--unsafe", kit.out, *arguments)


@pytest.fixture
def graded(kit):
    """A class of four; bob triples where he should double, and cyd's function raises."""
    for name, text in {"ada": RIGHT, "bob": TRIPLES, "cyd": RAISES}.items():
        kit.submit(name, text)
    kit.submit("dan", "words\n", "essay.txt")
    assert grade(kit.submissions, "--out", kit.out, *SEED).exit == 0
    return kit


def rows_below(result, title):
    """The numbers below a line that begins with this, as they are printed."""
    lines = result.out.splitlines()
    at = next(place for place, line in enumerate(lines) if line.strip().startswith(title))
    below = []
    for line in lines[at + 1 :]:
        if not line.startswith("    "):
            break
        below.append(line.split())
    return below


BESIDE = [["yours", "*1.5", "*3.75", "*12"], ["expected", "1", "2.5", "8"]]


def test_a_wrong_answer_stands_beside_the_right_one_with_marks_at_what_differs(graded):
    result = explain(graded, "bob")
    assert (result.exit, result.err) == (0, "")
    reason = results_of(graded.out, "bob")["tests"][0]["output"].partition(" Also in")[0]
    assert reason in " ".join(result.out.split())
    assert rows_below(result, "input x") == [["0.5", "1.25", "4"]]
    assert rows_below(result, "doubled numbers: all 3 differ") == BESIDE
    assert "\n  -    return factor * x\n  +    return 3 * x\n" in result.out
    assert "\x1b" not in result.out, "what is piped has no colours"
    assert results_of(graded.out, "bob")["tests"][0]["extra_data"]["misconceptions"] == ["triples"]


def test_the_script_makes_the_call_again_when_it_is_pasted(graded):
    result = explain(graded, "bob")
    script = result.out[result.out.index("from pathlib import Path") :]
    with contextlib.redirect_stdout(io.StringIO()) as stdout:
        exec("\n".join(script.splitlines()[:5]), {})
    printed, expected = stdout.getvalue().split("expected:")
    assert all(number in printed for number in ("1.5 ", "3.75", "12."))
    assert expected.split() == ["[1.", "2.5", "8.", "]"]


def test_any_check_can_be_named_and_a_fresh_case_is_that_of_the_grade(graded):
    graded.submit("eve", RIGHT.replace("factor * x", "factor * (x if len(x) != 4 else -x)"))
    grade(graded.submissions, "--out", graded.out)
    result = explain(graded, "eve", "--check", "double_sizes")
    assert "case fresh/double/drawn: double(x)" in result.out
    assert result.err == "", "the reason and the graders are those of the grade"
    assert "seed=11" in result.out
    assert "not_run" in explain(graded, "bob", "--check", "double_sizes").out
    assert "no check failed; 3 of 3 passed" in explain(graded, "ada").out
    unknown = explain(graded, "bob", "--check", "double_size")
    assert (unknown.exit, unknown.err) == (2, to_staff["explain.there-is-no-check"])


def test_an_error_shows_its_line_and_what_the_submission_says_moves_no_cursor(graded):
    result = explain(graded, "cyd")
    assert 'raise ValueError("\\x1b[2Jred\\u202e" + str(x))' in result.out
    [line] = [number for number, line_text in enumerate(RAISES.splitlines(), 1) if "raise" in line_text]
    assert f'File "/submission/doubles.py", line {line}, in double' in result.out
    assert not {"\x1b", "\u202e"} & set(result.out)


def test_a_name_may_be_begun_and_an_unknown_one_brings_those_near_it(graded):
    graded.submit("bobby [b]ñ' $x", TRIPLES)
    graded.submit("-o", TRIPLES)
    grade(graded.submissions, "--out", graded.out)
    assert explain(graded, "bobby").out.startswith("bobby [b]ñ' $x, hwx: graded\n")
    assert explain(graded, "--", "-o").out.startswith("-o, hwx: graded\n")
    assert explain(graded, "bob").out.startswith("bob, "), "who is named in full is meant"
    several = explain(graded, "BO")
    assert (several.exit, several.err) == (2, to_staff["explain.several-names"])
    assert to_staff["explain.near-names"] == explain(graded, "adda").err


def test_what_was_not_submitted_or_does_not_load_says_why(graded):
    assert explain(graded, "dan").out.startswith("dan is not_submitted; dan contains no homework")
    graded.submit("eve", "import nummpy\n")
    grade(graded.submissions, "--out", graded.out)
    result = explain(graded, "eve")
    assert result.out.startswith("eve, hwx: import_failed ModuleNotFoundError on import\n")
    assert "No module named 'nummpy'" in result.out


def test_what_was_left_out_of_a_submission_is_said(graded):
    (graded.submit("bob", TRIPLES).parent / "more.zip").write_bytes(b"no zip")
    grade(graded.submissions, "--out", graded.out)
    result = explain(graded, "bob")
    assert result.err.startswith("note: more.zip ")
    assert "case published/double/printed: double(x)" in result.out


def test_what_has_changed_since_the_grade_is_said(graded):
    graded.submit("bob", TRIPLES + "# more\n")
    changed = explain(graded, "bob")
    assert (changed.exit, changed.err) == (0, to_staff["explain.submission-has-changed"])
    graded.submit("bob", RIGHT)
    assert explain(graded, "bob").err == to_staff["explain.check-passes-now"]
    shutil.rmtree(graded.submissions / "bob")
    result = explain(graded, "bob")
    assert (result.exit, result.err) == (2, to_staff["explain.submission-is-gone"])


def test_changed_graders_are_said(graded):
    graded.tiny.edit("test_hwx.py", "gives the printed numbers", "gives the numbers")
    assert explain(graded, "bob").err == to_staff["explain.graders-have-changed"]


def test_a_check_that_has_another_name_now_is_refused_with_a_remedy(graded):
    graded.tiny.edit("test_hwx.py", "test_double_published", "test_double_printed")
    graded.tiny.edit("test_hwx.py", 'requires=["double_published"]', 'requires=["double_printed"]')
    refused = explain(graded, "bob", "--check", "double_published")
    assert (refused.exit, refused.err) == (2, to_staff["explain.check-is-gone"])


def test_each_homework_is_run_from_where_its_grade_came_from(graded):
    later = graded.root / "later"
    graded.submissions.rename(graded.root / "before")
    later.mkdir()
    (later / "bob").mkdir()
    (later / "bob" / "essay.txt").write_text("words\n", "utf-8")
    assert grade(later, "--out", graded.out).exit == 0
    (graded.root / "before").rename(graded.submissions)
    result = explain(graded, "bob")
    assert (result.exit, "changed" in result.err) == (0, False)
    assert f"Path('{graded.submissions / 'bob'}')" in result.out


def test_a_students_part_of_a_download_is_found_again(kit):
    kit.submissions.mkdir()
    for number, text in ((1, TRIPLES), (2, RIGHT)):
        (kit.submissions / f"lovelaceada{number}_{number}_{number}_doubles.py").write_text(text, "utf-8")
        (kit.submissions / f"lovelaceada{number}_{number}_{number + 5}_notes.txt").write_text("x", "utf-8")
    assert grade(kit.submissions, "--out", kit.out, "--layout", "canvas").exit == 0
    result = explain(kit, "lovelaceada1")
    assert (result.exit, result.err) == (0, "")
    assert rows_below(result, "doubled numbers: all 3 differ") == BESIDE


def test_nothing_is_written(graded):
    def content(folder):
        files = (path for path in folder.rglob("*") if path.is_file())
        return {path: path.read_bytes() for path in files if not path.name.endswith(("-shm", "-wal"))}

    before = content(graded.out)
    explain(graded, "bob")
    assert content(graded.out) == before


def test_a_machine_that_contains_nothing_runs_it_only_when_told_to(graded, monkeypatch):
    monkeypatch.setattr(options_module, "strongest_level", lambda: PROCESS_ONLY)
    refused = run("explain", graded.out, "bob")
    assert (refused.exit, refused.out, "--unsafe" in refused.err) == (2, "", True)
