"""A class to look at: the sample class, and fellow students who hand in files of the corpus.

The names are invented, and the same seed gives the same files.
"""

import random
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from homeworks import SIX
from submissions import mistaken_text, right

from autograder.course.course import Course
from autograder.course.questions import Written
from autograder.reasons.catalogue import read_catalogue

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
    shutil.copytree(TESTS / "sample_class", folder)
    write_fellows(folder, course, FELLOWS.split(), SIX)


def write_fellows(folder: Path, course: Course, names: Sequence[str], homework_ids: Sequence[str]) -> None:
    """Write submissions of fellow students, the same for the same arguments."""
    draw = random.Random(SEED)
    for name in names:
        (folder / name).mkdir(parents=True)
        for homework in course.homeworks(homework_ids):
            text = draw.choice([*right(homework.id).values()])
            mistake = draw.choices(MISTAKES, ODDS)[0]
            if mistake in {entry.id for entry in read_catalogue(homework)} and draw.random() < WRONG:
                text = mistaken_text(homework.id, mistake)
            # What it loses.
            text = re.sub(r'[ \t]*""" *loses:.*?"""\n*', "", text, flags=re.DOTALL)
            written = [question.id for question in homework.questions if isinstance(question, Written)]
            if written and draw.random() < ANSWERED:
                answers = {question: draw.choice(WRITTEN[:-1]) for question in written}
                text += f"\n\nanswers = {answers!r}\n"
            if name == COPIED[1] and COPIED[0] in names:
                theirs = (folder / COPIED[0] / homework.stub).read_text("utf-8")
                text = re.sub(r"\b(x|e|out|head|heads|weights|scores)\b", r"my_\1", theirs)
            (folder / name / homework.stub).write_text(text, encoding="utf-8")


def grade(folder: Path, out: Path) -> None:
    """Grade the class and collect its written answers, as a TA does."""
    for line in (
        ["grade", folder, "--out", out, "--seed", SEED, "--unsafe"],
        ["written", out],
        ["similar", out],
        ["report", out],  # which links to what was written after it
    ):
        run_kit(*line)


def run_kit(*arguments: object) -> None:
    """Run a command of the kit in a process of its own; only what it says of an error is shown."""
    command = [sys.executable, "-c", "from autograder.cli.app import main; main()", *map(str, arguments)]
    process = subprocess.run(
        command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if process.returncode:
        sys.exit(f"{process.stdout}\nerror: this failed: autograder {' '.join(command[3:])}")
