"""A program that runs in a fork finds and leaves what it does in a process of its own."""

import os
import signal
import subprocess
import sys

import pytest
from forking import Forking

PROGRAMS = {
    "output": "print('out'); import sys; print('err', file=sys.stderr)",
    "words": "import sys; print(sys.argv)",
    "folder": "import os; print(os.getcwd())",
    "variable": "import os; print(os.environ['GIVEN'], os.environ.get('NOT_GIVEN'))",
    "keyboard": "print(input())",
    "names": "print(sorted(globals())); print(__name__)",
    "status": "import sys; print('before', end=''); sys.exit(3)",
    "nothing to say": "import sys; sys.exit()",
    "message": "import sys; sys.exit('message')",
    "exception": "def f():\n    return 1 / 0\nf()",
    "at exit": "import atexit, sys; atexit.register(print, 'last'); sys.exit(1)",
    "thread": "import threading, sys; threading.Timer(0.1, print, ['later']).start(); sys.exit(1)",
    "killed": f"import os; os.kill(os.getpid(), {int(signal.SIGKILL)})",
    "at once": "import os; print('lost'); os._exit(5)",
}
ENVIRONMENT = {"PATH": os.environ["PATH"], "GIVEN": "1", "LANG": "C.UTF-8"}


@pytest.fixture(scope="module")
def forking():
    opened = Forking("import json", {**ENVIRONMENT, "NOT_GIVEN": "2"})
    yield opened
    opened.close()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_ends_as_it_does_alone(name, forking, tmp_path):
    code = PROGRAMS[name]
    words = ["a word", "é"]
    alone = subprocess.run(
        [sys.executable, "-c", code, *words],
        stdin=subprocess.DEVNULL,
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        check=False,
    )
    forked = forking.run(code, words, tmp_path, ENVIRONMENT)
    assert (forked.returncode, forked.stdout) == (alone.returncode, alone.stdout)
    last_lines = [output.strip().splitlines()[-1:] for output in (forked.stderr, alone.stderr)]
    assert last_lines[0] == last_lines[1]


def test_nothing_of_one_program_reaches_the_next(forking, tmp_path):
    forking.run("import json, os; json.left = os.environ['LEFT'] = 'x'", [], tmp_path, ENVIRONMENT)
    code = "import json, os; print(hasattr(json, 'left'), 'LEFT' in os.environ)"
    assert forking.run(code, [], tmp_path, ENVIRONMENT).stdout == b"False False\n"
