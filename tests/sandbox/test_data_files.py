"""A homework's data files are there to be read in the working directory, the same ones for each submission."""

import errno

import numpy as np
import pytest

from autograder.sandbox.request import Code, DataFiles, Request

from .test_shared_calls import calls_of

FILES = DataFiles({"prices.csv": b"1,2\n3,4\n", "models/small.bin": bytes(range(256)), "empty.csv": b""})
HEAD = """
import os
from pathlib import Path
import numpy as np
def attempt(name, mode="w"):
    try:
        open(name, mode)
    except OSError as error:
        return error.errno
def errno_of(act, *names):
    try:
        act(*names)
    except OSError as error:
        return error.errno
"""


def report_of(sandbox, body, data=FILES):
    code = Code("a.py", {"a.py": f"{HEAD}def f(x):\n    return {body}\n"})
    return sandbox.run(Request(code, calls_of(0), data=data))


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("open('prices.csv').read()", "1,2\n3,4\n"),
        ("np.loadtxt('prices.csv', delimiter=',').sum()", 10.0),
        ("np.genfromtxt(Path('prices.csv'), delimiter=',').sum()", 10.0),
        ("sum((Path(__file__).parent / 'models' / 'small.bin').read_bytes())", 255 * 128),
        ("os.listdir('models')", ["small.bin"]),
        ("open('empty.csv').read()", ""),
        ("[os.path.exists('prices.csv'), os.path.isdir('models')]", [True, True]),
        ("(os.chdir('/content/drive/MyDrive/hw'), open('models/small.bin', 'rb').read(2))[1].hex()", "0001"),
        ("[attempt('prices.csv'), attempt('prices.csv', 'a'), attempt('prices.csv', 'r+')]", [errno.EACCES] * 3),
        ("[errno_of(os.remove, 'prices.csv'), errno_of(os.rename, 'models', 'm')]", [errno.EACCES] * 2),
        ("(open('new.csv', 'w').close(), errno_of(os.replace, 'new.csv', 'prices.csv'))[1]", errno.EACCES),
        ("(attempt('prices.csv'), open('prices.csv').read())[1]", "1,2\n3,4\n"),
        ("attempt('other.csv', 'r')", errno.ENOENT),
    ],
)  # fmt: skip
def test_code_reads_them_and_changes_none(warm, body, value):
    [answer] = report_of(warm, body).answers
    assert answer.error is None, answer.error
    assert np.asarray(answer.value).tolist() == value


def test_a_request_without_them_has_none_after_one_with_them(either):
    for data in (FILES, DataFiles({})):
        [answer] = report_of(
            either, "open('prices.csv').read() if os.path.exists('prices.csv') else ''", data
        ).answers
        assert answer.value == (data.files["prices.csv"].decode() if data.files else "")


def test_the_submissions_own_file_of_the_same_name_does_not_replace_one(warm):
    code = Code("a.py", {"a.py": "def f(x): return open('prices.csv').read()", "prices.csv": "9,9"})
    [answer] = warm.run(Request(code, calls_of(0), data=FILES)).answers
    assert answer.value == "1,2\n3,4\n"


def test_a_changed_file_reaches_the_next_submission(warm):
    for content in (b"1", b"2", b"1"):
        [answer] = report_of(warm, "open('a.csv').read()", DataFiles({"a.csv": content})).answers
        assert answer.value == content.decode()
