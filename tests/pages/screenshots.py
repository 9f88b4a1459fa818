"""The pictures of ``docs/pictures``, taken of the sample class and fellow students from the corpus.

PYTHONPATH=tests python -m tests.pages.screenshots docs/pictures
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page

from autograder.course.course import find_course
from autograder.feedback.rendering import page_of

from .browsing import launched, open_page
from .made_class import COPIED, grade, write_class


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
