"""Nothing that a student writes moves the cursor of a terminal, hides text in it or turns it around.

One hostile class, whose names and contents hold control characters wherever a student chooses the text, is
shown by each command that shows submissions.
"""

import json
import subprocess
import sys
import zipfile

import pytest

from ..running import Done, run

CONTROLS = (
    "\x1b[2J\x1b[1;31m",  # clear the screen, colours
    "\x1b]0;title\x07",  # an operating system command: the window's title
    "\x9b2J\x9d0;title\x9c",  # the same as single characters of eight bits
    "\x08\x08\r\x7f\x85",  # overwrite what stands before
    "\u202e\u2066\u2067\u200f\u061c",  # turn the direction of reading
    "\u200b\u200d\u2060\ufeff",  # zero width: equal to the eye, another name
    "\u2028\u2029\x0b\x0c\x1c",  # line breaks that are none
    "\ud89b",  # no character at all
)
EVIL = "".join(CONTROLS[:-1])
IN_NAMES = EVIL.replace("\x85", "")
MESSAGE = f"evil{EVIL}evil"

RAISES = f"""
import sys
import numpy as np

print({MESSAGE!r})
print({MESSAGE!r}, file=sys.stderr)
sys.stdout.write("\\udc9b")
evil = type({MESSAGE!r}, (ValueError,), {{}})

def qk_scores(Q, K):
    print({MESSAGE!r})
    raise evil({MESSAGE!r})

def scale_scores(scores, d_k):
    return {MESSAGE!r}

def softmax(x):
    return {{{MESSAGE!r}: x}}

def attention_output(attention_weights, V):
    raise type({MESSAGE!r}, (Exception,), {{"__module__": {MESSAGE!r}}})("{MESSAGE.encode().hex()}")

attention_output.__name__ = attention_output.__qualname__ = {MESSAGE!r}

def attention_flow(Q, K, V):
    {{}}[{MESSAGE!r}]
"""
WRONG = """
import numpy as np

def softmax(x):  # {}
    weights = np.exp(x - x.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=0, keepdims=True) * {}

def scaled_dot_product_attention(Q, K, V):
    N = "{}"
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    weights = softmax(scores)
    for row in range(len(weights)):
        weights[row] = weights[row] * 1.0 + 0.0
    return weights, weights @ V

answers = {{"why_scale": "{}", "{}": 3}}
"""
UNREADABLE = f"def qk_scores(Q, K):\n    return 'x{EVIL.replace(chr(13), '').replace(chr(11), '')}' Q\n"


def notebook(folder):
    """A notebook whose metadata and outputs, names of kernels and cells, are hostile as well."""
    cells = [
        {
            "cell_type": "code",
            "id": MESSAGE,
            "source": [RAISES, f"\n# {IN_NAMES}\n%{MESSAGE}\n1 / 0"],
            "metadata": {"name": MESSAGE, "tags": [MESSAGE]},
            "outputs": [{"output_type": "stream", "name": MESSAGE, "text": [MESSAGE]}],
        },
        {"cell_type": MESSAGE, "source": MESSAGE},
    ]
    kernel = {"name": MESSAGE, "display_name": MESSAGE, "language": MESSAGE}
    tree = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": MESSAGE}, "title": MESSAGE},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (folder / "attention_scores.ipynb").write_text(json.dumps(tree), "utf-8")


def module(text, name="attention_scores.py"):
    return lambda folder: (folder / name).write_text(text, "utf-8", errors="surrogateescape") and None


def archive(folder):
    with zipfile.ZipFile(folder / f"work{IN_NAMES}.zip", "w") as packed:
        packed.writestr(f"a{IN_NAMES}/attention_scores{IN_NAMES}.py", RAISES)
        packed.writestr(f"../{IN_NAMES}.py", RAISES)


def raw_bytes(folder):
    (folder / "attention_scores\udc9b2J.py").write_bytes(b"def qk_scores(Q, K): return '\x9b2J' +\n")


def several(folder):
    for copy in (IN_NAMES, "b" + IN_NAMES):
        (folder / f"attention_scores{copy}.py").write_text(RAISES + f"# {copy[0]!r}", "utf-8")


ENTRIES = {
    "raises": module(RAISES),
    "wrong": module(
        WRONG.format(IN_NAMES.replace("\r", ""), 1, "x", "x", "y"), "scaled_dot_product_attention.py"
    ),
    "alike": module(WRONG.format("other", 1, "x", "x", "y"), "scaled_dot_product_attention.py"),
    "unreadable": module(UNREADABLE),
    "notebook": notebook,
    "archive": archive,
    "raw": raw_bytes,
    "several": several,
    "nothing": module("hello", f"readme{IN_NAMES}.txt"),
    "stops": module(f"import sys\nsys.exit({MESSAGE!r})\n"),
    "missing": module(f"import numpy\n__import__({MESSAGE!r})\n"),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The folders of the hostile class and of its grades; what grading says is looked at as well."""
    top = tmp_path_factory.mktemp("hostile")
    submissions, out = top / f"class{IN_NAMES}", top / "graded"
    for name, write in ENTRIES.items():
        folder = submissions / f"{name}{IN_NAMES}"
        folder.mkdir(parents=True)
        write(folder)
    harmless(run("grade", submissions, "--out", out, "--unsafe", "--verbose"))
    return submissions, out


def harmless(result):
    """Fail where a command shows a character that a terminal obeys, or that nobody sees."""
    for text in (result.out, result.err):
        unprintable = {character for character in text if not character.isprintable() and character != "\n"}
        lines = [line for line in text.split("\n") if unprintable & set(line)]
        assert not unprintable, lines[:3]
    return result


def test_the_class_is_as_hostile_as_it_should_be(graded):
    submissions, out = graded
    rows = (out / "grades.csv").read_text("utf-8")
    assert {name for name in ENTRIES if name in rows} == set(ENTRIES)
    assert "\x1b" in "".join(path.name for path in submissions.iterdir())


COMMANDS = (
    ("grade", "SUBMISSIONS", "--out", "OUT", "--unsafe"),
    ("grade", "SUBMISSIONS", "--out", "OUT", "--unsafe", "--homework", "hw1", "--verbose"),
    ("grade", "SUBMISSIONS/none\x1b[2J", "--out", "OUT", "--unsafe"),
    ("grade", "ROSTERED", "--roster", "ROSTER", "--out", "OTHER", "--unsafe", "--verbose"),
    ("report", "OUT"),
    ("similar", "OUT"),
    ("similar", "OUT", "--json"),
    ("groups", "OUT"),
    ("groups", "OUT", "--json"),
    ("written", "OUT"),
    ("written", "OUT", "--anonymous"),
    ("policy", "OUT"),
    ("policy", "OUT", "--list"),
    ("policy", "OUT", "--times", "TIMES"),
    ("policy", "OUT", "--manual", "MARKS"),
    ("policy", "OUT", "--override", "NAME", "--homework", "hw1", "--points", "1", "--reason", MESSAGE),
    ("policy", "OUT", "--list"),
    ("policy", "OUT", "--override", "a\x1b[2J", "--homework", "hw1", "--points", "1", "--reason", MESSAGE),
    ("status", "OUT"),
    ("regrade", "OUT", "NAME", "--fresh", "--unsafe"),
    ("regrade", "OUT", "x\x1b[2J", "--unsafe"),
    ("withdraw", "OUT", "NAME", "--reason", MESSAGE),
    ("status", "OUT"),
    ("withdraw", "OUT", "NAME", "--back"),
    ("diff", "OUT", "OTHER"),
    ("export", "OUT", "--to", "moodle", "--roster", "ROSTER"),
    ("export", "OUT", "--to", "folder", "--roster", "ROSTER"),
    ("explain", "OUT", "none\x1b[2J"),
    ("explain", "OUT", "NAME", "--check", "x\x1b[2J"),
    ("explain", "SUBMISSIONS", "x"),
    ("explain", "SUBMISSIONS/none\x1b[2J", "x"),
    ("report", "SUBMISSIONS/none\x1b[2J"),
    ("check", "x\x1b[2J"),
    ("release", "--drill", "x\x1b[2J"),
    ("diff", "OUT", "SUBMISSIONS"),
    ("x\x1b[2J",),
    ("misconception", "new", "GROUP", "--out", "OUT", "--print", "--seconds", "1"),
    ("misconception", "new", "x\x1b[2J", "--out", "OUT"),
    ("doctor",),
)


@pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda words: " ".join(words).encode("ascii", "replace").decode()
)
def test_a_command_shows_no_control_character(command, graded, tmp_path):
    submissions, out = graded
    name = sorted(path.name for path in submissions.iterdir())[-1]
    table, quote = tmp_path / f"roster{IN_NAMES}.csv", '"' + MESSAGE.replace('"', "") + '"'
    table.write_text(f"name,student_id,email\n{quote},{quote},{quote}\nb,raises,b@c\n", "utf-8")
    times, marks = tmp_path / "times.csv", tmp_path / "marks.csv"
    times.write_text(f"submission,submitted_at\n{quote},2026-01-01T00:00:00Z\n", "utf-8")
    marks.write_text(f"submission,homework,question,points\n{quote},hw3,why_scale,1\n", "utf-8")
    words = {
        "SUBMISSIONS": submissions,
        "SUBMISSIONS/none\x1b[2J": submissions / "none\x1b[2J",
        "OUT": out,
        "OTHER": tmp_path / "other",
        "NAME": name,
        "ROSTER": table,
        "ROSTERED": submissions,
        "TIMES": times,
        "MARKS": marks,
    }
    if "GROUP" in command:
        words["GROUP"] = json.loads(run("groups", out, "--json").out)[0]["group"]
    if command[0] == "diff":
        run("grade", submissions / name, "--out", tmp_path / "other", "--unsafe")
    harmless(run(*(words.get(word, word) for word in command)))


@pytest.mark.parametrize("entry", ENTRIES)
def test_explain_shows_no_control_character(entry, graded):
    _, out = graded
    [name] = [path.name for path in (out / "submissions").iterdir() if path.name.startswith(entry)]
    harmless(run("explain", out, name))
    results = json.loads((out / "submissions" / name / "results.json").read_text("utf-8"))
    checks = [test["extra_data"].get("check") for test in results["tests"] if test.get("status") == "failed"]
    for check in list(filter(None, checks))[-1:]:
        harmless(run("explain", out, name, "--check", check))


def test_pytest_shows_no_control_character(graded, course):
    submissions, _ = graded
    [hostile] = [path for path in submissions.iterdir() if path.name.startswith("raises")]
    checks = course.homework("hw1").folder
    options = ["-p", "no:cacheprovider", "-vv", "--color=no", f"--submission={hostile}"]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", checks, *options], cwd=course.root, capture_output=True, text=True
    )
    assert "raised" in result.stdout
    harmless(Done(result.returncode, result.stdout, result.stderr))
