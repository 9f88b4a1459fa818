"""Which commands of the documents no test runs as they stand, and why; tests/whole runs the others."""

RUN_ELSEWHERE = {
    "adding_a_homework.md": "tests/cli/whole/test_tutorial.py",
    "students.md": "tests/authoring/whole/test_release.py",
}
"""Documents whose commands a test of their own runs."""

RUN_BY_CI = ("make setup", "make check", "make verify", "make test")
"""Beginnings of what the workflow runs on a clean clone."""

NOT_OURS = {
    "podman": "needs a container engine; tests/whole/test_installed.py compares the recipe with the page",
    "gh": "needs an account and a network",
    "xargs": "calls gh",
    "pip": "needs a network; tests/whole/test_installed.py installs the wheel without",
    "jupyter": "opens a browser and does not end",
    "pyftsubset": "needs a font's source",
    "zip": "is not on every machine",
    "otter": "tests/authoring/whole/test_otter_run.py runs it",
}
"""Programs by name."""

MINUTES = "takes minutes"
WHOLE_COURSE = "does all homeworks; tests of its command do one"
BEFORE_DUE = "is refused until the due date; tests/authoring/test_worked_solution.py releases one"
TEN = "is one of the ten commands, which tests/whole/test_installed.py runs in an environment of its own"
TUTORIAL = "tests/cli/whole/test_tutorial.py runs it for a smaller homework of the same number"

NOT_RUN = {
    "make fuzz": MINUTES,
    "make mutants": MINUTES,
    "make sequences": MINUTES,
    "make audit": MINUTES,
    "make reference": WHOLE_COURSE,
    "make assignments": WHOLE_COURSE,
    "make release": WHOLE_COURSE,
    "autograder release --drill all --out release": WHOLE_COURSE,
    "autograder release --solution hw7": BEFORE_DUE,
    "autograder release --solution all --out worked": BEFORE_DUE,
    "autograder check": WHOLE_COURSE,
    "autograder assignments build": WHOLE_COURSE,
    "autograder reference build": WHOLE_COURSE,
    "autograder reference build hw7": TUTORIAL,
    "autograder assignments build hw7": TUTORIAL,
    "autograder reference verify hw7": TUTORIAL,
    "autograder check hw7": TUTORIAL,
    "autograder audit hw7": TUTORIAL,
    "autograder audit hw7 --mutants": MINUTES,
    "autograder misconception new hw1-softmax-3f2a --name softmax-over-queries": (
        "a group's id differs in every class; tests/cli/whole/test_misconception.py takes one as it comes"
    ),
    "autograder grade submissions --out graded --scheduler tcp://HOST:8786": (
        "needs a Dask scheduler; tests/cli/whole/test_cluster.py starts one"
    ),
    (
        "autograder grade hw1-submissions --layout classroom --homework hw1 --roster roster.csv --out graded/hw1"
    ): "needs students' clones; tests/cli/test_lms.py makes some",
    "autograder export graded --to moodle --feedback --roster worksheet.csv": (
        "needs Moodle's worksheet; tests/cli/test_export.py has one"
    ),
    "autograder new --from-otter masters/hw3.ipynb --course my_course": (
        "tests/cli/test_new_from_otter.py converts masters"
    ),
    ".venv/bin/autograder otter --homework hw1_attention_scores --out hw1.zip": (
        "needs Otter; tests/authoring/whole/test_otter_run.py runs it"
    ),
    "python -m tests.attacks.replay": MINUTES,
    'python -m tests.attacks.replay "a tuple of guesses"': (
        "takes half a minute; tests/attacks tries the same programs"
    ),
    "python3 -m venv kit": TEN,
    ". kit/bin/activate": TEN,
    "autograder new hw1_first_words --tasks word_weights --course first": TEN,
    "cd first": TEN,
    "autograder release": TEN,
    "mkdir handed_in": TEN,
    "sed 's/sum(axis=-1/sum(axis=0/' solutions/hw1_first_words/first_words.py > handed_in/ada.py": TEN,
    "autograder grade handed_in --out graded": TEN,
}
