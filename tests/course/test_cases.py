from dataclasses import replace

import numpy as np
import pytest
from wording import to_authors

from autograder.course.arguments import tensor
from autograder.course.calls import FunctionCall, ModuleCall, ValueRead
from autograder.course.cases import Group, fresh_cases, stored_cases
from autograder.course.course_files import load_module
from autograder.course.schema import CourseError
from autograder.worker.wire import pack


def content(cases):
    """The cases as bytes: names and every bit of the arguments."""
    return [pack([case.id, dict(case.call.as_mapping())]) for case in cases]


def numbers(cases):
    return {case.name: case.call.args[0].tolist() for case in cases}


def test_stored_cases_come_published_first_then_public_then_hidden(tiny):
    assert [case.id for case in stored_cases(tiny.homework)] == [
        "published/double/printed",
        "published/totals/printed",
        "public/double/small",
        "public/totals/small",
        "hidden/double/wide",
        "hidden/totals/wide",
        "hidden/double/huge",
    ]


def test_fresh_cases_are_a_group_of_their_own(tiny):
    cases = fresh_cases(tiny.homework, 1)
    assert [case.id for case in cases] == ["fresh/double/drawn", "fresh/totals/drawn"]
    assert {case.group for case in cases} == {Group.FRESH}


def test_a_case_keeps_the_topic_and_tolerance_it_was_given(tiny):
    by_name = {case.name: case for case in stored_cases(tiny.homework)}
    assert (by_name["double/huge"].topic, by_name["double/huge"].tolerance) == ("large", 1e-3)
    assert (by_name["double/wide"].topic, by_name["double/wide"].tolerance) == ("values", None)
    assert by_name["double/wide"].task == "double"


def test_stored_cases_are_the_same_each_time(tiny):
    assert content(stored_cases(tiny.homework)) == content(stored_cases(tiny.homework))


def test_fresh_cases_follow_the_seed(tiny):
    first, again, other = (fresh_cases(tiny.homework, seed) for seed in (1, 1, 2))
    assert content(first) == content(again)
    assert all(numbers(first)[name] != numbers(other)[name] for name in numbers(first))


def test_another_homework_draws_other_numbers_from_the_same_seed(tiny):
    twin = replace(tiny.homework, id="hwy")
    assert numbers(fresh_cases(tiny.homework, 1)) != numbers(fresh_cases(twin, 1))


def test_public_hidden_and_fresh_cases_do_not_share_their_draws(tiny):
    tiny.edit("cases.py", '_sized(rng, "small", 2)', '_sized(rng, "small", 5)')
    tiny.edit("cases.py", '_sized(rng, "drawn", 4)', '_sized(rng, "drawn", 5)')
    drawn = numbers(stored_cases(tiny.homework)) | numbers(fresh_cases(tiny.homework, 1))
    assert drawn["double/small"] != drawn["double/wide"]
    assert drawn["double/drawn"] not in (drawn["double/small"], drawn["double/wide"])


def test_cases_do_not_depend_on_numpys_global_state(tiny):
    np.random.seed(1)
    first = content(stored_cases(tiny.homework))
    np.random.seed(2)
    assert content(stored_cases(tiny.homework)) == first


@pytest.mark.parametrize("seed", [0, 2**31 - 1, 2**63])
def test_every_real_homework_draws_the_same_from_the_same_seed(course, seed):
    for homework in course.homeworks():
        assert content(fresh_cases(homework, seed)) == content(fresh_cases(homework, seed))


def test_two_cases_of_one_name_are_refused(tiny):
    tiny.edit("cases.py", 'Case("totals/printed"', 'Case("double/printed"')
    with pytest.raises(CourseError, check=to_authors["cases.two-cases-are-named"]):
        stored_cases(tiny.homework)


def test_one_name_may_return_in_another_group(tiny):
    tiny.edit("cases.py", '"wide"', '"small"')
    ids = [case.id for case in stored_cases(tiny.homework)]
    assert {"public/double/small", "hidden/double/small"} <= set(ids)


def test_a_case_of_an_unknown_task_is_refused(tiny):
    tiny.edit("cases.py", 'Case("double/printed"', 'Case("dobule/printed"')
    with pytest.raises(CourseError, check=to_authors["cases.no-task-named-dobule"]):
        stored_cases(tiny.homework)


def test_a_fresh_case_of_an_unknown_task_is_refused(tiny):
    tiny.edit("cases.py", 'Case(f"double/{label}"', 'Case(f"dobule/{label}"')
    with pytest.raises(CourseError, check=to_authors["cases.no-task-named-dobule"]):
        fresh_cases(tiny.homework, 0)


@pytest.mark.parametrize("name", ["published", "public", "hidden", "fresh"])
def test_a_missing_function_of_cases_is_named(tiny, name):
    tiny.edit("cases.py", f"def {name}(", f"def _{name}(")
    with pytest.raises(CourseError, check=to_authors["cases.defines-no-function"].given(name=name)):
        [*stored_cases(tiny.homework), *fresh_cases(tiny.homework, 0)]


def test_something_that_is_no_case_is_refused(tiny):
    tiny.edit("cases.py", 'yield Case("totals/printed", FunctionCall("totals", (x,)))', 'yield "totals", x')
    with pytest.raises(CourseError, check=to_authors["cases.published-yields-a-tuple-not"]):
        stored_cases(tiny.homework)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("import numpy as np\n", "import numpie as np\n", "line 1: ModuleNotFoundError"),
        ("import numpy as np\n", "", "line 6: NameError"),
        ("def published():", "def published(:", "line 6: SyntaxError"),
        ("rng.normal(size=3)", "rng.ordinary(size=3)", "line 18: AttributeError"),
        ("def hidden(rng)", "def hidden()", "TypeError"),
        (
            'FunctionCall("double", (x,))',
            'FunctionCall("double", (x,), trains="Net", times=9)',
            "line 8: ValueError: times",
        ),
        (
            'FunctionCall("double", (x,))',
            'FunctionCall("double", (x,), x, times=9)',
            "line 8: ValueError: times",
        ),
        (
            'FunctionCall("double", (x,))',
            'FunctionCall("double", (x,), times=0)',
            "line 8: ValueError: times = 0",
        ),
    ],
)
def test_an_error_in_cases_names_file_and_line(tiny, old, new, complaint):
    path = tiny.edit("cases.py", old, new)
    with pytest.raises(CourseError) as caught:
        stored_cases(tiny.homework)
    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


def test_a_missing_file_of_the_course_is_named(tiny):
    (tiny.folder / "cases.py").unlink()
    with pytest.raises(CourseError, check=to_authors["cases.missing"]):
        stored_cases(tiny.homework)


def test_files_of_two_homeworks_are_loaded_apart(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "cases.py").write_text(f"NAME = {name!r}", "utf-8")
    loaded = [load_module(tmp_path / name / "cases.py") for name in ("one", "two")]
    assert [module.NAME for module in loaded] == ["one", "two"]


def test_a_file_of_the_course_may_define_dataclasses(tmp_path):
    path = tmp_path / "cases.py"
    path.write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass, field\n"
        "@dataclass\nclass Size:\n    n: int = field(default=3)\n",
        "utf-8",
    )
    assert load_module(path).Size().n == 3


def test_a_function_call_has_gradients_only_with_a_cotangent():
    plain = FunctionCall("f", (1, 2)).as_mapping()
    assert plain == {"op": "function", "name": "f", "args": [1, 2]}
    cotangent = tensor(np.ones(2))
    assert FunctionCall("f", (), cotangent).as_mapping()["cotangent"] is cotangent


def test_a_module_call_carries_construction_parameters_and_mode():
    x, weight = tensor(np.ones((2, 3))), tensor(np.zeros((3, 3)))
    call = ModuleCall("Block", (3, 1), x, {"ff.weight": weight}, training=True)
    assert call.as_mapping() == {
        "op": "module",
        "name": "Block",
        "args": [3, 1],
        "input": x,
        "parameters": {"ff.weight": weight},
        "training": True,
        "cotangent": None,
        "pieces": [],
        "noise": 0.0,
        "probed": False,
        "state": {},
    }


def test_a_value_is_read_by_name():
    assert ValueRead("all_x_prime").as_mapping() == {"op": "value", "name": "all_x_prime"}


def test_a_tensor_is_single_precision_and_needs_gradients_only_when_asked():
    assert tensor(np.arange(3)).array.dtype == np.float32
    assert not tensor(np.arange(3)).requires_grad
    assert tensor(np.arange(3), requires_grad=True).requires_grad


def test_a_tensor_is_double_precision_when_asked():
    assert tensor(np.arange(3), double=True).array.dtype == np.float64
