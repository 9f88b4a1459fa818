"""The levels hold, and honest code runs, for every way a grader may be installed and started."""

import os
import shutil

import pytest

from autograder.sandbox.levels import FULL, NO_LANDLOCK, NO_NAMESPACES, PROCESS_ONLY

from ..conftest import needs_root, require
from ..machines import (
    ROOT,
    Machine,
    as_plain_user,
    is_private,
    link_packages,
    make_environment,
    with_open_folders,
)

LEVELS = [FULL, NO_LANDLOCK, NO_NAMESPACES]
all_levels = pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)

IMPORTS_MORE = """
import decimal, sqlite3, statistics, xml.dom.minidom
import numpy.ma, numpy.polynomial
print("all imported")
"""
LOOKS_AROUND = """
import os, threading, time
for path in {paths}:
    try:
        print("GOT", open(path).read()[:100])
    except OSError as error:
        print("refused")
try:
    os.fork()
    print("GOT a process")
except OSError:
    print("refused")
"""
MANY_THREADS = """
import threading, time
try:
    for count in range(500):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    print("GOT", count)
except RuntimeError:
    print("refused")
"""


@pytest.fixture
def curious(secrets):
    """A submission that reads what it should not and starts a process."""
    paths = [secrets.places[name] for name in ("secret", "expected", "solution", "grader")]
    return LOOKS_AROUND.format(paths=paths)


@all_levels
def test_modules_can_be_imported_after_the_fork(level):
    require(level)
    result = Machine().grade(level.name, IMPORTS_MORE)
    assert result["output"] == "all imported\n", result


def test_optimizers_of_torch_can_be_imported_after_the_fork():
    require(FULL)
    result = Machine().grade("full", "import torch\ntorch.optim.Adam([torch.ones(2)]).step()\n", "torch")
    assert (result["status"], result["detail"]) == ("graded", "")


@needs_root
@pytest.mark.parametrize("level", [FULL, NO_LANDLOCK], ids=lambda level: level.name)
def test_root_gives_itself_up_where_namespaces_show_python(level):
    require(level)
    result = Machine().grade(level.name, ("import os\nprint(os.getuid() != 0, os.getgroups())"))
    assert result["layers"] == list(level.layers)
    assert result["output"] == "True []\n"


@needs_root
def test_root_keeps_its_id_but_no_power_below_a_private_home():
    require(NO_NAMESPACES)
    if not is_private():
        pytest.skip("this Python is open to every user: install one below a home folder of mode 0700")
    result = Machine().grade("no-namespaces", ("import os\nos.chown('/dev/null', 1, 1)"))
    assert "own-user" not in result["layers"]
    assert "Operation not permitted" in result["detail"]


@needs_root
def test_root_has_users_to_give_away_where_python_is_open_to_all():
    require(FULL)
    result = Machine(with_open_folders()).grade("no-namespaces", MANY_THREADS)
    assert result["layers"] == list(NO_NAMESPACES.layers)
    assert result["output"] == "refused\n", result


@needs_root
@all_levels
def test_plain_user_is_protected_as_well(level, curious):
    require(FULL)
    machine = Machine(as_plain_user())
    result = machine.grade(level.name, curious)
    assert result["layers"] == [layer for layer in level.layers if layer != "own-user"]
    assert result["output"] == "refused\n" * 5, result
    assert machine.grade(level.name, IMPORTS_MORE)["output"] == "all imported\n"


@needs_root
def test_memory_of_the_zygote_is_closed_to_its_own_user():
    require(FULL)
    look = "import os\nprint(open(f'/proc/{os.getppid()}/mem', 'rb'))"
    machine = Machine(as_plain_user())
    assert "Permission denied" in machine.grade("process-only", look)["detail"]
    assert "private-memory" in PROCESS_ONLY.layers
    readable = machine.grade("rlimits", look)
    assert "BufferedReader" in readable["output"], readable


@pytest.mark.parametrize("mode", ["os.O_RDONLY", "3"])
def test_filter_alone_keeps_files_from_being_emptied(mode, tmp_path):
    require(NO_NAMESPACES)
    file = tmp_path / "kept"
    file.write_text("kept", encoding="utf-8")
    result = Machine().grade("seccomp+rlimits", f"import os\nos.open({str(file)!r}, {mode} | os.O_TRUNC)")
    assert result["status"] == "import_failed"
    assert file.read_text(encoding="utf-8") == "kept"


def test_nothing_may_be_written_to_but_what_goes_nowhere():
    require(FULL)
    result = Machine().grade("full", "import os\nprint(open(os.devnull, 'w').write('gone'))")
    assert result["output"] == "4\n"


@all_levels
@pytest.mark.parametrize("file_by_file", [False, True], ids=["linked-folders", "linked-files"])
def test_packages_may_be_links(level, file_by_file, tmp_path):
    require(level)
    link_packages(make_environment(tmp_path / "venv"), file_by_file=file_by_file)
    machine = Machine(python=tmp_path / "venv/bin/python")
    assert machine.grade(level.name, IMPORTS_MORE)["output"] == "all imported\n"


@all_levels
def test_checks_stay_hidden_where_the_kit_is_installed_among_the_packages(level, tmp_path):
    require(level)
    packages = make_environment(tmp_path / "venv")
    link_packages(packages, file_by_file=False)
    shutil.copytree(ROOT / "autograder", packages / "autograder")
    machine = Machine(python=tmp_path / "venv/bin/python", kit=packages)
    hidden = [str(packages / "autograder" / path) for path in ("verdict/checks.py", "sandbox/warm.py")]
    assert all(map(os.path.isfile, hidden))
    result = machine.grade(level.name, (LOOKS_AROUND.format(paths=hidden)))
    assert result["output"] == "refused\n" * 3, result
    assert machine.grade(level.name, IMPORTS_MORE)["output"] == "all imported\n"


@all_levels
def test_course_stays_hidden_where_it_is_the_environment_itself(level, tmp_path):
    require(level)
    link_packages(make_environment(tmp_path / "course"), file_by_file=False)
    expected = tmp_path / "course/reference_outputs/expected"
    expected.parent.mkdir()
    expected.write_text("42", encoding="utf-8")
    machine = Machine(python=tmp_path / "course/bin/python")
    result = machine.grade(level.name, (LOOKS_AROUND.format(paths=[str(expected)])))
    assert result["output"] == "refused\n" * 2, result
