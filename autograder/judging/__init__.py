"""From a submission's code to check results: expected answers, comparison, diagnosis, checks, grading.

The one package that sees expected values and submissions' answers together. A check is a plain function; the
worker pool at the end of the line grades a class, each submission in a process that can be ended.
"""

from typing import TYPE_CHECKING

from autograder.faces import on_demand

if TYPE_CHECKING:
    from .agreement import NOTHING_KNOWN, Diagnosis, Labels, Variant, agreeing, as_told, diagnostic_cases
    from .agreement import is_visible, proved_by_exceptions, read_variant, same_answer, single_mistakes, tell
    from .agreement import written_variant
    from .behaviour import ALLOWANCE, behaviour_of, is_same, stored_cases
    from .catalogue import CATALOGUE, Edit, Solution, read_catalogue, read_edits
    from .checks import PREFIX, Check, CheckFailed, CheckResult, Outcome, check, checks_file, load_checks
    from .checks import read_checks, run_checks
    from .comparison import MOST_PARTS, Finding, Kind, allowed_difference, as_array, as_entries
    from .comparison import deviation, differences, kind_of, leaves, room_for
    from .errors import OwnNames, explain_import, is_unwritten, note_stops, read_names
    from .evidence import Judged
    from .examples import MOST_EXAMPLES, valid, written_sizes
    from .fixtures import OUTSIDE, Cases, Compare, Fixtures, SubmissionProxy
    from .grade import HandinRun, Suite, fixtures_for, grade_handin, prepare_suite, run_handin
    from .interface import Restored, value_key
    from .known import COURSE_LIMITS, LEAST_NOISE, SEPARATION, Evidence, FreshTolerance, Kinds, KnownCase
    from .known import kind_of_case, know, know_fresh, least_tolerance, not_numbers, read_known
    from .known import run_calls, run_course_file
    from .misfits import misfit_of
    from .mutation import as_diffs, changed_singles, compute_singles, mutants, out_of_date, pair_labels
    from .mutation import read_singles, run_edits, run_variants, single_labels, write_singles
    from .outside import NAMES_AT_ONCE
    from .own_results import Own, accepting, compare_or_excuse, mixed_by_own_weights, own_weights
    from .results import Change, HomeworkResult, SubmissionResult, alike, most_fundamental, reasons_told_once
    from .session import Explanation, GradingSession, Plan, call_again, open_session
    from .side_by_side import aligned, grids, sentence
    from .stale import changes, check_current, difference, fingerprints, other_cases, same_inputs
    from .store import BUILD, MANIFEST, open_store
    from .telling import STEPS, exams
    from .theory import read_answer, read_answers, strange_keys
    from .work import Behaviour, Exhibit, Grid, Shown, Work, exhibit, exhibits, public_cases, unpacked
    from .workers import WorkerPool, lost
else:
    __getattr__ = on_demand(__name__)
