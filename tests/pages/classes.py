"""Classes of any size, as grading would have kept them: every result is that of a file of the corpus.

The files are graded once; what a student gets is drawn from them with a fixed seed, a few mistakes often and
most of them rarely. So 5,000 students with six homeworks take about a minute:

    PYTHONPATH=tests python -m tests.pages.classes OUT 5000
"""

import datetime as dt
import random
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from homeworks import SIX
from submissions import mistaken, right

from autograder.batch.graders import GraderPool
from autograder.batch.session import open_session
from autograder.course.course import Course, find_course
from autograder.gradebook.fingerprint import Run
from autograder.gradebook.opening import open_gradebook
from autograder.intake.submission import AUTO, Owner, Problem
from autograder.platforms.discover import find_submissions
from autograder.report.exports import choose, publish
from autograder.sandbox.report import Status
from autograder.verdict.checks import Outcome
from autograder.verdict.results import HomeworkResult, SubmissionResult
from autograder.verdict.work import Work

SEED = 20270215
TESTS = Path(__file__).parents[1]
RIGHT, HANDED_IN, AGAIN = 0.5, 0.93, 0.05
"""Of the files handed in, how many are right; how many of all are handed in; how many are handed in twice."""
GIVEN = "Ada Bo Chloé Dmitri Esra Farid Gita Hiro Inês Jonas Kavya Lars Mei Noa Olek Priya Quentin Rosa Søren"
FAMILY = "Abebe Brandt Chen Dlamini Erdoğan Fischer García Haddad Ivanova Jansen López Müller Nguyễn O’Brien"
WRITTEN = (
    "It keeps the variance at one, so that softmax does not saturate.",
    "The dot products grow with d_k. Dividing by the root keeps their spread the same, whatever d_k is.\n\n"
    "With d_k itself the scores would shrink, and the weights become almost uniform.",
    "Because the paper says so.",
    "it keeps the variance at one so that softmax does not saturate",
    "Without it a word would look the same wherever it stands: attention is a sum, and sums have no order.",
    "I am not sure, but I think that the gradients vanish otherwise.",
    "",
)
QUESTIONS = ("why_the_root", "why_positions", "feed_forward_alone")
ANSWERS = f"\n\nanswers = {{name: {WRITTEN[0]!r} for name in {QUESTIONS}}}\n"


def grade_corpus(course: Course, most: int | None = None, jobs: int = 2) -> dict[str, list[HomeworkResult]]:
    """Grade files of the corpus, of each homework at most so many; return their results, right ones first.

    Every other file answers a theory question too.
    """
    with tempfile.TemporaryDirectory() as folder:
        for homework in course.homeworks(SIX):
            texts = [*right(homework.id).values(), *mistaken(homework.id).values()]
            step = 1 if most is None else -(-len(texts) // most)
            for number, text in enumerate(texts[::step]):
                folder_of_homework = Path(folder, f"{homework.id}-{number:03}")
                folder_of_homework.mkdir()
                answers = ANSWERS * (number % 2 and bool(homework.questions))
                (folder_of_homework / homework.stub).write_text(text + answers, encoding="utf-8")
        graded = grade_folders(course, [Path(folder)], jobs)
    homeworks_graded: dict[str, list[HomeworkResult]] = {homework_id: [] for homework_id in SIX}
    for result in sorted(graded, key=lambda result: result.name):
        for homework_result in result.homeworks:
            homeworks_graded[homework_result.homework].append(homework_result)
    for results in homeworks_graded.values():
        results.sort(key=lambda homework: homework.raw != homework.points)
    return homeworks_graded


def grade_folders(course: Course, paths: Sequence[Path], jobs: int) -> list[SubmissionResult]:
    """Grade what lies in folders, with what pages show of it."""
    stubs = [homework.stub for homework in course.homeworks()]
    entries = find_submissions(paths, stubs, AUTO, {}).submissions
    with GraderPool(open_session(SEED, (), course).plan, jobs) as graders:
        return sorted(graders.grade(entries), key=lambda result: result.name)


def write_results(
    out: Path, course: Course, results: Sequence[Sequence[SubmissionResult]], known: Mapping[str, Owner] = {}
) -> float:
    """Keep results, of each submission one after another; return the seconds that publishing took."""
    with open_gradebook(out) as book:
        book._connection.execute("PRAGMA synchronous = OFF")
        choose(book, ())
        for attempt in range(max(map(len, results))):
            book.begin_run(Run("full", SEED, "corpus", 2, "grade corpus", (), len(results)))
            book.remember_owners(dict(known))
            for result in results:
                if attempt < len(result):
                    book.keep(result[attempt], str(attempt), "corpus")
            book.end_run()
        begun = time.perf_counter()
        publish(book, course, out, lambda line: None)
        return time.perf_counter() - begun


def name_of(number: int) -> str:
    return f"student{number:04}"


def owners(students: int) -> dict[str, Owner]:
    """Whose the submissions are; every tenth is late."""
    given_names, family = GIVEN.split(), FAMILY.split()
    due = dt.datetime(2027, 2, 5, 23, 59, tzinfo=dt.UTC)
    owner_by_name = {}
    for number in range(students):
        name = f"{given_names[number % len(given_names)]} {family[number // len(given_names) % len(family)]}"
        time = due + dt.timedelta(hours=9 if number % 10 == 9 else -number % 50)
        email = f"s{number:05}@example.org"
        owner_by_name[name_of(number)] = Owner(f"S{number:05}", name, time, number % 10 == 9, 1, email)
    return owner_by_name


def drawn(students: int, models: Mapping[str, Sequence[HomeworkResult]]) -> list[list[SubmissionResult]]:
    """Return what each student handed in, some of them twice; among the last ones is one of every status."""
    draw = random.Random(SEED)
    results = []
    for number in range(students):
        attempts = [2 if draw.random() < AGAIN else 1][0]
        results.append([_submission(number, models, draw) for _ in range(attempts)])
    special = [_stopped, _not_ours, _nothing, _unread]
    for number, change in enumerate(special[: max(0, students - 4)]):
        results[-1 - 7 * number % students][-1] = change(results[-1 - 7 * number % students][-1])
    return results


def _submission(
    number: int, models: Mapping[str, Sequence[HomeworkResult]], draw: random.Random
) -> SubmissionResult:
    homeworks = []
    for results in models.values():
        if not results or draw.random() > HANDED_IN:
            continue
        rights = sum(result.raw == result.points for result in results)
        wrong = min(int(draw.paretovariate(0.9)) - 1, len(results) - rights - 1)
        is_right = draw.random() < RIGHT or rights == len(results)
        model = results[draw.randrange(rights)] if is_right and rights else results[rights + wrong]
        checks = tuple(
            replace(check, answer=draw.choice(WRITTEN[:-1]))
            if check.outcome is Outcome.COLLECTED and check.answer
            else check
            for check in model.checks
        )
        work = model.work or Work()
        source = f"# {name_of(number)}\n\n{work.source}\n# {draw.random()}\n"
        seconds = round(draw.lognormvariate(-1, 0.6), 3)
        homeworks.append(replace(model, checks=checks, seconds=seconds, work=replace(work, source=source)))
    name = name_of(number)
    return SubmissionResult(name, f"class/{name}.zip", tuple(homeworks))


def _stopped(result: SubmissionResult) -> SubmissionResult:
    first, *others = result.homeworks
    return replace(result, homeworks=(replace(first, status=Status.TIME_LIMIT, checks=()), *others))


def _not_ours(result: SubmissionResult) -> SubmissionResult:
    first, *others = result.homeworks
    detail = "the sandbox died twice: Killed"
    return replace(
        result,
        homeworks=(replace(first, status=Status.INFRASTRUCTURE_ERROR, checks=(), detail=detail), *others),
    )


def _nothing(result: SubmissionResult) -> SubmissionResult:
    problem = Problem(
        f"{result.name} contains no homework, only notes.txt: hand in one of attention_scores.py, …"
    )
    return replace(result, homeworks=(), problems=(problem,))


def _unread(result: SubmissionResult) -> SubmissionResult:
    first, *others = result.homeworks
    detail = "SyntaxError at line 5 of attention_scores.py: `def softmax(x)`"
    return replace(
        result, homeworks=(replace(first, status=Status.IMPORT_FAILED, checks=(), detail=detail), *others)
    )


SCRIPT = "</script><script>window.__hacked=1</script><img src=x onerror=window.__hacked=1>"
HOSTILE = (
    SCRIPT,
    f"-->{SCRIPT}<!--",
    "\"' onmouseover=window.__hacked=1 x='",
    "\u202etxt.exe\u2066",
    "\x1b[31mred\x1b[0m\x07",
    "👩\u200d🔬🏳\ufe0f\u200d🌈",
    "a" * 250,
    "{{ 7*7 }}${7*7}<%= 7*7 %>",
    "javascript:window.__hacked=1",
    "z̷̨͔͛a̸l" * 20,
    "=1+1",
    "..%2F..%2Freport.html#?",
)
"""Texts that are more than text wherever they are not kept from it."""
LONG = 2_000_000
"""Characters of what is said at length: four times as many as a page may have."""


def hostile(
    models: Mapping[str, Sequence[HomeworkResult]],
) -> tuple[list[list[SubmissionResult]], dict[str, Owner]]:
    """Return a class in which everything that a submission can say is hostile, and one says it at length."""
    wrong = [result for results in models.values() for result in results if result.raw != result.points]
    results, known = [], {}
    for number, text in enumerate(HOSTILE):
        name = text.replace("/", "\udcff")[:80]  # a name on disk need not be Unicode
        long = (text + "\n") * (LONG // len(text) if number == 1 else 3)
        texts = {"reason": long[:2000], "staff": long[:5000], "answer": long[:5000], "cause": text}
        homeworks = []
        for model in wrong[number % 3 :: 3]:
            checks = tuple(replace(check, **texts) for check in model.checks)
            work = replace(model.work or Work(), source=long, file=text)
            homeworks.append(
                replace(model, checks=checks, detail=long, output=long, notes=(text, long), work=work)
            )
        of_each = {homework.homework: homework for homework in homeworks}
        problems = (Problem(text), Problem(long[:5000]))
        hostile_result = SubmissionResult(
            name, f"class/{name}", tuple(of_each.values()), problems, text * (number == 2)
        )
        results.append([hostile_result.capped()])
        known[name] = Owner(text, text, None, True, 1, text)
    return results, known


if __name__ == "__main__":
    folder, count, course = Path(sys.argv[1]), int(sys.argv[2]), find_course()
    students = drawn(count, grade_corpus(course))
    start = time.perf_counter()
    seconds = write_results(folder, course, students, owners(count))
    overhead = time.perf_counter() - start - seconds
    print(f"{count} submissions kept in {overhead:.1f} s, published in {seconds:.1f} s: {folder}")
