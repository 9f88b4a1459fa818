"""What a sandbox sees of the machine, and the user that it runs under."""

import itertools
import os
import site
import sys

import pytest

from autograder.sandbox import isolation
from autograder.sandbox.isolation import (
    DEVICES,
    ClaimedUser,
    bubblewrap_command,
    packages_of_one_user,
    view_of_python,
)

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
