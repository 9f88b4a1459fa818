"""Commands for instructors: check, reference, assignments, release, on a course in order and out of it."""

import shutil
import zipfile

import pytest
from released import HW1
from tiny import HOMEWORK, forget_fingerprints
from typer.testing import CliRunner
from wording import to_staff

from autograder.cli import release as command
from autograder.cli.app import app
from autograder.reasons.catalogue import CATALOGUE
from autograder.reasons.mutation import ARRAYS

from .running import refusal, run

NEW_CASE = """    yield Case("double/three", FunctionCall("double", (np.ones(3),)))
    yield Case("double/huge\""""
SOLVED = "    factor = 2\n    return factor * x\n"


def lines(result):
    """The complaints."""
    return [line.removeprefix("error: ") for line in result.err.splitlines() if line.startswith("error: ")]


# assignments


def test_assignments_in_sync_are_verified(kit):
    result = run("assignments", "verify")
    assert (result.exit, result.out, result.err) == (0, to_staff["courses.assignments-is-in-sync"], "")


def test_an_edited_assignment_is_told_and_built_anew(kit):
    stub = kit.tiny.course.assignments / HOMEWORK / "doubles.py"
    before = stub.read_bytes()
    stub.write_bytes(before + b"\n# a hint\n")
    result = run("assignments", "verify")
    assert result.exit == 1
    assert lines(result) == [
        "assignments/hwx/doubles.py differs",
        to_staff["courses.run-make-assignments"],
    ]
    built = run("assignments", "build")
    assert (built.exit, built.out) == (0, to_staff["courses.assignments-hwx-files"])
    assert stub.read_bytes() == before
    assert run("assignments", "verify").exit == 0
    assert run("assignments", "build").out == to_staff["courses.files-changed"]


def test_a_missing_and_a_stale_assignment_are_told(kit):
    folder = kit.tiny.course.assignments / HOMEWORK
    (folder / "handout.md").unlink()
    (folder / "old.py").write_text("x = 1\n", "utf-8")
    result = run("assignments", "verify")
    assert result.exit == 1
    assert lines(result)[:2] == [
        to_staff["courses.assignments-hwx-is-missing"],
        to_staff["courses.assignments-hwx-has-no"],
    ]


# reference


def test_a_reference_in_order_is_verified(kit):
    result = run("reference", "verify")
    assert (result.exit, result.out, result.err) == (0, "hwx: verified\n", "")


@pytest.mark.parametrize(
    ("name", "old", "new", "complaint"),
    [
        ("doubles.py", "factor = 2\n", "factor = 2.5\n", "published/double/printed: the value differs"),
        ("oracle.py", "number + number", "number", "double: oracle.py gives another answer in 4 of 4 cases"),
        ("published.toml", 'printed = "1.0 2.5 8.0"', 'printed = "1.0 2.5 9.0"', "published/double/printed"),
        ("cases.py", "size=3) * 1e6", "size=3) * 2e6", "hidden/double/huge has other arguments"),
        (
            CATALOGUE,
            "return 3",
            "return 4",
            "published/double/printed differs, and so do 3 more cases",
        ),
    ],
)
def test_a_reference_out_of_order_is_told(kit, name, old, new, complaint):
    kit.tiny.edit(name, old, new)
    result = run("reference", "verify")
    assert result.exit == 1
    assert result.out == to_staff["courses.hwx-not-verified"]
    assert any(complaint in line for line in lines(result)), result.err


@pytest.mark.parametrize("name", ["expected.safetensors", "inputs.safetensors", ARRAYS])
@pytest.mark.parametrize("command", ["verify", "build"])
def test_tampered_arrays_stop_every_command_with_the_file_and_the_remedy(kit, name, command):
    path = kit.tiny.store.folder / name
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    message = refusal(run("reference", command))
    assert name in message
    assert to_staff["courses.take-it-back-from-version"] in message


def test_a_reference_that_is_not_built_is_told_with_the_remedy(kit):
    (kit.tiny.store.folder / "manifest.json").unlink()
    assert refusal(run("reference", "verify")) == to_staff["courses.missing-run-make-reference"]


def test_building_what_is_built_changes_nothing(kit):
    folder = kit.tiny.store.folder
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    result = run("reference", "build")
    assert (result.exit, result.out) == (0, "hwx: unchanged\n")
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()} == before


def test_building_from_nothing_writes_everything(kit):
    folder = kit.tiny.store.folder
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for path in folder.iterdir():
        path.unlink()
    result = run("reference", "build")
    assert (result.exit, result.out) == (0, "hwx: written\n")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_changed_value_is_refused_until_it_is_accepted(kit):
    kit.tiny.edit("published.toml", 'printed = "1.0 2.5 8.0"', 'printed = "1.250 3.125 10.000"')
    kit.tiny.edit("published.toml", "decimals = 1", "decimals = 3")
    kit.tiny.edit("doubles.py", "factor = 2\n", "factor = 2.5\n")
    kit.tiny.edit("oracle.py", "number + number", "2.5 * number")
    result = run("reference", "build")
    assert result.exit == 1
    assert result.out.startswith(
        "hwx: refused (values changed: 4)\n  published/double/printed: the value differs by 0.25, allowed is"
    )
    assert to_staff["courses.look-at-these-autograder"] in result.out
    accepted = run("reference", "build", "--accept")
    assert accepted.exit == 0
    assert accepted.out.startswith("hwx: written (values changed: 4)\n")
    assert run("reference", "build").out == "hwx: unchanged\n"


def test_values_that_contradict_what_is_printed_are_never_written(kit):
    kit.tiny.edit("doubles.py", "factor = 2\n", "factor = 2.5\n")
    result = run("reference", "build", "--accept")
    assert result.exit == 1
    assert to_staff["courses.contradicts-the-published"] in result.out
    assert "--accept` writes them" not in result.out


def test_a_mistake_that_returns_something_else_is_refused_until_it_is_accepted(kit):
    kit.tiny.edit(CATALOGUE, "return 3", "return 4")
    result = run("reference", "build")
    assert result.exit == 1
    assert "hwx: refused (mistakes changed: 1)\n  double with triples: " in result.out
    assert to_staff["courses.look-at-these-autograder"] in result.out
    accepted = run("reference", "build", "--accept")
    assert accepted.exit == 0
    assert "hwx: written (mistakes changed: 1)\n" in accepted.out
    assert run("reference", "verify").exit == 0


def test_a_changed_tolerance_is_written_and_said(kit):
    kit.tiny.edit("cases.py", '"large", 1e-3', '"large", 2e-3')
    result = run("reference", "build")
    assert (result.exit, result.out) == (0, to_staff["courses.tolerance-changed"])
    assert run("reference", "build").out == "hwx: unchanged\n"


def test_a_new_case_needs_no_acceptance(kit):
    kit.tiny.edit("cases.py", '    yield Case("double/huge"', NEW_CASE)
    result = run("reference", "build")
    assert (result.exit, result.out) == (0, "hwx: written\n")
    assert run("reference", "verify").exit == 0


# check


def test_a_course_in_order_is_checked(kit):
    result = run("check")
    assert (result.exit, result.out) == (0, "hwx: ok\n")
    assert all(line.startswith("note: ") for line in result.err.splitlines())


def test_check_tells_assignments_out_of_sync(kit):
    (kit.tiny.course.assignments / HOMEWORK / "handout.md").unlink()
    result = run("check", HOMEWORK)
    assert result.exit == 1
    assert to_staff["courses.assignments-hwx-is-missing"].among(lines(result))


def test_check_tells_a_solution_that_does_not_pass(kit):
    kit.tiny.edit("doubles.py", "factor = 2\n", "factor = 2 if len(x) != 5 else 3\n")
    result = run("check")
    assert (result.exit, result.err) == (2, to_staff["courses.outputs-are-older"])
    forget_fingerprints(kit.tiny.store)
    result = run("check")
    assert result.exit == 1
    assert result.out == to_staff["courses.hwx-not-ok"]
    assert to_staff["courses.hwx-the-reference-solution"] in result.err
    assert to_staff["courses.hwx-the-solution-earns"] in result.err


def test_check_tells_a_stub_that_earns(kit):
    unreachable = "    if x is None:\n        # BEGIN SOLUTION\n        x = 0\n        # END SOLUTION\n"
    region = f"    # BEGIN SOLUTION\n{SOLVED}    # END SOLUTION\n"
    kit.tiny.edit("doubles.py", region, f"{unreachable}{SOLVED}")
    run("assignments", "build")
    result = run("check")
    assert result.exit == 1
    assert to_staff["courses.hwx-the-untouched-stub-earns"] in result.err


def test_check_tells_an_oracle_that_gives_another_answer(kit):
    kit.tiny.edit("oracle.py", "number + number", "number + number + 0.01")
    result = run("check")
    assert result.exit == 1
    assert lines(result) == [to_staff["courses.oracle-disagrees"]]


def test_check_and_build_name_what_a_removed_homework_leaves_behind(kit):
    shutil.copytree(kit.tiny.store.folder, kit.tiny.course.reference_outputs / "hw0_old")
    for words in ("check", "assignments build"):
        result = run(*words.split())
        assert result.exit == 0
        assert to_staff["courses.left-behind"] in result.err
        assert "hw0_old" not in run(*words.split(), HOMEWORK).err


def test_check_stops_at_a_course_that_cannot_be_read(kit):
    kit.tiny.edit("homework.toml", "points = 3", "points = -3")
    assert "homework.toml" in refusal(run("check"))


@pytest.mark.parametrize(
    "command", ["check", "reference verify", "reference build", "assignments verify", "assignments build"]
)
def test_a_course_elsewhere_can_be_named(kit, command, tmp_path_factory, monkeypatch):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    result = run(*command.split(), "--course", kit.root)
    assert (result.exit, "error" in result.err) == (0, False)
    assert HOMEWORK in result.out or "assignments" in command


def test_a_named_course_that_is_none_is_told(tmp_path):
    assert refusal(run("check", "--course", tmp_path)) == to_staff["courses.no-course-found"]


@pytest.fixture
def in_sync(monkeypatch):
    """Take the generated files as they are: whether they are in sync has tests of its own."""
    monkeypatch.setattr(command, "verify_assignments", lambda course: [])


@pytest.mark.usefixtures("in_sync")
def test_one_homework_gives_one_zip(tmp_path):
    result = CliRunner().invoke(app, ["release", "--homework", HW1, "--out", str(tmp_path / "new")])
    assert result.exit_code == 0, result.output
    [path] = (tmp_path / "new").iterdir()
    assert path.name == f"{HW1}.zip"
    assert f"{HW1}/check.py" in zipfile.ZipFile(path).namelist()
    assert "KiB" in result.output


@pytest.mark.usefixtures("in_sync")
def test_a_public_check_that_fails_the_solution_stops_the_release(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "failing_checks", lambda *of: ["hw1: the reference solution fails …"])
    result = CliRunner().invoke(app, ["release", "--homework", HW1, "--out", str(tmp_path / "new")])
    assert result.exit_code == 1
    assert not (tmp_path / "new").exists()


def test_generated_files_out_of_date_stop_the_release(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "verify_assignments", lambda course: ["assignments/a.py differs"])
    result = CliRunner().invoke(app, ["release", "--out", str(tmp_path / "new")])
    assert result.exit_code == 1
    assert to_staff["release.run-make-assignments-first"] in result.output
    assert not (tmp_path / "new").exists()
