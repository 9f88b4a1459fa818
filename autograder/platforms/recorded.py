"""Find submissions again where an earlier grading found them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.gradebook.fingerprint import fingerprint_submission
from autograder.intake.submission import PLAIN, Submission, SubmissionError
from autograder.platforms.discover import find_submissions
from autograder.platforms.registry import layouts


@dataclass(frozen=True)
class RecordedPlace:
    """A submission where it was graded before; ``content`` is a fingerprint of what is there now."""

    submission: Submission
    content: str


@dataclass
class RecordedPlaces:
    """The places of earlier gradings; a download of a class is read once, whoever is looked for in it.

    ``names`` are those of all submissions, each with its path, as the gradebook has them.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    _parted: dict[Path, list[Submission]] = field(default_factory=dict)
    _contents: dict[Path, str] = field(default_factory=dict)

    def find(self, name: str, path: Path, content: str) -> RecordedPlace | None:
        """Return the submission of a name and path, with this content if it is there; None where it is gone."""
        candidates = []
        if os.path.lexists(path):
            if path not in self._contents:
                self._contents[path] = fingerprint_submission(path)
            recorded = RecordedPlace(Submission(name, path), self._contents[path])
            if recorded.content == content:
                return recorded
            candidates.append(recorded)

        # It may be a part of a class's download.
        for folder in (path.parent, path):
            for submission in self._parted_in(folder):
                if submission.name != name:
                    continue
                fingerprint = fingerprint_submission(submission.path, submission.parts)
                recorded = RecordedPlace(submission, fingerprint)
                if fingerprint == content:
                    return recorded
                candidates.append(recorded)
        if candidates:
            return candidates[-1]
        return None

    def _parted_in(self, folder: Path) -> list[Submission]:
        """Return the submissions that a folder or file holds as a download of some platform."""
        if folder not in self._parted:
            parted = []
            for layout in layouts():
                if layout == PLAIN or not os.path.lexists(folder):
                    continue
                try:
                    discovery = find_submissions([folder], (), layout, self.names)
                except SubmissionError:  # it is no download of this platform
                    continue
                for submission in discovery.submissions:
                    if submission.parts:
                        parted.append(submission)
            self._parted[folder] = parted
        return self._parted[folder]
