"""What `autograder check` says of a homework's files: each rule on a small homework that breaks it."""

import pytest
from judging.mistakes import ADDS_ITSELF, add_mistake
from tiny import CHECKS_FILE
from wording import to_authors

from autograder.authoring.corpus import CORPUS
from autograder.authoring.rules import Subject, findings
from autograder.course.schema import CourseError
from autograder.grading.grade import fixtures_for
from autograder.grading.suite import prepare_suite
from autograder.reasons.catalogue import CATALOGUE, read_catalogue
from autograder.sandbox.request import Code

ADVICE = ("at-least", "length", "full-stop", "no-drill", "no-public-check", "public-sizes", "hidden-sizes")
ADVICE += (
    "no-public-case",
    "large",
    "unasked",
    "numeric-mistakes",
    "docstring",
    "no-mistake",
    "right-answers",
    "section",
    "old-number",
    "old-number-of-a-check",
)
QUESTION = '[[questions]]\npoints = 1\ntitle = "A"\ntext = "B"\nid = "q"\n'
CHOICE = QUESTION + 'kind = "choice"\nright = "a"\noptions = { a = "two", b = "three", c = "four" }\n'
NUMERIC = QUESTION + 'kind = "numeric"\nnumber = 7\ntolerance = 0\nhint = "Count."\n'
FIRST = "Your numbers are all one too large"


def complaints_about(audited):
    homework = audited.tiny.homework
    suite = prepare_suite(audited.tiny.course, homework, 0, audited.pool)
    right = Code(homework.stub, {homework.stub: homework.solution.read_text("utf-8")})
    return list(findings(Subject(audited.tiny.course, suite, fixtures_for(right, suite, audited.pool))))


def sentences_about(audited):
    return [str(complaint) for complaint in complaints_about(audited)]


def kinds_of(audited, entry):
    """Whether each complaint of this text is an error."""
    sentence = to_authors[f"rules.{entry}"]
    return [complaint.is_error for complaint in complaints_about(audited) if sentence == str(complaint)]


@pytest.mark.parametrize(
    ("entry", "file", "old", "new"),
    [
        ("unfinished", CATALOGUE, FIRST, f"{FIRST} TODO"),
        ("length", CATALOGUE, f"{FIRST}: nothing", "Nothing"),
        ("full-stop", CATALOGUE, "nothing is to be added.", "nothing is to be added"),
        ("code", CATALOGUE, FIRST, f"{FIRST} of x.sum(), np.prod(x)"),
        ("number", CATALOGUE, FIRST, f"{FIRST} as 8.00 is"),
        ("whole-number", CATALOGUE, FIRST, f"{FIRST} as 512 is"),
        ("drill", "homework.toml", 'title = "Doubles', 'drill = ["no-such"]\ntitle = "Doubles'),
        ("docstring", CHECKS_FILE, "sum and product.", "sum and product"),
        (
            "published",
            CHECKS_FILE,
            '[*cases.published("totals"), *cases.stored("totals")]',
            'cases.stored("totals")',
        ),
        ("public-fresh", CHECKS_FILE, "points=2, ", "points=2, public=True, "),
        ("no-public-check", CHECKS_FILE, "double gives", "double returns"),
        ("no-drill", CHECKS_FILE, "double gives", "double returns"),
        ("at-least", CHECKS_FILE, "double gives", "double returns"),
        ("unasked", CHECKS_FILE, '*cases.stored("double", None), ', ""),
        ("section", "handout.md", "`double`: 1.25", "1.25"),
        (
            "old-number",
            "handout.md",
            "`double`: 1.25 becomes 2.5.",
            "`double` in NumPy 2.4 (section 7.3): 1.25 becomes 2.75, 3/8 becomes 1/2, and 1.25 + 1 = 2.35.",
        ),
        ("old-number-of-a-check", CHECKS_FILE, "sum and product.", "sum and product, 5.76 and 2.5."),
        ("large", "doubles.py", "return factor * x", "return factor * x + 0 * np.exp(0)"),
    ],
)
def test_what_breaks_a_rule_is_told(audited, entry, file, old, new):
    audited.tiny.edit(file, old, new)
    assert set(kinds_of(audited, entry)) == {entry not in ADVICE}


@pytest.mark.parametrize(
    ("entry", "old", "new"),
    [
        ("public-sizes", '_sized(rng, "small", 2)', '_sized(rng, "small", 3)'),
        ("hidden-sizes", '_sized(rng, "small", 2)', '_sized(rng, "small", 5)'),
        ("no-public-case", '_sized(rng, "small", 2)', "()"),
    ],
)
def test_what_the_cases_lack_is_told(audited, entry, old, new):
    audited.tiny.edit("cases.py", old, new)
    audited.build()
    assert kinds_of(audited, entry) == [False]


@pytest.mark.parametrize(("entry", "new"), [("tolerance", "2e-3"), ("tolerance-given-up", "None")])
def test_a_changed_tolerance_is_told_before_it_is_built(audited, entry, new):
    audited.tiny.edit("cases.py", '"large", 1e-3', f'"large", {new}')
    assert kinds_of(audited, entry) == [True]


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("tells-the-right-option", CHOICE + 'mistakes = { b = "It is two.", c = "No." }\n'),
        ("one-text", CHOICE + 'mistakes = { b = "No.", c = "No." }\n'),
        ("tells-the-right-number", NUMERIC + 'mistakes = [{ number = 8, mistake = "7 is one less." }]\n'),
        ("numeric-mistakes", NUMERIC),
    ],
)
def test_what_questions_lack_is_told(audited, entry, text):
    (audited.tiny.folder / "questions.toml").write_text(text, "utf-8")
    right = '\n# {{ answers }}\n# BEGIN SOLUTION\nanswers = {"q": "a"}\n# END SOLUTION\n'
    solution = audited.tiny.folder / "doubles.py"
    solution.write_text(solution.read_text("utf-8") + right, "utf-8")
    audited.build()
    assert to_authors[f"rules.{entry}"].among(sentences_about(audited))


def test_mistakes_that_nobody_can_tell_apart_or_see_are_told(audited):
    add_mistake(audited.tiny, "adds-itself", ADDS_ITSELF, "One sentence for two mistakes.")
    unseen = 'edits.totals = [["np.prod(x)", "np.prod(x) + 0"]]'
    add_mistake(audited.tiny, "unseen", unseen, "One sentence for two mistakes.")
    audited.build()
    complaints = [str(complaint) for complaint in complaints_about(audited) if complaint.is_error]
    assert to_authors["rules.apart"].among(complaints)
    assert to_authors["rules.unseen"].among(complaints)
    assert to_authors["rules.one-sentence"].among(complaints)


def test_translations_of_what_the_homework_does_not_have_are_told(audited):
    folder = audited.tiny.folder
    (folder / "texts.de.toml").write_text(
        '"Doubles and totals" = "Doppelte"\n"TODO 1: multiply by two." = "TODO 1"\n'
        '"see below" = "unten"\n"Gone" = "Weg"\n'
    )
    (folder / "misconceptions.de.toml").write_text('gone = "Weg."\n')
    complaints = [complaint for complaint in complaints_about(audited) if ".de.toml" in str(complaint)]
    assert [complaint.is_error for complaint in complaints] == [True, False, False]
    assert [str(complaint) for complaint in complaints] == [
        to_authors["rules.translated-mistake"],
        to_authors["rules.untranslated-mistakes"],
        to_authors["rules.translated-text"],
    ]


def test_a_translated_notebook_has_the_code_of_the_original(audited):
    original = "# %%\n# {{ setup }}\n# %%\nprint('one')  # said\n"
    translated = "# %%\n# {{ setup }}\n# %% [markdown]\n# Mehr\n# %%\nprint('eins')  # gesagt\n"
    (audited.tiny.folder / "notebook.py").write_text(original)
    german = audited.tiny.folder / "notebook.de.py"

    def complaints():
        return [finding for finding in complaints_about(audited) if "notebook.de" in str(finding)]

    german.write_text(translated)
    assert complaints() == []
    german.write_text(translated.replace("print('eins')", "print('eins', 'zwei')"))
    assert to_authors["rules.translated-cell"].among(map(str, complaints()))
    german.write_text(translated + "# %%\nprint('drei')\n")
    assert to_authors["rules.translated-cells"].among(map(str, complaints()))
    assert all(finding.is_error for finding in complaints())


def test_what_the_corpus_lacks_is_told(audited):
    folder = audited.tiny.course.root / CORPUS / "hwx"
    for path in (folder / "correct").iterdir():
        path.unlink()
    assert to_authors["rules.right-answers"].among(sentences_about(audited))
    for name in ("first", "second"):
        (folder / "correct" / f"{name}.py").write_text("def totals(x): ...\n", "utf-8")
    assert to_authors["rules.borrowed"].among(sentences_about(audited))
    (folder / "mistakes.py").write_text('def double__x(x):\n    """loses: no_such"""\n', "utf-8")
    assert to_authors["rules.no-such-check"].among(sentences_about(audited))


def test_a_homework_without_mistakes_gets_advice_alone(audited):
    (audited.tiny.folder / CATALOGUE).unlink()
    audited.build()
    complaints = complaints_about(audited)
    assert to_authors["rules.no-mistake"].among(map(str, complaints))
    assert not any(complaint.is_error for complaint in complaints)


def test_all_edits_that_a_renamed_argument_breaks_are_told_at_once(audited):
    """Each with the line that comes nearest, so that one look at the solution mends them all."""
    text = (audited.tiny.folder / "doubles.py").read_text("utf-8")
    renamed = text.replace("(x)", "(numbers)").replace("* x", "* numbers").replace("x.sum", "numbers.sum")
    (audited.tiny.folder / "doubles.py").write_text(renamed.replace(".sum()", ".sum(axis=0)"), "utf-8")
    with pytest.raises(CourseError) as raised:
        read_catalogue(audited.tiny.homework)
    lines = str(raised.value).splitlines()
    assert [to_authors[f"rules.broken-edit-{number}"] == line for number, line in enumerate(lines, 1)] == [
        True,
        True,
    ]
