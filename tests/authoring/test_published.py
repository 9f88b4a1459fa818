import numpy as np
import pytest
from homeworks import SIX
from wording import to_authors

from autograder.authoring.published import Published, disagreements, read_published, render_published
from autograder.course.cases import Case, FunctionCall, Group
from autograder.course.schema import CourseError
from autograder.verdict.known import KnownCase
from autograder.verdict.store import open_store

SEVEN_PRINTED_ROWS = """
-21.207 -5.373 -20.933 -9.179 -11.319 -17.812
 -1.995  7.906 -10.516  3.452   9.863  -7.24
  5.479  1.115   9.244  0.453   5.656   7.089
 -7.413 -7.416   0.363 -5.573  -6.736  -0.848
-11.261 -9.937  -4.848 -8.915 -13.378  -5.761
  3.548 10.036  -2.244  1.604  12.113  -2.557
  4.888 -5.814   2.407  3.228  -4.232   3.71
"""
ROW_NOT_PRINTED = "1.248 18.894 -6.409 3.224 19.717 -5.629"


def known(expected, name="double/printed", group=Group.PUBLISHED):
    return KnownCase(Case(name, FunctionCall("double", ()), group=group), expected, None, 1e-5)


def printed(numbers, decimals=2, **more):
    rows = np.atleast_2d(np.array(numbers, dtype=float)).tolist()
    text = "\n".join(" ".join(map(repr, row)) for row in rows)
    return Published(case="double/printed", printed=text, decimals=decimals, **more)


def differences(value, expected):
    return list(disagreements([value], [known(expected)]))


def test_printed_numbers_are_read_as_rows(tiny):
    first, second = read_published(tiny.homework)
    assert (first.case, first.decimals, first.part) == ("double/printed", 1, None)
    np.testing.assert_array_equal(first.numbers, [[1.0, 2.5, 8.0]])
    assert (second.part, second.numbers.tolist()) == (0, [[5.75]])


def test_a_homework_without_the_file_has_no_printed_values(tiny):
    (tiny.folder / "published.toml").unlink()
    assert list(read_published(tiny.homework)) == []


def test_a_file_may_name_its_source_alone(tiny):
    (tiny.folder / "published.toml").write_text('source = "shapes only"\n', "utf-8")
    assert list(read_published(tiny.homework)) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("decimals = 1\n", "", "values[1].decimals is missing"),
        ("decimals = 1\n", "decimals = 1.5\n", "values[1].decimals: expected"),
        ("decimals = 1\n", 'decimals = "one"\n', "values[1].decimals: expected"),
        ('case = "double/printed"\n', "", "values[1].case is missing"),
        ('printed = "1.0 2.5 8.0"\n', "", "values[1].printed is missing"),
        ('printed = "1.0 2.5 8.0"', "printed = [1.0, 2.5, 8.0]", "values[1].printed: expected"),
        ('printed = "1.0 2.5 8.0"', 'printed = "1.0 2.5 eight"', "values[1].printed"),
        ('printed = "1.0 2.5 8.0"', 'printed = "1.0 2.5 nan"', "values[1].printed"),
        ('printed = "1.0 2.5 8.0"', 'printed = """1 2\n3"""', "values[1].printed"),
        ("part = 0", "part = -1", "values[2].part: expected"),
        ("part = 0", "row = 2", "values[2].row is unknown"),
        ('[[values]]\ncase = "double/printed"', '[[value]]\ncase = "double/printed"', "value is unknown"),
        ("decimals = 1\n", "decimals =\n", "line 3"),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(tiny, old, new, complaint):
    path = tiny.edit("published.toml", old, new)
    with pytest.raises(CourseError) as caught:
        read_published(tiny.homework)
    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


def test_half_a_unit_of_the_last_decimal_is_rounding():
    assert differences(printed([[1.23, 4.57]]), np.array([1.225, 4.574])) == []
    assert differences(printed([[1.23]]), np.array([1.2249])) == [
        to_authors["published.published-double-printed"]
    ]


def test_an_agreement_replaces_the_rounding():
    assert differences(printed([[1.23]], agreement=0.1), np.array([1.3])) == []
    assert len(differences(printed([[1.23]], agreement=0.001), np.array([1.2325]))) == 1


def test_only_the_printed_rows_and_columns_are_compared():
    whole = np.arange(12.0).reshape(3, 4)
    assert differences(printed(whole[:2, :3], rows=2, columns=3), whole) == []
    assert differences(printed(whole[:2, :3] + 1, rows=2, columns=3), whole) != []


def test_a_part_of_a_tuple_is_compared_alone():
    both = (np.array([1.0]), np.array([2.0]))
    assert differences(printed([[2.0]], part=1), both) == []
    assert differences(printed([[2.0]], part=0), both) != []


def test_another_shape_is_a_disagreement():
    assert differences(printed([[1.0, 2.0]]), np.array([1.0])) == [
        "published/double/printed: shape (1, 1), printed (1, 2)"
    ]


def test_nan_never_agrees():
    assert len(differences(printed([[1.0]]), np.array([np.nan]))) == 1


def test_a_printed_array_without_a_case_is_a_disagreement():
    other = known(np.ones(1), "double/other")
    assert list(disagreements([printed([[1.0]])], [other])) == [
        to_authors["published.published-double-printed-2"]
    ]


def test_a_hidden_case_of_that_name_is_not_the_published_one():
    hidden = known(np.ones(1), group=Group.HIDDEN)
    assert len(list(disagreements([printed([[1.0]])], [hidden]))) == 1


@pytest.mark.parametrize(
    ("part", "expected"), [(None, (np.ones(2), np.ones(1))), (2, (np.ones(1), np.ones(1))), (0, np.ones(1))]
)
def test_a_part_that_does_not_fit_the_result_is_refused(part, expected):
    with pytest.raises(CourseError, match="double/printed: `part`"):
        differences(printed([[1.0]], part=part), expected)


def test_text_shows_published_cases_to_their_decimals(tiny):
    results = [
        known(np.array([1.0, 2.5, 8.0])),
        known((np.float64(5.75), np.float64(2.5)), "totals/printed"),
        known(np.array([4.0]), "double/wide", Group.HIDDEN),
    ]
    text = render_published(tiny.homework, read_published(tiny.homework), results)
    assert text.splitlines() == [
        to_authors["published.published-values-of-hwx"],
        "",
        to_authors["published.double-printed-shape-printed"],
        "[[1.0 2.5 8.0]]",
        "",
        to_authors["published.totals-printed-sum-shape"],
        "[[5.75]]",
        "",
        "totals/printed product: shape ()",
        "[[2.500000]]",
    ]


def test_text_leaves_out_arrays_too_large_to_read(tiny):
    text = render_published(tiny.homework, [], [known(np.zeros((40, 40)))])
    assert to_authors["published.double-printed-shape-stored"] in text
    assert "0.0" not in text


def test_every_real_homework_agrees_with_what_its_source_prints(course):
    compared = 0
    for homework in course.homeworks(SIX):
        published = read_published(homework)
        assert list(disagreements(published, open_store(course, homework).read())) == []
        compared += len(published)
    assert compared >= 20


def test_all_eight_rows_of_multi_head_attention_are_stored(course):
    """Seven rows are printed in the source; the eighth is left out there and was computed apart."""
    rows = [line.split() for line in [*SEVEN_PRINTED_ROWS.strip().splitlines(), ROW_NOT_PRINTED]]
    stored = open_store(course, course.homework("hw5_multihead_attention")).read()
    [output] = [
        known_case.expected
        for known_case in stored
        if known_case.case.id.endswith("/seeds-3-and-0") and known_case.case.group == "published"
    ]
    np.testing.assert_allclose(output, np.array(rows, dtype=float), rtol=0, atol=5.1e-4)


def test_the_scaled_outputs_of_column_attention_are_stored_whole(course):
    stored = open_store(course, course.homework("hw4_self_attention_columns")).read()
    by_name = {known_case.case.id: known_case.expected for known_case in stored}
    rows = [
        [0.97411966, 1.59622051, 1.32638014],
        [-0.23738409, -0.09516106, 0.13062402],
        [-0.72333202, 3.70194096, 3.02371664],
        [-0.34413007, 2.01339538, 1.6902419],
    ]
    name = "published/scaled_dot_product_self_attention/seeds-3-and-0"
    np.testing.assert_allclose(by_name[name], rows, rtol=0, atol=5.1e-9)
