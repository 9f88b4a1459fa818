"""The instructor's tools: handouts, notebooks, stubs, the release, zips for Gradescope and Otter, the audit.

Grading imports nothing from here. What an author has to mend is a ``CourseError``, which names the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograder.faces import on_demand

if TYPE_CHECKING:
    from autograder.authoring.assignments import build_assignments, verify_assignments
    from autograder.authoring.audit import RECORD, Audit, Kind, Trial, audit_course
    from autograder.authoring.audit_seeds import SeedRun, escapes, left_to_stored_cases, run_seeds
    from autograder.authoring.checks_package import failing_checks
    from autograder.authoring.corpus import write_losses
    from autograder.authoring.drills import Drill, examples_drill, mending_drill
    from autograder.authoring.from_otter import homework_from_otter
    from autograder.authoring.gradescope_bundle import gradescope_zip
    from autograder.authoring.handout_figures import (
        BLUE,
        GREEN,
        GREY,
        ORANGE,
        PAPER,
        QUIET,
        TOKENS,
        Box,
        Path,
        Picture,
        Text,
        bars,
        grid,
        heat,
        labelled_box,
    )
    from autograder.authoring.handout_numbers import Matrix
    from autograder.authoring.mutant_audit import Fate, MutantAudit, Verdict, audit_mutants
    from autograder.authoring.new_course import begin_course, course_to_begin
    from autograder.authoring.new_homework import new_files
    from autograder.authoring.new_mistake import Search, append_entry
    from autograder.authoring.otter_bundle import otter_zip
    from autograder.authoring.reference import BuildReport, build_outputs, verify_outputs
    from autograder.authoring.release import course_folder, homework_folder, repository
    from autograder.authoring.rules import Finding, Subject, findings
else:
    __getattr__ = on_demand(__name__)
