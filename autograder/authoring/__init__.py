"""The instructor's tools: handouts, notebooks, stubs, the release, zips for Gradescope and Otter, the audit.

Grading imports nothing from here. Faults that an author has to fix are raised as ``CourseError``, which names the
file.
"""

from autograder.handouts.figures import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PAPER,
    QUIET,
    TOKENS,
    Box,
    Path,
    Picture,
    Text,
    bars,
    grid,
    heading,
    heat,
    labelled_box,
    note,
)
from autograder.handouts.numbers import Matrix, whole_numbers

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "ORANGE",
    "PAPER",
    "QUIET",
    "TOKENS",
    "Box",
    "Matrix",
    "Path",
    "Picture",
    "Text",
    "bars",
    "grid",
    "heading",
    "heat",
    "labelled_box",
    "note",
    "whole_numbers",
]
