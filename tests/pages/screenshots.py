"""The pictures of ``docs/pictures``, taken of the sample class and fellow students from the corpus.

PYTHONPATH=tests python -m tests.pages.screenshots docs/pictures
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from homeworks import SIX
from playwright.sync_api import Page
from submissions import mistaken_text, right

from autograder.course.course import Course, find_course
from autograder.course.questions import Written
from autograder.feedback.pages import page_of
from autograder.reasons.catalogue import read_catalogue

from .browsing import launched, open_page
from .classes import SEED, TESTS, WRITTEN

FELLOWS = (
    "aiko bruno carla denis emeka fatima goran hana ivan julia kofi lena marta nils oumar petra rafael sofia "
    "tomas uma viktor wanda xenia yusuf zara adam beata cyril dara elif"
)
MISTAKES = (
    "no-scaling",
    "softmax-over-queries",
    "weights-transposed",
    "causal-mask",
    "scale-by-d",
    "hard-coded-size",
)
ODDS = (8, 5, 4, 3, 2, 2)
COPIED = ("uma", "zara")
"""Who wrote some files, and who handed them in with other names in them."""
WRONG, ANSWERED = 0.45, 0.6


def write_class(folder: Path, course: Course) -> None:
    """Write the sample class, and fellow students who hand in files of the corpus and answer questions."""
    draw = random.Random(SEED)
    shutil.copytree(TESTS / "sample_class", folder)
    for name in FELLOWS.split():
        (folder / name).mkdir()
        for homework in course.homeworks(SIX):
            text = draw.choice([*right(homework.id).values()])
            mistake = draw.choices(MISTAKES, ODDS)[0]
            if mistake in {one.id for one in read_catalogue(homework)} and draw.random() < WRONG:
                text = mistaken_text(homework.id, mistake)
            # What it loses.
            text = re.sub(r'""" *loses:.*?"""\n*', "", text, flags=re.DOTALL)
            written = [one.id for one in homework.questions if isinstance(one, Written)]
            if written and draw.random() < ANSWERED:
                answers = {question: draw.choice(WRITTEN[:-1]) for question in written}
                text += f"\n\nanswers = {answers!r}\n"
            if name == COPIED[1]:
                theirs = (folder / COPIED[0] / homework.stub).read_text("utf-8")
                text = re.sub(r"\b(x|e|out|head|heads|weights|scores)\b", r"my_\1", theirs)
            (folder / name / homework.stub).write_text(text, encoding="utf-8")


def grade(folder: Path, out: Path) -> None:
    """Grade the class and collect its written answers, as a TA does."""
    command = [sys.executable, "-c", "from autograder.cli.app import main; main()"]
    for line in (
        ["grade", folder, "--out", out, "--seed", SEED, "--unsafe"],
        ["written", out],
        ["similar", out],
        ["report", out],  # which links to what was written after it
    ):
        subprocess.run([*command, *map(str, line)], check=True)


def start_marking(page: Page) -> None:
    """Give the first answers points, by keyboard."""
    page.locator(".answer").first.focus()
    page.keyboard.press("1")


def open_pair(page: Page) -> None:
    """Unfold a pair whose programs differ in their names alone."""
    pair = page.locator("details.pair", has_text=" and ".join(COPIED)).first
    pair.locator("summary").click()
    page.mouse.wheel(0, pair.bounding_box()["y"] - 60)
    page.wait_for_timeout(300)


def open_group(page: Page) -> None:
    """Unfold the largest group of wrong answers of the first homework."""
    group = page.locator("details.group").first
    group.locator("summary").first.click()
    page.mouse.wheel(0, group.bounding_box()["y"] - 120)
    page.wait_for_timeout(300)


def nothing(page: Page) -> None:
    """Take the page as it opens."""


PICTURES: dict[str, tuple[str, int, Callable[[Page], None]]] = {
    "class": ("report.html", 1000, nothing),
    "submission": (f"report/{page_of('bjorn')}.html", 1100, nothing),
    "feedback": ("submissions/bjorn/feedback.html", 1000, nothing),
    "written": ("written.html", 900, start_marking),
    "group": ("report.html", 1000, open_group),
    "similar": ("report/similar.html", 1000, open_pair),
}
"""The page of each picture, the height of the window that shows it, and what is done on it before."""


def take(out: Path, pictures: Path) -> None:
    """Take the pictures of what grading wrote, each of a window 1,280 pixels wide."""
    pictures.mkdir(parents=True, exist_ok=True)
    with launched() as browser:
        for name, (path, height, prepare) in PICTURES.items():
            page = open_page(browser.new_page(), out / path)
            page.set_viewport_size({"width": 1280, "height": height})
            prepare(page)
            page.screenshot(path=pictures / f"{name}.png", animations="disabled", caret="hide")
            page.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        write_class(Path(scratch, "class"), find_course())
        grade(Path(scratch, "class"), Path(scratch, "out"))
        take(Path(scratch, "out"), Path(sys.argv[1]))
