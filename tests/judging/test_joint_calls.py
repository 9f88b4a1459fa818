"""Checks that ask for joint calls share a run, and none pays for another's."""

from dataclasses import dataclass, field

from autograder.course.cases import FunctionCall
from autograder.sandbox.report import Answer, StudentError
from autograder.verdict.checks import Check, Outcome, run_checks
from autograder.verdict.fixtures import Cases, Compare, Fixtures, SubmissionProxy
from autograder.verdict.interface import Restored

DEAD = Answer(error=StudentError("crashed", "killed"))


@dataclass
class Program:
    """A submission that answers each call with its name; the call of ``fatal`` brings the process down."""

    fatal: str = ""
    runs: list[list[str]] = field(default_factory=list)

    def ask(self, calls):
        names = [call.name for call in calls]
        self.runs.append(names)
        if self.fatal in names:
            return [DEAD] * len(calls)
        return list(map(Answer, names))

    def outcomes(self, *checks):
        submission = SubmissionProxy(Restored({}), dict, tuple, self.ask)
        fixtures = Fixtures(submission, Cases([]), Compare(None, submission, Cases([])))
        return {result.check: result.outcome for result in run_checks(checks, fixtures)}


def asking(name, requires=(), finished=None):
    def check(submission):
        [answer] = submission.joint_calls([FunctionCall(name, ())])
        if finished is not None:
            finished.append(name)
        assert answer.value == name

    return Check(name, "task", 1, "sentence", requires, check)


def test_checks_share_a_run_and_keep_their_order():
    program = Program()
    outcomes = program.outcomes(asking("first"), asking("second"), asking("third"))
    assert program.runs == [["first", "second", "third"]]
    assert list(outcomes.items()) == [(name, Outcome.PASSED) for name in ("first", "second", "third")]


def test_a_check_is_not_run_while_one_that_it_requires_waits():
    program = Program()
    finished = []
    first = asking("first", finished=finished)
    second = asking("second", requires=("first",), finished=finished)
    program.outcomes(first, second, asking("third", finished=finished))
    assert program.runs == [["first", "third"], ["second"]]
    assert finished == ["third", "first", "second"]


def test_a_call_that_brings_the_process_down_costs_only_its_own_check():
    program = Program(fatal="second")
    outcomes = program.outcomes(asking("first"), asking("second"), asking("third"))
    assert outcomes == {"first": Outcome.PASSED, "second": Outcome.FAILED, "third": Outcome.PASSED}
    assert program.runs[0] == ["first", "second", "third"]
    assert sorted(program.runs[1:]) == [["first"], ["second"], ["third"]]
