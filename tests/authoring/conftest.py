import contextlib
import functools
import shutil
from dataclasses import dataclass, field

import pytest
from judging.mistakes import build, write_mistakes
from tiny import HOMEWORK, SOLUTION, Tiny, write_tiny

from autograder.authoring import audit as audit_module
from autograder.authoring.audit import Trial
from autograder.authoring.audit_answers import ODD_ANSWERS
from autograder.authoring.corpus import CORPUS
from autograder.authoring.notebooks import notebook_text
from autograder.course.course import Course
from autograder.course.stub import stub_text
from autograder.sandbox.pool import SandboxPool

ANOTHER_STYLE = """
import numpy as np

double = lambda x: np.add(x, x)


def totals(x):
    return sum(x), np.multiply.reduce(x)
"""


@pytest.fixture(autouse=True)
def warm(warm_sandboxes):
    """Commands and audits take sandboxes that are warm already."""


@dataclass
class Audited:
    """A tiny course with mistakes and right answers, everything stored, that a test may change."""

    tiny: Tiny
    pool: SandboxPool
    heard: list[Trial] = field(default_factory=list)

    def build(self):
        """Store anew what reference and mistakes return."""
        build(self.tiny, self.pool)

    def right(self, name, text, kind="correct"):
        """Add an answer to the corpus of right ones, or to that of mistaken ones."""
        folder = self.tiny.course.root / CORPUS / HOMEWORK / kind
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.py").write_text(text, encoding="utf-8")

    def audit(self, **sampling):
        """Audit the homework in the sandboxes that are open already."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(audit_module, "SandboxPool", lambda: contextlib.nullcontext(self.pool))
            patch.setattr(
                audit_module,
                "in_parallel",
                lambda work, items, jobs, pool: (work(item, self.pool) for item in items),
            )
            tiny = self.tiny
            return audit_module.audit_course(tiny.course, [tiny.homework], 1, self.heard.append, **sampling)


@pytest.fixture(scope="session")
def pattern(tmp_path_factory, pool):
    """The course that each test gets a copy of."""
    root = tmp_path_factory.mktemp("pattern") / "course"
    audited = Audited(write_mistakes(write_tiny(root)), pool)
    audited.build()
    audited.right("another_style", ANOTHER_STYLE)
    audited.right("reference", SOLUTION)
    return root


ONE_ODD_ANSWER = {"a text": ODD_ANSWERS["a text"]}
"""All of them are tried in ``test_audit_answers.py``, and by the command."""


@pytest.fixture
def audited(pattern, tmp_path, pool, monkeypatch):
    monkeypatch.setattr(audit_module, "ODD_ANSWERS", ONE_ODD_ANSWER)
    root = tmp_path / "course"
    shutil.copytree(pattern, root)
    return Audited(Tiny(Course(root)), pool)


@pytest.fixture(scope="session")
def assigned(course):
    """The two notebooks of a homework, for students and filled in, made once in each test process."""

    def assign(homework_id):
        homework = course.homework(homework_id)
        sources = (stub_text(homework), homework.solution.read_text(encoding="utf-8"))
        return [notebook_text(homework, source) for source in sources]

    return functools.cache(assign)
