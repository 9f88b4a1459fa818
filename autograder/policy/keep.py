"""Which policy holds for a gradebook: the one kept in it, else the course's own, else none."""

from __future__ import annotations

from pathlib import Path

from autograder.gradebook.book import Gradebook
from autograder.homework.course import Course
from autograder.policy.model import Policy
from autograder.policy.read import FILE_NAME, parse_policy, read_policy

SETTING = "policy"


def load_policy(book: Gradebook, course: Course) -> Policy:
    """Return the policy that holds for a gradebook.

    Raises:
        PolicyError: it is wrong; the message names the key.
    """
    kept = book.find_setting(SETTING)
    if kept:
        return parse_policy(kept, course, "the policy kept in the gradebook (name a new one with --policy)")
    own = course.root / FILE_NAME
    return read_policy(own, course) if own.is_file() else parse_policy("", course, "no policy")


def keep_policy(book: Gradebook, course: Course, path: Path) -> None:
    """Let a policy's file, as it is now, hold for a gradebook; the course's own holds as it will be then.

    Raises:
        PolicyError: it is wrong, and the gradebook keeps the one it had.
    """
    read_policy(path, course)
    is_own = path.resolve() == (course.root / FILE_NAME).resolve()
    book.set(SETTING, "" if is_own else path.read_text(encoding="utf-8"))
