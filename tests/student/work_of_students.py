"""Homework folders as students leave them: some tasks done, in some form, with habits of their own."""

import ast
import json
import random
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course.homework import Homework
from autograder.course.questions import Choice, Numeric
from autograder.course.stub import notebook_name, strip_solution, stub_text

BESIDE = {
    "data.txt": b"1 2 3\n",
    "numbers.npy": b"\x93NUMPY\x01\x00F\x00",
    "helpers.py": b"def twice(x):\n    return 2 * x\n",
    "statistics.py": b"def mean(x):\n    return 'mine'\n",
    "lib/tools.py": b"def half(x):\n    return x / 2\n",
    "package/__init__.py": b"three = 3\n",
    "test_mine.py": b"def test_mine():\n    assert True\n",
}
"""What lies in the folder besides: modules, data, folders of their own."""
AT_THE_TOP = (
    "import tensorflow as tf",
    "from sklearn import metrics",
    "import not_installed_anywhere",
    "import einops, json",
    "import helpers\nhelpers.twice(2)",
    "from helpers import *",
    "import statistics\nassert statistics.mean([1, 3]) == 2",
    "import sys\nsys.path.append('lib')\nimport tools",
    "import package",
    "from test_mine import test_mine",
    "import public_checks",
    "import check, conftest",
    "import pytest",
    "import typing_extensions",
    "import torch",
    "import autograder",
    "text = open('data.txt').read()",
    "with open({folder!r} + '/data.txt') as file:\n    text = file.read()",
    "import pathlib\ntext = (pathlib.Path(__file__).parent / 'data.txt').read_text()",
    "import os\nassert os.path.exists({folder!r}), 'no folder'",
    "import os\nassert os.listdir({folder!r})",
    "from pathlib import Path\nPath({folder!r}, 'written.txt').write_text('x')",
    "from pathlib import Path\nPath('written.txt').write_text('x')\nassert Path('written.txt').exists()",
    "import numpy as np\nnp.save('mine.npy', np.ones(2))\nassert np.load('mine.npy').sum() == 2",
    "import numpy as np\nloaded = np.load('numbers.npy')",
    "import os\nname = os.environ['MY_NAME']",
    "import os\nhome = open(os.path.expanduser('~/data.txt'))",
    "import os\nos.environ['SEED'] = '3'\nassert os.environ['SEED'] == '3'",
    "import os\nos.chdir({folder!r})",
    "import os\nassert os.system('true') == 0",
    "import subprocess\nsubprocess.run(['true'], check=True)",
    "import os\nos.popen('true').read()",
    "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9/data')",
    "import urllib.request\nurllib.request.urlopen('http://example.org/data')",
    "import socket\nsocket.create_server(('127.0.0.1', 0)).close()",
    "import multiprocessing\nmultiprocessing.Process(target=print).start()",
    "import threading\none = threading.Thread(target=print)\none.start()\none.join()",
    "import sys\nnumber = int(sys.argv[1])",
    "import sys\nassert len(sys.argv) == 1",
    "import sys\nassert not sys.stdin.read()",
    "name = input('Your name? ')",
    "while True:\n    try:\n        n = int(input())\n        break\n    except EOFError:\n        break",
    "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 2])\nplt.savefig('a.png')",
    "import matplotlib\nmatplotlib.use('Agg')\nassert float(matplotlib.__version__) == 0",
    "import matplotlib.pyplot as plt\nheights, edges, bars = plt.hist([1, 2])\nassert len(edges) == 11",
    "from tqdm import tqdm\nassert list(tqdm([1, 2])) == [1, 2]",
    "import numpy as np\nnp.random.seed(1)\nassert np.random.rand() < 0.42",
    "import numpy as np\nassert np.random.rand() == 0.5488135039273248",
    "import random\nassert random.random() == 0.8444218515250481",
    "import numpy as np\nnp.seterr(all='raise')\nnp.float64(1) / 0",
    "import warnings\nwarnings.simplefilter('error')",
    "import sys\nsys.setrecursionlimit(10**4)",
    "def deep(n):\n    return n and deep(n - 1)\nassert deep(2000) == 0",
    "def deep(n):\n    return n and deep(n - 1)\nassert deep(9000) == 0",
    "assert 1 == 2, 'a demonstration that fails'",
    "print(undefined_name)",
    "exit()",
    "import os\nos._exit(1)",
    "raise KeyboardInterrupt",
    "if __name__ == '__main__':\n    assert False",
    "x = 3 # étude\nassert len('é') == 1",
    "import inspect\nassert 'deep' not in inspect.getsource(inspect)",
    "from numpy import *",
    "import this",
    "import tempfile\nwith tempfile.TemporaryDirectory() as made:\n    open(made + '/a', 'w').close()",
    "import logging\nlogging.basicConfig(filename='log.txt')\nlogging.warning('x')",
)
IN_A_FUNCTION = (
    "import tensorflow",
    "import not_installed_anywhere",
    "open('data.txt')",
    "open({folder!r} + '/data.txt')",
    "__import__('os').environ['MY_NAME']",
    "__import__('subprocess').run(['true'])",
    "import helpers",
    "import package",
    "import statistics; assert statistics.mean([1, 3]) == 2",
    "input()",
    "print('called')",
    "import warnings; warnings.warn('careful')",
    "exit()",
    "assert __import__('sys').argv[1:] == []",
    "__import__('matplotlib.pyplot').pyplot.plot([1])",
    "open('kept.txt', 'a').write('x')",
    "__import__('os').system('true')",
)
MAGICS = (
    "%matplotlib inline\nimport matplotlib.pyplot as plt",
    "!pip install tensorflow\nimport tensorflow",
    "%%time\nvalue = 1",
    "%load_ext autoreload\n%autoreload 2",
    "files = !ls",
    "%%writefile made.py\nmade = 3",
    "from google.colab import drive\ndrive.mount('/content/drive')\nopen('/content/drive/a.txt')",
    "%%bash\nls",
    "from IPython.display import display\ndisplay(3)",
    "syntax error here",
)
FORMS = ("py", "py", "notebook", "notebook", "py and notebook", "notebook and py", "another name", "copies")
ENCODINGS = ("utf-8",) * 5 + ("utf-8-sig", "utf-16", "latin-1")


@dataclass
class Left:
    """What a student left in a folder; ``chosen`` is the file that they name when they pack, if any."""

    files: dict[str, bytes] = field(default_factory=dict)
    chosen: str | None = None
    said: list[str] = field(default_factory=list)

    def lay(self, folder: Path) -> None:
        for name, data in self.files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(data)


def leave(homework: Homework, folder: Path, seed: int) -> Left:
    """Draw what a student left for a homework."""
    dice, work = random.Random(seed), Left()
    blocks = _tasks(homework, folder, dice, work)
    for _ in range(dice.choice((0, 0, 1, 1, 2, 3))):
        habit = dice.choice(AT_THE_TOP).format(folder=str(folder))
        work.said.append(habit)
        blocks.insert(dice.randrange(len(blocks) + 1), habit)
    for name, data in BESIDE.items():
        if dice.random() < 0.5:
            work.files[name] = data
    form = dice.choice(FORMS)
    work.said.append(form)
    notebook = notebook_name(homework)
    script = "\n\n\n".join(blocks) + "\n"
    if form.startswith("notebook"):
        work.files[notebook] = _notebook(blocks, dice, work)
        if form == "notebook and py":
            work.files[homework.stub] = b"x = 1\n"
            work.chosen = dice.choice((notebook, homework.stub, None))
        return work
    encoding, ends = dice.choice(ENCODINGS), dice.choice(("\n", "\n", "\r\n"))
    work.said.append(encoding)
    text = script.replace("\n", ends).encode(encoding, "replace")
    work.files[homework.stub] = text
    if form == "py and notebook":
        work.files[notebook] = _notebook(["x = 1"], dice, work)
        work.chosen = dice.choice((notebook, homework.stub, homework.stub, None))
    elif form == "another name":
        work.chosen = dice.choice(("mine.py", "Work of Ana (1).py", "json.py", "encoder_block.py"))
        work.files[work.chosen] = work.files.pop(homework.stub)
    elif form == "copies":
        name = f"{homework.stub.removesuffix('.py')} (1).py"
        work.files[name] = dice.choice((text, b"import numpy\n", stub_text(homework).encode()))
        work.chosen = dice.choice((homework.stub, None))
    return work


def _tasks(homework: Homework, folder: Path, dice: random.Random, work: Left) -> list[str]:
    """The top-level blocks of a file with some tasks done, others still the stub's or left out."""
    solution = homework.solution.read_text("utf-8")
    stubs = {
        statement.name: statement
        for statement in ast.parse(strip_solution(solution, "stub")).body
        if hasattr(statement, "name")
    }
    tasks, blocks = {task.name for task in homework.tasks}, []
    fates = dice.choice((("done",), ("done", "done", "stub"), ("done", "habit", "stub", "gone")))
    for statement in ast.parse(solution).body:
        name = getattr(statement, "name", None)
        fate = dice.choice(fates) if name in tasks else "done"
        if name in tasks:
            work.said.append(f"{name}: {fate}")
        if isinstance(statement, ast.Assign) or fate == "gone":
            continue  # answers are drawn below
        if fate == "stub":
            statement = stubs[name]
        text = ast.unparse(statement)
        if fate == "habit" and isinstance(statement, ast.FunctionDef):
            habit = dice.choice(IN_A_FUNCTION).format(folder=str(folder))
            work.said.append(habit)
            head, body = text.split("\n", 1)
            text = f"{head}\n{textwrap.indent(habit, '    ')}\n{body}"
        blocks.append(text)
    if homework.questions and dice.random() < 0.8:
        blocks.append(_answers(homework, dice, work))
    return blocks


def _answers(homework: Homework, dice: random.Random, work: Left) -> str:
    """The dictionary of answers to theory questions: right, wrong, missing, in odd forms, or lost."""
    answers: dict[str, object] = {}
    for question in homework.questions:
        right: object = "It keeps the scores small."
        if isinstance(question, Choice):
            right = question.right
        elif isinstance(question, Numeric):
            right = question.number
        odd = ("e", "3x5", (1, 2), "", 7, True, float("nan"), [right], f" {right} ", str(right).upper())
        answers[question.id] = dice.choice((right, right, None, dice.choice(odd)))
    if dice.random() < 0.2:
        answers[dice.choice(("unknown", "softmax"))] = "a"
    text = f"answers = {answers!r}".replace("nan", "float('nan')")
    if dice.random() < 0.1:
        text = dice.choice((text.replace("answers", "Answers", 1), "answers = None", "answers = [1, 2]"))
    work.said.append(text)
    return text


def _notebook(blocks: list[str], dice: random.Random, work: Left) -> bytes:
    sources = list(blocks)
    for _ in range(dice.choice((0, 1, 2))):
        magic = dice.choice(MAGICS)
        work.said.append(magic)
        sources.insert(dice.randrange(len(sources) + 1), magic)
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources]
    cells.insert(0, {"cell_type": "markdown", "metadata": {}, "source": "# My homework"})
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()
