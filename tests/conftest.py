"""What tests share: the course, sandboxes that stay warm for a whole test process, and prepared suites."""

import functools
import gc
import json
import os
import threading
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from few_reasons import first_reasons, short_searches
from submissions import of_stub
from tiny import write_tiny
from wording import Entry, Session

from autograder.authoring.reference import build_outputs
from autograder.batch.garbage import THRESHOLDS
from autograder.course.course import Course, find_course
from autograder.grading import grade
from autograder.grading.grade import grade_handin
from autograder.grading.suite import prepare_suite
from autograder.sandbox import pool as pool_module
from autograder.sandbox.levels import strongest_level
from autograder.sandbox.pool import SandboxPool, open_sandbox

SEED = 20270101
WHOLE = "whole"
"""Tests in a folder of this name, at any depth, run in CI and with ``make test WHOLE=1``."""
SECOND_COURSE = "second_course"
"""A small course on another subject, which ``whole/test_second_course.py`` uses."""
DURATIONS = Path(__file__).with_name("durations.json")
"""Seconds of each group of tests that run in one process, as ``--record-durations`` measured them."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""How many threads share a product of matrices: each library reads its own, when it is imported."""


def pytest_addoption(parser):
    parser.addoption("--accept-wording", action="store_true", help="write what is said into tests/wording/")
    parser.addoption("--whole", action="store_true", help="also run the tests in folders called whole")
    parser.addoption("--record-durations", action="store_true", help="write tests/durations.json")


def pytest_configure(config):
    """Let students' checks speak as on a student's machine, also where a workflow runs these tests.

    Test processes keep all cores busy already: threads of a small product, which wait for each other, would make
    it three times as costly. What tests start inherits this; the workers of the sandbox have one thread anyway.
    Nor is garbage looked for while tests are collected, for nearly everything that is made then stays.
    """
    os.environ.pop("GITHUB_ACTIONS", None)
    gc.disable()
    for variable in THREADS:
        os.environ.setdefault(variable, "1")
    if config.getoption("--record-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Durations())


class Durations:
    """Sums up how long each group of tests takes, in the process that hands out the tests."""

    def __init__(self):
        self.seconds = Counter()

    def pytest_runtest_logreport(self, report):
        self.seconds[report.group] += report.duration

    def pytest_sessionfinish(self):
        seconds = {group: round(time, 1) for group, time in self.seconds.most_common()}
        DURATIONS.write_text(json.dumps(seconds, indent=0) + "\n", encoding="utf-8")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Tell the process that hands out the tests which group a test is of."""
    report = yield
    marker = item.get_closest_marker("xdist_group")
    report.group = marker.args[0] if marker else item.location[0]
    return report


def pytest_ignore_collect(collection_path, config):
    """Leave out the folders called whole, unless they are asked for, by option or by name.

    The checks of the second course are graders, not tests.
    """
    if collection_path.name == SECOND_COURSE:
        return True
    if collection_path.name != WHOLE or config.getoption("--whole"):
        return None
    is_named = any(WHOLE in Path(argument).parts for argument in config.args)
    return None if is_named else True


def pytest_collection_finish():
    """Let the garbage collector run again, as rarely as where commands grade, but never look through the tests.

    Without this it looks through ten thousand tests again and again, in each process and in each of its forks:
    half of what collecting costs. As often as Python would have it, it takes a sixteenth of what grading costs.
    """
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Keep together what shares costly fixtures: a suite or the browser, else the tests of a file.

    The groups that take longest begin first, so that no process waits for one in the end.
    """
    homeworks = find_course().homework_ids()
    seconds = json.loads(DURATIONS.read_text("utf-8")) if DURATIONS.is_file() else {}
    groups = {}
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        group = item.nodeid.partition("::")[0].removeprefix("tests/")
        if "suite_of" in fixtures:
            group = next((homework for homework in homeworks if homework in item.name), group)
        if "browser" in fixtures:
            group = "browser"
        marker = item.get_closest_marker("xdist_group")
        if marker is None:
            item.add_marker(pytest.mark.xdist_group(group))
        else:
            group = marker.args[0]
        groups[item] = group
    items.sort(key=lambda item: -seconds.get(groups[item], 0.0))


def pytest_make_parametrize_id(val):
    return val.id if isinstance(val, Entry) else None


@pytest.fixture(scope="session", autouse=True)
def wording_session(pytestconfig, tmp_path_factory):
    Session.folder = tmp_path_factory.getbasetemp()
    Session.accept = pytestconfig.getoption("--accept-wording")


@pytest.fixture(scope="session")
def course():
    return find_course()


@pytest.fixture
def homeworks_read(monkeypatch):
    """The ids of the homeworks that are read, in their order."""
    read = []
    really_read = Course._homework

    def read_homework(course, homework_id, *rest):
        read.append(homework_id)
        return really_read(course, homework_id, *rest)

    monkeypatch.setattr(Course, "_homework", read_homework)
    return read


@pytest.fixture(scope="session")
def pool():
    with SandboxPool() as opened:
        yield opened


class Reserve:
    """Sandboxes that a pool has closed and that the next pool takes: to start one costs more than most commands.

    A fork of this process leaves them alone, for it may be killed while one of them runs something.
    """

    MOST = 2
    """So many are kept for each library and level."""

    def __init__(self):
        self._kept = defaultdict(list)
        self._lock = threading.Lock()

    def open(self, library):
        with self._lock:
            kept = self._kept[self._key(library)]
            return kept.pop() if kept else open_sandbox(library)

    def keep(self, library, sandbox):
        with self._lock:
            kept = self._kept[self._key(library)]
            if len(kept) < self.MOST:
                kept.append(sandbox)
                return
        sandbox.close()

    def close(self):
        for (process, *_), kept in self._kept.items():
            for sandbox in kept if process == os.getpid() else ():
                sandbox.close()

    @staticmethod
    def _key(library):
        return os.getpid(), library, strongest_level().name


@pytest.fixture(scope="session")
def reserve():
    opened = Reserve()
    yield opened
    opened.close()


@pytest.fixture
def warm_sandboxes(reserve, monkeypatch):
    """Let commands that run in this process take sandboxes that are warm already."""

    close = SandboxPool.__exit__

    def leave(pool, *exc_info):
        if any(exc_info):  # a run may be under way
            close(pool, *exc_info)
        while pool._open:
            reserve.keep(*pool._open.popitem())

    monkeypatch.setattr(pool_module, "open_sandbox", reserve.open)
    monkeypatch.setattr(SandboxPool, "__exit__", leave)


@pytest.fixture(scope="session")
def suite_of(course, pool):
    return functools.cache(
        lambda homework_id: prepare_suite(course, course.homework(homework_id), SEED, pool)
    )


@pytest.fixture(scope="session")
def grade_text(suite_of, pool):
    """Grade the text of a stub file for a homework; the corpus is graded once for all tests of it."""

    @functools.cache
    def graded(homework_id, text):
        suite = suite_of(homework_id)
        return grade_handin(of_stub(suite, text), suite, pool)

    return graded


@pytest.fixture
def searches_are_short():
    """For tests that ask for no wrong line: what looks for one takes most of the time of a wrong answer."""
    with short_searches():
        yield


@pytest.fixture(scope="session")
def label_text(suite_of, pool):
    """As ``grade_text``, where labels are asked for and not the wrong lines: the searches for these are short."""

    @functools.cache
    def labelled(homework_id, text):
        suite = suite_of(homework_id)
        with short_searches():
            return grade_handin(of_stub(suite, text), suite, pool)

    return labelled


@pytest.fixture(scope="session")
def judge_text(suite_of, pool):
    """As ``grade_text``, but only the first failures have a reason: reasons take most of the time, no points."""

    def judge(homework_id, text, reasons=0):
        suite = suite_of(homework_id)
        with first_reasons(reasons), pytest.MonkeyPatch.context() as patch:
            patch.setattr(grade, "_with_exhibits", lambda work, *more: work)
            return grade_handin(of_stub(suite, text), suite, pool)

    return judge


@pytest.fixture(scope="session")
def built(tmp_path_factory, pool):
    """The tiny course with its reference outputs; no test changes it."""
    tiny = write_tiny(tmp_path_factory.mktemp("course"))
    assert build_outputs(tiny.course, tiny.homework, pool).written
    return tiny


@pytest.fixture
def tiny(tmp_path):
    """A course of one small homework in a folder of its own."""
    return write_tiny(tmp_path / "course")
