"""Any sequence of commands on a class of 20: no row is lost, totals are right, all files say the same."""

from __future__ import annotations

import copy
import datetime as dt
import os
import random
import re
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import hypothesis.strategies as st
import pytest
from conftest import SEED
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from submissions import mistaken_text, right_text

from autograder.batch import session
from autograder.course.course import Course
from autograder.csv_table import escape_formulas, unescape_formulas, write_table
from autograder.gradebook import fingerprint
from autograder.gradebook.opening import open_gradebook, read_gradebook

from .. import running
from ..classroom import (
    ANSWERS,
    FAULTS,
    LABELS,
    NOT_PYTHON,
    WRITTEN,
    World,
    asked_in,
    exported,
    facts,
    failed,
    files_of,
    grades_in,
    kept_in,
    owners_in,
    read_rows,
    rosters_of,
    stopped_at,
)
from ..pencil import FAULT, MARK, ORAL, OUR_FAULT, Pencil, Rules, without_faults

NAMES = [
    *(f"student {number:02}" for number in range(10)),
    *("zoë", "=SUM(1)", "o'neil", "ann_2027_02", "007", "1e5", "nan", "a.b", "under_score", "总"),
]
DUE = dt.datetime(2027, 3, 1, tzinfo=dt.UTC)
DAYS = [DUE + dt.timedelta(days=number) for number in (-1, 0, 1, 3, 40)]
ROSTERS = rosters_of(NAMES)
NEVER_HANDED_IN = "hw2_self_attention"
POLICIES = (
    Rules(),
    Rules(DUE, 10.0),
    Rules(DUE, 37.5),
    Rules(DUE, 20.0, late_days=2),
    Rules(DUE, 10.0, late_days=5, extra_credit=True),
    Rules(extra_credit=True),
)
MARKS = ["submission", "homework", "question", "points", "max", "comment"]
has_grades = precondition(lambda self: self.pencil.book)
some_names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True)
some_homeworks = st.lists(st.sampled_from(sorted(LABELS)), max_size=2, unique=True)
numbers, moments, ways = st.integers(0, 99), st.integers(1, 120), st.integers(0, 2)
flags = st.sampled_from(["--resume", "--fresh", "--forget-missing"])
faults = st.tuples(st.sampled_from(FAULTS), st.sampled_from(sorted(LABELS)))


class Commands(RuleBasedStateMachine):
    """A TA at work. After each command the folder holds what the pencil says, in every file."""

    world: World

    def __init__(self):
        super().__init__()
        self.root = self.world.next_folder()
        self.out = self.root / "graded"
        homeworks = {homework.id: homework for homework in self.world.course.homeworks()}
        self.extra = {homework_id: homeworks[homework_id].tasks[-1].name for homework_id in LABELS}
        self.pencil = Pencil(
            self.world.files,
            {homework_id: homework.points for homework_id, homework in homeworks.items()},
            {homework_id: homeworks[homework_id].tasks[-1].points for homework_id in LABELS},
            {homework_id: homeworks[homework_id].due for homework_id in LABELS},
        )
        self.is_zip = set()
        # The files that each name had in each of its gradings, and has in the folder of the class now.
        self.seen = {}
        self.lies_there = {}
        self.world.fault = None
        self.in_order = False  # whether the last command came to its end
        self.kill_at = 0
        self.said = ""  # by the last command
        fingerprint.__version__ = "1.0"

    # What students do

    @initialize(seed=numbers)
    def a_class_hands_in(self, seed):
        dice = random.Random(seed)
        for name in NAMES:
            homeworks = dice.sample(sorted(LABELS), dice.choice([0, 1, 1, 2, 3]))
            self.pencil.handed_in[name] = {
                homework_id: dice.choice(sorted(self.world.texts[homework_id])) for homework_id in homeworks
            }

    @rule(names=some_names, homework=st.sampled_from(sorted(LABELS)), number=numbers, as_zip=st.booleans())
    def hand_in(self, names, homework, number, as_zip):
        labels = sorted(self.world.texts[homework])
        for name in names:
            self.pencil.handed_in[name][homework] = labels[number % len(labels)]
            (self.is_zip.add if as_zip else self.is_zip.discard)(name)

    @rule(names=some_names, homework=st.sampled_from(sorted(LABELS)))
    def take_back(self, names, homework):
        for name in names:
            self.pencil.handed_in[name].pop(homework, None)

    # What the TA does

    def command(self, *arguments):
        """Run a command to its end, after which every file is in order; say whether the grader itself failed."""
        # What is removed or brought back is not there a second time.
        if self.kill_at and not {"--remove", "--back"}.intersection(map(str, arguments)):
            stopped_at(self.kill_at, signal.SIGKILL, *arguments)
            self.kill_at = 0
        result = running.run(*arguments)
        self.said = result.out
        # That most are not graded, or some for our fault, is an alarm; everything is written.
        is_alarm = result.exit in (1, 3) and arguments[0] in ("grade", "regrade")
        assert result.exit == 0 or is_alarm, result.err
        self.in_order |= arguments[0] not in ("export", "written")  # which only read the gradebook
        return result.exit == 1

    def grading(self, names, homeworks, *flags):
        top = self.world.write(self.root / "class", names, self.pencil.handed_in, self.is_zip)
        self.lies_there = {name: (dict(self.pencil.handed_in[name]), name in self.is_zip) for name in names}
        for name in names:
            self.seen.setdefault(name, []).append(self.lies_there[name])
        chosen = [part for homework_id in homeworks for part in ("--homework", homework_id)]
        fixed = ("--course", self.world.course.root, "--seed", SEED, "--jobs", 1, "--unsafe")
        return ["grade", top, "--out", self.out, *fixed, *chosen, *flags]

    def in_question(self, name, homeworks):
        """Whether the only file is another homework's than the only one asked for: a question by itself."""
        return (
            len(homeworks) == 1
            and len(files := self.pencil.handed_in[name]) == 1
            and files.keys() != {*homeworks}
        )

    @rule(
        names=st.just(NAMES) | some_names,
        homeworks=some_homeworks,
        flag=flags,
        roster=st.sampled_from([None, None, *ROSTERS]),
    )
    def grade(self, names, homeworks, flag, roster):
        """Without a roster the last one holds, and a student who is not in it stays who they were."""
        names = [name for name in names if not self.in_question(name, homeworks)]
        if not names:
            return
        arguments = self.grading(names, homeworks, flag)
        if roster is not None:
            rows = [[row.id, row.email, name, row.name] for name, row in roster.items()]
            self.table("class.csv", ["student_id", "email", "login", "name"], rows)
            arguments += ["--roster", self.root / "class.csv"]
            self.pencil.roster = roster
        has_failed = self.command(*arguments)
        self.pencil.grade(names, homeworks, forget=flag == "--forget-missing")
        assert has_failed == any(self.pencil.has_failed(name) for name in names)

    @rule(names=st.just(NAMES) | some_names, homeworks=some_homeworks, forget=st.booleans(), fault=faults)
    def grade_while_the_grader_fails(self, names, homeworks, forget, fault):
        """No worker starts, or a run or a check fails: that is no zero, and nothing else changes."""
        names = [name for name in names if not self.in_question(name, homeworks)]
        if not names:
            return
        more = ["--forget-missing"] if forget else []
        self.world.fault = fault
        try:
            has_failed = self.command(*self.grading(names, homeworks, "--fresh", *more))
        finally:
            self.world.fault = None
        self.pencil.grade(names, homeworks, forget=forget, fault=fault)
        assert has_failed == any(self.pencil.has_failed(name) for name in names)

    @has_grades
    @rule(data=st.data(), flag=st.sampled_from(["--resume", "--fresh"]), all_of_them=st.booleans())
    def regrade(self, data, flag, all_of_them):
        """It changes nothing, wherever the files are now, but what was blank for the grader's fault.

        What is gone or has changed stays as it is; where a student's files are as they always were, no fault is
        left.
        """
        one_name = data.draw(st.sampled_from(sorted(self.pencil.book)))
        names = [] if all_of_them else [one_name]
        with read_gradebook(self.out) as book:
            gradings = [
                grading for grading in book.standing() if all_of_them or grading.submission == one_name
            ]
        arguments = ("regrade", self.out, "--unsafe", "--jobs", 1, flag, "--", *names)
        present = {grading.submission for grading in gradings if Path(grading.path).exists()}
        if not present:
            assert running.run(*arguments).exit == 2
            return
        has_failed = self.command(*arguments)
        labels_by_name = kept_in(self.out)
        *_, faults = asked_in(self.out, LABELS)
        for name in present:
            handed, before = self.pencil.book[name], self.pencil.faults.get(name, set())
            self.pencil.faults[name] = faults.get(name, set())
            assert self.pencil.faults[name] <= before
            # A grading that no worker came up for is made up for: it takes the files that lie there.
            made_up_for = before - self.pencil.faults[name]
            files_there, _ = self.lies_there.get(name, ({}, False))
            labels_taken = {
                homework: label
                for homework, label in files_there.items()
                if any(not homeworks_asked or homework in homeworks_asked for homeworks_asked in made_up_for)
            }
            assert labels_by_name[name].keys() >= handed.keys()
            for homework, now in labels_by_name[name].items():
                labels = [labels.get(homework) for labels in (handed, without_faults(handed), labels_taken)]
                fitting = [label for label in labels if label and self.world.files[homework][label] == now]
                assert fitting, (name, homework)
                handed[homework] = fitting[-1]
            is_as_ever = all(labels == self.lies_there.get(name) for labels in self.seen[name])
            if is_as_ever:
                assert not self.pencil.has_failed(name), name
        assert has_failed == any(self.pencil.has_failed(name) for name in present)

    @rule(number=numbers)
    def a_new_release(self, number):
        """Other graders, which give the same points."""
        fingerprint.__version__ = f"1.{number}"

    @has_grades
    @rule(data=st.data())
    def withdraw(self, data):
        name = data.draw(st.sampled_from(sorted(self.pencil.book)))
        self.command("withdraw", self.out, "--reason", "left the course", "--", name)
        self.pencil.withdrawn.add(name)

    @precondition(lambda self: self.pencil.withdrawn)
    @rule(number=numbers)
    def bring_back(self, number):
        names = sorted(self.pencil.withdrawn)
        name = names[number % len(names)]
        self.command("withdraw", self.out, "--back", "--", name)
        self.pencil.withdrawn.remove(name)

    @has_grades
    @rule()
    def report(self):
        """It writes every file from the gradebook, and those that were there said the same."""
        files_before, were_in_order = files_of(self.out), self.in_order
        self.command("report", self.out)
        again = files_of(self.out)
        if were_in_order:
            assert files_before.keys() == again.keys()
            for name, content in again.items():
                assert content == files_before[name], name

    @has_grades
    @rule(data=st.data(), points=st.sampled_from([0.0, 0.5, 2.0]))
    def override(self, data, points):
        """Of a whole homework, handed in or not, or of a task or check of what was handed in."""
        name = data.draw(st.sampled_from(sorted(self.pencil.book)))
        homework = data.draw(st.sampled_from(sorted(LABELS)))
        graded = self.pencil.graded(name, homework)
        checks = graded.checks if graded else ()
        subjects = sorted(
            {f"task {check.task}" for check in checks} | {f"check {check.check}" for check in checks}
        )
        subject_of_override = data.draw(st.sampled_from(["", *subjects]))
        kind, _, subject = subject_of_override.partition(" ")
        if subject_of_override:
            points = min(points, sum(check.most for check in checks if subject == getattr(check, kind)))
        of = [f"--{kind}", subject] if subject_of_override else []
        where = ("--homework", homework, *of, "--points", points, "--reason", "we say so")
        self.command("policy", self.out, f"--override={name}", *where)
        self.pencil.overrides[name, homework, subject_of_override] = points

    @precondition(lambda self: self.pencil.overrides)
    @rule(number=numbers)
    def remove_an_override(self, number):
        with read_gradebook(self.out) as book:
            overrides = book.decisions.overrides()
        override = overrides[number % len(overrides)]
        self.command("policy", self.out, "--remove", override.id)
        subject_of_override = (
            f"check {override.check}" if override.check else f"task {override.task}" if override.task else ""
        )
        del self.pencil.overrides[override.submission, override.homework, subject_of_override]

    @has_grades
    @rule(data=st.data(), points=st.sampled_from([0.0, 0.5, MARK]))
    def mark(self, data, points):
        """An oral exam in any homework, or what is written in an answer."""
        answers = [
            (name, homework_id, ORAL) for name in sorted(self.pencil.book) for homework_id in sorted(LABELS)
        ]
        key = data.draw(st.sampled_from([*sorted(self.pencil.waiting()), *answers]))
        self.table("marks.csv", MARKS, [[*key, points, MARK]])
        self.command("policy", self.out, "--manual", self.root / "marks.csv")
        self.pencil.marks[key] = points

    @has_grades
    @rule(points=st.sampled_from([0.0, 1.5]))
    def mark_all_in_the_written_table(self, points):
        self.command("written", self.out)
        waiting = set(self.pencil.waiting())
        path = self.out / "written.csv"
        if not path.is_file():
            assert not waiting
            return
        rows = read_rows(path)
        keys = [(unescape_formulas(row["submission"]), row["homework"], row["question"]) for row in rows]
        assert waiting <= set(keys)
        marked = [
            [*key, row["points"] or points, MARK, row["comment"]] for key, row in zip(keys, rows, strict=True)
        ]
        marked = [row for row in marked if row[0] in self.pencil.book]
        self.table("marks.csv", MARKS, marked)
        shutil.copy(self.root / "marks.csv", path)
        self.command("policy", self.out, "--manual", path)
        self.pencil.marks.update({(row[0], row[1], row[2]): float(row[3]) for row in marked})

    def written_as(self, name, way):
        """What a table of times or extensions writes for a student: the submission's name, an address or an id."""
        student = (ROSTERS[0] | ROSTERS[1]).get(name)
        if student is None or way == 0:
            return name
        return student.email if way == 1 else ROSTERS[0].get(name, student).id

    @has_grades
    @rule(
        names=some_names,
        time=st.sampled_from(DAYS),
        homework=st.sampled_from(["", *sorted(LABELS)]),
        way=ways,
    )
    def times(self, names, time, homework, way):
        if not any(self.pencil.book.values()):
            return
        texts = [self.written_as(name, way) for name in names]
        rows = [[text, time.isoformat(), homework] for text in texts]
        self.table("times.csv", ["submission", "submitted_at", "homework"], rows)
        self.command("policy", self.out, "--times", self.root / "times.csv")
        for text in texts:
            self.pencil.give_time(text, time, homework)

    @has_grades
    @rule(
        names=some_names,
        homework=st.sampled_from(["", *sorted(LABELS)]),
        days=st.sampled_from([0, 2, 20]),
        way=ways,
    )
    def extensions(self, names, homework, days, way):
        """Also for students who are not there yet, or whom nobody knows by what the table writes."""
        texts = [self.written_as(name, way) for name in names]
        due = DUE + dt.timedelta(days=days)
        rows = [[text, homework, due.isoformat()] for text in texts]
        self.table("extensions.csv", ["submission", "homework", "due"], rows)
        self.command("policy", self.out, "--extensions", self.root / "extensions.csv")
        for text in texts:
            self.pencil.give_extension(text, homework, due)

    @has_grades
    @rule(rules=st.sampled_from(POLICIES))
    def policy(self, rules):
        self.pencil.rules = rules
        self.command("policy", self.out, "--policy", self.policy_file())

    @has_grades
    @rule(
        homework=st.sampled_from([None, *sorted(LABELS)]),
        to=st.sampled_from(["canvas", "moodle", "gradescope"]),
        kept_one=st.booleans(),
    )
    def export(self, homework, to, kept_one):
        """Each student gets the points of the gradebook, or a blank: by the roster kept, or by another one."""
        students = [*NAMES, "nobody"]
        rows = {name: self.pencil.row(name) for name in self.pencil.counted()}
        if not any(homework in row if homework else row for row in rows.values()):
            return
        # A submission whose student is known is found by the address, any other one by its name.
        emails = {name: student.email for name, student in (ROSTERS[0] | ROSTERS[1]).items()}
        self.table(
            "roster.csv",
            ["student_id", "name", "email"],
            [[name, f"name of {name}", emails.get(name, "")] for name in students],
        )
        column = "Points (1)" if to == "canvas" else "Points"
        more = ["--homework", homework] if homework else ["--total"]
        ids = {name: name for name in students}
        if kept_one and self.pencil.roster is not None:
            ids = {name: student.id for name, student in self.pencil.roster.items()}
        else:
            more += ["--roster", self.root / "roster.csv"]
        arguments = ("export", self.out, "--to", to, "--column", column, *more)
        if not any(name in ids for name in self.pencil.counted()):
            assert running.run(*arguments).exit == 2
            return
        was_killed = self.kill_at > 0
        self.command(*arguments)
        expected = {}
        for name, row in rows.items():
            points = row.get(homework) if homework else self.pencil.total(name)
            if name in ids and row and points is not None and not self.pencil.faults.get(name):
                expected[ids[name]] = points
        # An id that a spreadsheet would take for a formula is left to a person, but Moodle finds the address.
        reached = {student_id for student_id in ids.values() if escape_formulas(student_id) == student_id}
        if to == "moodle":
            reached |= emails.keys() & set(ids.values())
        if to != "gradescope":
            expected = {
                student_id: points for student_id, points in expected.items() if student_id in reached
            }
        written = exported(self.out, to, column)
        assert sorted(written.keys() ^ expected.keys()) == []
        assert written == pytest.approx(expected)
        if to == "gradescope":
            return  # there, whoever has no submission has no file
        now = {
            student_id: f"{expected[student_id]:g}" if student_id in expected else ""
            for student_id in reached
        }
        before = self.pencil.exported.get((to, homework or "total"))
        count = re.search(r"changed since the last export: (\d+)", self.said)
        if not was_killed:  # it may have told of them before
            changed = [
                student_id
                for student_id in reached
                if before is not None and now[student_id] != before.get(student_id, "")
            ]
            assert (count and int(count[1])) == (None if before is None else len(changed))
        self.pencil.exported[to, homework or "total"] = now

    # What happens to a TA

    @precondition(lambda self: not self.kill_at)
    @rule(after=moments)
    def the_next_command_is_killed_and_given_again(self, after):
        self.kill_at = after

    @rule(names=some_names, homeworks=some_homeworks, flag=flags, after=moments)
    def kill_a_grading(self, names, homeworks, flag, after):
        self.stop(names, homeworks, flag, after, signal.SIGKILL)

    @rule(names=some_names, homeworks=some_homeworks, flag=flags, after=moments)
    def press_ctrl_c(self, names, homeworks, flag, after):
        self.stop(names, homeworks, flag, after, signal.SIGINT)

    def stop(self, names, homeworks, flag, after, how):
        """Each submission has what it had before, what it would have in the end, or is yet to be cleared."""
        names = [name for name in names if not self.in_question(name, homeworks)]
        if not names:
            return
        forget, states = flag == "--forget-missing", [copy.deepcopy(self.pencil.book)]
        stopped_at(after, how, *self.grading(names, homeworks, flag))
        self.in_order = False
        states_of_owners = [dict(self.pencil.owners)]
        for step in (False, forget):
            self.pencil.grade(names, homeworks, forget=step)
            states.append(copy.deepcopy(self.pencil.book))
            if step == forget and len(states_of_owners) == 1:
                known = dict(self.pencil.owners)
                states_of_owners.append(known)
        labels_kept, self.pencil.book = kept_in(self.out), {}
        owners_before, owners_after = states_of_owners
        self.pencil.owners = owners_in(self.out)
        for name, owner in self.pencil.owners.items():
            assert owner in (owners_before.get(name), owners_after.get(name)), name
        for name in {name for state in states for name in state}:
            possible = [state.get(name) for state in states]
            fitting = [labels for labels in possible if self.world.facts_of(labels) == labels_kept.get(name)]
            assert fitting, name
            if fitting[0] is not None:
                self.pencil.book[name] = fitting[0]
        self.pencil.asked, self.pencil.nothing, self.pencil.faults = asked_in(self.out, LABELS)

    def table(self, name, header, rows):
        write_table(self.root / name, header, rows)

    def policy_file(self):
        path, rules = self.root / "policy.toml", self.pencil.rules
        lines = [f"penalty_per_day = {rules.per_day}", f"late_days = {rules.late_days}"]
        for homework in LABELS:
            lines.append(f"[homeworks.{homework}]")
            if rules.due:
                lines.append(f"due = {rules.due.isoformat()}")
            if rules.extra_credit:
                lines.append(f'extra_credit = ["{self.extra[homework]}"]')
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    # What must hold

    @invariant()
    def grades_are_those_of_the_pencil(self):
        """Points, total and maximum, in the table and in each submission's own file."""
        if not self.in_order:
            return
        assert [path.name for path in self.out.glob("gradebook*")] == ["gradebook.sqlite"]
        rows_by_name = {unescape_formulas(row["submission"]): row for row in running.rows(self.out)}
        assert rows_by_name.keys() == set(self.pencil.counted())
        maximum = self.pencil.maximum()
        for name, row in rows_by_name.items():
            expected = self.pencil.row(name)
            points = {homework: float(row[homework]) for homework in self.world.files if row.get(homework)}
            known = {student_id: value for student_id, value in expected.items() if value is not None}
            assert points == pytest.approx(known), name
            total = self.pencil.total(name)
            assert (float(row["total"]) if row["total"] else None) == pytest.approx(total), name
            assert float(row["max"]) == pytest.approx(maximum), name
            assert running.results_of(self.out, name).get("score") == pytest.approx(total), name
            assert (row["status"] == OUR_FAULT) == self.pencil.has_failed(name), name
            student = self.pencil.owners.get(name)
            of_student = tuple(
                unescape_formulas(row.get(column, "")) for column in ("student_id", "email", "name", "late")
            )
            assert of_student == (*(student or ("", "", "")), self.pencil.late(name)), name

    def heal(self):
        """After its fault the grader grades again what was blank, and no fault is left."""
        broken = [name for name in sorted(self.pencil.book) if self.pencil.has_failed(name)]
        if not broken:
            return
        for name in broken:
            self.pencil.handed_in[name] = without_faults(self.pencil.book[name])
        self.kill_at = 0
        assert not self.command(*self.grading(broken, []))
        self.pencil.grade(broken, [])
        assert not any(self.pencil.has_failed(name) for name in self.pencil.book)

    def teardown(self):
        """All of it again in one go: the same files, and the same decisions, give the same grades."""
        if not self.pencil.book:
            return
        self.heal()
        self.report()
        self.grades_are_those_of_the_pencil()
        whole, names = self.root / "whole", sorted(self.pencil.book)
        top = self.world.write(self.root / "union", names, self.pencil.book, self.is_zip)
        fixed = ("--course", self.world.course.root, "--seed", SEED, "--jobs", 1, "--unsafe")
        running.run("grade", top, "--out", whole, *fixed)
        times = []
        extensions = []
        for name in names:
            for homework in ("", *LABELS):
                time = self.pencil.time_of(name, homework)
                if time is not None:
                    times.append([name, time.isoformat(), homework])
                due = self.pencil.extension(name, homework)
                if due is not None:
                    extensions.append([name, homework, due.isoformat()])
        marks = [[*key, points, MARK, ""] for key, points in self.pencil.marks.items() if key[0] in names]
        self.table("times.csv", ["submission", "submitted_at", "homework"], times)
        self.table("marks.csv", MARKS, marks)
        self.table("extensions.csv", ["submission", "homework", "due"], extensions)
        tables = ("--times", self.root / "times.csv", "--manual", self.root / "marks.csv")
        if extensions:
            tables += ("--extensions", self.root / "extensions.csv")
        rules = ("--policy", self.policy_file())
        assert running.run("policy", whole, *rules, *tables).exit == 0
        with read_gradebook(self.out) as book:
            overrides = book.decisions.overrides()
        with open_gradebook(whole) as book:
            for override in overrides:
                book.decisions.override(override)
            for name in self.pencil.withdrawn:
                book.decisions.withdraw(name, "left the course")
        assert running.run("policy", whole).exit == 0
        assert grades_in(self.out) == grades_in(whole)


def small_course(root, course):
    """A copy of the course with the homeworks that are handed in, and one more: each command reads them all."""
    shutil.copytree(course.solutions, root / "solutions", ignore=shutil.ignore_patterns("hw*", "capstone*"))
    for homework_id in (*LABELS, NEVER_HANDED_IN):
        for folder in ("solutions", "reference_outputs"):
            shutil.copytree(course.root / folder / homework_id, root / folder / homework_id)
    return Course(root)


@pytest.fixture(scope="session")
def world(tmp_path_factory, course, grade_text):
    """Every text of these tests, graded once."""
    texts = {}
    for homework, (style, *mistakes) in LABELS.items():
        style_texts = texts[homework] = {style: right_text(homework, style)}
        for mistake in mistakes:
            style_texts[mistake] = mistaken_text(homework, mistake)
        style_texts["broken"] = NOT_PYTHON
        if homework in WRITTEN:
            style_texts["answered"] = style_texts[style] + ANSWERS.format("Because of the variance.")
    files = {}
    for homework, style_texts in texts.items():
        files[homework] = {}
        for label, text in style_texts.items():
            result = grade_text(homework, text)
            files[homework][label] = facts(result)
            for kind in ("run", "check"):
                blank = failed(result, kind)
                if blank is not result:
                    files[homework][f"{label}{FAULT}{kind}"] = facts(blank)
    small = small_course(tmp_path_factory.mktemp("small_course"), course)
    return World(tmp_path_factory.mktemp("sequences"), small, texts, files)


@pytest.fixture(autouse=True)
def remembered(world, suite_of, grade_text, monkeypatch):
    """Grade no text twice: what it costs to run a submission, these tests spend on commands."""

    def run_nothing(handins, pool):
        if any(world.fault == ("worker", suite.homework.id) for _, suite in handins):
            raise OSError("no worker starts, says a test")
        return [None] * len(handins)

    def remember(code, suite, pool, notes=(), run=None):
        result = grade_text(suite.homework.id, code.files[code.entry])
        if world.fault and world.fault[1] == suite.homework.id:
            result = failed(result, world.fault[0])
        return replace(result, notes=(*notes, *result.notes))

    # A new release is another version: the tests after this one have the present one again.
    monkeypatch.setattr(fingerprint, "__version__", fingerprint.__version__)
    monkeypatch.setattr(session, "run_handins", run_nothing)
    monkeypatch.setattr(session, "grade_handin", remember)
    monkeypatch.setattr(session, "prepare_suite", lambda course, homework, seed, pool: suite_of(homework.id))


def try_sequences(world, examples, steps):
    """Try as many sequences of as many commands; without a number in AUTOGRADER_SEQUENCES_SEED, always the same."""
    Commands.world = world
    chosen = os.environ.get("AUTOGRADER_SEQUENCES_SEED")
    if chosen:
        Commands._hypothesis_internal_use_seed = int(chosen)
    run_state_machine_as_test(
        Commands,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            derandomize=not chosen,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink] if os.environ.get("SHRINK") else [Phase.generate],
        ),
    )


pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="commands are killed in a fork")


def test_no_command_loses_or_changes_a_grade(world):
    try_sequences(world, examples=8, steps=20)


def test_no_long_sequence_of_commands_loses_or_changes_a_grade(world):
    examples = int(os.environ.get("AUTOGRADER_SEQUENCES", "4"))
    steps = int(os.environ.get("AUTOGRADER_COMMANDS", "30"))
    try_sequences(world, examples, steps)
