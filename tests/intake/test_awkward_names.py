"""A class with awkward names on every platform: each file has its student, and nobody is merged."""

import datetime as dt
import re
import unicodedata

import pytest
import yaml

from autograder.intake.naming import as_results_folder
from autograder.platforms.discover import find_entries

from . import downloads
from .downloads import STUBS, as_folder, read
from .makers import zip_of

NAMES = [
    "Zoë Ångström",
    unicodedata.normalize("NFD", "Zoë Ångström"),
    "Síle O'Brien",
    "李 小龍",
    "\u202eمحمد علي\u202c",
    "Ann Lee",
    "Ann Lee",
    "Ann Leeson",
    "ann lee",
    "Max_2027_02 (1)",
    "LATE",
    "Late Bo",
    "Jo_Ann van_der_Berg",
    "Wolfeschlegelsteinhausenbergerdorff " * 3 + "A",
    "Wolfeschlegelsteinhausenbergerdorff " * 3 + "B",
    "🦊",
    "Kim",
    "Kim-1",
    ". Kumar",
    "-rf",
    "attention_scores",
    "null",
    "Trailing ",
    "12345",
    "con",
]
"""As people give them; some are equal, or differ only in what a platform leaves out."""

"""The name of each student by their id."""

CLASS = {1001 + place: name for place, name in enumerate(NAMES)}
FILES = ("attention_scores.py", "2027_02_helper.py")


def text_of(student, file):
    return f"# {student} {file}"


def whole(student):
    return {file: text_of(student, file) for file in FILES}


def kept_by_canvas(name):
    """What ContentZipper keeps of a name: letters, marks, digits and underscores, in lower case."""
    plain = re.sub(r"_(\d+)_", r"\1", name).lower()
    return "".join(sign for sign in plain if sign == "_" or unicodedata.category(sign)[0] in "LMN")


def canvas(people):
    contents = {}
    for student, name in people.items():
        kept_name = kept_by_canvas(name)
        late = "_LATE" if student % 3 == 0 else ""
        for number, (file, text) in enumerate(whole(student).items()):
            contents[f"{kept_name}{late}_{student}_{student * 100 + number}_{file}"] = text
    return contents


def moodle_flat(people):
    return {
        f"{moodle_who(name)}_{student}_assignsubmission_file_{file}": text
        for student, name in people.items()
        for file, text in whole(student).items()
    }


def moodle(people):
    return {
        f"{moodle_who(name)}_{student}_assignsubmission_file/{file}": text
        for student, name in people.items()
        for file, text in whole(student).items()
    }


def moodle_who(name):
    """What clean_filename keeps: no quotes and signs of paths, no dots in a row."""
    return re.sub(r"""[\x00-\x1f&<>"`|':\\/]|\.\.+""", "", name.replace("_", " "))


def gradescope(people):
    table = {
        f"submission_{student * 7}": {
            ":submitters": [{":name": name, ":sid": str(student), ":email": f"{student}@example.org"}],
            ":created_at": "2026-02-05 06:54:05 Z",
        }
        for student, name in people.items()
    }
    return {
        "submission_metadata.yml": yaml.safe_dump(table, allow_unicode=True),
        **{
            f"submission_{student * 7}/{file}": text
            for student in people
            for file, text in whole(student).items()
        },
    }


def otter(people):
    """Zips called by the notebook and the time alone, as ``Notebook.export`` calls them."""
    start = dt.datetime(2027, 10, 31, 23, 58, 40, 123456)
    return {
        f"demo_{start + dt.timedelta(seconds=4 * place):%Y_%m_%dT%H_%M_%S_%f}.zip": zip_of(whole(student))
        for place, student in enumerate(people)
    }


def otter_in_canvas(people):
    return {
        re.sub(r"_attention_scores.py$", "_demo_2027_02_01T12_30_00_123456.zip", name): zip_of(
            whole(int(str(text).split()[1]))
        )
        for name, text in canvas(people).items()
        if name.endswith("attention_scores.py")
    }


def by_name(people, ending):
    """Names as the students' own files have them; of two equal ones the second gets the id."""
    entries = {}
    for student, name in people.items():
        file = name.replace("/", "_").lstrip(".") or str(student)
        entries[(f"{file} {student}" if f"{file}{ending}" in entries else file) + ending] = student
    return entries


def plain_files(people):
    return {name: text_of(student, "attention_scores.py") for name, student in by_name(people, ".py").items()}


def plain_dates(people):
    names = by_name(people, "_2027_02_attention_scores.py")
    return {name: text_of(student, "attention_scores.py") for name, student in names.items()}


def plain_zips(people):
    return {name: zip_of(whole(student)) for name, student in by_name(people, ".zip").items()}


def plain_folders(people):
    return {
        f"{name}/{file}": text
        for name, student in by_name(people, "").items()
        for file, text in whole(student).items()
    }


def as_zip(root, contents):
    root.mkdir(exist_ok=True)
    return downloads.as_zip(root, contents)


KNOWN = [
    (canvas, as_folder),
    (canvas, as_zip),
    (otter_in_canvas, as_zip),
    (moodle, as_folder),
    (moodle, as_zip),
    (moodle_flat, as_folder),
    (moodle_flat, as_zip),
    (gradescope, as_folder),
    (gradescope, as_zip),
]
UNKNOWN = [(form, as_folder) for form in (otter, plain_files, plain_dates, plain_zips, plain_folders)]


def students_of(discovery):
    """The ids in each submission's files."""
    return [{int(text.split()[1]) for text in read(entry).values()} for entry in discovery.entries]


def assert_each_has_their_own(discovery, people):
    ids = students_of(discovery)
    assert all(len(ids_of_entry) == 1 for ids_of_entry in ids)
    assert sorted(student for ids_of_entry in ids for student in ids_of_entry) == sorted(people)
    for entry, (student,) in zip(discovery.entries, ids, strict=True):
        assert entry.owner is None or entry.owner.student_id == str(student)
        assert entry.name == as_results_folder(entry.name)
    folded = {unicodedata.normalize("NFC", entry.name).casefold() for entry in discovery.entries}
    assert len(folded) == len(people)


def names_by_student(discovery):
    return {
        student: entry.name
        for entry, (student,) in zip(discovery.entries, students_of(discovery), strict=True)
    }


@pytest.mark.parametrize(("platform", "make"), [*KNOWN, *UNKNOWN])
def test_every_file_has_its_student_and_names_stay(platform, make, tmp_path):
    path = make(tmp_path / "first", platform(CLASS))
    first = find_entries([path], STUBS)
    assert_each_has_their_own(first, CLASS)
    assert all(entry.owner for entry in first.entries) == ((platform, make) in KNOWN)
    earlier = {entry.name: str(entry.path) for entry in first.entries}
    assert names_by_student(find_entries([path], STUBS, earlier=earlier)) == names_by_student(first)
    more = {999: "Ann Lee", **CLASS, 2000: "ANN LEE", 2001: "Kim"}
    if (platform, make) in KNOWN:  # who comes later moves nobody, also in a new download
        later = find_entries([make(tmp_path / "again", platform(more))], STUBS, earlier=earlier)
        assert_each_has_their_own(later, more)
        assert names_by_student(first).items() <= names_by_student(later).items()
    alone = [entry for entry in first.entries if not entry.parts]
    for entry in alone:  # and neither does who is graded alone
        [entry_alone] = find_entries([entry.path], STUBS, earlier=earlier).entries
        assert entry_alone.name == entry.name


def test_a_name_that_canvas_makes_ambiguous_leaves_the_class_plain_and_is_told(tmp_path):
    contents = canvas({**CLASS, 3001: "max_2027"})
    discovery = find_entries([as_folder(tmp_path, contents)], STUBS)
    assert all(len(students) == 1 for students in students_of(discovery))
    assert len(discovery.entries) == len(contents)
    assert "--layout canvas" in discovery.notes[0]
