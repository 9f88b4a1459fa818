"""A released homework as a student uses it: unzip, fill in, `pytest`, `python check.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
from released import CHECK, CORPUS, HW1, PYTEST, run, unzip
from wording import to_students

SOFTMAX_OVER_QUERIES = (CORPUS / HW1 / "mistaken" / "softmax-over-queries.py").read_text("utf-8")
RIGHT = (CORPUS / HW1 / "correct" / "einsum.py").read_text("utf-8")
STUB = "attention_scores.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose name has a blank and letters that are not ASCII."""
    return unzip(HW1, tmp_path / "Übung 1 Ωmega")


def test_the_untouched_stub_is_told_to_start_and_not_that_it_is_wrong(folder: Path) -> None:
    done = run(PYTEST, cwd=folder)
    assert done.returncode == 1
    assert to_students["released_folder.public-checks-pass"] in done.stdout
    assert to_students["released_folder.next-qk_scores"] in done.stdout
    assert "✗" not in done.stdout


def test_plain_pytest_shows_the_table_the_hint_and_no_traceback(folder: Path) -> None:
    (folder / STUB).write_text(SOFTMAX_OVER_QUERIES, "utf-8")
    done = run(PYTEST, cwd=folder)
    assert done.returncode == 1
    assert to_students["released_folder.public-checks-pass-of-points"] in done.stdout
    assert to_students["released_folder.first-thing-to-fix-softmax"] in done.stdout
    assert len(done.stdout.strip().splitlines()) <= 24
    assert "Traceback" not in done.stdout + done.stderr
    assert "FAILED" not in done.stdout


def test_right_code_passes_from_any_current_folder(folder: Path, tmp_path: Path) -> None:
    (folder / STUB).write_text(RIGHT, "utf-8")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for code, target in ((PYTEST, folder), (CHECK, folder / "check.py")):
        done = run(code, target, cwd=elsewhere)
        assert done.returncode == 0, done.stdout + done.stderr
        assert to_students["released_folder.public-checks-pass-2"] in done.stdout


def test_windows_newlines_everywhere_change_nothing(folder: Path) -> None:
    (folder / STUB).write_text(SOFTMAX_OVER_QUERIES, "utf-8")
    expected = run(CHECK, "check.py", cwd=folder).stdout
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix not in (".npz", ".pyc"):
            path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    done = run(CHECK, "check.py", cwd=folder)
    assert (done.returncode, done.stdout) == (1, expected)


def test_a_console_without_the_marks_gets_plain_letters(folder: Path) -> None:
    (folder / STUB).write_text(SOFTMAX_OVER_QUERIES, "utf-8")
    done = run(CHECK, "check.py", cwd=folder, PYTHONIOENCODING="ascii")
    assert to_students["released_folder.x-gives-the-attention"] in done.stdout
    assert "v    3  qk_scores" in done.stdout


def test_a_syntax_error_is_told_with_its_line(folder: Path) -> None:
    (folder / STUB).write_text("def softmax(x):\n    return x +\n", "utf-8")
    done = run(PYTEST, cwd=folder)
    assert done.returncode == 1
    assert to_students["released_folder.importing-raised-syntaxerror"] in " ".join(done.stdout.split())
    assert "Traceback" not in done.stdout


def test_a_selection_of_checks_runs_alone(folder: Path) -> None:
    (folder / STUB).write_text(SOFTMAX_OVER_QUERIES, "utf-8")
    assert run(PYTEST, "-k", "qk_scores", cwd=folder).returncode == 0
    assert run(PYTEST, "-k", "softmax", cwd=folder).returncode == 1


def test_own_tests_beside_the_checks_are_run_as_ever(folder: Path) -> None:
    (folder / STUB).write_text(RIGHT, "utf-8")
    (folder / "test_mine.py").write_text("def test_mine():\n    assert 1 == 2\n", "utf-8")
    done = run(PYTEST, cwd=folder)
    assert done.returncode == 1
    assert "assert 1 == 2" in done.stdout
    assert to_students["released_folder.public-checks-pass-2"] in done.stdout


def test_an_incomplete_folder_says_to_unzip_again(folder: Path) -> None:
    (folder / "public_checks" / "arrays.npz").unlink()
    done = run(CHECK, "check.py", cwd=folder)
    assert done.returncode == 2
    assert done.stderr == to_students["released_folder.unzip-the-homework-again"]


def test_watching_without_its_package_says_what_to_install(folder: Path) -> None:
    done = run(CHECK, "check.py", "--watch", cwd=folder)
    assert done.returncode == 2
    assert done.stderr == to_students["released_folder.pip-install-watchfiles"]


def test_two_homeworks_share_one_pytest(tmp_path: Path) -> None:
    hw1 = unzip(HW1, tmp_path / HW1)
    unzip("hw5_multihead_attention", tmp_path / "hw5")
    (hw1 / STUB).write_text(RIGHT, "utf-8")
    done = run(PYTEST, cwd=tmp_path)
    assert to_students["released_folder.attention-scores"] in done.stdout
    assert to_students["released_folder.multi-head-self-attention"] in done.stdout
