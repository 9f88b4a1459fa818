"""Which level of isolation is chosen, by what works on a machine."""

import importlib.util
import shutil
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from autograder.sandbox import levels
from autograder.sandbox.levels import (
    FULL,
    NO_LANDLOCK,
    NO_NAMESPACES,
    PROCESS_ONLY,
    Level,
    Offer,
    offers,
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
    offers = [Offer(layer, layer not in missing, "", "") for layer in LAYERS]
    monkeypatch.setattr(levels, "offers", lambda: offers)
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
    assert Level("some", layers, "").contains_hostile_code == contains


def working():
    return {offer.layer for offer in offers() if offer.works}


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
    [offer] = [offer for offer in offers() if offer.layer == layer]
    assert not offer.works
    assert offer.remedy.endswith(f"pip install {package}")


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
    [offer] = [offer for offer in offers() if offer.layer == "namespaces"]
    assert not offer.works
    assert message in offer.remedy


def lacks_the_call():
    raise OSError("filtered")


@pytest.mark.parametrize(
    ("version", "works"), [(lambda: 4, True), (lambda: 0, False), (lacks_the_call, False)]
)
def test_landlock_is_offered_where_the_kernel_has_a_version_of_it(version, works, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(importlib.util, "find_spec", {"landlockpy": True}.get)
    monkeypatch.setitem(sys.modules, "landlockpy", SimpleNamespace(abi_version=version))
    [offer] = [offer for offer in offers() if offer.layer == "landlock"]
    assert offer.works == works
    assert bool(offer.remedy) != works


@pytest.mark.parametrize("error", [None, OSError("no libseccomp"), RuntimeError("no kernel")])
def test_the_filter_is_offered_where_one_can_be_made(error, monkeypatch):
    def make_filter(action):
        if error:
            raise error

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(importlib.util, "find_spec", {"pyseccomp": True}.get)
    monkeypatch.setitem(sys.modules, "pyseccomp", SimpleNamespace(ALLOW=1, SyscallFilter=make_filter))
    [offer] = [offer for offer in offers() if offer.layer == "seccomp"]
    assert offer.works == (error is None)
    assert bool(offer.remedy) == bool(error)


def test_each_layer_says_what_it_protects():
    assert {offer.layer: offer.protects for offer in offers()} == levels.PROTECTS
