from autograder.cli import doctor as doctor_module
from autograder.sandbox.levels import FULL, LEVELS, PROCESS_ONLY, LayerStatus

from .running import run

WORKS = LayerStatus("landlock", True, "denies reading")
MISSING = LayerStatus(
    "namespaces", False, "hides processes", "this kernel refuses them (bwrap: [can't] clone)"
)


def doctor(monkeypatch, level, *trouble):
    monkeypatch.setattr(doctor_module, "layer_statuses", lambda: list(trouble))
    monkeypatch.setattr(doctor_module, "strongest_level", lambda: level)
    result = run("doctor")
    assert (result.exit, result.err) == (0, "")
    return result


def row(result, first):
    return next(line for line in result.out.splitlines() if first in line)


def test_every_layer_is_shown_with_what_it_does_and_what_is_missing(monkeypatch):
    result = doctor(monkeypatch, FULL, WORKS, MISSING)
    assert "works" in row(result, "landlock")
    assert "denies reading" in row(result, "landlock")
    assert "missing" in row(result, "namespaces │")
    assert "this kernel refuses them" in row(result, "namespaces │")
    assert "[can't]" in result.out


def test_the_chosen_level_is_marked_among_all_of_them(monkeypatch):
    result = doctor(monkeypatch, FULL, WORKS)
    marked = [level.name for level in LEVELS if "→" in row(result, f"│ {level.name} ")]
    assert marked == ["full"]
    assert "NOT contained" in row(result, "│ process-only ")
    assert "--unsafe" not in result.out


def test_a_machine_that_contains_nothing_is_told_so(monkeypatch):
    result = doctor(monkeypatch, PROCESS_ONLY, MISSING)
    assert "No sandbox is available here" in result.out
    assert "--unsafe" in result.out


def test_on_this_machine_it_answers_as_well():
    result = run("doctor")
    assert result.exit == 0
    assert all(level.name in result.out for level in LEVELS)
