from autograder.cli import doctor as doctor_module
from autograder.sandbox.levels import FULL, LEVELS, PROCESS_ONLY, Offer

from .running import run

WORKS = Offer("landlock", True, "denies reading")
MISSING = Offer("namespaces", False, "hides processes", "this kernel refuses them (bwrap: [can't] clone)")


def doctor(monkeypatch, level, *found):
    monkeypatch.setattr(doctor_module, "offers", lambda: list(found))
    monkeypatch.setattr(doctor_module, "strongest_level", lambda: level)
    done = run("doctor")
    assert (done.exit, done.err) == (0, "")
    return done


def row(done, first):
    return next(line for line in done.out.splitlines() if first in line)


def test_every_layer_is_shown_with_what_it_does_and_what_is_missing(monkeypatch):
    done = doctor(monkeypatch, FULL, WORKS, MISSING)
    assert "works" in row(done, "landlock")
    assert "denies reading" in row(done, "landlock")
    assert "missing" in row(done, "namespaces │")
    assert "this kernel refuses them" in row(done, "namespaces │")
    assert "[can't]" in done.out


def test_the_chosen_level_is_marked_among_all_of_them(monkeypatch):
    done = doctor(monkeypatch, FULL, WORKS)
    marked = [level.name for level in LEVELS if "→" in row(done, f"│ {level.name} ")]
    assert marked == ["full"]
    assert "NOT contained" in row(done, "│ process-only ")
    assert "--unsafe" not in done.out


def test_a_machine_that_contains_nothing_is_told_so(monkeypatch):
    done = doctor(monkeypatch, PROCESS_ONLY, MISSING)
    assert "No sandbox is available here" in done.out
    assert "--unsafe" in done.out


def test_on_this_machine_it_answers_as_well():
    done = run("doctor")
    assert done.exit == 0
    assert all(level.name in done.out for level in LEVELS)
