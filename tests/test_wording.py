"""Every pinned text is asked for by some test, and every one that is asked for is pinned."""

import re
from pathlib import Path

import pytest
from wording import Audience, Session, read, to_authors, to_staff, to_students, write

TESTS = Path(__file__).parent
USE = re.compile(r"\bto_(students|staff|authors)\[\s*f?\"([\w.{}-]+)\"\s*\]")
"""Where tests name a text; ``f"pack.{entry}"`` names all of a table."""


def uses():
    tests = (path.read_text("utf-8") for path in TESTS.rglob("*.py") if path.parent.name != "wording")
    return {use for text in tests for use in USE.findall(text)}


@pytest.mark.parametrize("audience", [to_students, to_staff, to_authors], ids=lambda audience: audience.name)
def test_the_entries_are_those_that_tests_name(audience):
    entries = read(audience.path)
    entry_names = {entry for name, entry in uses() if name == audience.name}
    of_tables = tuple(name.partition("{")[0] for name in entry_names if "{" in name)
    assert (
        sorted(name for name in entries if name not in entry_names and not name.startswith(of_tables)) == []
    )
    assert sorted(name for name in entry_names if name not in entries and "{" not in name) == []


def test_an_entry_is_equal_to_its_text_alone(monkeypatch, tmp_path):
    monkeypatch.setattr(Session, "accept", False)
    audience = Audience("nobody")
    audience.texts().update({"a.path": "{tmp}/x.py is {...} late", "a.plain": "1 (of 2)"})
    assert audience["a.path"] == f"{tmp_path}/x.py is 3 days late"
    assert audience["a.path"] != f"{tmp_path}/y.py is 3 days late"
    assert [audience["a.plain"]] == ["1 (of 2)"]
    assert audience["a.plain"] != "1 (of 2) and more"
    assert audience["a.plain"] in "that is 1 (of 2)."
    assert audience["a.plain"](ValueError("1 (of 2)"))
    with pytest.raises(AssertionError, match="said was: 2"):
        audience["a.plain"](ValueError("2"))
    audience.texts()["a.given"] = "{name} is late"
    assert audience["a.given"].given(name="ada") == "ada is late"
    assert audience["a.given"].given(name="bob") != "ada is late"
    assert audience["a.plain"].among(["0", "1 (of 2)"])
    assert not audience["a.plain"].among(["0", "1"])
    with pytest.raises(KeyError, match="nobody"):
        audience["a.unknown"]


def test_accepting_writes_what_is_said_where_it_resembles_the_entry(monkeypatch, tmp_path):
    monkeypatch.setattr(Session, "accept", True)
    audience = Audience("nobody")
    audience.path = tmp_path / "nobody.toml"
    write(audience.path, {"b.late": "Handed in late: 2 days.", "a.same": 'a\n"b"\\', "a.other": "x"})
    assert audience["b.late"] == "Handed in 3 days late."
    assert audience["b.late"] != "Nobody knows this one."
    assert audience["c.new"] == "This is new."
    assert audience["c.rows"] == "roster.csv, row 3: it is empty"
    assert audience["c.rows"] == "roster.csv, row 14: it is empty"
    assert audience["a.same"] == 'a\n"b"\\'
    assert read(audience.path) == {
        "a.other": "x",
        "a.same": 'a\n"b"\\',
        "b.late": "Handed in 3 days late.",
        "c.new": "This is new.",
        "c.rows": "roster.csv, row {...}: it is empty",
    }
