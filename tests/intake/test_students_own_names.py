"""Names that a student chose, and awkward ones on every platform: each file has its student, nobody is merged."""

import contextlib
import datetime as dt
import json
import re
import unicodedata

import pytest
import yaml

from autograder.intake.naming import as_folder_name, as_results_folder
from autograder.intake.submission import SubmissionError
from autograder.platforms.discover import find_submissions

from . import downloads
from .downloads import (
    STUBS,
    as_folder,
    as_zip,
    canvas_name,
    contents_of,
    find,
    ids,
    metadata,
    moodle_name,
    read,
    record,
)
from .makers import folder_of, zip_of

ADA = ("Ada Lovelace", "0012", "ada@example.org")
FORGED = {
    "canvas": {canvas_name("Lovelace, Ada", 12, 700, "a.py"): "forged"},
    "moodle": {f"{moodle_name('Ada Lovelace', 12)}/a.py": "forged"},
    "gradescope": {
        "submission_metadata.yml": metadata(record("submission_1", ADA, created="2020-01-01 00:00:00 Z")),
        "submission_1/a.py": "forged",
    },
}


def is_plain(discovery):
    return set(ids(discovery)) == {None} and not any(entry.parts for entry in discovery.submissions)


@pytest.mark.parametrize("platform", FORGED)
def test_zips_that_the_shell_names_are_one_submission_each(tmp_path, platform):
    (tmp_path / "ada.zip").write_bytes(zip_of({"a.py": "honest"}))
    (tmp_path / "eve.zip").write_bytes(zip_of(FORGED[platform]))
    discovery = find_submissions(sorted(tmp_path.iterdir()), STUBS)
    assert is_plain(discovery)
    assert [entry.name for entry in discovery.submissions] == ["ada", "eve"]
    assert any("eve.zip" in note and f"--layout {platform}" in note for note in discovery.notes)


@pytest.mark.parametrize("platform", FORGED)
def test_the_only_folder_of_a_class_is_a_students_unless_the_caller_says_otherwise(tmp_path, platform):
    download = as_folder(tmp_path, {f"eve/{name}": text for name, text in FORGED[platform].items()})
    discovery = find(download)
    assert is_plain(discovery)
    assert [entry.name for entry in discovery.submissions] == ["eve"]
    assert ids(find(download, platform)) == ["0012" if platform == "gradescope" else "12"]


@pytest.mark.parametrize("platform", FORGED)
def test_a_download_named_beside_other_paths_is_read_when_its_layout_is_named(tmp_path, platform):
    folder_of(tmp_path / "more", FORGED[platform])
    discovery = find_submissions([tmp_path / "more", as_zip(tmp_path, FORGED[platform])], STUBS, platform)
    assert None not in ids(discovery)
    assert len(discovery.submissions) == 2


@pytest.mark.parametrize(
    "forged",
    [
        {"submission_metadata.yml": metadata(record("bo.py", ADA))},
        {"submission_metadata.yml": "[" * 413},
        {f"{moodle_name('Ada Lovelace', 12)}x.py": ""},
        {canvas_name("Lovelace, Ada", 12, 700, "a.py"): ""},
    ],
)
def test_one_file_does_not_change_how_a_class_is_read(tmp_path, forged):
    honest = {"bo.py": "", "cy.py": "", "di/a.py": ""}
    discovery = find(as_folder(tmp_path, {**honest, **forged}))
    assert is_plain(discovery)
    assert {"bo", "cy", "di"} < {entry.name for entry in discovery.submissions}
    assert len(discovery.notes) == (0 if any("_700_" in name for name in forged) else 1)


def test_an_export_that_lost_some_folders_is_still_one(tmp_path):
    table = metadata(*(record(f"submission_{n}", (f"S {n}", str(n), "")) for n in range(9)))
    discovery = find(
        as_folder(
            tmp_path, {"submission_metadata.yml": table, "submission_3/a.py": "", "submission_4/a.py": ""}
        )
    )
    assert ids(discovery) == ["3", "4"]


@pytest.mark.parametrize(
    "name",
    [" ..", "..py", "...", ". .", " ", "con", "Con.py", "aux .txt", "a.", "a. ", "-", "a:b", "x" * 250],
)
def test_any_name_names_one_folder_below_the_results(tmp_path, name):
    folder_of(tmp_path / "class" / name.replace(":", ":"), {"a.py": ""})
    folder_of(tmp_path / "class", {"ada.py": ""})
    results = tmp_path / "out" / "submissions"
    for entry in find_submissions([tmp_path / "class"]).submissions:
        assert (results / entry.name).resolve().parent == results
        assert entry.name == as_results_folder(entry.name)
        (results / entry.name).mkdir(parents=True)


@pytest.mark.parametrize("name", ["con", "CON.py", "nul.tar.gz", "lpt1"])
def test_a_name_that_windows_keeps_for_itself_is_changed(name):
    assert as_folder_name(name) == f"_{name}"
    assert as_folder_name(f"{name}x") == f"{name}x" or "." in name


HONEST = ("ada.py", "Bo.zip", "cy", "dï.py")


@pytest.mark.parametrize(
    "added",
    [
        ("Ada.py", "ADA.zip", "ada.zip.py"),
        ("ada.py.py", "ada-2.py", "Ada.py-2"),
        ("bO.zip", "Bo.zip.zip"),
        ("cy.py", "Cy", "CY.zip", "cy-2", "cy.py-2.zip"),
        ("Ada.py", "AdA.py", "aDA.py", "ada.py ", "ada.py."),
        ("di\u0308.py", "DÏ.py"),
    ],
)
def test_a_classmates_file_does_not_rename_anybody(tmp_path, added):
    folder_of(tmp_path, dict.fromkeys((*HONEST, *added), ""))
    if len(list(tmp_path.iterdir())) == len(HONEST) + len(added):
        names = {entry.path.name: entry.name for entry in find_submissions([tmp_path]).submissions}
        honest_names = {name: names[name] for name in HONEST}
        assert honest_names["ada.py"] == "ada"
        assert honest_names["cy"] == "cy"
        assert honest_names["dï.py"] == "dï"
        assert len({name.casefold() for name in names.values()}) == len(HONEST) + len(added)


@pytest.mark.parametrize("before", ["here", "another folder"])
def test_a_name_stays_with_the_file_that_had_it(tmp_path, before):
    folder = folder_of(tmp_path / "here", {"Ada.py": "", "ada.py": "", "bo": "", "bo.py": "", "cy.py": ""})
    files = {"Ada": "Ada.py", "bo": "bo.py", "cy.py": "cy.py", "dan": "bo", "../x": "cy.py"}
    earlier = {name: str(tmp_path / before / file) for name, file in files.items()}
    names = {entry.path.name: entry.name for entry in find_submissions([folder], earlier=earlier).submissions}
    assert names == {"Ada.py": "Ada", "ada.py": "ada.py", "bo.py": "bo", "bo": "bo-2", "cy.py": "cy.py"}


def graded_in_turn(*batches):
    """The names of each batch, all of them graded into one folder one after the other."""
    earlier = {}
    names = []
    for paths in batches:
        entries = find_submissions(paths, STUBS, earlier=earlier).submissions
        earlier |= {entry.name: str(entry.path) for entry in entries}
        names.append([entry.name for entry in entries])
    return names


def test_files_that_are_called_like_the_stub_stay_those_of_their_folders(tmp_path):
    students = ["ada", "bo", "week2/bo"]
    folder_of(tmp_path, {f"{who}/attention_scores.py": "" for who in students})
    files = [[tmp_path / who / "attention_scores.py"] for who in students]
    folders = [[tmp_path / who] for who in students]
    names = [["attention_scores"], ["bo-attention_scores"], ["week2-bo-attention_scores"]]
    assert graded_in_turn(*files, *files, *folders) == names * 3


def test_a_name_that_two_classes_once_shared_stays_when_one_is_graded_alone(tmp_path):
    folder_of(tmp_path, {"a/ada.py": "", "b/ada.py": ""})
    classes = [tmp_path / "a", tmp_path / "b"]
    assert graded_in_turn(classes, classes[:1], classes[1:], [classes[1] / "ada.py"]) == [
        ["a-ada", "b-ada"],
        ["a-ada"],
        ["b-ada"],
        ["b-ada"],
    ]


def test_a_folder_that_was_one_submission_is_one_when_it_is_graded_alone(tmp_path):
    folder_of(tmp_path / "class", {"ada/attention_scores.py": "", "ada/helper.py": "", "bo.py": ""})
    ada = tmp_path / "class" / "ada"
    assert graded_in_turn([tmp_path / "class"], [ada]) == [["ada", "bo"], ["ada"]]
    assert graded_in_turn([ada]) == [["attention_scores", "helper"]]


def test_files_side_by_side_stay_two_when_they_are_graded_in_turn(tmp_path):
    names = {"ada.py": "ada", "ada.zip": "class-ada", "Bo.py": "Bo", "bo.py": "class-bo"}
    folder_of(tmp_path / "class", dict.fromkeys(names, ""))
    paths = [[tmp_path / "class" / name] for name in names]
    assert graded_in_turn(*paths, [tmp_path / "class"]) == [
        *([name] for name in names.values()),
        sorted(names.values()),
    ]


def test_a_class_that_was_one_submission_by_mistake_can_still_be_graded(tmp_path):
    folder_of(tmp_path / "course" / "week1", {"ada.py": "", "bo.py": ""})
    course = tmp_path / "course"
    assert graded_in_turn([course], [course / "week1"]) == [["week1"], ["ada", "bo"]]


def test_the_same_student_in_two_downloads_keeps_two_names(tmp_path):
    upload = canvas_name("Lovelace, Ada", 12, 700, "a.py")
    for week in ("week1", "week2"):
        (tmp_path / f"{week}.zip").write_bytes(zip_of({upload: week}))
    downloads = [tmp_path / "week1.zip", tmp_path / "week2.zip"]
    earlier = {
        entry.name: str(entry.path)
        for entry in find_submissions(downloads, STUBS, layout="canvas").submissions
    }
    [entry] = find_submissions(downloads[1:], STUBS, earlier=earlier).submissions
    assert entry.name == "week2-lovelaceada_12"


def test_a_newer_file_of_one_name_in_another_folder_is_the_same_students(tmp_path):
    folder_of(tmp_path, {"week1/ada.py": "", "again/ada.py": ""})
    assert graded_in_turn([tmp_path / "week1"], [tmp_path / "again" / "ada.py"]) == [["ada"], ["ada"]]


def test_a_stranger_in_a_download_never_takes_a_students_name(tmp_path):
    download = as_folder(tmp_path, {f"{moodle_name('Ada', 12)}/a.py": "a", "Ada_12.py": "forged"})
    discovery = find(download)
    assert contents_of(discovery) == {"Ada_12": {"a.py": "a"}, "Ada_12.py": {"Ada_12.py": "forged"}}


def test_a_download_with_numbers_and_letters_beyond_reason_is_read(tmp_path):
    digits = "1" * 5000
    odd = {
        f"x_{digits}_{digits}_a.py": "",
        f"kimmin_2_701_a-{digits}.py": "",
        canvas_name("Lovelace, Ada", 12, 700, "a.py"): "",
    }
    discovery = find(as_zip(tmp_path, odd))
    assert {"12", "2"} <= set(ids(discovery))


def test_owners_can_be_written_down(tmp_path):
    download = as_folder(tmp_path, {"ad\udce1_12_700_a.py": "", f"B\udcff{moodle_name('', 7)}": ""})
    for layout in ("canvas", "moodle"):
        for entry in find(download, layout).submissions:
            json.dumps([entry.name, entry.owner and entry.owner.name], ensure_ascii=False).encode()


def test_notes_are_counted_after_the_first_twenty(tmp_path):
    names = {f"{moodle_name('A', n)}/a.py": "" for n in range(200)}
    strangers = {f"mail {n}.py": "" for n in range(100)}
    discovery = find(as_folder(tmp_path, names | strangers))
    assert len(discovery.submissions) == 300
    assert len(discovery.notes) == 21
    assert discovery.notes[-1] == "and 81 more notes"


SOUND = metadata(record("submission_1", ADA))


@pytest.mark.parametrize(
    ("table", "sid"),
    [
        (SOUND.replace("'0012'", "&1 '0012'") + "submission_2:\n  :other: *1\n", "0012"),
        (SOUND + "  :results:\n" + "".join(" " * (4 + n) + "a:\n" for n in range(60)), "0012"),
        (SOUND + "? [a, b]\n: {c: d}\n", "0012"),
        (SOUND.replace("0012", "9" * 5000), "9" * 300),
        (SOUND.replace("2026-02-05 06:54:05.212316000 Z", "0001-01-01 00:00:00 +23:59"), "0012"),
    ],
)
def test_what_is_odd_in_a_table_costs_nobody_else(tmp_path, table, sid):
    discovery = find(as_folder(tmp_path, {"submission_metadata.yml": table, "submission_1/a.py": ""}))
    assert ids(discovery) == [sid]


@pytest.mark.parametrize(
    "table",
    [
        "[" * 413,
        "- " * 100_000,
        "? " * 100_000,
        "%TAG !a! x\n" * 100_000,
        "a: " + "{" * 5000,
        "a: *b\nb: &b [*b, *b]\n",
        "a: &a [x]\n" + "".join(f"{n}: &a{n} [" + "*a, " * 9 + "]\n" for n in range(9)),
        "\ufeff\x07",
        "'" * 100_001,
    ],
)
def test_a_table_made_to_do_harm_is_refused_or_empty(tmp_path, table):
    download = as_folder(tmp_path, {"submission_metadata.yml": table, "submission_1/a.py": ""})
    with contextlib.suppress(SubmissionError):
        assert ids(find(download)) == [None]


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


def zip_of_class(root, contents):
    root.mkdir(exist_ok=True)
    return downloads.as_zip(root, contents)


KNOWN = [
    (canvas, as_folder),
    (canvas, zip_of_class),
    (otter_in_canvas, zip_of_class),
    (moodle, as_folder),
    (moodle, zip_of_class),
    (moodle_flat, as_folder),
    (moodle_flat, zip_of_class),
    (gradescope, as_folder),
    (gradescope, zip_of_class),
]
UNKNOWN = [(form, as_folder) for form in (otter, plain_files, plain_dates, plain_zips, plain_folders)]


def students_of(discovery):
    """The ids in each submission's files."""
    return [{int(text.split()[1]) for text in read(entry).values()} for entry in discovery.submissions]


def assert_each_has_their_own(discovery, people):
    ids = students_of(discovery)
    assert all(len(ids_of_entry) == 1 for ids_of_entry in ids)
    assert sorted(student for ids_of_entry in ids for student in ids_of_entry) == sorted(people)
    for entry, (student,) in zip(discovery.submissions, ids, strict=True):
        assert entry.owner is None or entry.owner.student_id == str(student)
        assert entry.name == as_results_folder(entry.name)
    folded = {unicodedata.normalize("NFC", entry.name).casefold() for entry in discovery.submissions}
    assert len(folded) == len(people)


def names_by_student(discovery):
    return {
        student: entry.name
        for entry, (student,) in zip(discovery.submissions, students_of(discovery), strict=True)
    }


@pytest.mark.parametrize(("platform", "make"), [*KNOWN, *UNKNOWN])
def test_every_file_has_its_student_and_names_stay(platform, make, tmp_path):
    path = make(tmp_path / "first", platform(CLASS))
    first = find_submissions([path], STUBS)
    assert_each_has_their_own(first, CLASS)
    assert all(entry.owner for entry in first.submissions) == ((platform, make) in KNOWN)
    earlier = {entry.name: str(entry.path) for entry in first.submissions}
    assert names_by_student(find_submissions([path], STUBS, earlier=earlier)) == names_by_student(first)
    more = {999: "Ann Lee", **CLASS, 2000: "ANN LEE", 2001: "Kim"}
    if (platform, make) in KNOWN:  # who comes later moves nobody, also in a new download
        later = find_submissions([make(tmp_path / "again", platform(more))], STUBS, earlier=earlier)
        assert_each_has_their_own(later, more)
        assert names_by_student(first).items() <= names_by_student(later).items()
    alone = [entry for entry in first.submissions if not entry.parts]
    for entry in alone:  # and neither does who is graded alone
        [entry_alone] = find_submissions([entry.path], STUBS, earlier=earlier).submissions
        assert entry_alone.name == entry.name


def test_a_name_that_canvas_makes_ambiguous_leaves_the_class_plain_and_is_told(tmp_path):
    contents = canvas({**CLASS, 3001: "max_2027"})
    discovery = find_submissions([as_folder(tmp_path, contents)], STUBS)
    assert all(len(students) == 1 for students in students_of(discovery))
    assert len(discovery.submissions) == len(contents)
    assert "--layout canvas" in discovery.notes[0]
