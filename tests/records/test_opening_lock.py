import os
import platform
import signal
import subprocess
import sys
from subprocess import PIPE

import pytest
from results import submission
from wording import to_staff

from autograder.gradebook.opening import LOCK_FILE, exclusive, open_gradebook, read_gradebook
from autograder.gradebook.schema import GradebookError

HOLDER = """
import sys, time
from pathlib import Path
from autograder.gradebook.opening import open_gradebook
sys.argv = ["autograder", "grade"]
with open_gradebook(Path({folder!r})):
    print("open", flush=True)
    time.sleep(600)
"""


def test_a_second_writer_is_refused_and_told_who_the_first_is(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["autograder", "grade", "class"])
    with (
        open_gradebook(tmp_path),
        pytest.raises(GradebookError, check=to_staff["lock.wait-until-it-ends"]) as caught,
        open_gradebook(tmp_path, fresh=True),
    ):
        pass
    message = str(caught.value)
    assert f"`autograder grade`, process {os.getpid()} on {platform.node()}, since 2" in message
    assert str(tmp_path) in message


def test_the_lock_goes_with_its_holder_and_leaves_no_file(tmp_path):
    for _ in range(2):
        with open_gradebook(tmp_path) as book:
            assert (tmp_path / LOCK_FILE).is_file()
            book.keep(submission("ada"), "c", "g")
        assert not (tmp_path / LOCK_FILE).exists()


def test_an_error_inside_frees_the_folder(tmp_path):
    with pytest.raises(ZeroDivisionError), open_gradebook(tmp_path):
        raise ZeroDivisionError
    with open_gradebook(tmp_path):
        pass


def test_a_killed_holder_leaves_the_folder_free(tmp_path):
    program = HOLDER.format(folder=str(tmp_path))
    process = subprocess.Popen([sys.executable, "-c", program], stdout=PIPE, text=True)
    try:
        assert process.stdout.readline() == "open\n"
        with pytest.raises(GradebookError, match=f"process {process.pid} on"), open_gradebook(tmp_path):
            pass
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
    finally:
        process.kill()
    assert (tmp_path / LOCK_FILE).exists(), "the file stays, the lock does not"
    with open_gradebook(tmp_path):
        pass


def test_a_folder_that_cannot_be_locked_is_refused(tmp_path):
    (tmp_path / LOCK_FILE).mkdir()
    with pytest.raises(GradebookError, check=to_staff["lock.cannot-be-locked"]), open_gradebook(tmp_path):
        pass


def test_a_reader_needs_no_lock(tmp_path):
    with open_gradebook(tmp_path) as book:
        book.keep(submission("ada"), "c", "g")
        with read_gradebook(tmp_path) as reader:
            assert reader.names() == {"ada"}


@pytest.mark.parametrize("text", ["", "{}", "no json", "[1]"])
def test_a_holder_without_a_name_is_refused_all_the_same(tmp_path, text):
    with exclusive(tmp_path):
        (tmp_path / LOCK_FILE).write_text(text, "utf-8")
        with (
            pytest.raises(GradebookError, check=to_staff["lock.in-use-by-another-autograder"]),
            exclusive(tmp_path),
        ):
            pass


def test_who_waited_at_a_file_that_is_gone_takes_the_new_one(tmp_path, monkeypatch):
    """Between opening and locking, the last holder may remove the file."""
    path = tmp_path / LOCK_FILE
    really_open, opened = os.open, []

    def open_and_lose(*arguments):
        opened.append(really_open(*arguments))
        if len(opened) == 1:
            path.unlink()
        return opened[-1]

    monkeypatch.setattr(os, "open", open_and_lose)
    with exclusive(tmp_path):
        assert len(opened) == 2
        assert path.is_file()
