"""The benchmark measures what it says, gives every contestant the same work, and shows their ratios."""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
import venv
from itertools import islice
from pathlib import Path

import pytest
import typer
from forking import run_forked
from missing import skip_or_fail
from released import IMPORTED, IMPORTED_WITH_PYTEST
from typer.testing import CliRunner

from benchmarks import __main__ as command
from benchmarks import contestants, hangs, public_checks_cost, sandbox_cost
from benchmarks import run as run_module
from benchmarks.classroom import texts, write_class
from benchmarks.contestants import Setting, name_of_ours, points_in_otter
from benchmarks.duration import Progress, Step
from benchmarks.measure import measure
from benchmarks.plain_cases import write_question
from benchmarks.records import BenchError, ContestantUnavailable, Measured, Report, Row, Scale
from benchmarks.run import Plan, run_bench
from benchmarks.venvs import environment, executable

BENCHMARKS = Path(command.__file__).parent
VENVS = BENCHMARKS.parent / ".bench" / "of_tests"
"""Not where the benchmark itself has its environments, for those of the tests lack what is here already."""
SLOW_TO_IMPORT = "rfc3987_syntax"
"""A package that nobody needs, and that builds a grammar for a second in each process that reads a notebook."""
WHAT_IS_HERE = {
    "PYTHONPATH": sysconfig.get_path("purelib"),
    "JUPYTER_PATH": str(Path(sys.prefix) / "share" / "jupyter"),
    "PIP_NO_COMPILE": "1",
}
"""Lets a contestant take what it needs from the environment of these tests: only what is not here is installed."""

BURN = "import time\nwhile time.process_time() < {seconds}: pass\n"
ORPHAN = """
import os, sys
if os.fork() == 0:
    os.setsid()
    exec({burn!r})
    os._exit(0)
"""


def python(code):
    return [sys.executable, "-I", "-S", "-c", code]


def test_processor_time_of_a_process_that_outlives_its_parent_counts(tmp_path):
    used = measure(python(ORPHAN.format(burn=BURN.format(seconds=0.4))), 1, cwd=tmp_path)
    assert used.cpu_seconds >= 0.35


def test_the_largest_process_is_told_in_mib(tmp_path):
    small = measure(python("pass"), 1, cwd=tmp_path)
    large = measure(python("b'x' * (200 << 20)"), 1, cwd=tmp_path)
    assert 150 < large.peak_mb - small.peak_mb < 250


def test_a_command_that_fails_is_told_with_what_it_printed(tmp_path):
    with pytest.raises(BenchError, match=r"ended with 3:\nout of luck"):
        measure(python("import sys; print('out of luck'); sys.exit(3)"), 1, cwd=tmp_path)


def test_an_exit_status_may_be_accepted(tmp_path):
    assert measure(python("raise SystemExit(1)"), 4, cwd=tmp_path, accept=(0, 1)).submissions == 4


def test_a_command_that_does_not_exist_is_told(tmp_path):
    with pytest.raises(BenchError, match="no-such-program"):
        measure(["no-such-program"], 1, cwd=tmp_path)


HOMEWORKS = ("hw3_scaled_dot_product_attention", "hw6_encoder_block")


def ask(library, folder, submission):
    """Run plain pytest in a fork of a process that has imported the library, and nothing of the kit."""
    return run_forked(
        f"{IMPORTED}{IMPORTED_WITH_PYTEST}import {library}",
        "import pytest, sys; sys.exit(pytest.main(sys.argv[1:]))",
        ["-q", "-p", "no:cacheprovider", "test_submission.py"],
        folder,
        {**os.environ, "SUBMISSION": str(submission), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_plain_pytest_passes_the_reference_and_fails_a_mistake(homework_id, suite_of, tmp_path):
    suite = suite_of(homework_id)
    write_question(tmp_path / "question", suite, "question.py", "test_submission.py")
    right, mistaken = write_class(suite.homework, tmp_path / "class", 2)
    library = suite.homework.library
    passed = ask(library, tmp_path / "question", right)
    count = sum(known.case.expects for known in suite.known)
    assert f"{count} passed" in passed.stdout.decode(), passed.stdout
    assert ask(library, tmp_path / "question", mistaken).returncode == 1


def test_a_class_is_half_right_and_no_two_submissions_are_alike(suite_of):
    homework = suite_of(HOMEWORKS[0]).homework
    first = list(islice(texts(homework), 40))
    right = homework.solution.read_text("utf-8")
    assert [text.startswith(right) for text in first] == [True, False] * 20
    assert len(set(first)) == 40


def test_a_homework_without_known_mistakes_makes_no_class(tiny, tmp_path):
    with pytest.raises(BenchError, match=r"misconceptions\.toml is missing"):
        write_class(tiny.homework, tmp_path / "class", 2)


def row(contestant, *cpu_seconds, submissions=10):
    return Row("hwx", contestant, tuple(Measured(submissions, 2 * s, s, 50.0 + s) for s in cpu_seconds))


def test_a_row_tells_the_median_of_its_rounds_and_its_largest_process():
    measured = row("cold pytest", 1.0, 5.0, 2.0)
    assert measured.per_cpu_second == 5.0
    assert measured.per_second == 2.5
    assert measured.peak_mb == 55.0


def test_the_ratio_is_of_submissions_per_processor_second():
    ours, theirs = row("ours, 1 job", 1.0), row("otter run", 4.0, submissions=2)
    report = Report((ours, theirs), (), cores=2, protection="full")
    assert report.ratio(theirs) == pytest.approx(20.0)
    assert report.ratio(ours) == 1.0


def test_the_ratio_is_taken_within_a_homework():
    slow = Row("hwy", "ours, 1 job", (Measured(1, 1.0, 1.0, 1.0),))
    theirs = Row("hwy", "otter run", (Measured(1, 3.0, 3.0, 1.0),))
    assert Report((row("ours, 1 job", 1.0), slow, theirs), (), 2, "full").ratio(theirs) == pytest.approx(3.0)


def test_the_cost_in_a_class_leaves_out_what_starting_costs():
    classes = (Measured(101, 12.0, 6.0, 80.0), Measured(101, 14.0, 7.0, 75.0))
    alone = (Measured(1, 2.0, 1.0, 70.0), Measured(1, 9.0, 9.0, 70.0), Measured(1, 1.0, 0.5, 70.0))
    scale = Scale("hwx", classes, alone)
    assert scale.size == 101
    assert scale.cpu_per_submission == pytest.approx(0.055)
    assert scale.seconds_per_submission == pytest.approx(0.11)
    assert scale.peak_mb == 80.0


def test_what_several_commands_used_adds_up_but_for_the_largest_process():
    assert Measured(1, 1.0, 2.0, 30.0) + Measured(2, 1.5, 2.5, 20.0) == Measured(3, 2.5, 4.5, 30.0)


class Counting:
    """A contestant that only writes down what it was given."""

    name = "counting"
    graded: list[int]

    def __init__(self):
        type(self).graded = []

    def prepare(self, setting):
        pass

    def grade(self, setting, files):
        self.graded.append(len(files))
        return Measured(len(files), 1.0, 1.0, 1.0)


class Missing(Counting):
    name = "missing"

    def prepare(self, setting):
        raise ContestantUnavailable("not on this machine")


def test_every_contestant_grades_in_every_round_and_a_missing_one_says_why(course, monkeypatch, tmp_path):
    monkeypatch.setattr(run_module, "PEERS", {"counting": Counting, "missing": Missing})
    monkeypatch.setattr(run_module, "_ours", lambda jobs, level: _Named(name_of_ours(jobs)))
    plan = Plan(("counting", "missing"), 6, 2, rounds=3, sizes=(4, 200), venvs=tmp_path)
    lines = []
    report = run_bench(course, [course.homework(HOMEWORKS[0])], plan, lines.append)
    assert lines[0].startswith("18 steps, about ")
    assert lines[1].startswith(f"[1/18] {HOMEWORKS[0]}: preparing the cases (about ")
    assert lines[-1].startswith(f"[15/15] {HOMEWORKS[0]}: a class of 200, 1 x (about ")
    rows = {row.contestant: row for row in report.rows}
    assert rows["missing"].unavailable == "not on this machine"
    assert [turn.submissions for turn in rows["counting"].rounds] == [2, 2, 2]
    assert [turn.submissions for turn in rows["ours, 2 jobs"].rounds] == [6, 6, 6]
    sizes = [[class_.submissions for class_ in scale.classes] for scale in report.scales]
    assert sizes == [[4, 4, 4], [200]]
    assert all([row.submissions for row in scale.alone] == [1, 1, 1] for scale in report.scales)


def test_the_time_to_go_is_corrected_by_what_the_first_steps_took():
    lines = []
    moments = iter((0.0, 20.0))
    progress = Progress(lines.append, [Step("one", 10.0), Step("two", 60.0)], lambda: next(moments))
    progress.begin("one")
    progress.begin("two")
    assert lines == [
        "2 steps, about 70 s on a quiet machine",
        "[1/2] one (about 70 s to go)",
        "[2/2] two (about 2 min to go)",
    ]


@pytest.mark.parametrize("name", run_module.PEERS)
def test_each_other_way_of_grading_takes_a_right_answer_and_a_wrong_one(
    name, course, suite_of, monkeypatch, tmp_path
):
    """Preparing grades the right one, and fails unless it gets exactly the points that there are."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the kit's own environment has plugins
    for variable, text in WHAT_IS_HERE.items():
        monkeypatch.setenv(variable, text)
    monkeypatch.setattr(contestants, "environment", environment_for_tests)
    monkeypatch.setattr(venv, "create", create_without_pip)
    monkeypatch.setattr(Setting, "venv", venv_for_tests)
    suite = suite_of(HOMEWORKS[0])
    setting = Setting(course, suite, tmp_path, VENVS)
    contestant = run_module.PEERS[name]()
    contestant.prepare(setting)
    _, wrong = write_class(suite.homework, tmp_path / "class", 2)
    used = contestant.grade(setting, [wrong])
    assert used.submissions == 1
    assert used.cpu_seconds > 0


def venv_for_tests(setting, program):
    """The environment of these tests, if it has the program; nothing is measured here."""
    if executable(Path(sys.prefix), program).is_file():
        return Path(sys.prefix)
    return setting.venvs / f"{program}-{setting.suite.homework.library}"


def create_without_pip(folder, with_pip, clear):
    """Make an environment that uses the pip of these tests: to install pip takes seconds."""
    venv.EnvBuilder(with_pip=False, clear=clear).create(folder)


def environment_for_tests(folder, packages):
    if folder == Path(sys.prefix):
        return folder
    try:
        environment(folder, packages)
    except ContestantUnavailable as error:
        skip_or_fail(str(error))
    for package in folder.glob(f"lib/*/site-packages/{SLOW_TO_IMPORT}"):
        shutil.rmtree(package)
    return folder


def test_points_that_otter_reports_are_those_of_tasks_and_of_questions_that_nobody_reads(course):
    points = {homework.id: points_in_otter(homework) for homework in course.homeworks(HOMEWORKS)}
    assert points == {HOMEWORKS[0]: 24.0, HOMEWORKS[1]: 25.0}


def test_the_benchmark_of_endless_submissions_runs(capsys):
    hangs.main(submissions=2, jobs=1)
    assert "with 1 that never end" in capsys.readouterr().out


def test_the_benchmark_of_the_sandbox_runs(monkeypatch, capsys):
    for repeated in ("ROUNDS", "COLD_ROUNDS", "IN_A_ROW"):
        monkeypatch.setattr(sandbox_cost, repeated, 1)
    sandbox_cost.main()
    printed = capsys.readouterr().out
    assert printed.count("ours / floor") == len(sandbox_cost.WORKS)
    assert "answers bit for bit those of a fresh process: 1.00" in printed


def test_the_benchmark_of_the_public_checks_runs(monkeypatch, capsys):
    monkeypatch.setattr(public_checks_cost, "PAIRS", 1)
    public_checks_cost.main(sys.executable)
    assert capsys.readouterr().out.count("times bare pytest") == 2


def test_every_module_with_a_main_is_run_by_a_test():
    programs = {path.stem for path in BENCHMARKS.glob("*.py") if "__main__" in path.read_text("utf-8")}
    kills_in_their_own_test = {"kills"}
    inside_each_measurement = {"launcher"}
    here = {"__main__", "hangs", "sandbox_cost", "public_checks_cost"}
    assert programs == here | kills_in_their_own_test | inside_each_measurement


class _Named(Counting):
    def __init__(self, name):
        super().__init__()
        self.name = name


def test_our_own_command_grades_the_class_it_is_given(course, tmp_path):
    plan = Plan((), 4, 1, rounds=1, sizes=(), venvs=tmp_path)
    report = run_bench(course, [course.homework(HOMEWORKS[0])], plan, lambda text: None)
    assert [row.contestant for row in report.rows] == ["ours, 1 job", "ours, 2 jobs"]
    assert all(row.rounds[0].submissions == 4 and row.rounds[0].cpu_seconds > 0 for row in report.rows)


REPORT = Report(
    rows=(
        Row("hwx", "ours, 1 job", (Measured(300, 10.0, 10.0, 70.0),)),
        Row("hwx", "otter run", (Measured(4, 20.0, 16.0, 140.0),)),
        Row("hwx", "nbgrader autograde", unavailable="no network"),
    ),
    scales=(
        Scale("hwx", (Measured(101, 11.0, 6.0, 70.0),), (Measured(1, 1.0, 1.0, 70.0),)),
        Scale("hwx", (Measured(1001, 101.0, 51.0, 72.0),), (Measured(1, 1.0, 1.0, 70.0),)),
    ),
    cores=2,
    protection="full",
)


@pytest.fixture
def measured(monkeypatch):
    """Let the benchmark find this report; returns the plans it was given."""
    plans = []

    def run_bench(course, homeworks, plan, tell):
        plans.append(plan)
        return REPORT

    monkeypatch.setattr(command, "run_bench", run_bench)
    return plans


def run(*words):
    app = typer.Typer()
    app.command()(command.bench)
    return CliRunner().invoke(app, words)


def test_the_table_shows_ratios_and_who_could_not_take_part(measured):
    process = run()
    assert process.exit_code == 0
    assert "120 ×" in process.stdout
    assert "not here: no network" in process.stdout
    assert "1,001" in process.stdout
    assert "1.00" in process.stdout


def test_every_measurement_can_be_written_as_json(measured, tmp_path):
    target = tmp_path / "new" / "bench.json"
    assert run("--json", str(target)).exit_code == 0
    written = json.loads(target.read_text("utf-8"))
    assert written["rows"][1]["rounds"][0]["cpu_seconds"] == 16.0


def test_peers_are_chosen_by_name(measured):
    run("--peers", "otter")
    run("--peers", "", "--full")
    assert [list(plan.peers) for plan in measured] == [["otter"], []]
    assert measured[1].sizes[-1] == 10_000


def test_an_unknown_peer_is_told_with_the_known_ones(measured):
    process = run("--peers", "gradescope")
    assert process.exit_code == 2
    assert "pytest, otter, nbgrader" in process.stderr
