"""A judged case as a record, from which terminals and pages show the answer next to the expected value.

It holds expected values and hidden inputs; students may see it for published and public cases only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.sandbox.report import Answer
from autograder.verdict.known import KnownCase


@dataclass(frozen=True, eq=False)
class JudgedCase:
    """A case as a check judged it: its call, the value and tolerance that counted there, and the answer."""

    known: KnownCase
    answer: Answer
    names: Sequence[str] = ()
