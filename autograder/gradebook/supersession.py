"""Which hand-in counts: a newer one replaces an older one homework by homework.

A submission may have been graded several times: from several folders, for one homework or for all, and again by
other checks. Gradings are numbered, and the later one is the newer hand-in. The rules:

1. A grading gives a result to each homework that it found, in place of the result that stood there. What it did
   not find keeps the result that it has.
2. A grading that is made again (by ``regrade``, or because a part of it was replaced) keeps the rank of the earlier
   one: a homework whose result is from a newer grading keeps that.
3. A grading is current, and need not be made again, while its submission and its graders are the same, and each
   of its results stands or was replaced from another folder. It is not current after a failure of the grader, nor
   where the same folder was graded since for homeworks among its own: what that says of the submission would stay
   for good.
4. An old hand-in whose results were all replaced from another folder does not come back when it is named again,
   not by other graders either. Where only some were replaced, it is graded again by rule 2.
5. A grading that holds no result any more is dropped, and one that holds some no longer tells its problems, as soon
   as a newer grading answers for it (see ``superseded_gradings``).
6. A grading in which the grader failed stands for the one before it of the same path and homeworks: the two are
   made again as one. If the content was the same, that one has the rank of the earlier; else it is a newer hand-in.

This module decides and knows no database; ``gradings.py`` stores and fetches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from autograder.intake.submission import Submission


@dataclass(frozen=True)
class Grading:
    """One grading of a submission, as far as it matters for what counts.

    Attributes:
        id: its number; a higher one is newer.
        submission: the submission's name.
        path: the file or folder that was graded.
        content: the fingerprint of what was graded.
        graders: the fingerprint of the checks and of all else that decides a grade.
        asked: the homeworks that were asked for by name; none stand for all.
        found: the homeworks that were found in the submission.
        standing: those of them whose result is still the one from this grading.
        is_our_fault: the grader failed, on all of it or on a homework.
        failed_as_a_whole: the grader failed before any homework was graded.
        same_content: the numbers of the gradings of the same content that it stands for, besides its own.
    """

    id: int
    submission: str
    path: str
    content: str
    graders: str
    asked: tuple[str, ...] = ()
    found: frozenset[str] = frozenset()
    standing: frozenset[str] = frozenset()
    is_our_fault: bool = False
    failed_as_a_whole: bool = False
    same_content: frozenset[int] = frozenset()

    @property
    def rank(self) -> int:
        """The number that says which hand-ins are newer: that of the first grading of this content."""
        return min(self.same_content | {self.id})

    @property
    def folder(self) -> str:
        """The folder in which the file or folder lies."""
        return folder_of(self.path)


def folder_of(path: str | Path) -> str:
    """Return the folder that distinguishes a hand-in from others of the same submission."""
    return str(PurePath(path).parent)


def covers(homeworks: Collection[str], others: Collection[str]) -> bool:
    """Return whether homeworks that were asked for include others; none stand for all."""
    if not homeworks:
        return True
    return bool(others) and set(others) <= set(homeworks)


def holders(gradings: Iterable[Grading]) -> dict[str, Grading]:
    """Return the grading that each homework's result is from."""
    holder_of = {}
    for grading in gradings:
        for homework in grading.standing:
            holder_of[homework] = grading
    return holder_of


def replaced_results(
    gradings: Iterable[Grading],
    found: Sequence[str],
    path: str,
    again: Grading | None = None,
) -> dict[str, str]:
    """Return which results a new grading gives (rules 1 and 2), each with the other folder that it is taken from.

    Args:
        gradings: the earlier gradings of the submission.
        found: the homeworks that the new one found.
        path: what was graded.
        again: the earlier grading that it makes again.

    Returns:
        The homeworks that get a new result, in order. The folder is blank where nothing stood there, or a result
        from the same folder.
    """
    holder_of = holders(gradings)
    folders = {}
    for homework in found:
        holder = holder_of.get(homework)
        if again is not None and holder is not None:
            made_again = again.same_content | {again.id}
            is_its_own = holder.id in made_again or _is_same_hand_in(holder, again)
            if holder.id > again.rank and not is_its_own:
                continue  # of a newer hand-in
        folders[homework] = ""
        if holder is not None and holder.folder != folder_of(path):
            folders[homework] = holder.folder
    return folders


def _is_same_hand_in(grading: Grading, other: Grading) -> bool:
    return (grading.folder, grading.content) == (other.folder, other.content)


def current_homeworks(
    gradings: Sequence[Grading], content: str, graders: str
) -> frozenset[str] | None:
    """Return what the current grading of this content by these graders found (rule 3); None if there is none."""
    holder_of = holders(gradings)
    for grading in gradings:
        if (grading.content, grading.graders) != (content, graders):
            continue
        if grading.is_our_fault:
            continue
        if not _all_stand_or_were_replaced(grading, holder_of):
            continue
        if not _was_graded_since(grading, gradings):
            return grading.found
    return None


def _all_stand_or_were_replaced(
    grading: Grading, holder_of: Mapping[str, Grading]
) -> bool:
    """Return whether each result of a grading stands, or was replaced by a newer hand-in from another folder."""
    for homework in grading.found:
        holder = holder_of.get(homework)
        if holder is None:
            return False
        if holder.id != grading.id and not _is_newer_hand_in(holder, grading):
            return False
    return True


def _is_newer_hand_in(grading: Grading, other: Grading) -> bool:
    return grading.rank > other.rank and grading.folder != other.folder


def _was_graded_since(grading: Grading, gradings: Iterable[Grading]) -> bool:
    """Return whether the same folder was graded later, for homeworks among those of this grading."""
    for later in gradings:
        is_later = later.id > grading.id and later.folder == grading.folder
        if is_later and covers(grading.asked, later.asked):
            return True
    return False


def newer_hand_in(
    gradings: Sequence[Grading], path: str | Path, content: str
) -> Grading | None:
    """Return the newest hand-in that replaced all of this content from this folder (rule 4); None if none did."""
    newer = []
    for grading in gradings:
        is_asked = (grading.folder, grading.content) == (folder_of(path), content)
        if is_asked and not grading.standing:
            newer += _newer_holders(grading, gradings)
    return max(newer, key=lambda grading: grading.id, default=None)


def partly_replaced(
    gradings: Sequence[Grading], path: str | Path, content: str, asked: Collection[str]
) -> tuple[Grading, Grading] | None:
    """Return the grading that a newer hand-in replaced in some of its homeworks (rule 4), and that hand-in.

    Args:
        gradings: those of the submission.
        path: what was graded.
        content: its fingerprint.
        asked: the homeworks that are asked for now, and were then.
    """
    pair = None
    for grading in standing_gradings(gradings):
        is_same = (grading.path, grading.content) == (str(path), content)
        if not is_same or set(grading.asked) != set(asked):
            continue
        if grading.found == grading.standing:
            continue
        newer = _newer_holders(grading, gradings)
        if newer:
            pair = (grading, max(newer, key=lambda other: other.id))
    return pair


def _newer_holders(grading: Grading, gradings: Iterable[Grading]) -> list[Grading]:
    """Return the newer hand-ins that hold results of homeworks that this grading found."""
    newer = []
    for other in gradings:
        if other.standing & grading.found and _is_newer_hand_in(other, grading):
            newer.append(other)
    return newer


def superseded_gradings(
    gradings: Iterable[Grading], last: Grading, rank: int
) -> tuple[list[Grading], list[Grading]]:
    """Return the earlier gradings that the last one makes superfluous (rule 5): to drop, and to silence.

    Earlier are those below its rank, which is lower than its number where it was made again, and those of the same
    hand-in.

    The last grading answers for an earlier one that was asked for the same homeworks or fewer. One that holds no
    result is over, unless it was asked for other homeworks or the grader failed. It is dropped, but remains known,
    silently, where its results were replaced from another folder. One that still holds results is silenced where
    the same folder was graded again.
    """
    to_drop = []
    to_silence = []
    for grading in gradings:
        is_newer = grading.id >= rank and not _is_same_hand_in(grading, last)
        if is_newer or grading.id == last.id:
            continue
        is_covered = covers(last.asked, grading.asked)
        is_same_folder = grading.folder == last.folder
        stands_alone = bool(grading.asked) or grading.failed_as_a_whole
        is_over = not grading.standing and (is_covered or not stands_alone)
        if is_over and (is_same_folder or not grading.found):
            to_drop.append(grading)
        elif is_over or (is_covered and is_same_folder):
            to_silence.append(grading)
    return to_drop, to_silence


def standing_gradings(gradings: Iterable[Grading]) -> list[Grading]:
    """Return the gradings of a submission that count, in order: those with results, or the last to find nothing.

    One that failed for our fault comes in place of the earlier one that it stands for (rule 6).
    """
    standing: list[Grading] = []
    last_of_path: dict[tuple[str, tuple[str, ...]], Grading] = {}
    for grading in gradings:
        if grading.found and not grading.standing:
            continue
        key = (grading.path, tuple(sorted(grading.asked)))
        earlier = last_of_path.get(key)
        if grading.is_our_fault and earlier is not None:
            standing.remove(earlier)
            same_content = grading.same_content
            if grading.content == earlier.content:
                same_content |= earlier.same_content | {earlier.id}
            grading = replace(
                grading,
                found=grading.found | earlier.found,
                standing=grading.standing | earlier.standing,
                same_content=same_content,
            )
        standing.append(grading)
        last_of_path[key] = grading
    return standing


def is_empty_in(grading: Grading, homeworks: Collection[str]) -> bool:
    """Return whether a grading holds no result, and was only asked for homeworks that are all among these."""
    if grading.standing:
        return False
    return bool(grading.found) or covers(homeworks, grading.asked)


def gradings_to_repeat(
    gradings: Iterable[Grading], known: Collection[str], chosen: Collection[str]
) -> list[Grading]:
    """Return the gradings that concern the chosen homeworks (none: all), with the homeworks to ask for.

    A grading is asked for the same homeworks as before, because with one homework alone a file counts under any
    name; but only for the chosen ones where it stands for others as well.

    Args:
        gradings: gradings that count.
        known: the homeworks that the course has today.
        chosen: those to be graded again.
    """
    repeated = []
    for grading in gradings:
        homeworks = tuple(homework for homework in grading.asked if homework in known)
        if grading.asked and not homeworks:
            continue  # of homeworks that the course had
        if chosen:
            standing = grading.standing
            concerns_chosen = not homeworks or bool(set(homeworks) & set(chosen))
            if standing:
                concerns_chosen = bool(standing & set(chosen))
            if not concerns_chosen:
                continue
            if not standing <= set(chosen):
                homeworks = tuple(sorted(standing & set(chosen)))
        repeated.append(replace(grading, asked=homeworks))
    return repeated


@dataclass
class WhatToGrade:
    """The submissions of a command, sorted out.

    Attributes:
        ungraded: those without a current grade.
        graded: those with one.
        newer_folders: the folder of the newer hand-in that counts, by the name of an older one.
        again: the earlier grading, by the name of an ungraded submission that keeps its rank.
    """

    ungraded: list[Submission] = field(default_factory=list)
    graded: list[Submission] = field(default_factory=list)
    newer_folders: dict[str, str] = field(default_factory=dict)
    again: dict[str, Grading] = field(default_factory=dict)

    def sort_in(
        self,
        submission: Submission,
        gradings: Sequence[Grading],
        content: str,
        graders: str,
        asked: Collection[str],
    ) -> None:
        """Sort in a submission by its earlier gradings; ``asked`` are the homeworks asked for now."""
        name = submission.name
        newer = newer_hand_in(gradings, submission.path, content)
        if newer is not None:
            self.newer_folders[name] = newer.folder
            return
        replaced = partly_replaced(gradings, submission.path, content, asked)
        if replaced is not None:
            self.again[name], newer = replaced
            self.newer_folders[name] = newer.folder
        if current_homeworks(gradings, content, graders) is None:
            self.ungraded.append(submission)
        else:
            self.graded.append(submission)
