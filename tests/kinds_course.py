"""A tiny course with one task for each kind of answer, and the table of what is handed in for it."""

from dataclasses import dataclass
from pathlib import Path

from tiny import HOMEWORK, Tiny, write_tiny

TASK = """
[[tasks]]
name = "{0}"
points = 2
summary = "an answer that is {0}"
returns = ["{1}"]
"""
CHECK = '''
@check(task="{0}", points=1, public=True)
def test_{0}_open(cases, compare):
    """{0} is right for the inputs that are handed out."""
    compare([*cases.published("{0}"), *cases.other_sizes("{0}")])


@check(task="{0}", points=1)
def test_{0}_hidden(cases, compare):
    """{0} is right for all other inputs."""
    compare([*cases.stored("{0}", None), *cases.fresh("{0}")])
'''
CASES = """
import numpy as np

from autograder.course.cases import Case, FunctionCall, function, generator

RAISING = {raising}


def published():
    yield from _all(np.array([3.0, 1.0, 2.0, 1.0]), "printed")


def public(rng):
    yield from _all(rng.integers(0, 9, size=5).astype(float), "five")


def hidden(rng):
    yield from _all(rng.integers(0, 9, size=7).astype(float), "seven")


def fresh(rng):
    yield from _all(rng.integers(0, 9, size=6).astype(float), "six")


def _all(x, label):
    for task in {tasks}:
        raises = "ValueError" if task in RAISING else ""
        more = (function(half, 2.0), generator(len(x)), {{"a", "b"}}) if task == "descent" else ()
        yield Case(f"{{task}}/{{label}}", FunctionCall(task, (x, *more)), raises=raises)


def half(by, number):
    return np.floor(number) / by
"""


@dataclass(frozen=True)
class Kind:
    """One kind of answer.

    Attributes:
        task: the task's name.
        right: the body of the solution.
        edit: what a student writes in place of a part of it; a known mistake as well.
        says: what the student reads of the wrong answer to a public case.
        shown: texts of the right answer next to the wrong one.
        alike: the body of another function that is right.
        returns: the name of what is returned.
        parameters: the task's parameters.
    """

    task: str
    right: str
    edit: tuple[str, str]
    says: str
    shown: tuple[str, str]
    alike: str = ""
    returns: str = "answer"
    parameters: str = "x"


KINDS = (
    Kind(
        "text",
        'return " ".join(f"{n:.0f}" for n in x)',
        ("in x", "in x[::-1]"),
        "The answer differs from character 1 on.",
        ("'1␣2␣1␣3'", "'3␣1␣2␣1'"),
        alike='return " ".join(str(int(n)) for n in x)',
    ),
    Kind(
        "nothing",
        "return None",
        ("None", "x[0]"),
        "came back; expected nothing (None).",
        ("3", "nothing (None)"),
    ),
    Kind(
        "truth",
        "return bool(x[0] > x[-1]) == (len(x) > 0)",
        ("return", "return not"),
        "entries of the answer",
        ("0", "1"),
    ),
    Kind(
        "counts",
        "return {float(n): int((x == n).sum()) for n in x}",
        ("(x == n)", "(x >= n)"),
        "numbers of the value of key 1 of the answer is wrong.",
        ("4", "2"),
        alike="from collections import Counter\n    return Counter(x.tolist())",
    ),
    Kind(
        "summary",
        'return {"mean": x.mean(), "name": "numbers", "range": (x.min(), None)}',
        ('"numbers"', '"number"'),
        "The value of key 'name' of the answer differs from character 7 on.",
        ("'number'", "'numbers'"),
    ),
    Kind(
        "distinct",
        "return {int(n) for n in x}",
        ("in x", "in x[1:3]"),
        "is missing.",
        ("1", "3"),
        alike="return frozenset(x)",
    ),
    Kind(
        "nested",
        'return [["low", [float(n) for n in x if n < 2]], ["high", [float(n) for n in x if n >= 2]]]',
        ("n < 2", "n < 1"),
        "Item 1 of item 0 of the answer has 0 items; expected 2 items.",
        ("a list of 0", "a list of 2"),
        alike='return ("low", x[x < 2]), ("high", x[x >= 2])',
    ),
    Kind(
        "ragged",
        'return np.array([x[:n] for n in range(len(x))] + ["end"], object)',
        ("x[:n]", "x[: n + 1]"),
        "item 0 of the answer",
        ("(1,)", "(0,)"),
        alike='return [*(x[:n].tolist() for n in range(len(x))), "end"]',
    ),
    Kind(
        "refusal",
        'raise ValueError("no such numbers")',
        ("raise ValueError", "return repr"),
        "came back; expected a ValueError to be raised.",
        ("a text of 17 characters", "a ValueError to be raised"),
        alike='raise UnicodeError("no")',
    ),
    Kind(
        "table",
        'import pandas\n    return pandas.DataFrame({"n": x, "name": [str(n) for n in x]})',
        ('"n": x', '"n": x + 1'),
        "4 of 4 numbers of the column 'n' of the answer are wrong",
        ("4", "3"),
    ),
    Kind(
        "series",
        "import pandas\n    return pandas.Series(x).where(x > x.min())",
        (">", ">="),
        "entries of the missing values of the answer are wrong",
        ("0", "1"),
    ),
    Kind(
        "descent",
        "return [step(n) for n in x] + [rng.random() + len(names)]",
        ("step(n)", "n"),
        "1 of 1 numbers of the answer 0 is wrong.",
        ("3", "1.5"),
        alike="return np.append(np.floor(x) / 2, rng.random() + 2)",
        parameters="x, step, rng, names",
    ),
)
BY_TASK = {kind.task: kind for kind in KINDS}


def function(task: str, body: str) -> str:
    return f'def {task}({BY_TASK[task].parameters}):\n    """Return an answer."""\n    {body}\n'


def solution_text(**bodies: str) -> str:
    """Return a file with every task, some of them with other bodies."""
    functions = ["import numpy as np\n"]
    for kind in KINDS:
        functions.append(function(kind.task, bodies.get(kind.task, kind.right)))
    return "\n\n".join(functions)


def write_kinds(root: Path) -> Tiny:
    """Write the course into a folder."""
    tiny = write_tiny(root)
    marked = ['"""Answers of all kinds."""\n\nimport numpy as np\n']
    metadata, checks, mistakes = [], [], []
    for kind in KINDS:
        body = f"# TODO: write it.\n    # BEGIN SOLUTION\n    {kind.right}\n    # END SOLUTION"
        marked.append(function(kind.task, body))
        metadata.append(TASK.format(kind.task, kind.returns))
        checks.append(CHECK.format(kind.task))
        old, new = kind.edit
        mistakes.append(f"[wrong-{kind.task}]\nsays = 'You mistake {kind.task}.'\n")
        mistakes.append(f"edits.{kind.task} = [['''{old}''', '''{new}''']]\n")
    tasks = [kind.task for kind in KINDS]
    head = (tiny.folder / "homework.toml").read_text("utf-8").partition("[[tasks]]")[0]
    head = head.replace('library = "numpy"', 'library = "numpy"\nlibraries = ["pandas"]')
    files = {
        "homework.toml": head.replace("doubles", "kinds") + "".join(metadata),
        "kinds.py": "\n\n".join(marked),
        "oracle.py": solution_text(),
        "cases.py": CASES.format(raising=("refusal",), tasks=tasks),
        f"test_{HOMEWORK}.py": "from autograder.verdict.checks import check\n" + "\n".join(checks),
        "misconceptions.toml": "\n".join(mistakes),
    }
    for name, text in files.items():
        (tiny.folder / name).write_text(text, encoding="utf-8")
    for name in ("doubles.py", "published.toml"):
        (tiny.folder / name).unlink()
    return tiny
