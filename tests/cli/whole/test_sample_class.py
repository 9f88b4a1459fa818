"""The bundled sample class, graded once: what each student must get, and what they are told."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from homeworks import SIX

from ..running import grade, labels_of, results_of, rows

SEED = 20270215
HW1, HW2, HW3, HW4, HW5, HW6 = SIX


@dataclass(frozen=True)
class Expected:
    """Status, points by homework, misconceptions by check (those named here), and words they are told."""

    status: str
    points: dict[str, int]
    labels: dict[str, list[str]]
    told: tuple[str, ...] = ()


CLASS = {
    "amara": Expected("graded", dict.fromkeys([HW1, HW2, HW3, HW4, HW5, HW6], 20), {}),
    "bjorn": Expected(
        "graded",
        {HW1: 8, HW3: 10},
        {
            "scale_scores_sizes": ["scale-by-d"],
            "softmax_sizes": ["softmax-over-queries"],
            "attention_flow_sizes": ["scale-by-d", "softmax-over-queries"],
        },
    ),
    "chiara": Expected("graded", {HW1: 0, HW5: 0}, {}, ("Write what is missing there",)),
    "dmitri": Expected(
        "import_failed",
        {HW1: 15, HW3: 0},
        {"scale_scores_unchanged": ["modifies-input"], "attention_flow_sizes": ["modifies-input"]},
        ("SyntaxError at line 5 of scaled_dot_product_attention.py: `def softmax(x)`",),
    ),
    "esra": Expected(
        "time_limit",
        {HW1: 11, HW6: 9},
        {"encoder_block_sizes": ["pre-norm"]},
        ("`softmax` did not finish in time", "look for a loop that never ends"),
    ),
    "farid": Expected(
        "graded",
        {HW4: 16},
        {"scaled_sizes": ["depends-on-global"]},
        ("it reads `D` from outside the function",),
    ),
    "gita_multihead_attention": Expected(
        "graded",
        {HW5: 4},
        {
            "softmax_cols_large": ["softmax-unstable"],
            "multihead_published": ["depends-on-global", "weights-transposed"],
        },
    ),
    "hiro": Expected(
        "graded",
        {HW5: 11},
        {"multihead_sizes": ["depends-on-global"]},
        ("it reads `H_D` from outside the function",),
    ),
    "ines": Expected("graded", {HW2: 19, HW6: 20}, {"self_attention_numpy_large": ["softmax-unstable"]}),
    "jonas": Expected(
        "not_submitted", {}, {}, ("jonas contains no homework, only notes.txt", "hand in one of")
    ),
    "kavya": Expected(
        "graded",
        {HW1: 20},
        {},
        (
            "scaled_dot_product_attention.py",
            "old/scaled_dot_product_attention (1).py",
            "none was graded: keep one of them",
        ),
    ),
    "lars": Expected("not_submitted", {}, {}, ("lars.zip cannot be opened as a zip", "make a new one")),
    "mei_encoder_block": Expected(
        "graded", {HW6: 19}, {"encoder_block_shapes": ["returns-extra"]}, ("return the one",)
    ),
    "noa": Expected("graded", {HW5: 20}, {}, (f"week5.py was graded as {HW5}", "its name is not multihead")),
    "olek": Expected(
        "graded",
        {HW1: 16, HW5: 20},
        {},
        (
            "ModuleNotFoundError at line 1 of multihead_attention.py: `import scipy.special`",
            "`attention_flow` raised SystemExit at line 25 of attention_scores.py",
        ),
    ),
}
ENDLESS = "esra"  # runs into the time limit; where in its loop it is stopped depends on the machine


def grade_class(course, folder, out, jobs):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(course.root)
        return grade(folder, "--out", out, "--seed", SEED, "--jobs", jobs)


@pytest.fixture(scope="session")
def submissions(course, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample") / "sample_class"
    shutil.copytree(course.root / "tests" / "sample_class", folder)
    return folder


@pytest.fixture(scope="session")
def graded(course, submissions):
    """The whole class, graded once."""
    out = submissions.parent / "graded"
    return grade_class(course, submissions, out, 2), out


def test_everybody_gets_what_they_earned(graded, course):
    result, out = graded
    assert result.exit == 0
    table = rows(out)
    assert [row["submission"] for row in table] == sorted(CLASS)
    assert list(table[0]) == ["submission", "status", *course.homework_ids(), "total", "max"]
    for row in table:
        expected = CLASS[row["submission"]]
        points = {key: int(row[key]) for key in course.homework_ids() if row[key]}
        assert (row["status"], points) == (expected.status, expected.points), row["submission"]
        assert (row["total"], row["max"]) == (str(sum(expected.points.values())), "120"), row["submission"]


def test_every_mistake_is_called_by_its_name(graded):
    for name, expected in CLASS.items():
        labels = labels_of(graded[1], name)
        assert {check: labels.get(check) for check in expected.labels} == expected.labels, name
    assert labels_of(graded[1], "amara") == labels_of(graded[1], "kavya") == {}
    unwritten = {label for labels in labels_of(graded[1], "chiara").values() for label in labels}
    assert unwritten == {"returns-nothing"}


def test_everybody_is_told_what_they_need(graded):
    for name, expected in CLASS.items():
        results = results_of(graded[1], name)
        text = " ".join([results["output"], *(test["output"] for test in results["tests"])])
        assert [words for words in expected.told if words not in text] == [], name


def test_the_teacher_sees_who_needs_attention(graded):
    result, _ = graded
    for name in ("jonas", "lars", "kavya"):
        assert all(words in result.err for words in CLASS[name].told), name
    for remedy in ("ask for the file", "ask for it again", f"`autograder grade FILE --homework {HW3}`"):
        assert remedy in result.err
    assert "11 graded, 2 not_submitted, 1 import_failed, 1 time_limit" in result.out
    assert f"1 recognised as {HW5}, 1 unclear (kavya)." in result.out


def test_a_task_without_end_costs_no_other_task(graded):
    tests = results_of(graded[1], "esra")["tests"]
    lost = {t["extra_data"]["task"] for t in tests if t["score"] == 0 and t["extra_data"]["homework"] == HW1}
    assert lost == {"softmax", "attention_flow"}


def test_the_number_of_jobs_changes_no_byte(graded, course, submissions, tmp_path):
    others = tmp_path / "sample_class"
    shutil.copytree(submissions, others, ignore=shutil.ignore_patterns(ENDLESS))
    out = tmp_path / "graded"
    assert grade_class(course, others, out, 1).exit == 0
    lines = (graded[1] / "grades.csv").read_bytes().splitlines(keepends=True)
    lasting = [line for line in lines if not line.startswith(ENDLESS.encode())]
    assert (out / "grades.csv").read_bytes() == b"".join(lasting)
    for name in CLASS.keys() - {ENDLESS}:
        path = Path("submissions", name, "results.json")
        assert (out / path).read_bytes() == (graded[1] / path).read_bytes(), name
