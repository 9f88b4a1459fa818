"""A small course on another subject passes every command: the engine knows no subject."""

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import released
from cli.running import rows, run

SECOND_COURSE = Path(__file__).parents[1] / "second_course"
HOMEWORK = "hw1_summaries"
WITH_CLASSES = "hw2_running"
DRAWS = "hw4_draws"
"""Its answers are random."""
OF_THE_KIT = re.compile(r"attention|softmax|transformer|\bquery\b|\bqueries\b|\btokens?\b", re.IGNORECASE)
"""Words of the kit's own homeworks."""
IN_CODE = ("querySelector",)

pytestmark = pytest.mark.usefixtures("warm_sandboxes")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """The course with another homework, which was just begun, and everything built."""
    root = tmp_path_factory.mktemp("second") / "course"
    shutil.copytree(SECOND_COURSE, root)
    course = ("--course", root)
    for command in (
        ("new", "hw3_words", "--tasks", "longest", *course),
        ("reference", "build", *course),
        ("assignments", "build", *course),
    ):
        assert succeeds(*command)
    return root


def succeeds(*command):
    process = run(*command)
    assert process.exit == 0, (command, process.err)
    return process


def test_it_is_checked_verified_and_audited(root):
    checked = succeeds("check", "--course", root)
    states = [line for line in checked.out.splitlines() if line.endswith(": ok")]
    assert states == ["hw1_summaries: ok", "hw2_running: ok", "hw3_words: ok", f"{DRAWS}: ok"]
    assert f"{DRAWS}: by bad luck a right program fails with a chance of at most 2e-06\n" in checked.out
    assert [line for line in checked.err.splitlines() if "15 name most" not in line] == []
    for homework, share in ((HOMEWORK, " 6/6 "), (WITH_CLASSES, " 9/9 "), (DRAWS, " 9/9 ")):
        assert succeeds("reference", "verify", homework, "--course", root).out == f"{homework}: verified\n"
        audited = succeeds("audit", homework, "--every", "3", "--course", root)
        assert share in audited.out


def test_what_students_receive_and_read_speaks_of_its_own_subject_alone(root):
    out = root / "release"
    succeeds("release", "--out", out, "--course", root)
    texts = {}
    with zipfile.ZipFile(out / "course.zip") as release:
        for name in release.namelist():
            if not name.endswith((".pyz", ".svg")):
                texts[name] = release.read(name).decode()
    assert f"course/{HOMEWORK}/notebook_plots.py" in texts
    words_of_the_kit = {name: OF_THE_KIT.findall(text.replace(*IN_CODE, "")) for name, text in texts.items()}
    assert {name: words for name, words in words_of_the_kit.items() if words} == {}
    assert OF_THE_KIT.findall(succeeds("--help").out) == []


def test_students_read_which_law_their_random_draws_have(root, tmp_path):
    succeeds("release", "--out", tmp_path, "--homework", "hw4", "--course", root)
    with zipfile.ZipFile(tmp_path / f"{DRAWS}.zip") as release:
        release.extractall(tmp_path)
    [folder] = [path.parent for path in tmp_path.rglob("check.py")]
    solution = (root / "solutions" / DRAWS / "draws.py").read_text("utf-8")
    wrong = solution.replace(") / temperature", ") * temperature").replace("rng.exp", "np.random.exp")
    (folder / "draws.py").write_text(wrong, "utf-8")
    process = released.run(
        released.CHECK.replace("attention_scores", "draws"), "check.py", "--all", cwd=folder
    )
    text = " ".join(process.stdout.split())
    assert "draw: Your scores are multiplied by the temperature." in text
    assert "wait: It uses global random numbers, such as NumPy's `np.random.choice`" in text


def test_a_class_is_graded_reported_and_exported(root):
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


def test_classes_with_state_are_graded_and_named_and_checked_at_home(root):
    submissions, graded, out = root / "classes", root / "graded_classes", root / "release_classes"
    submissions.mkdir()
    right = (root / "solutions" / WITH_CLASSES / "running.py").read_text("utf-8")
    wrong = right.replace("self.share * self.velocity - ", "-").replace(
        'raise ValueError("', 'raise KeyError("'
    )
    (submissions / "ada.py").write_text(right, "utf-8")
    (submissions / "bob.py").write_text(wrong, "utf-8")
    shared = right.replace("class RunningMean:\n", "class RunningMean:\n    count = 0\n")
    shared = shared.replace("self.count = 0\n        self.mean = np.zeros(d)", "self.mean = np.zeros(d)")
    (submissions / "cleo.py").write_text(shared.replace("self.count", "RunningMean.count"), "utf-8")
    succeeds("grade", submissions, "--out", graded, "--homework", "hw2", "--unsafe", "--course", root)
    assert {row["submission"]: row[WITH_CLASSES] for row in rows(graded)} == {
        "ada": "9",
        "bob": "3",
        "cleo": "5",
    }
    groups = succeeds("groups", graded).out
    assert "no-momentum" in groups
    assert "differs-from-call-to-call" in groups
    explained = succeeds("explain", graded, "bob", "--check", "Momentum_sizes", "--unsafe").out
    assert "`.velocity` after `step` number 2: all" in explained
    succeeds("release", "--drill", "hw2", "--out", root / "drill", "--course", root)
    succeeds(
        "gradescope", "--homework", "hw2", "--seed", "1", "--out", root / "classes.zip", "--course", root
    )

    # At home: the same reasons, the step, and a line that gives arguments and steps.
    succeeds("release", "--homework", WITH_CLASSES, "--out", out, "--course", root)
    with zipfile.ZipFile(out / f"{WITH_CLASSES}.zip") as release:
        release.extractall(out)
    folder = out / WITH_CLASSES
    (folder / "running.py").write_text(wrong, "utf-8")
    checked = subprocess.run(
        [sys.executable, "check.py", "Momentum"], cwd=folder, capture_output=True, text=True
    )
    text = " ".join(checked.stdout.split())
    assert "Each move forgets the one before. Keep a share of the last velocity." in text
    assert "of the result of `step` number 2 are wrong" in text
    assert "m = Momentum(argument 1, 0.5, 0.9); m.step(x1); m.velocity; m.step(x2)" in text
    assert 'arguments, steps = case("Momentum", 1)' in text
    tried = subprocess.run(
        [sys.executable, "-c", 'from public_checks import case; print(case("Momentum", 1)[1][1])'],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert tried.stdout == "('.velocity',)\n"


def test_an_empty_course_is_begun_beside_it(root):
    result = succeeds("init", root.parent / "third")
    assert OF_THE_KIT.findall(result.out) == []
