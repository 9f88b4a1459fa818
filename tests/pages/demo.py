"""The site that shows the kit: handouts, a graded class with its pages, and drills, as files for any static host.

python -m tests.pages.demo demo
"""

import datetime as dt
import json
import shutil
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import autograder
from autograder.course.course import Course, find_course
from autograder.feedback.rendering import page_of
from autograder.templates import environment

from .classes import SEED, TESTS
from .made_class import FELLOWS, SIX, run_kit, write_fellows

CLASS_SIZE = 40
MADE_BY = '<meta name="generator" content="make demo">'
INDEX = "index.html"
STAFF_FILES = ("report.html", "written.html", "grades.csv", "policy.csv", "written.csv")
DRILL_OF = "hw3_scaled_dot_product_attention"
DRILLS = {"drill": "find and fix a known mistake", "examples": "find inputs that expose known mistakes"}
STYLE = Path(autograder.__file__).parent / "feedback" / "templates" / "style.css"


class Person(NamedTuple):
    """A student whom the index introduces; ``feedback`` and ``page`` are the student's and the staff's page."""

    name: str
    about: str
    feedback: str
    page: str


class DrillPage(NamedTuple):
    """A drill: the address of its handout, and that of the zip that students get."""

    title: str
    handout: str
    archive: str


class Progress:
    """Prints what is being done, after the seconds that have passed."""

    def __init__(self) -> None:
        self._begun = time.monotonic()

    def __call__(self, line: str) -> None:
        seconds = time.monotonic() - self._begun
        print(f"{seconds:4.0f} s  {line}", flush=True)


def build(
    folder: Path,
    course: Course,
    *,
    fellows: Sequence[str],
    homework_ids: Sequence[str] = SIX,
    with_sample_class: bool = True,
) -> None:
    """Build the site in a folder that does not exist, is empty, or holds an earlier one.

    Args:
        folder: where the site goes.
        course: the course with the homeworks.
        fellows: names of students who are invented, besides the sample class.
        homework_ids: what these hand in.
        with_sample_class: whether the sample class is part of the class.
    """
    index = folder / INDEX
    if folder.exists() and any(folder.iterdir()):
        if not index.is_file() or MADE_BY not in index.read_text("utf-8"):
            sys.exit(f"error: {folder} holds other files: name another folder, as in make demo DEMO=site")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".nojekyll").touch()  # a host that runs Jekyll would leave files out
    tell = Progress()

    tell("copying the handouts")
    homeworks = []
    for homework in course.homeworks():
        target = folder / "handouts" / homework.id
        target.mkdir(parents=True)
        shutil.copy(course.assignments / homework.id / "handout.html", target)
        homeworks.append((homework.id, homework.title))

    with tempfile.TemporaryDirectory() as scratch:
        submissions = Path(scratch, "class")
        out = Path(scratch, "graded")
        if with_sample_class:
            shutil.copytree(TESTS / "sample_class", submissions)
        write_fellows(submissions, course, fellows, homework_ids)
        students = len(list(submissions.iterdir()))
        tell(f"grading a class of {students}")
        run_kit("grade", submissions, "--out", out, "--seed", SEED, "--unsafe")
        tell("collecting written answers and similar code")
        run_kit("written", out)
        run_kit("similar", out)
        run_kit("report", out)  # which links to what was written after it
        copy_pages(out, folder / "class")
    tell("making the drills")
    drills = list(make_drills(folder / "drills"))

    tell("writing the index")
    people = choose_people(folder / "class")
    graded = [(homework.id, homework.title) for homework in course.homeworks(homework_ids)]
    template = environment().from_string(Path(__file__).with_suffix(".html").read_text("utf-8"))
    text = template.render(
        style=STYLE.read_text("utf-8"),
        homeworks=homeworks,
        graded=graded,
        students=students,
        people=people,
        drills=drills,
        version=autograder.__version__,
        day=dt.date.today().isoformat(),
    )
    index.write_text(text, encoding="utf-8")
    files = [path for path in folder.rglob("*") if path.is_file()]
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    tell(f"done: {len(files)} files, {megabytes:.1f} MB; open {index}")


def copy_pages(out: Path, target: Path) -> None:
    """Copy what browsers show of a graded class: no gradebook, which holds what nobody should publish."""
    shutil.copytree(out / "report", target / "report")
    for name in STAFF_FILES:
        if (out / name).is_file():
            shutil.copy(out / name, target)
    for page in sorted(out.glob("submissions/*/feedback.html")):
        folder = target / page.relative_to(out).parent
        folder.mkdir(parents=True)
        shutil.copy(page, folder)
        shutil.copy(page.with_name("results.json"), folder)


def make_drills(folder: Path) -> Iterator[DrillPage]:
    """Write both drills of a homework, the zip and its handout; yield where they are."""
    run_kit("release", "--drill", DRILL_OF, "--anyway", "--out", folder)
    run_kit("release", "--drill", DRILL_OF, "--examples", "--out", folder)
    for kind, title in DRILLS.items():
        name = f"{DRILL_OF}_{kind}"
        archive = folder / f"{name}.zip"
        page = f"{name}/handout.html"
        with zipfile.ZipFile(archive) as members:
            members.extract(page, folder)
        yield DrillPage(title, f"{folder.name}/{page}", f"{folder.name}/{archive.name}")


def choose_people(folder: Path) -> list[Person]:
    """Choose one submission of each kind that a visitor should see, the first one by name."""
    people: dict[str, Person] = {}
    for path in sorted(folder.glob("submissions/*/results.json")):
        results = json.loads(path.read_text("utf-8"))
        about = about_results(results)
        if about and about not in people:
            name = results["extra_data"]["submission"]
            feedback = path.with_name("feedback.html").relative_to(folder).as_posix()
            people[about] = Person(name, about, feedback, page_of(name))
    return list(people.values())


def about_results(results: dict[str, Any]) -> str:
    """Say what is worth seeing in the results of a submission, or nothing."""
    status = results["extra_data"]["status"]
    if status == "time_limit":
        return "a loop that never ends costs only its own task"
    if status != "graded":
        return ""
    lost = []
    lines = []
    for test in results["tests"]:
        if test.get("status") == "failed":
            lost.append(test)
            lines += test["extra_data"]["misconceptions"]
    if lines:
        return "wrong, with the mistake named"
    if not lost:
        return "every check passed"
    return ""


def main() -> None:
    """Build the site with a class of 40 in the folder that is named."""
    own_class = len(list((TESTS / "sample_class").iterdir()))
    fellows = FELLOWS.split()[: CLASS_SIZE - own_class]
    build(Path(sys.argv[1]), find_course(), fellows=fellows)


if __name__ == "__main__":
    main()
