"""``autograder misconception``: from a group of wrong answers to a known mistake."""

from __future__ import annotations

from pathlib import Path

import typer
from typer import Argument, Option

from autograder.authoring.new_mistake import Search, append_entry
from autograder.cli.app import STYLE
from autograder.cli.console import err, note, print_line
from autograder.cli.options import GradedCourseOption, course_of
from autograder.errors import KitError
from autograder.gradebook.opening import read_gradebook
from autograder.reasons.agreement import as_told
from autograder.reasons.catalogue import CATALOGUE, read_catalogue
from autograder.report.answer_groups import examples_of, groups_of
from autograder.sandbox.pool import SandboxPool
from autograder.verdict.store import open_store
from autograder.verdict.work import Work

misconception = typer.Typer(
    help="Turn a group of wrong answers into a known mistake.",
    no_args_is_help=True,
    **STYLE,
)


@misconception.callback()
def _only_a_group_of_commands() -> None:
    """Keep ``new`` a separate word while it is the only command."""


@misconception.command()
def new(
    group_id: str = Argument(
        ..., metavar="GROUP", help="A group that `autograder groups` lists."
    ),
    folder: Path = Option(
        Path("graded"),
        "--out",
        metavar="OUT",
        help="The --out folder of `autograder grade`.",
    ),
    name: str = Option("", "--name", metavar="ID", help="The id of the new mistake."),
    show_only: bool = Option(False, "--print", help="Only show the entry."),
    seconds: float = Option(60, min=1, metavar="S", help="How long to try edits."),
    course_root: GradedCourseOption = None,
) -> None:
    """Write the known mistake that gives exactly the values of a group.

    Edits of the solution are tried: those of known mistakes, small ones that are generated, and pairs.
    If one gives the values of the group, its entry is added to misconceptions.toml, with a sentence for
    you to word: until then `autograder check` complains. Otherwise a comment is added: what came out, how it
    was written, and the nearest known mistakes.

    Exit status 0: written, or the group has a known mistake. 2: wrong usage, or there is no such group.

    Example: `autograder misconception new hw1-means-3f2a --print`
    """
    with read_gradebook(folder) as book:
        groups = {group.id: group for group in groups_of(book.groups)}
        if group_id not in groups:
            raise KitError(
                f"{folder} has no group {group_id!r}; `autograder groups {folder}` lists them"
            )
        group = groups[group_id]
        behaviour = book.groups.behaviour(group_id)
        course = course_of(book, course_root)
        homework = course.homework(group.homework)
        catalogue_labels = tuple(mistake.id for mistake in read_catalogue(homework))
        known_labels = as_told(catalogue_labels)
        labels = []
        for label in group.misconceptions:
            if label in known_labels:
                labels.append(label)
        if labels:
            print_line(
                f"{group_id} has a known mistake: {', '.join(labels)}. Nothing to do."
            )
            return
        work = book.groups.work(group.representative, group.homework)
        examples = examples_of(group, book.groups)

    # Try edits of the solution.
    name = name or group_id.partition("-")[2].replace("_", "-")
    known_cases = open_store(course, homework).read()
    with SandboxPool() as pool, err.status("trying edits") as status:

        def tell(tried: int) -> None:
            status.update(f"{tried:,} edits tried")

        search = Search(homework, behaviour, work or Work(), known_cases, pool, tell)
        mistakes = search.catalogue.mistakes
        if name in mistakes:
            raise KitError(
                f"{homework.id} has a mistake {name!r} already; choose another --name"
            )
        attempt = search.run(seconds)
        if attempt is None:
            text = search.skeleton(name, examples)
        else:
            if len(attempt.labels) == 1:
                [label] = attempt.labels
                if attempt.edits == mistakes[label].edits:
                    print_line(
                        f"{label} gives these values: see its tasks, and grade again. Nothing to do."
                    )
                    return
            text = search.entry(name, attempt)

    # Show the entry, and write it.
    if attempt is None:
        note(
            f"none of {search.tried:,} edits gives these values; after a change of cases, grade again"
        )
    typer.echo(text, nl=False)
    if not show_only:
        append_entry(homework, text)
        print_line(
            f"Added to {homework.folder / CATALOGUE}: word the sentence and the id. Then:"
        )
        print_line(
            f"autograder reference build {homework.id}; autograder audit {homework.id}"
        )
