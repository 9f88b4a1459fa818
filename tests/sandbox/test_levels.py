"""Which level of isolation is chosen on a machine, and what a sandbox sees of it."""

import importlib.util
import itertools
import os
import shutil
import signal
import site
import subprocess
import sys
from types import SimpleNamespace

import pytest

from autograder.sandbox import isolation, levels
from autograder.sandbox.isolation import (
    DEVICES,
    ClaimedUser,
    bubblewrap_command,
    packages_of_one_user,
    view_of_python,
)
from autograder.sandbox.levels import (
    FULL,
    NO_LANDLOCK,
    NO_NAMESPACES,
    PROCESS_ONLY,
    LayerStatus,
    Level,
    layer_statuses,
    strongest_level,
)

LAYERS = ("namespaces", "own-user", "landlock", "seccomp", "rlimits", "watchdog")


@pytest.mark.parametrize(
    ("missing", "level"),
    [
        ((), FULL),
        (("own-user", "watchdog"), FULL),
        (("landlock",), NO_LANDLOCK),
        (("namespaces",), NO_NAMESPACES),
        (("namespaces", "landlock"), PROCESS_ONLY),
        (("seccomp",), PROCESS_ONLY),
        (("rlimits",), PROCESS_ONLY),
        (LAYERS, PROCESS_ONLY),
    ],
)
def test_the_strongest_level_whose_layers_all_work_is_chosen(missing, level, monkeypatch):
    statuses = [LayerStatus(layer, layer not in missing, "", "") for layer in LAYERS]
    monkeypatch.setattr(levels, "layer_statuses", lambda: statuses)
    assert strongest_level.__wrapped__() is level
    always = {"private-memory", "rlimits"} | ({"own-user"} if level is not PROCESS_ONLY else set())
    assert always == set(level.layers) - {"namespaces", "landlock", "seccomp"}


@pytest.mark.parametrize(
    ("layers", "contains"),
    [
        (FULL.layers, True),
        (NO_LANDLOCK.layers, True),
        (NO_NAMESPACES.layers, True),
        (PROCESS_ONLY.layers, False),
        (("seccomp", "rlimits"), False),
        (("landlock", "namespaces"), False),
    ],
)
def test_hostile_code_is_contained_by_the_filter_together_with_one_of_two_walls(layers, contains):
    assert Level("some", layers, "").confines_hostile_code == contains


def working():
    return {status.layer for status in layer_statuses() if status.works}


def missing_package(monkeypatch, name):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name_asked, *more: None if name_asked == name else find(name_asked, *more),
    )


def bubblewrap(monkeypatch, answer):
    monkeypatch.setattr(shutil, "which", lambda name: {"bwrap": "/usr/bin/bwrap"}.get(name))

    def run(command, **options):
        assert (command[0], command[-1]) == ("bwrap", "true")
        assert [bool(options[name]) for name in ("capture_output", "text", "timeout")] == [True] * 3
        return answer()

    monkeypatch.setattr(subprocess, "run", run)


def ended(status, message=""):
    return subprocess.CompletedProcess([], status, "", message)


@pytest.mark.parametrize(
    ("platform", "absent"),
    [
        ("darwin", {"namespaces", "landlock", "seccomp"}),
        ("win32", {"namespaces", "landlock", "seccomp", "rlimits"}),
    ],
)
def test_what_only_linux_has_is_not_offered_elsewhere(platform, absent, monkeypatch):
    monkeypatch.setattr(levels, "is_root", lambda: True)
    monkeypatch.setattr(sys, "platform", platform)
    assert working() == set(LAYERS) - absent


@pytest.mark.parametrize(("layer", "package"), [("landlock", "landlockpy"), ("seccomp", "pyseccomp")])
def test_a_layer_whose_package_is_not_installed_is_not_offered(layer, package, monkeypatch):
    missing_package(monkeypatch, package)
    [status] = [status for status in layer_statuses() if status.layer == layer]
    assert not status.works
    assert status.reason.endswith(f"pip install {package}")


@pytest.mark.parametrize("is_root", [True, False])
def test_a_user_of_its_own_is_offered_to_root_only(is_root, monkeypatch):
    monkeypatch.setattr(levels, "is_root", lambda: is_root)
    assert ("own-user" in working()) == is_root


def test_a_watchdog_needs_timers(monkeypatch):
    assert "watchdog" in working()
    monkeypatch.delattr(signal, "setitimer")
    assert "watchdog" not in working()


def test_namespaces_are_offered_where_bubblewrap_ends_well(monkeypatch):
    bubblewrap(monkeypatch, lambda: ended(0))
    assert "namespaces" in working()
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert "namespaces" not in working()


def refuses():
    raise PermissionError("not here")


def hangs():
    raise subprocess.TimeoutExpired("bwrap", 5)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            lambda: ended(1, "a warning\nNo permissions to create a namespace\n"),
            "(No permissions to create a namespace)",
        ),
        (lambda: ended(2), "(no reason given)"),
        (refuses, "not here"),
        (hangs, "timed out"),
    ],
)
def test_namespaces_that_are_refused_are_told_with_the_reason(answer, message, monkeypatch):
    bubblewrap(monkeypatch, answer)
    [status] = [status for status in layer_statuses() if status.layer == "namespaces"]
    assert not status.works
    assert message in status.reason


def lacks_the_call():
    raise OSError("filtered")


@pytest.mark.parametrize(
    ("version", "works"), [(lambda: 4, True), (lambda: 0, False), (lacks_the_call, False)]
)
def test_landlock_is_offered_where_the_kernel_has_a_version_of_it(version, works, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(importlib.util, "find_spec", {"landlockpy": True}.get)
    monkeypatch.setitem(sys.modules, "landlockpy", SimpleNamespace(abi_version=version))
    [status] = [status for status in layer_statuses() if status.layer == "landlock"]
    assert status.works == works
    assert bool(status.reason) != works


@pytest.mark.parametrize("error", [None, OSError("no libseccomp"), RuntimeError("no kernel")])
def test_the_filter_is_offered_where_one_can_be_made(error, monkeypatch):
    def make_filter(action):
        if error:
            raise error

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(importlib.util, "find_spec", {"pyseccomp": True}.get)
    monkeypatch.setitem(sys.modules, "pyseccomp", SimpleNamespace(ALLOW=1, SyscallFilter=make_filter))
    [status] = [status for status in layer_statuses() if status.layer == "seccomp"]
    assert status.works == (error is None)
    assert bool(status.reason) == bool(error)


def test_each_layer_says_what_it_protects():
    assert {status.layer: status.protects for status in layer_statuses()} == levels.PROTECTS


NAMES = {"--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-net"}
OTHERS = {
    "--as-pid-1",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "--proc",
    "--remount-ro",
    "--chdir",
}


@pytest.mark.parametrize(("root", "more"), [(True, {"--cap-add"}), (False, {"--unshare-user"})])
def test_a_sandbox_has_its_own_namespaces_and_reads_what_is_shown(root, more, monkeypatch):
    monkeypatch.setattr(isolation, "is_root", lambda: root)
    monkeypatch.setattr(os.path, "islink", lambda path: path == "/bin")
    monkeypatch.setattr(os, "readlink", lambda path: f"usr{path}")
    command = bubblewrap_command(["/opt/python/lib"])
    assert command[0] == "bwrap"
    mounts = {"--dir", "--ro-bind-try", "--dev-bind", "--symlink"}
    assert {word for word in command if "--" in word} == NAMES | OTHERS | mounts | more
    [link] = places(command, "--symlink")
    assert command[link + 1 : link + 3] == ["usr/bin", "/bin"]
    assert [command[place + 1] for place in places(command, "--dev-bind")] == list(DEVICES)
    shown = [command[place + 1 : place + 3] for place in places(command, "--ro-bind-try")]
    assert ["/opt/python/lib"] * 2 in shown
    assert all(inside == outside for inside, outside in shown)
    folders = {command[place + 1] for place in places(command, "--dir")}
    assert {"/opt", "/opt/python", "/dev"} <= folders
    assert all(path.startswith("/") for path in (*folders, *itertools.chain(*shown)))


def places(command, option):
    return [place for place, word in enumerate(command) if word == option]


def test_of_a_folder_of_packages_all_but_the_kit_is_shown_with_what_its_links_lead_to(tmp_path, monkeypatch):
    packages = tmp_path / "venv/lib/site-packages"
    for name in ("autograder/worker", "numpy", "filled"):
        (packages / name).mkdir(parents=True)
    for name in ("linked/torch", "cache/filled"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "cache/filled/file.py").touch()
    (packages / "torch").symlink_to(tmp_path / "linked/torch")
    (packages / "filled/file.py").symlink_to(tmp_path / "cache/filled/file.py")
    (tmp_path / "also").symlink_to(tmp_path / "venv")
    for prefix in ("prefix", "base_prefix", "exec_prefix", "base_exec_prefix"):
        monkeypatch.setattr(sys, prefix, str(tmp_path / "also"))
    monkeypatch.setattr(site, "getsitepackages", lambda: [str(packages), str(tmp_path / "missing")])

    readable, listable = view_of_python(packages / "autograder/worker")
    seen = [
        "cache/filled",
        "linked/torch",
        *(f"venv/lib/site-packages/{name}" for name in ("autograder/worker", "filled", "numpy")),
    ]
    assert {str(tmp_path / name) for name in seen} <= set(readable)
    hidden = str(packages / "autograder")
    assert hidden not in readable
    assert not any(hidden == path or hidden.startswith(f"{path}/") for path in readable)
    above = {str(tmp_path / name) for name in ("also/lib", "venv/lib", "venv/lib/site-packages")}
    assert above <= set(listable) <= {*above, str(tmp_path / "also/lib/site-packages")}


@pytest.mark.parametrize(
    ("own", "of_all", "found"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_numpy_for_one_user_alone_is_found(own, of_all, found, tmp_path, monkeypatch):
    for name, has_numpy in (("own", own), ("all", of_all)):
        (tmp_path / name / ("numpy" if has_numpy else "other")).mkdir(parents=True)
        (tmp_path / name / ("numpy" if has_numpy else "other") / "__init__.py").touch()
    monkeypatch.setattr(site, "getusersitepackages", lambda: str(tmp_path / "own"))
    monkeypatch.setattr(site, "getsitepackages", lambda: [str(tmp_path / "all")])
    assert packages_of_one_user() == (str(tmp_path / "own") if found else "")


def test_no_two_sandboxes_have_one_user_and_none_is_left_once_all_are_taken(monkeypatch):
    first = ClaimedUser()
    monkeypatch.setattr(isolation, "FIRST_UID", first.uid)
    monkeypatch.setattr(isolation, "LAST_UID", first.uid)
    with pytest.raises(RuntimeError, match=f"{first.uid}"):
        ClaimedUser()
    first.release()
    second = ClaimedUser()
    assert second.uid == first.uid
    second.release()
