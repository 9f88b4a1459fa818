"""Replay every break of the protection that was once found: ``python -m tests.attacks.replay``.

Each break is an entry of ``BREAKS`` and consists of tests that fail once it is open again. They are run at
each level of isolation, and only once where no code of students is involved. One line per break and level
says ``held``, or ``BROKEN`` with what was gained. The exit status is 1 where a line says anything else than
``held``: a test that was skipped or not found has shown nothing.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.sandbox.levels import FULL, NO_NAMESPACES, strongest_level

ROOT = Path(__file__).resolve().parents[2]
BOTH = (FULL.name, NO_NAMESPACES.name)
ANY = ("any level",)
"""For what happens on the side that grades, where no level makes a difference."""


@dataclass(frozen=True)
class Break:
    """One break: its name, the tests that fail where it is open, and the levels at which they are run."""

    name: str
    tests: Sequence[str]
    levels: Sequence[str] = BOTH


@dataclass(frozen=True)
class Outcome:
    """What one test has shown."""

    test: str
    passed: bool = False
    gained: str = ""
    untried: str = ""


BREAKS = (
    Break(
        "page cache and clock, from hidden inputs to quoted words",
        (
            "tests/attacks/whole/test_page_cache.py::test_hidden_inputs_do_not_come_back_through_the_page_cache",
            "tests/attacks/whole/test_page_cache.py::test_nor_where_the_process_dies_and_its_tasks_are_run_one_by_one",
        ),
    ),
    Break(
        "page cache and clock, from one homework to the next of a submission",
        ("tests/attacks/whole/test_page_cache.py::test_nor_in_another_homework_of_the_submission",),
    ),
    Break(
        "system calls that tell or drop pages",
        ("tests/attacks/whole/test_page_cache.py::test_no_system_call_tells_or_drops_pages",),
    ),
    Break(
        "quoting without end over many gradings",
        (
            "tests/records/test_settlement.py::"
            "test_pages_give_no_reasons_once_their_gradings_may_have_quoted_too_much",
            "tests/records/test_settlement.py::test_a_student_has_one_budget_for_all_submissions_of_a_homework",
            "tests/records/test_settlement.py::test_what_pages_may_have_quoted_counts_every_grading",
        ),
        ANY,
    ),
    Break(
        "a tuple of guesses",
        (
            "tests/solutions/whole/test_forms.py::"
            "test_of_several_guesses_the_order_decides_which_counts_and_none_is_named",
        ),
    ),
    Break(
        "the capstone without a Transformer",
        ("tests/attacks/whole/test_models.py::test_a_model_earns_only_what_it_does",),
    ),
    Break(
        "one student's name as another's id",
        (
            "tests/cli/test_lms.py::"
            "test_a_login_that_looks_like_another_students_id_takes_nothing_of_that_student",
            "tests/cli/test_policy.py::test_a_name_that_is_another_students_id_is_refused_with_both_names",
            "tests/cli/test_policy.py::"
            "test_a_time_for_a_student_with_two_submissions_is_refused_with_both_names",
            "tests/intake/test_roster.py::test_a_login_on_github_is_nobodys_id_number_or_address",
        ),
        ANY,
    ),
    Break(
        "names that are codes of anonymous marking",
        (
            "tests/records/test_written.py::test_a_submission_that_is_called_like_a_code_is_one_like_any_other",
            "tests/records/test_written.py::test_a_name_that_was_chosen_as_anothers_code_takes_no_row_from_it",
            "tests/records/test_written.py::"
            "test_another_gradebook_has_other_codes_and_none_has_any_without_a_secret",
        ),
        ANY,
    ),
    Break(
        "drills that nobody can pass, or anybody",
        (
            "tests/judging/whole/test_telling.py::test_inputs_found_by_search_earn_everything",
            "tests/judging/whole/test_telling.py::test_zeros_in_the_smallest_arrays_do_not_pass",
            "tests/judging/whole/test_telling.py::test_right_code_takes_whatever_has_the_sizes_of_the_handout",
        ),
    ),
    Break(
        "the whole score matrix past the memory check",
        ("tests/solutions/whole/test_blockwise_memory.py::test_the_whole_score_matrix_fails_and_is_named",),
    ),
    Break(
        "a missing scale excused by weights of one's choice",
        ("tests/solutions/test_missing_scale.py",),
    ),
    Break(
        "a name whose hash begins like another's",
        (
            "tests/records/test_student_page.py::"
            "test_no_submission_takes_the_page_of_another_whose_hash_begins_alike",
        ),
        ANY,
    ),
    Break("escape sequences in a terminal", ("tests/cli/whole/test_hostile_text.py",), ANY),
)


class Collector:
    """Part of pytest: keeps what the tests of one level have shown, and leaves out those of other levels."""

    def __init__(self, level: str, tests: Sequence[str]) -> None:
        self.outcomes: list[Outcome] = []
        self._level = level
        self._tests = tests

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if any(_belongs(item.nodeid, test) for test in self._tests)]
        items[:] = [item for item in chosen if self._is_for_this_level(item)]

    def _is_for_this_level(self, item: pytest.Item) -> bool:
        """Tests that name a level are for that one; all others take the strongest one that works."""
        callspec = getattr(item, "callspec", None)
        level = callspec.params.get("level") if callspec else None
        return level is None or level.name == self._level

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            why = f"cannot be collected: {_first_line(str(report.longrepr))}"
            self.outcomes.append(Outcome(report.nodeid, untried=why))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped:
            self.outcomes.append(Outcome(report.nodeid, untried=_first_line(str(report.longrepr))))
        elif report.failed and report.when == "call":
            crash = getattr(report.longrepr, "reprcrash", None)
            gained = crash.message if crash else str(report.longrepr)
            self.outcomes.append(Outcome(report.nodeid, gained=_first_line(gained)))
        elif report.failed:
            why = f"{report.when} failed: {_first_line(report.longreprtext)}"
            self.outcomes.append(Outcome(report.nodeid, untried=why))
        elif report.when == "call":
            self.outcomes.append(Outcome(report.nodeid, passed=True))


def _belongs(nodeid: str, test: str) -> bool:
    """Whether a test is the one that an entry names, a case of it, or in the file that it names."""
    return nodeid == test or nodeid.startswith((f"{test}[", f"{test}::"))


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:200]


def verdict(entry: Break, outcomes: Iterable[Outcome]) -> str:
    """Return ``held (tests)``, ``BROKEN: what was gained``, or ``NOT TRIED: why``.

    Every test of the break must have been run at least once.
    """
    outcomes_of_test: Mapping[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        for test in entry.tests:
            if _belongs(outcome.test, test):
                outcomes_of_test[test].append(outcome)
    all_outcomes = [outcome for test in entry.tests for outcome in outcomes_of_test[test]]
    for outcome in all_outcomes:
        if outcome.gained:
            return f"BROKEN: {outcome.gained} ({outcome.test.partition('::')[2]})"
    for outcome in all_outcomes:
        if outcome.untried:
            return f"NOT TRIED: {outcome.untried}"
    for test in entry.tests:
        if not outcomes_of_test[test]:
            return f"NOT TRIED: no test {test}"
    return f"held ({len(all_outcomes)} tests)"


def _line(entry: Break, level: str, text: str) -> str:
    return f"{entry.name:<70}{level:<15}{text}"


def replay_here(level: str, breaks: Sequence[Break]) -> int:
    """Run the tests of these breaks in this process and print a line for each; 0 where all held."""
    if level in BOTH and strongest_level().name != level:
        for entry in breaks:
            print(
                f"{entry.name:<70}{level:<15}NOT TRIED: this machine offers {strongest_level().name} at most"
            )
        return 1
    tests = [test for entry in breaks for test in entry.tests]
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    collector = Collector(level, tests)
    with tempfile.TemporaryFile("w+") as log:
        # What pytest prints goes elsewhere: all that is to be read here is one line per break.
        screen = os.dup(1)
        os.dup2(log.fileno(), 1)
        try:
            pytest.main(["-q", "-p", "no:cacheprovider", *files], plugins=[collector])
        finally:
            sys.stdout.flush()
            os.dup2(screen, 1)
            os.close(screen)
    failures = 0
    for entry in breaks:
        text = verdict(entry, collector.outcomes)
        failures += not text.startswith("held")
        print(_line(entry, level, text), flush=True)
    return 1 if failures else 0


def environment_of(level: str, folder: Path) -> dict[str, str]:
    """Return the variables of a process whose strongest level is this one.

    Without namespaces these lead to a folder of links to all programs but bubblewrap.
    """
    environment = dict(os.environ)
    if level != NO_NAMESPACES.name:
        return environment
    for directory in os.get_exec_path():
        if not os.path.isdir(directory):
            continue
        for name in os.listdir(directory):
            link = folder / name
            if name != "bwrap" and not link.is_symlink():
                link.symlink_to(Path(directory, name))
    environment["PATH"] = str(folder)
    return environment


def replay(breaks: Sequence[Break] = BREAKS) -> int:
    """Replay breaks at each of their levels, one process per level, and print the table; 0 where all held."""
    status = 0
    for level in (*ANY, *BOTH):
        names = [entry.name for entry in breaks if level in entry.levels]
        if not names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "tests.attacks.replay", "--level", level, *names]
            process = subprocess.run(command, cwd=ROOT, env=environment_of(level, Path(folder)), check=False)
        status = max(status, abs(process.returncode))
    return status


def main() -> int:
    parser = argparse.ArgumentParser(description="Replay the breaks that were once found.")
    parser.add_argument("names", nargs="*", help="names of breaks; all where none is given")
    parser.add_argument("--level", help="only this level, in this process")
    options = parser.parse_args()
    chosen = [entry for entry in BREAKS if entry.name in options.names or not options.names]
    if unknown := set(options.names) - {entry.name for entry in BREAKS}:
        parser.error(f"no break is called {', '.join(sorted(unknown))}")
    if options.level:
        return replay_here(options.level, chosen)
    return replay(chosen)


if __name__ == "__main__":
    sys.exit(main())
