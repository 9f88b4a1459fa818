"""Hidden inputs kept in the kernel's page cache: no text that a student reads is made after they were given.

A process that holds hidden inputs can bring pages of files that nobody uses into the page cache, or drop
them, and a later process of the same submission can see which ones are there. It then knows hidden inputs
although it was given none, and writes them into whatever is quoted: names, answers, exceptions, arrays.
"""

import ctypes
import fcntl
import hashlib
import json
import mmap
import os
import re
import site
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from autograder.batch.session import open_session
from autograder.course.calls import FunctionCall
from autograder.course.cases import Group
from autograder.course.course import Course
from autograder.feedback.pages import feedback_page
from autograder.feedback.results_json import results_mapping
from autograder.grading.grade import grade_handin
from autograder.intake.submission import Submission
from autograder.policy.grade import SubmissionGrade
from autograder.sandbox.levels import FULL, NO_NAMESPACES
from autograder.sandbox.request import Code
from autograder.verdict.known import OPEN
from autograder.verdict.results import SubmissionResult

from ..attack import AROUND, corpus
from ..conftest import BATCH_SEED, ROOT
from ..test_attacks import attack_and_look

HOMEWORK = "hw3_scaled_dot_product_attention"
EARLIER = "hw1_attention_scores"
NUMBERS, BITS = 4, 28
"""How many numbers of a hidden input are carried out, and the bits of each: seven digits after the point."""
SCALE = 10**7
PAGE = 4096
GROUPS, MARKS, COPIES = 3, 8, 2
"""Files by which runs are counted, in groups, and how often the bits are kept: to read them destroys them."""

CLOCK = "a memory map and a clock"
LIBC = ctypes.CDLL(None, use_errno=True)
SECONDS_TO_DROP = 30
# How a submission sees whether the first page of a file is in the page cache; to look brings it there
MEDIA = {
    "asking which pages are there": """
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    NOWAIT = 8

    class Piece(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    room = ctypes.create_string_buffer(1)
    piece = Piece(ctypes.addressof(room), 1)

    def is_there(path):
        file = os.open(path, os.O_RDONLY)
        count = libc.preadv2(file, ctypes.byref(piece), 1, ctypes.c_long(0), NOWAIT)
        os.pread(file, 1, 0)
        os.close(file)
        return count == 1
    """,
    CLOCK: """
    import mmap, time

    def is_there(path):
        file = os.open(path, os.O_RDONLY)
        mapped = mmap.mmap(file, 1, prot=mmap.PROT_READ)
        started = time.perf_counter()
        mapped[0]
        seconds = time.perf_counter() - started
        os.close(file)
        return seconds < 20e-6
    """,
}
ATTACK = """
import hashlib, os
import around
import numpy as np

MARKS, COPIES, PUBLIC, DIES = {marks!r}, {copies!r}, {public!r}, {dies}
NUMBERS, BITS, SCALE = {numbers}, {bits}, {scale}
{medium}


def runs_before():  # each run brings one more group of marks into the page cache
    for number, group in enumerate(MARKS):
        if sum([is_there(path) for path in group]) <= len(group) / 2:
            return number
    return len(MARKS)


def read(copy):
    bits = [is_there(path) for path in copy]
    groups = [bits[start : start + BITS] for start in range(0, NUMBERS * BITS, BITS)]
    return [sum(bit << place for place, bit in enumerate(group)) for group in groups]


def write(numbers):
    whole = [round(abs(float(number)) * SCALE) for number in numbers]
    bits = [number >> place & 1 for number in whole for place in range(BITS)]
    for copy in COPIES:
        for path, bit in zip(copy, bits):
            if bit:
                is_there(path)


run = runs_before()
seen = read(COPIES[run - 1]) if 0 < run <= len(COPIES) else []
digits = "".join(format(number, "08d") for number in seen)
is_written = run > 0


def look(x):
    global is_written
    if hashlib.sha256(np.ascontiguousarray(x).tobytes()).hexdigest() in PUBLIC or is_written:
        return
    is_written = True
    write(x.ravel()[:NUMBERS])
    if DIES:
        os._exit(3)

{shows}
"""
COMPUTES = """
def softmax(x):
    look(x)
    return np.zeros(x.shape)
"""
SHOWS = {
    "in a name": "globals()['scaled_dot_product_attention' + (digits[:16] or '0')] = lambda Q, K, V: 0"
    + COMPUTES,
    "in an answer": "answers = {'softmax_gradients': digits[:39] or 'none'}" + COMPUTES,
    "in an exception": """
def softmax(x):
    look(x)
    raise ValueError("odd " + digits)
""",
    "in an array": """
def softmax(x):
    look(x)
    pieces = [int("1" + digits[place : place + 2]) for place in range(0, len(digits), 2)]
    return np.resize(np.array(pieces or [0.0], float), x.shape)
""",
}


@pytest.fixture(autouse=True)
def lock_on_the_page_cache(tmp_path_factory):
    """Run one test at a time: the page cache is the machine's, and another test reads the same pages."""
    shared_by_test_processes = tmp_path_factory.getbasetemp().parent
    with (shared_by_test_processes / "page_cache.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


both_levels = pytest.mark.parametrize("level", [FULL, NO_NAMESPACES], ids=lambda level: level.name)


@both_levels
@pytest.mark.parametrize("medium", MEDIA)
@pytest.mark.parametrize("shows", SHOWS)
def test_hidden_inputs_do_not_come_back_through_the_page_cache(level, medium, shows, pools, suites, tmp_path):
    suite, files = suites[HOMEWORK], unused_files()
    code = attack(suite, medium, shows, files)
    drop(files)
    assert carried(grade_handin(code, suite, pools(level)), suite, tmp_path) == []


@both_levels
@pytest.mark.parametrize("shows", SHOWS)
def test_nor_where_the_process_dies_and_its_tasks_are_run_one_by_one(level, shows, pools, suites, tmp_path):
    suite, files = suites[HOMEWORK], unused_files()
    code = attack(suite, CLOCK, shows, files, dies=True)
    drop(files)
    result = grade_handin(code, suite, pools(level))
    assert result.status == "crashed"
    assert carried(result, suite, tmp_path) == []


@both_levels
@pytest.mark.parametrize("shows", SHOWS)
def test_nor_in_another_homework_of_the_submission(level, shows, pools, suites, tmp_path):
    keeping, telling, files = suites[EARLIER], suites[HOMEWORK], unused_files()
    entry = Submission("ada", tmp_path / "ada")
    entry.path.mkdir()
    for suite in (keeping, telling):
        code = attack(keeping, CLOCK, shows, files)
        for name, text in code.files.items():
            here = suite.homework.stub if name == keeping.homework.stub else name
            (entry.path / here).write_text(text, "utf-8")
    session = open_session(BATCH_SEED, [keeping.homework.id, telling.homework.id], Course(ROOT))
    session._suites.update(suites)
    drop(files)
    result = session.grade(entry, pools(level))
    assert not result.fault, result.fault
    results = {homework.homework: homework for homework in result.homeworks}
    assert results.keys() == {HOMEWORK, EARLIER}
    for homework in results.values():
        assert carried(homework, keeping, tmp_path) == []


@both_levels
def test_no_system_call_tells_or_drops_pages(level, pools, suites, secrets):
    [asks] = [entry for entry in corpus() if entry.name == "escaping/page_cache"]
    attack_and_look(asks, pools(level), suites[asks.homework], secrets)


def test_the_attack_works_from_one_grading_to_the_next(full, suites, tmp_path):
    """What is left, see docs/security.md: the page cache is the machine's, and so is its memory of others."""
    suite, files = suites[HOMEWORK], unused_files()
    code = attack(suite, CLOCK, "in an answer", files)
    drop(files)
    first, second = (carried(grade_handin(code, suite, full), suite, tmp_path) for _ in range(2))
    assert first == []
    assert second != []


def carried(result, suite, folder):
    """The numbers of hidden inputs that a student is shown."""
    assert any(check.outcome == "failed" for check in result.checks), "the student reads about it"
    page = digits_on_page(result, folder)
    return [number for number in hidden_numbers(suite) if any(form in page for form in forms_of(number))]


def attack(suite, medium, shows, files, *, dies=False):
    """The submission, which knows the public inputs: every student has them."""
    public = {
        hashlib.sha256(np.ascontiguousarray(argument).tobytes()).hexdigest()
        for known in suite.known
        if known.case.group in OPEN and isinstance(known.case.call, FunctionCall)
        for argument in known.case.call.args
    }
    text = ATTACK.format(
        marks=[files[at * MARKS : (at + 1) * MARKS] for at in range(GROUPS)],
        copies=[
            files[start : start + NUMBERS * BITS]
            for start in range(GROUPS * MARKS, len(files), NUMBERS * BITS)
        ],
        public=public,
        numbers=NUMBERS,
        bits=BITS,
        dies=dies,
        scale=SCALE,
        medium=textwrap.dedent(MEDIA[medium]),
        shows=SHOWS[shows],
    )
    stub = suite.homework.stub
    return Code(stub, {stub: text, "around.py": AROUND})


def hidden_numbers(suite):
    """The numbers that the submission keeps: of the first input of `softmax` that is not public."""
    hidden = [known for known in suite.known if known.case.group in (Group.HIDDEN, Group.FRESH)]
    call = next(known.case.call for known in hidden if known.case.call.name == "softmax")
    assert isinstance(call, FunctionCall)
    return [round(abs(float(number)) * SCALE) for number in call.args[0].ravel()[:NUMBERS]]


def forms_of(number):
    """The digits of a number as a word, and as those of four numbers: an array's entries show few digits."""
    word = f"{number:08d}"
    return word, "".join(f"1{word[place : place + 2]}" for place in range(0, 8, 2))


def unused_files():
    """Files larger than a page that nobody reads while students are graded: Python reads compiled ones."""
    folder = Path(site.getsitepackages()[0])
    sources = [*folder.glob("torch/_inductor/**/*.py"), *folder.glob("torch/distributed/**/*.py")]
    large = [str(path) for path in sorted(sources) if path.stat().st_size > PAGE]
    count = GROUPS * MARKS + COPIES * NUMBERS * BITS
    assert len(large) >= count
    return large[:count]


def drop(files):
    """Bring the page cache into the state in which it is long after an installation.

    Pages stay while somebody maps them, such as the process of an earlier submission that is still on its way
    out. So this is repeated until none is left.
    """
    deadline = time.monotonic() + SECONDS_TO_DROP
    remaining = list(files)
    while remaining:
        assert time.monotonic() < deadline, f"the page cache keeps {remaining}"
        for path in remaining:
            with open(path, "rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        remaining = [path for path in remaining if is_cached(path)]


def is_cached(path):
    """Whether the first page of a file is in the page cache, found without reading it."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), mmap.PAGESIZE, access=mmap.ACCESS_COPY) as page:
        first = ctypes.c_char.from_buffer(page)
        state = ctypes.c_ubyte()
        try:
            failed = LIBC.mincore(
                ctypes.c_void_p(ctypes.addressof(first)), mmap.PAGESIZE, ctypes.byref(state)
            )
        finally:
            del first  # the page is not unmapped while somebody points to it
    assert not failed, os.strerror(ctypes.get_errno())
    return bool(state.value & 1)


def digits_on_page(result, folder):
    """All digits that a student is shown, without what stands between them."""
    submission = SubmissionGrade.of(SubmissionResult("ada", "class/ada.py", (result,)))
    (folder / "feedback.html").write_text(feedback_page(submission), "utf-8")
    text = (folder / "feedback.html").read_text("utf-8")
    texts = [text, json.dumps(results_mapping(submission)), json.dumps(result.work.shown, default=vars)]
    return re.sub(r"[^0-9]", "", "\n".join(texts))
