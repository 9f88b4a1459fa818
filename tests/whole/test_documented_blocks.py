"""The commands of README and docs run as they stand, in one copy of the clone with a small class."""

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from documented import NOT_OURS, NOT_RUN, RUN_BY_CI, RUN_ELSEWHERE
from followed import ROOT, console_blocks, documents

from autograder.sandbox.levels import strongest_level

LEFT_BEHIND = (
    ".git",
    ".venv",
    ".bench",
    "*.pyc.*",  # one that is being written
    ".*_cache",
    "*.egg-info",
    ".hypothesis",
    "build",
    "dist",
    "graded",
)
PROGRAMS = {"autograder": "-m autograder", "pytest": "-m pytest -p no:cacheprovider", "python": ""}
CLASS = """
softmax='s/sum(axis=-1/sum(axis=0/'
hw1=solutions/hw1_attention_scores/attention_scores.py
hw3=solutions/hw3_scaled_dot_product_attention/scaled_dot_product_attention.py
for student in ada bob; do
  mkdir -p class/$student
  sed "$softmax" $hw1 > class/$student/attention_scores.py
  sed "\\$ a answers = {'why_the_root': 'It keeps the variance of the scores at one.'}" $hw3 \\
    > class/$student/scaled_dot_product_attention.py
done
mkdir -p downloads/week3
cp class/ada/attention_scores.py downloads/week3/ada.py
cp -r class submissions
"""
PREPARED = {
    "diagnosis.md": "cp -r graded week3 && mv week3 graded/",
    "grading.md": "cd downloads/week3 && python -m zipfile -c ada.zip ada.py && rm ada.py && cd ../..",
    "drills.md": """
        sed -i 's/^due = 20../due = 2001/' solutions/hw3*/homework.toml
        mkdir -p downloads/drill3 downloads/inputs3
        cp solutions/hw3*/scaled_dot_product_attention.py downloads/drill3/ada.py
        echo 'inputs = []' > downloads/inputs3/ada.py
        """,
    "lms.md": """
        mv submissions/ada/attention_scores.py lovelaceada_12345_67890_attention_scores.py
        python -m zipfile -c submissions.zip lovelaceada_12345_67890_attention_scores.py
        printf '%s\\n' 'Student,ID,SIS User ID,SIS Login ID,Section,Attention scores (4711)' \\
          '    Points Possible,,,,,20' '"Lovelace, Ada",12345,s1,ada,A,' > roster.csv
        printf 'student_id,email,name\\ns1,ada@example.org,Ada Lovelace\\n' > students.csv
        rm -r graded
        """,
    "policy.md": """
        printf 'submission,submitted_at\\nada,2027-01-01T12:00:00Z\\n' > times.csv
        printf 'submission,homework,due\\nada,hw1_attention_scores,2027-03-01T12:00:00Z\\n' > extensions.csv
        autograder groups graded --comments comments.csv
        autograder written graded
        for check in softmax_sizes softmax_published; do
          autograder policy graded --override ada --homework hw1 --check $check --points 1 --reason x
        done
        """,
    "theory_questions.md": "autograder written graded && mkdir -p ~/Downloads && cp graded/written.csv ~/Downloads",
}
"""What a document takes for granted, in place of what its reader did before."""

FAILS = {".venv/bin/pytest solutions/hw1_attention_scores --submission=downloads/week3/ada.zip -vv": 1}
"""Commands that say by their exit status that a submission is wrong."""


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the clone that counts as installed, with the class graded once; each document gets a copy."""
    if not strongest_level().confines_hostile_code:
        pytest.skip("the documents grade without --unsafe: use Linux")
    folder = tmp_path_factory.mktemp("documented") / "kit"
    # With what is compiled, for each document would compile the kit anew.
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*LEFT_BEHIND))
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name, words in PROGRAMS.items():
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec {sys.executable} {words} "$@"\n', "utf-8")
        program.chmod(0o755)
    for stamp in ("kit", "dev"):
        (programs.parent / stamp).touch()
    follow(folder, [*CLASS.splitlines(), "autograder grade submissions --out graded"])
    return folder


def follow(folder, commands):
    """Run commands one after another in one shell, as a reader does, and name the one that fails."""
    settings = {
        "HOME": str(folder / "home"),
        "PATH": f"{folder / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "",  # each command would compile the kit anew
        "SUBMISSIONS": "class",  # in place of the sample class, which other tests grade
        "OUT": "graded",
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    (folder / "home").mkdir(exist_ok=True)
    process = subprocess.run(
        ["bash", "-e"],
        input="set -v\nexec 2>&1\n" + "\n".join(commands) + "\n",
        cwd=folder,
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout[-4000:]


def is_run(command):
    """Whether a command is not left to another test or to the workflow."""
    program = Path(command.split()[0]).name if command else ""
    return command not in NOT_RUN and program not in NOT_OURS and not command.startswith(RUN_BY_CI)


def commands_of(document):
    """The commands of a document that are run here."""
    if document.name in RUN_ELSEWHERE:
        return []
    blocks = itertools.chain.from_iterable(console_blocks(document))
    return list(filter(is_run, blocks))


def in_two_processes(paths):
    """Each document as a parameter, every second one in another process."""
    params = []
    for number, path in enumerate(paths):
        group = pytest.mark.xdist_group(f"documents {number % 2}")
        params.append(pytest.param(path, id=path.name, marks=group))
    return params


@pytest.mark.parametrize("document", in_two_processes(filter(commands_of, documents())))
def test_the_commands_of_a_document_run_as_they_stand(document, clone, tmp_path):
    script = PREPARED.get(document.name, "").splitlines()
    for command in commands_of(document):
        if command in FAILS:
            script.append(f"{command} || [ $? = {FAILS[command]} ]")
        else:
            script.append(command)
    folder = tmp_path / "kit"
    subprocess.run(["cp", "-a", clone, folder], check=True)  # a third of the time that shutil takes
    follow(folder, script)


@pytest.mark.parametrize("module", ["tests.pages.classes", "tests.pages.screenshots"])
def test_the_modules_that_write_classes_and_pictures_find_their_helpers(module):
    """Grading the corpus for them takes minutes."""
    subprocess.run(
        [sys.executable, "-c", f"import {module}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "tests"},
        check=True,
        capture_output=True,
    )
