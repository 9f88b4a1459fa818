"""``autograder regrade``: what is in the gradebook, with today's checks, from where it was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import typer
from typer import Argument, Option

from autograder.batch.session import open_session
from autograder.cli.batches import Batch, GradingCommand, GradingOptions, seed_of
from autograder.cli.changes import Key, points_in, show_changes
from autograder.cli.console import err, note, print_line
from autograder.cli.options import (
    AT_ONCE,
    NAME_HELP,
    GradedCourseOption,
    GradedFolder,
    Jobs,
    OnlyHomeworks,
    Scheduler,
    Unsafe,
    Verbose,
    course_of,
    need_protection,
)
from autograder.cli.progress import counts_text, reading
from autograder.course.course import Course
from autograder.course.homework import by_number
from autograder.errors import KitError
from autograder.gradebook.book import Gradebook
from autograder.gradebook.fingerprint import fingerprint_graders
from autograder.gradebook.opening import need_gradebook, open_gradebook
from autograder.gradebook.supersession import Grading, gradings_to_repeat
from autograder.intake.naming import listed
from autograder.intake.submission import Submission
from autograder.platforms.recorded import RecordedPlace, RecordedPlaces
from autograder.policy.names import Names
from autograder.policy.settlement import settle
from autograder.report.exports import GradeRow
from autograder.report.tally import Tally
from autograder.verdict.results import SubmissionResult

MORE = "see grades.csv, or `autograder diff` with a copy of OUT"


class RegradeError(KitError):
    """Nothing can be graded again; the message says why and what to do."""


@dataclass(frozen=True)
class Target:
    """A grading to be made again, with the homeworks to ask for, and the submission where it was found."""

    grading: Grading
    recorded: RecordedPlace

    @property
    def submission(self) -> Submission:
        return self.recorded.submission

    @property
    def keys(self) -> list[Key]:
        """The homeworks, each with the submission's name, that it gives points for."""
        grading = self.grading
        standing = grading.standing
        if grading.asked:
            standing = standing.intersection(grading.asked)
        homework_ids = sorted(standing, key=by_number)
        return [(grading.submission, homework_id) for homework_id in homework_ids]

    @property
    def has_changed(self) -> bool:
        return self.recorded.content != self.grading.content


@dataclass
class Regrading:
    """Submissions of a gradebook that are graded again with one seed; ``changed`` have other code now."""

    book: Gradebook
    course: Course
    command: GradingCommand
    seed: int
    changed: set[str] = field(default_factory=set)
    _graders: dict[tuple[str, ...], str] = field(default_factory=dict)

    def graders(self, target: Target) -> str:
        """Return the fingerprint of today's graders in the homeworks that a target asks for."""
        homeworks = target.grading.asked
        if homeworks not in self._graders:
            graders = fingerprint_graders(self.course, self.seed, homeworks)
            self._graders[homeworks] = graders
        return self._graders[homeworks]

    def ungraded(self, targets: Iterable[Target], *, resume: bool) -> list[Target]:
        """Return the targets that today's checks have not graded yet; without ``resume``, all of them."""
        ungraded = []
        for target in targets:
            grading = target.grading
            is_current = grading.graders == self.graders(target)
            if target.has_changed and is_current:
                self.changed.add(grading.submission)
            elif grading.is_our_fault or not is_current or not resume:
                ungraded.append(target)
        if not resume:  # also if this is stopped, the others are yet to be graded
            for target in ungraded:
                names = [target.grading.submission]
                self.book.outdate(names, self.graders(target))
        return ungraded

    def batch(self, targets: Sequence[Target]) -> Batch:
        """Return the batch that grades targets of the same homeworks to ask for."""
        target_of = {target.submission.name: target for target in targets}

        def keep(result: SubmissionResult) -> None:
            target = target_of[result.name]
            grading = target.grading
            # A failure of the grader says nothing of the code.
            is_other_code = (
                target.has_changed
                and not result.status.is_our_fault
                and not self.book.has_code_of(grading, result)
            )
            if is_other_code:
                self.changed.add(result.name)
                return
            content = target.recorded.content
            graders = self.graders(target)
            self.command.keep(result, content, graders, grading)

        session = open_session(self.seed, targets[0].grading.asked, self.course)
        submissions = [target.submission for target in targets]
        return Batch(self.command.grader_of(session), submissions, keep)

    def results(self, targets: Iterable[Target]) -> Iterator[SubmissionResult]:
        """Yield what today's checks found in the targets."""
        for target in targets:
            contents = {target.grading.submission: target.recorded.content}
            yield from self.book.given(contents, self.graders(target))


def regrade(
    folder: GradedFolder,
    names: list[str] | None = Argument(
        None, metavar="NAME", help=f"Only these; all by default. {NAME_HELP}"
    ),
    homework_ids: OnlyHomeworks = None,
    jobs: Jobs = AT_ONCE,
    seed: int | None = Option(
        None,
        min=0,
        metavar="N",
        help="Seed of the fresh inputs; by default that of the grades.",
    ),
    resume: bool = Option(
        True,
        "--resume/--fresh",
        help="Keep grades that today's checks gave, or grade those again as well.",
    ),
    scheduler: Scheduler = None,
    unsafe: Unsafe = False,
    course_root: GradedCourseOption = None,
    verbose: Verbose = False,
) -> None:
    """Grade again what OUT holds, with today's checks.

    For a repaired check or a new release. Takes each submission from where it was found, so that a newer
    hand-in stays the one that counts. What is gone from there, or has changed, keeps its grade and is listed.
    Says at the end whose points changed. Times, marks, overrides and comments stay.

    Exit status 0: all graded. 1: the grader itself failed on some, which have no score yet; run the same
    command again. 2: wrong usage, or nothing is where it was found. 3: most of a class could not be graded;
    all files are written. 130: stopped by Ctrl-C; the same command goes on from there.

    Example: `autograder regrade graded --homework hw1`
    """
    level = need_protection(unsafe)
    print_line(f"Protection: {level.name} ({level.promise})", err)
    need_gradebook(folder)
    with open_gradebook(folder) as book:
        course = course_of(book, course_root)
        print_line(f"Course: {course.root}", err)
        chosen = course.ids(homework_ids)
        before = points_in(settle(book, course))
        targets = _find_targets(book, course, names or (), chosen)
        regraded = {target.grading.submission for target in targets}
        keys = set()
        for target in targets:
            keys.update(target.keys)
        seed = seed_of(book, seed)
        options = GradingOptions(jobs, scheduler, unsafe, resume, verbose)
        command = GradingCommand(book, course, folder, level, options)
        regrading = Regrading(book, course, command, seed)
        ungraded = regrading.ungraded(targets, resume=resume)
        graded_count = len(targets) - len(ungraded)
        if graded_count:
            note(
                f"{graded_count} of {len(targets)} already graded with these checks; --fresh grades them again"
            )

        # Grade.
        run = replace(command.run(seed, chosen, len(targets)), done=graded_count)
        try:
            with command.publishing_when_stopped():
                batches = [regrading.batch(group) for group in _in_batches(ungraded)]
                book.begin_run(run)
                command.grade(batches)
                book.end_run()
        except typer.Exit:  # Ctrl-C: the next command compares with the grades so far
            show_changes(before, points_in(settle(book, course)), MORE, keys)
            raise
        if regrading.changed:
            note(
                f"changed since they were graded, so their grades stay ({len(regrading.changed)}): "
                f"{listed(sorted(regrading.changed))}; `autograder grade PATH --out {folder}` grades new files"
            )

        # Write the files, and say what is different now.
        def show(grades: Sequence[GradeRow], tally: Tally) -> None:
            after = {}
            for grade in grades:
                for homework_id, (points, _) in grade.points.items():
                    after[grade.name, homework_id] = points
            show_changes(before, after, MORE, keys)
            print_line(counts_text(tally.statuses))

        command.finish(regraded, regrading.results(targets), show)


def _find_targets(
    book: Gradebook, course: Course, names: Sequence[str], chosen: Sequence[str]
) -> list[Target]:
    """Return the gradings to be made again, and list those whose submissions are gone.

    Raises:
        RegradeError: none is where it was found.
    """
    known_names = Names(book)
    picked = {known_names.pick(name) for name in names}
    named = book.standing()
    if picked:
        named = [grading for grading in named if grading.submission in picked]
    gradings = gradings_to_repeat(named, course.homework_ids(), chosen)
    if not gradings:
        raise RegradeError(
            "nothing was graded there yet: see grades.csv for what OUT holds"
        )
    places = RecordedPlaces(book.files())
    owners = book.owners()
    submissions = []
    for grading in gradings:
        submissions.append(Submission(grading.submission, Path(grading.path)))
    targets = []
    missing = []
    for grading, submission in zip(gradings, reading(submissions), strict=True):
        recorded = places.find(submission.name, submission.path, grading.content)
        if recorded is None:
            missing.append(f"{submission.name} ({submission.path})")
            continue
        owned = replace(
            recorded.submission, name=submission.name, owner=owners.get(submission.name)
        )
        targets.append(Target(grading, replace(recorded, submission=owned)))
    if missing:
        note(
            f"no longer where they were graded, so their grades stay ({len(missing)}): "
            f"{listed(missing, show=str)}; put them back, or name their new place to `autograder grade`"
        )
    if not targets:
        raise RegradeError(
            "nothing is where it was graded, so nothing was graded again: put the submissions back"
        )
    return targets


def _in_batches(targets: Sequence[Target]) -> list[list[Target]]:
    """Return the targets in batches of the same homeworks to ask for, in which a name occurs once."""
    batches: list[list[Target]] = []
    for target in targets:
        for batch in batches:
            batch_names = {other.submission.name for other in batch}
            is_same = batch[0].grading.asked == target.grading.asked
            if is_same and target.submission.name not in batch_names:
                batch.append(target)
                break
        else:
            batches.append([target])
    return batches
