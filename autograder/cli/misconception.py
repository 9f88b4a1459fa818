"""``autograder misconception``: from a group of wrong answers to a known mistake."""

from __future__ import annotations

from pathlib import Path

import typer
from typer import Argument, Option

from autograder.authoring.new_mistake import Search, append_entry
from autograder.cli.app import STYLE
from autograder.cli.console import err, note, say
from autograder.cli.options import GradedCourseOption, course_of
from autograder.errors import KitError
from autograder.gradebook.groups import examples_of, groups_of
from autograder.gradebook.opening import read_gradebook
from autograder.reasons.agreement import as_told
from autograder.reasons.catalogue import CATALOGUE, read_catalogue
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
    """Keep ``new`` a word of its own while it is the only command."""


@misconception.command()
def new(
    group: str = Argument(
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
    course: GradedCourseOption = None,
) -> None:
    """Write the known mistake that gives exactly the values of a group.

    Edits of the solution are tried: those of known mistakes, small ones that are generated, and pairs.
    Where one gives the values of the group, its entry is added to misconceptions.toml, with a sentence for
    you to word: until then `autograder check` complains. Otherwise a comment is added: what came out, how it
    was written, and known mistakes that come near.

    Exit status 0: written, or the group has a known mistake. 2: wrong usage, or there is no such group.

    Example: `autograder misconception new hw1-softmax-3f2a --print`
    """
    with read_gradebook(folder) as book:
        found = next((one for one in groups_of(book.groups) if one.id == group), None)
        if found is None:
            raise KitError(
                f"{folder} has no group {group!r}; `autograder groups {folder}` lists them"
            )
        own, wanted = course_of(book, course), book.groups.behaviour(group)
        homework = own.homework(found.homework)
        catalogued = as_told(tuple(one.id for one in read_catalogue(homework)))
        if named := [one for one in found.misconceptions if one in catalogued]:
            say(f"{group} has a known mistake: {', '.join(named)}. Nothing to do.")
            return
        work, examples = (
            book.groups.work(found.representative, found.homework),
            examples_of(found, book.groups),
        )
    name = name or group.partition("-")[2].replace("_", "-")
    known = open_store(own, homework).read()
    with SandboxPool() as pool, err.status("trying edits") as status:
        tell = lambda tried: status.update(f"{tried:,} edits tried")  # noqa: E731
        search = Search(homework, wanted, work or Work(), known, pool, tell)
        if name in search.catalogue.mistakes:
            raise KitError(
                f"{homework.id} has a mistake {name!r} already; choose another --name"
            )
        made = search.run(seconds)
        if (
            made
            and len(made.labels) == 1
            and made.edits == search.catalogue.mistakes[made.labels[0]].edits
        ):
            say(
                f"{made.labels[0]} gives these values: see its tasks, and grade again. Nothing to do."
            )
            return
        text = search.entry(name, made) if made else search.skeleton(name, examples)
    if made is None:
        note(
            f"none of {search.tried:,} edits gives these values; after a change of cases, grade again"
        )
    typer.echo(text, nl=False)
    if not show_only:
        append_entry(homework, text)
        say(
            f"Added to {homework.folder / CATALOGUE}: word the sentence and the id. Then:"
        )
        say(f"autograder reference build {homework.id}; autograder audit {homework.id}")
