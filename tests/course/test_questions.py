import pytest
from asked import TEXT, ask
from wording import to_authors

from autograder.course.questions import Choice, Numeric, RubricLine, TypicalNumber, Written
from autograder.course.schema import CourseError


def test_without_the_file_a_homework_asks_nothing(tiny):
    assert tiny.homework.questions == ()
    assert tiny.homework.theory_points == 0


def test_the_questions_are_read_as_written(tiny):
    ask(tiny)
    choice, numeric, written = tiny.homework.questions
    assert choice == Choice(
        "shape",
        "The shape of twice as much",
        "What shape does `double(x)` have?",
        1.0,
        {"a": "Twice that of x.", "b": "That of x.", "c": "None."},
        "b",
        {"a": "the numbers double, not their count.", "c": "every array has a shape."},
    )
    assert numeric == Numeric(
        "total",
        "A total",
        "What is the sum of 2 and -4.5?",
        0.5,
        -2.5,
        0.01,
        "Mind the sign.",
        "apples",
        (TypicalNumber(6.5, "the sign got lost."),),
    )
    assert written == Written(
        "why",
        "Why twice",
        "Say why.",
        (RubricLine(1.5, "Names a reason."), RubricLine(0.5, "Is brief.")),
    )


def test_points_of_questions_are_apart_from_those_of_tasks(tiny):
    before = tiny.homework.points
    ask(tiny)
    assert (tiny.homework.points, tiny.homework.theory_points) == (before, 3.5)


def test_each_kind_says_what_an_answer_looks_like(tiny):
    ask(tiny)
    assert [str(question.form) for question in tiny.homework.questions] == [
        '"a", "b" or "c"',
        to_authors["questions.number-apples"],
        to_authors["questions.two-or-three-sentences"],
    ]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('id = "shape"', 'id = "the shape"', "questions[1].id"),
        ('id = "total"', 'id = "shape"', "questions: two have the id 'shape'"),
        (
            'kind = "choice"',
            'kind = "guess"',
            'questions[1].kind: expected one of choice, numeric, written, got "guess"',
        ),
        ('right = "b"', 'right = "d"', "questions[1].right"),
        ('c = "every array has a shape."', "", "questions[1].mistakes: expected one for each option"),
        ('c = "every array has a shape."', 'b = "x"\nc = "y"', "questions[1].mistakes: expected"),
        ('c = "None."', 'C = "None."', "labelled with a small letter"),
        ('b = "That of x."\nc = "None."\n', 'b = "That of x."\n', "questions[1].mistakes: expected"),
        ("number = -2.5", "number = true", "questions[2].number"),
        ("number = -2.5", "number = inf", "questions[2].number"),
        ("number = 6.5", "number = -2.495", "none of which is right"),
        ('hint = "Mind the sign."', "", "questions[2].hint is missing"),
        ("tolerance = 0.01", "tolerance = -1", "questions[2].tolerance"),
        ('title = "Why twice"', 'title = "Why twice"\npoints = 2', "questions[3].points is unknown"),
        ("[[questions.rubric]]", "[[questions.rubrics]]", "questions[3].rubrics is unknown"),
        (
            'title = "A total"',
            'title = "A total"\nanswer = 3',
            "questions[2].answer is unknown; the known keys are kind, id,",
        ),
        ('kind = "numeric"', "", "questions[2].kind is missing"),
        ("tolerance = 0.01", "tolerance = ", "Invalid value"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tiny, old, new, complaint):
    assert old in TEXT
    path = ask(tiny, TEXT.replace(old, new))
    with pytest.raises(CourseError) as refused:
        _ = tiny.homework
    assert str(path) in str(refused.value)
    assert complaint in str(refused.value)


def test_no_task_may_take_the_name_that_questions_count_under(tiny):
    tiny.edit("homework.toml", 'name = "totals"', 'name = "theory"')
    with pytest.raises(CourseError, check=to_authors["questions.kept-for-the-questions"]):
        _ = tiny.homework
