"""The table of `make mutants` names what is there; mutmut itself is not run here."""

import tomllib

import pytest
from engine_mutants import ROOT, TABLE, Mutant, chosen, groups_of, main

ENTRIES = tomllib.loads(TABLE.read_text("utf-8"))
GROUPS = groups_of(ENTRIES, ())


def mutant(before, after, line=1):
    return Mutant(f"f__mutmut_{line}", "autograder/policy/points.py", line, before, after)


def test_the_table_names_modules_and_quick_tests_that_exist():
    for group in GROUPS:
        for name in (*group.files, *group.tests):
            assert (ROOT / name).is_file(), name
            assert "whole" not in name


def test_a_mutant_that_is_known_to_be_right_is_a_change_of_code_that_is_still_there():
    files = {file for group in GROUPS for file in group.files}
    for entry in ENTRIES["equivalent"]:
        code = " ".join((ROOT / entry["file"]).read_text("utf-8").split())
        assert entry["file"] in files
        assert " ".join(entry["before"].split()) in code, entry["before"]
        assert entry["why"]


def test_packages_and_modules_are_named_and_an_unknown_one_ends_with_status_2(capsys):
    [group] = groups_of(ENTRIES, ["policy/points"])
    assert group.files == ["autograder/policy/points.py"]
    assert main(["worker"]) == 2
    assert "worker" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("after", "is_sentence"),
    [
        ('say("XXtwo wordsXX", "never")', True),
        ('say("TWO WORDS", "never")', True),
        ('say("two words", "XXneverXX")', False),
        ("say(None)", False),
    ],
)
def test_only_changes_of_a_sentence_are_left_out(after, is_sentence):
    assert mutant('say("two words", "never")', after).changes_a_sentence_only == is_sentence


def test_a_sample_is_the_same_each_time_and_another_with_another_seed():
    mutants = [mutant("a", "b", line) for line in range(100)]
    first = chosen(mutants, 10, 1, "file")
    assert first == chosen(mutants, 10, 1, "file")
    assert len(first) == 10
    assert first != chosen(mutants, 10, 2, "file")
    assert chosen(mutants, 0, 1, "file") == mutants
