"""A small course on another subject passes every command: the engine knows no subject."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

import pytest
import released
from cli.running import Done, rows, run

SECOND_COURSE = Path(__file__).parents[1] / "second_course"
HOMEWORK = "hw1_summaries"
DRAWS = "hw4_draws"
"""Its answers are random."""
OF_THE_KIT = re.compile(r"attention|softmax|transformer|\bquery\b|\bqueries\b|\btokens?\b", re.IGNORECASE)
"""Words of the kit's own homeworks."""
IN_CODE = ("querySelector",)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course with a second homework, which was just begun, and everything built."""
    root = tmp_path_factory.mktemp("second") / "course"
    shutil.copytree(SECOND_COURSE, root)
    course = ("--course", root)
    for command in (
        ("new", "hw2_words", "--tasks", "longest", *course),
        ("reference", "build", *course),
        ("assignments", "build", *course),
    ):
        assert succeeds(*command)
    return root


def succeeds(*command: object) -> Done:
    done = run(*command)
    assert done.exit == 0, (command, done.err)
    return done


def test_it_is_checked_verified_and_audited(root: Path) -> None:
    checked = succeeds("check", "--course", root)
    states = [line for line in checked.out.splitlines() if line.endswith(": ok")]
    assert states == ["hw1_summaries: ok", "hw2_words: ok", f"{DRAWS}: ok"]
    assert f"{DRAWS}: by bad luck a right program fails with a chance of at most 2e-06\n" in checked.out
    assert [line for line in checked.err.splitlines() if "15 name most" not in line] == []
    assert succeeds("reference", "verify", HOMEWORK, "--course", root).out == f"{HOMEWORK}: verified\n"
    audited = succeeds("audit", HOMEWORK, "--every", "3", "--course", root)
    assert " 6/6 " in audited.out
    audited = succeeds("audit", DRAWS, "--course", root)
    assert " 9/9 " in audited.out


def test_what_students_receive_and_read_speaks_of_its_own_subject_alone(root: Path) -> None:
    out = root / "release"
    succeeds("release", "--out", out, "--course", root)
    texts = {}
    with zipfile.ZipFile(out / "course.zip") as release:
        for name in release.namelist():
            if not name.endswith((".pyz", ".svg")):
                texts[name] = release.read(name).decode()
    assert f"course/{HOMEWORK}/notebook_plots.py" in texts
    found = {name: OF_THE_KIT.findall(text.replace(*IN_CODE, "")) for name, text in texts.items()}
    assert {name: words for name, words in found.items() if words} == {}
    assert OF_THE_KIT.findall(succeeds("--help").out) == []


def test_students_read_which_law_their_random_draws_have(root: Path, tmp_path: Path) -> None:
    succeeds("release", "--out", tmp_path, "--homework", "hw4", "--course", root)
    with zipfile.ZipFile(tmp_path / f"{DRAWS}.zip") as release:
        release.extractall(tmp_path)
    [folder] = [path.parent for path in tmp_path.rglob("check.py")]
    solution = (root / "solutions" / DRAWS / "draws.py").read_text("utf-8")
    wrong = solution.replace(") / temperature", ") * temperature").replace("rng.exp", "np.random.exp")
    (folder / "draws.py").write_text(wrong, "utf-8")
    done = released.run(released.CHECK.replace("attention_scores", "draws"), "check.py", "--all", cwd=folder)
    said = " ".join(done.stdout.split())
    assert "draw: Your scores are multiplied by the temperature." in said
    assert "wait: It uses global random numbers, such as NumPy's `np.random.choice`" in said


def test_a_class_is_graded_reported_and_exported(root: Path) -> None:
    submissions, graded = root / "class", root / "graded"
    submissions.mkdir()
    right = (root / "solutions" / HOMEWORK / "summaries.py").read_text("utf-8")
    (submissions / "ada.py").write_text(right, "utf-8")
    (submissions / "bob.py").write_text(right.replace("np.sort(values)", "values"), "utf-8")
    succeeds("grade", submissions, "--out", graded, "--homework", "hw1", "--unsafe", "--course", root)
    assert {row["submission"]: row["hw1_summaries"] for row in rows(graded)} == {"ada": "8", "bob": "4"}
    assert "not-sorted" in succeeds("groups", graded).out
    succeeds("report", graded)
    succeeds("status", graded)
    roster = root / "roster.csv"
    roster.write_text("Student,ID,SIS Login ID,Section,Summaries (1)\nAda,1,ada,a,\nBob,2,bob,a,\n", "utf-8")
    succeeds("export", graded, "--to", "canvas", "--roster", roster, "--column", "Summaries (1)")
    succeeds("gradescope", "--homework", "hw1", "--seed", "1", "--out", root / "grader.zip", "--course", root)


def test_an_empty_course_is_begun_beside_it(root: Path) -> None:
    done = succeeds("init", root.parent / "third")
    assert OF_THE_KIT.findall(done.out) == []
