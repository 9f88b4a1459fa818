"""The course's language: which texts are translated, what stays English, and what is refused."""

import ast

import pytest
from asked import ask

from autograder.authoring.assignments import build_assignments
from autograder.course.schema import CourseError
from autograder.course.stub import stub_text
from autograder.grading.patience import KEPT_WAITING
from autograder.language import ENGLISH, TABLES, Language, language_of, places_in, say, speaking
from autograder.reasons import moved_statements, pitfalls, repairs
from autograder.reasons.catalogue import read_catalogue
from autograder.sandbox.report import Status
from autograder.verdict.checks import load_checks
from autograder.verdict.kinds import COUNTS, OF_COMPOSITES, structure_of


def in_german(tiny, **files):
    """Make the course German, and write files of the homework by name, with dots for underscores."""
    tiny.course.defaults.write_text('language = "de"\n', "utf-8")
    for name, text in files.items():
        (tiny.folder / name.replace("_", ".")).write_text(text, "utf-8")


def test_a_course_is_english_unless_it_says_so(tiny):
    assert tiny.course.language is ENGLISH
    assert tiny.homework.language is ENGLISH
    assert say("`{name}` is not defined.", name="softmax") == "`softmax` is not defined."


def test_a_language_is_spoken_within_its_block_only(tiny):
    in_german(tiny)
    with speaking(tiny.course.language):
        assert say("`{name}` is not defined.", name="softmax") == "`softmax` ist nicht definiert."
        with speaking(ENGLISH):
            assert say("see below") == "see below"
        assert say("see below") == "siehe unten"
    assert say("see below") == "see below"


def test_what_has_no_translation_stays_english(tiny):
    tiny.course.defaults.write_text('language = "fr"\n', "utf-8")
    with speaking(tiny.course.language):
        assert say("see below") == "see below"
    assert tiny.homework.title == "Doubles and totals"


def test_a_course_brings_a_language_that_the_kit_does_not_have(tiny):
    tiny.course.defaults.write_text('language = "fr"\n', "utf-8")
    (tiny.course.solutions / "texts.fr.toml").write_text('"see below" = "voir ci-dessous"\n', "utf-8")
    with speaking(tiny.homework.language):
        assert say("see below") == "voir ci-dessous"


def test_a_homework_translates_its_metadata_its_checks_and_the_lines_of_its_stub(tiny):
    in_german(
        tiny,
        texts_de_toml=(
            '"Doubles and totals" = "Doppelte und Summen"\n'
            '"every number twice" = "jede Zahl zweimal"\n'
            '"doubled numbers" = "doppelte Zahlen"\n'
            '"double gives the printed numbers." = "double ergibt die gedruckten Zahlen."\n'
            '"TODO 1: multiply by two." = "TODO 1: Multipliziere mit zwei."\n'
        ),
    )
    homework = tiny.homework
    assert homework.title == "Doppelte und Summen"
    assert homework.task("double").summary == "jede Zahl zweimal"
    assert homework.task("double").returns == ("doppelte Zahlen",)
    assert homework.task("totals").summary == "the sum and the product"
    assert load_checks(homework)[0].sentence == "double ergibt die gedruckten Zahlen."
    assert "    # TODO 1: Multipliziere mit zwei.\n" in stub_text(homework)
    assert "    # TODO 2: two numbers.\n" in stub_text(homework)


def test_sentences_about_mistakes_are_listed_by_the_mistakes_names(tiny):
    mistakes = '[halved]\nsays = "Half."\nedits.double = [["factor = 2", "factor = 0.5"]]\n'
    (tiny.folder / "misconceptions.toml").write_text(mistakes, "utf-8")
    in_german(tiny, misconceptions_de_toml='halved = "Die\nHälfte."\n'.replace("\n", " ").strip() + "\n")
    assert [mistake.says for mistake in read_catalogue(tiny.homework)] == ["Die Hälfte."]
    in_german(tiny, misconceptions_de_toml='thirds = "Ein Drittel."\n')
    with pytest.raises(CourseError, match="no mistake 'thirds'"):
        read_catalogue(tiny.homework)


def test_translated_questions_ask_for_the_same_answers(tiny):
    ask(tiny)
    questions = (tiny.folder / "questions.toml").read_text("utf-8")
    in_german(tiny, questions_de_toml=questions.replace("Say why.", "Sag, warum."))
    assert [question.text for question in tiny.homework.questions][-1] == "Sag, warum."
    in_german(tiny, questions_de_toml=questions.replace("number = -2.5", "number = 2.5"))
    with pytest.raises(CourseError, match="only texts may differ"):
        tiny.course.homework("hwx")


@pytest.mark.parametrize(
    ("sentence", "translation", "problem"),
    [
        ("`{name}` is not defined.", "`{nam}` ist nicht definiert.", "asks for {nam}"),
        ("{a} b", "{} b", "asks for {}"),
        ("{points:g} points", "{points:d} Punkte", "asks for {points:d}"),
        ("{points:g} points", "{points!r} Punkte", "asks for {points!r}"),
        ("no value", "{kein} Wert", "asks for {kein}"),
        ("{count} wrong.", "{count falsch.", "expected '}'"),
        ("{count} wrong.", "{count}} falsch.", "Single '}'"),
    ],
)
def test_a_translation_that_could_not_be_filled_in_is_refused(tiny, sentence, translation, problem):
    in_german(tiny, texts_de_toml=f'"{sentence}" = "{translation}"\n')
    with pytest.raises(CourseError) as caught:
        tiny.course.homework("hwx")
    assert all(part in str(caught.value) for part in ("texts.de.toml", repr(sentence), problem))


@pytest.mark.parametrize(
    ("sentence", "translation"),
    [
        ("{points:g} of {total!r} points", "{points:g} Punkte"),
        ("a set starts with {", "eine Menge beginnt mit {"),
        ("a bracket", "eine Klammer: {"),
    ],
)
def test_a_translation_may_leave_values_out_and_show_brackets(tiny, sentence, translation):
    in_german(tiny, texts_de_toml=f'"{sentence}" = "{translation}"\n')
    assert tiny.homework.language.translated(sentence) == translation


@pytest.mark.parametrize("code", ["deutsch", "DE", "../de", ""])
def test_a_language_is_named_by_its_code(tiny, code):
    tiny.course.defaults.write_text(f'language = "{code}"\n', "utf-8")
    with pytest.raises(CourseError, match="code of a language"):
        tiny.course.homework("hwx")


def test_handout_and_notebook_are_those_of_the_language(tiny):
    master = "# %%\n# {{ setup }}\n\n# %%\n# {{ question: double }}\n\n# %%\n# {{ question: totals }}\n"
    in_german(
        tiny,
        handout_de_md="# Doppelte\n\n{{ tasks }}\n",
        notebook_py=master,
        notebook_de_py=f"# %% [markdown]\n# Hallo\n\n{master}",
    )
    build_assignments(tiny.course)
    handed_out = tiny.course.assignments / tiny.homework.id
    assert "| Aufgabe" in (handed_out / "handout.md").read_text("utf-8")
    assert '<html lang="de">' in (handed_out / "handout.html").read_text("utf-8")
    assert "Hallo" in (handed_out / "doubles.ipynb").read_text("utf-8")


@pytest.mark.parametrize("path", sorted(TABLES.glob("*.toml")), ids=lambda path: path.stem)
def test_translations_name_values_of_the_sentence_only(path):
    language = language_of(path.stem)
    assert isinstance(language, Language)
    for sentence, translation in language.texts.items():
        assert places_in(translation) <= places_in(sentence), sentence


def said_in(path):
    """The sentences that a module hands to ``say``: written there, or by the name of a constant of the module."""
    source = path.read_text("utf-8")
    if "from autograder.language import" not in source:
        return set()
    tree = ast.parse(source)
    constants = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            constants[ast.unparse(node.targets[0])] = node.value.value
    sentences = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say":
            match node.args[0]:
                case ast.Constant(sentence):
                    sentences.add(sentence)
                case ast.Name(name):
                    sentences.add(constants.get(name, ""))
    return sentences - {""}


def test_german_has_every_sentence_that_students_read():
    modules = [path for path in TABLES.parent.rglob("*.py") if path.parent.name != "cli"]
    said = set().union(*map(said_in, modules))
    assert len(said) > 300
    assert sorted(said - language_of("de").texts.keys()) == []


STAY_ENGLISH = ("decoders", "drills", "examples", "intake", "otter")
"""Packages whose sentences are not translated yet, see docs/instructors.md."""
STAY_ENGLISH_IN_VERDICT = ("modules", "random_answers", "scripts")
TAKES_TEXT = {"Failure": (1, "fact"), "_failure": (1, "text"), "Problem": (0, "text")}
"""Where the text for a student stands among the arguments of each of these."""


def unsaid_in(path):
    """The sentences for students that a module writes down without handing them to ``say``."""
    tree = ast.parse(path.read_text("utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    unsaid = set()
    seen = set()

    def look(node, function):
        if node in seen:
            return
        seen.add(node)
        if isinstance(node, ast.Constant):
            text = str(node.value)
            if " " in text.strip() or text.strip().isalpha():
                unsaid.add(text)
        elif isinstance(node, ast.Name):
            for other in ast.walk(function):
                if isinstance(other, ast.Assign | ast.AugAssign):
                    targets = other.targets if isinstance(other, ast.Assign) else [other.target]
                    if any(ast.unparse(target) == node.id for target in targets):
                        look(other.value, function)
        elif isinstance(node, ast.Call):
            helper = functions.get(getattr(node.func, "id", ""))
            for other in ast.walk(helper) if helper else ():
                if isinstance(other, ast.Return) and other.value is not None:
                    look(other.value, helper)
        else:
            for child in ast.iter_child_nodes(node):
                look(child, function)

    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if name not in TAKES_TEXT:
                continue
            place, keyword = TAKES_TEXT[name]
            texts = [*node.args[place : place + 1]]
            texts += [argument.value for argument in node.keywords if argument.arg == keyword]
            for text in texts:
                look(text, function)
    return unsaid


def test_a_sentence_that_is_not_said_is_found(tmp_path):
    module = tmp_path / "module.py"
    module.write_text(
        "def judge(x):\n"
        "    text = say('said with {x}', x=x)\n"
        "    text += f'{x} added by hand'\n"
        "    if x: return Failure(KIND, text)\n"
        "    if not x: return Problem(cause(x))\n"
        "    return Failure(kind=KIND, fact=x and 'one more')\n"
        "def cause(x):\n"
        "    return 'from a helper'\n",
        "utf-8",
    )
    assert unsaid_in(module) == {" added by hand", "from a helper", "one more"}


def test_every_failure_and_problem_is_said():
    kit = TABLES.parent
    unsaid = {}
    for path in kit.rglob("*.py"):
        package = path.relative_to(kit).parts[0]
        if package in STAY_ENGLISH or path.stem in STAY_ENGLISH_IN_VERDICT:
            continue
        sentences = unsaid_in(path)
        if sentences:
            unsaid[str(path.relative_to(kit))] = sorted(sentences)
    assert unsaid == {}


def test_german_has_every_kind_of_answer():
    texts = language_of("de").texts
    values = {"set": [[1]], "table": [["a"], [1], [2]], "series": [[1], [2]], "sparse": [[2], [0], [1]]}
    structures = [structure_of(value) for value in (None, "text", 3**300, {"a": 1}, [1])]
    for kind, parts in values.items():
        structures.append(OF_COMPOSITES[kind](*parts))
    sentences = {forms for forms in COUNTS.values() for forms in forms}
    for value in structures:
        sentences |= {value.kind, value.child_of, value.unnamed}
    assert sorted(sentences - texts.keys() - {"", "{count}"}) == []


def test_german_has_every_status():
    texts = language_of("de").texts
    assert KEPT_WAITING in texts
    for status in Status:
        assert str(status) in texts
        if status is not Status.GRADED:
            assert str(status).replace("_", " ").capitalize() in texts


@pytest.mark.parametrize("module", [repairs, pitfalls, moved_statements])
def test_german_has_every_question_about_a_change(module):
    questions = [
        value for value in vars(module).values() if isinstance(value, str) and value.endswith(("?", "."))
    ]
    own_questions = [question for question in questions if question != module.__doc__]
    assert len(own_questions) >= 5
    assert sorted(set(own_questions) - language_of("de").texts.keys()) == []
