"""Keeping and showing results: the gradebook, the policy that decides which points count, and every export.

Whatever is written here is computed from the gradebook, so it can be written again at any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograder.faces import on_demand

if TYPE_CHECKING:
    from autograder.records.book import Gradebook
    from autograder.records.comments import COMMENTS, take_comments, write_comments
    from autograder.records.decision_input import (
        EXTENSIONS,
        course_policy,
        keep_policy,
        load_policy,
        take_marks,
        take_metadata,
        take_override,
        take_times,
    )
    from autograder.records.decisions import Override
    from autograder.records.difference import Difference, compare, read_side
    from autograder.records.exports import (
        GRADES,
        POLICY,
        REPORT,
        RESULTS,
        SUBMISSIONS,
        Settled,
        choose,
        forget_submissions,
        publish,
        write_submission,
    )
    from autograder.records.feedback import hand_out
    from autograder.records.fingerprint import Run, fingerprint_graders, fingerprint_submission, versions
    from autograder.records.groups import AnswerGroup, examples_of, groups_of
    from autograder.records.lms import (
        ExportError,
        StudentGrade,
        above_maximum,
        graded_in,
        grades_of,
        need_own,
        write_canvas,
        write_moodle,
        write_unmatched,
    )
    from autograder.records.opening import FILE_NAME, need_gradebook, open_gradebook, read_gradebook
    from autograder.records.pages import change_lines, points_of, short_name
    from autograder.records.policy import POLICY_FILE, PolicyError
    from autograder.records.results_json import write_results
    from autograder.records.schema import GradebookError
    from autograder.records.settlement import settle
    from autograder.records.similar import SIMILAR, find_similar, write_similar
    from autograder.records.tally import Tally
    from autograder.records.written import collect_written, merge_written, write_written_page
else:
    __getattr__ = on_demand(__name__)
