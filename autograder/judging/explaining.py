"""What a failed check of one submission rests on, for the staff."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from autograder.judging.catalogue import read_edits
from autograder.judging.comparison import Finding
from autograder.judging.evidence import Judged
from autograder.judging.fixtures import Fixtures
from autograder.judging.mutation import as_diff


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a check failed, on which case if on any, with the ``parameters`` of its function.

    ``is_sure`` is False where the case is only the last one that the check looked at. ``diffs`` are the
    mistakes, or pairs, that may be behind it, as edits of the reference solution.
    """

    finding: Finding
    judged: Judged | None = None
    is_sure: bool = True
    parameters: tuple[str, ...] = ()
    diffs: Mapping[str, str] = field(default_factory=dict)


def explain_finding(finding: Finding, fixtures: Fixtures) -> Explanation:
    """Put together what a finding of the check that was run last rests on."""
    submission, homework = fixtures.submission, fixtures.compare.homework
    judged = finding.judged
    if judged is None:
        looked_at = (one for one in fixtures.cases.known if one.case.id == submission.looked_at)
        judged = next((Judged(one, submission.answers[one.case.id]) for one in looked_at), None)
    edits = read_edits(homework).mistakes
    made = finding.made or [(label,) for label in finding.misconceptions if label in edits]
    parameters = submission.facts(judged.known.case.call.name).parameters if judged else ()
    diffs = {" + ".join(labels): as_diff(homework, labels) for labels in made}
    return Explanation(finding, judged, finding.judged is not None, parameters, diffs)
