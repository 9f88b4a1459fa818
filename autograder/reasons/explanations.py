"""The explanations of failed cases: an ordered list.

Each explanation looks at the failed cases and returns the failure with a reason in front of its facts, or None; the
first that returns something is reported. The order is the heart of it, see ``EXPLANATIONS``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from autograder.language import say
from autograder.reasons.axis_sizes import describe_axes, loses_axis_of_length_1
from autograder.reasons.code_facts import CodeFacts
from autograder.reasons.differences import have_other_axes, what_differs
from autograder.reasons.earlier import raised_below
from autograder.reasons.forbidden_weights import forbidden_weights
from autograder.reasons.outside import OUTSIDE, Proof, prove_outside_sizes
from autograder.reasons.probes import DIFFERS
from autograder.reasons.proofs import depends_on_earlier_calls
from autograder.reasons.signs import shown_by_answers
from autograder.reasons.situation import Situation
from autograder.reasons.wrong import Tells, labelled, tells_of
from autograder.verdict.arrays import deviation, split
from autograder.verdict.failure import Failure, FailureKind, Reason, joined
from autograder.verdict.known import KnownCase
from autograder.verdict.titles import title_of

MOST_NAMES = 10
"""Of more names that a function reads from outside, the others are counted."""
MOST_AT_ONCE = 2
"""So many known mistakes at once are told without asking for a single wrong step."""
TAKE_SIZES_FROM_SHAPES = "Take every size from the arguments' shapes."
RIGHT_FOR_PUBLISHED = "It is right for the published inputs and wrong for others"
WRITTEN_AS_NUMBER = (
    f"{RIGHT_FOR_PUBLISHED}: is a size or an axis written as a number, "
    "as in `[:3]` or `axis=1`?"
)
AXIS_OF_1_LOST = (
    "Your numbers are right, but an axis is missing where it has length 1: look for a `squeeze` without its axis, "
    "for an index such as `[0]` or `[:, 0]`, and for what is done with a single row or column alone. A matrix with "
    "a single row or column is still a matrix."
)
EXPLAINABLE = frozenset(
    {
        FailureKind.ARITY,
        FailureKind.VALUES,
        FailureKind.NOT_FINITE,
        FailureKind.SHAPE,
        FailureKind.RAISED,
    }
)


# What earlier checks have found


def raised_in_another_task(situation: Situation) -> Failure | None:
    """Repeat the reason of another task's check where the exception arose in that task's function."""
    if situation.failure.kind is not FailureKind.RAISED:
        return None
    error = situation.context.answer(situation.first).error
    return situation.explained(situation.earlier.reason_for(error, situation.function))


def changed_by_a_helper(situation: Situation) -> Failure | None:
    """Refer to a function that changes its arguments in place, where without that everything is right."""
    wrong_cases = situation.wrong_cases
    if not wrong_cases:
        return None
    changes = situation.earlier.changes_by_a_helper(situation.context, wrong_cases)
    return situation.explained(changes)


def nan_of_a_wrong_task(situation: Situation) -> Failure | None:
    """Name the wrong task that the function calls, where NaN comes back: any mistake of that one gives the same.

    If the reason for that one is known, it is known here as well.
    """
    if situation.failure.kind is not FailureKind.NOT_FINITE:
        return None
    if situation.wrong_task_called not in situation.earlier.unexplained:
        return None
    return calls_a_wrong_task(situation)


def calls_a_wrong_task(situation: Situation) -> Failure | None:
    """Name a task of its own that the wrong function calls and that has failed its check."""
    kind = situation.failure.kind
    helper = situation.wrong_task_called
    if kind not in EXPLAINABLE or not helper:
        return None
    text = say(
        "`{name}` calls your `{helper}`, whose own check fails: set that right first.",
        name=situation.function,
        helper=helper,
    )
    if kind is FailureKind.RAISED:
        return situation.with_fact(text)
    return situation.before_facts(text)


def raised_in_a_right_task(situation: Situation) -> Failure | None:
    """Say where to look if the exception arose in the function of a task that is right by itself."""
    if situation.failure.kind is not FailureKind.RAISED:
        return None
    error = situation.context.answer(situation.first).error
    helper = raised_below(error, situation.function)
    if not helper or not situation.context.is_right_task(helper):
        return None
    text = say(
        "Called by itself, your `{helper}` is right: look at what `{name}` gives it.",
        helper=helper,
        name=situation.function,
    )
    return situation.with_fact(text)


# What is certain, and known mistakes


def reads_unset_memory(situation: Situation) -> Failure | None:
    """Name the place where memory is read that nothing was written into.

    Its numbers differ from run to run, so all else that is found may be a chance.
    """
    says = situation.unset_memory
    if not says:
        return None
    return situation.explained(Reason(labels=(DIFFERS,), says=says))


def keeps_something(situation: Situation) -> Failure | None:
    """Say that earlier calls change later results; this is asked before known mistakes.

    A known mistake with the same numbers would say something else of them: a table that is kept from a call with
    another base answers as code that has no base. Most code shows at first sight that it keeps nothing.
    """
    context = situation.context
    wrong_cases = situation.wrong_cases
    if not wrong_cases or wrong_cases[0] is context.cases.known[0]:
        return None  # nothing was called before the first case
    known_mistake = situation.proved_or_single.reason
    is_known = known_mistake.labels and not known_mistake.about_size
    if is_known and not situation.repeats_an_answer:
        if context.code is None or not context.code.may_keep_something:
            return None
    reason = depends_on_earlier_calls(context, wrong_cases)
    if reason is not None and tells_of(reason) is Tells.CHANCE:
        # Without the step that draws them, all may be right.
        says = f"{reason.says} {situation.steady_repair}".rstrip()
        reason = replace(reason, says=says)
    return situation.explained(reason)


def proved_or_known_mistake(situation: Situation) -> Failure | None:
    """Give a reason that is certain, or a single known mistake.

    A mistake about a size waits: names outside the function may fix the size.
    """
    reason = situation.proved_or_single.reason
    if not reason.labels or reason.about_size:
        return None
    says = f"{reason.says} {situation.second_name}".rstrip()
    return situation.explained(
        replace(reason, says=says), situation.proved_or_single.form
    )


def wrong_dtype(situation: Situation) -> Failure | None:
    """Leave a wrong dtype as it is: it needs no other reason."""
    failure = situation.failure
    return failure if failure.kind is FailureKind.DTYPE else None


def mistake_about_size_or_pair(situation: Situation) -> Failure | None:
    """Give a known mistake about a size, a turned result, or known mistakes at once.

    Three mistakes that together give the same results are less likely than a single wrong step that does.
    """
    reason = situation.proved_or_known.reason
    if not reason.labels:
        return None
    if reason.about_size:
        facts = situation.context.code_facts(situation.function)
        if facts is not None and facts.has_global:
            # A size that was kept from an earlier call gives the same results as one that is written as a number.
            return None
    are_many = any(len(mistakes) > MOST_AT_ONCE for mistakes in reason.made)
    if are_many and not situation.wrong_task_called and situation.slip.reason.says:
        return situation.diagnosed(situation.slip)
    return situation.diagnosed(situation.proved_or_known)


def possible_mistakes(situation: Situation) -> Failure | None:
    """Tell mistakes without a label: several that answer alike, or one that explains some of the answers.

    One that explains all answers of this check is told without reserve.
    """
    if situation.mistake_here.labels:
        return situation.explained(situation.mistake_here)
    if situation.proved_or_known.reason.says:
        return situation.diagnosed(situation.proved_or_known)
    return None


# Sizes from outside the function


def sizes_from_outside(situation: Situation) -> Failure | None:
    """Name variables outside the function that replace sizes: set to each input's sizes, all cases are right."""
    facts = situation.facts
    if not facts.sizes or not situation.wrong_cases:
        return None
    submission = situation.context.submission
    proof = prove_outside_sizes(
        situation.wrong_cases, facts, submission.calls, submission.answers.restored
    )
    if not proof:
        return None
    failure = situation.failure
    says = _reads_outside(proof, situation.only_published_right)
    return replace(failure.after(says), misconceptions=(OUTSIDE,))


def sizes_from_outside_and_known_mistake(situation: Situation) -> Failure | None:
    """Name variables outside the function that replace sizes, if there is also a known mistake."""
    if not situation.facts.sizes or situation.proved_or_single.reason.says:
        return None
    diagnosis = situation.mistake_besides_sizes
    if not diagnosis.proof:
        return None
    outside = _reads_outside(diagnosis.proof, situation.only_published_right)
    reason = diagnosis.reason
    both = Reason(
        labels=(OUTSIDE, *reason.labels),
        says=f"{outside} {reason.says}",
        made=reason.made,
    )
    return situation.explained(both, diagnosis.form)


def mention_globals(situation: Situation) -> Failure | None:
    """Add two facts to the failure, and explain nothing: other sizes are wrong, and names come from outside."""
    names = situation.facts.globals_read
    if not situation.only_published_right or not names:
        return None
    listed = ", ".join(f"`{name}`" for name in names[:MOST_NAMES])
    if len(names) > MOST_NAMES:
        listed = say(
            "{names} and {count} more", names=listed, count=len(names) - MOST_NAMES
        )
    failure = situation.failure
    text = say(
        "{fact}, and it reads {listed} from outside.",
        fact=say(RIGHT_FOR_PUBLISHED),
        listed=listed,
    )
    situation.failure = failure.after(joined(text, say(TAKE_SIZES_FROM_SHAPES)))
    return None


def _reads_outside(proof: Proof, only_published_right: bool) -> str:
    """Say which names from outside the function stand for which sizes."""
    start = say("It reads")
    if only_published_right:
        start = say("{fact}: it reads", fact=say(RIGHT_FOR_PUBLISHED))
    return say(
        "{start} {names} from outside the function ({sizes}). {remedy}",
        start=start,
        names=f" {say('and')} ".join(f"`{size.name}`" for size in proof),
        sizes="; ".join(map(str, proof)),
        remedy=say(TAKE_SIZES_FROM_SHAPES),
    )


# What answers, further calls and the code show


def lost_axis_of_length_1(situation: Situation) -> Failure | None:
    """Say that right numbers come back without an axis of length 1, where such an axis is all that is missing."""
    if situation.failure.kind is not FailureKind.SHAPE or not situation.wrong_cases:
        return None
    for known in situation.wrong_cases:
        answer = situation.context.answer(known)
        if not answer.is_usable or not loses_axis_of_length_1(known, answer.value):
            return None
    return situation.explained(labelled("axis-squeezed", say(AXIS_OF_1_LOST)))


def relation_to_right_answer(situation: Situation) -> Failure | None:
    """Give a reason that the answers show without any known mistake, such as a constant factor."""
    if not situation.wrong_cases:
        return None
    reason = shown_by_answers(situation.context, situation.failed)
    if reason is None:
        return None
    # What tells little gives way to what tells more of the same results.
    tells = tells_of(reason)
    if tells is Tells.GROUPS and situation.dependence.says:
        reason = situation.dependence
    elif tells in (Tells.GROUPS, Tells.LITTLE) and situation.slip.reason.says:
        says = situation.slip.reason.says
        return situation.explained(replace(reason, says=says))

    # The place is added, with a question where the cause is not known.
    if _has_a_wrong_maximum(situation) or tells in (
        Tells.GROUPS,
        Tells.LITTLE,
        Tells.EFFECT,
    ):
        place = situation.repair
    elif tells is Tells.CAUSE:
        place = situation.place_to_change
    else:
        place = situation.likely_repair
    says = " ".join(filter(None, (reason.says, place, situation.first_nan)))
    return situation.explained(replace(reason, says=says))


def _has_a_wrong_maximum(situation: Situation) -> bool:
    """Return whether the numbers are not finite although the code takes a maximum, which should prevent that."""
    if situation.failure.kind is not FailureKind.NOT_FINITE:
        return False
    code = situation.context.code_facts(situation.function)
    return code is not None and code.has_maximum


def one_wrong_step(situation: Situation) -> Failure | None:
    """Say with which wrong step the solution gives the same results, where no known mistake does.

    Where the function calls a task that is wrong by itself, the step may be in that one.
    """
    if not situation.wrong_cases or situation.wrong_task_called:
        return None
    slip = situation.slip
    if not slip.reason.says:
        return None
    says = f"{slip.reason.says} {situation.place_to_change}".rstrip()
    return situation.explained(replace(slip.reason, says=says), slip.form)


def one_change(situation: Situation) -> Failure | None:
    """Name the line of the student's code in which one change sets everything right."""
    change = situation.repair
    if not change:
        return None
    reason = Reason(says=change)
    dependence = situation.dependence
    if dependence.says:
        reason = replace(dependence, says=f"{dependence.says} {change}")
    return situation.explained(reason)


def where_nan_arises(situation: Situation) -> Failure | None:
    """Name the line in which the first NaN arises."""
    says = situation.first_nan
    return situation.explained(Reason(says=says)) if says else None


def weights_at_forbidden_places(situation: Situation) -> Failure | None:
    """Say that the places which a mask forbids have other weights than 0."""
    says = forbidden_weights(situation.context, situation.wrong_cases)
    return situation.explained(Reason(says=says)) if says else None


def on_other_places(situation: Situation) -> Failure | None:
    """Name a row or column of the result that depends on what it should not depend on."""
    dependence = situation.dependence
    return situation.explained(dependence) if dependence.says else None


# What is right, and what is wrong besides


def right_for_published_sizes_only(situation: Situation) -> Failure | None:
    """Ask for a size written as a number: only the published sizes are right, and no name comes from outside."""
    if not situation.only_published_right or not situation.wrong_cases:
        return None
    if situation.failure.kind is not FailureKind.VALUES:
        return None
    if situation.facts.globals_read or situation.right_beyond_published_sizes:
        return None
    for known in situation.failed:
        if known.gradients is not None or known.is_structured:
            return None
    says = say(WRITTEN_AS_NUMBER)
    code = situation.context.code_facts(situation.function)
    if code is not None:
        says = _what_differs_from_published(situation, code)
        others = other_parts_are_right(situation)
        if not says and others is not None:
            return others
        says = says or say("{fact}.", fact=say(RIGHT_FOR_PUBLISHED))
    return situation.before_facts(says)


def _what_differs_from_published(situation: Situation, code: CodeFacts) -> str:
    """Quote a number in the student's code that stands for a size or an axis, or say what wrong inputs share."""
    context = situation.context
    right_cases = list(filter(context.is_right, context.cases_like(situation.first)))
    wrong_cases = situation.wrong_cases
    parameters = situation.facts.parameters
    places = list(code.sizes)
    if have_other_axes(wrong_cases, right_cases, parameters):
        places += code.axes
    if places:
        return say(
            "{fact}: is a size or an axis written as a number in `{place}`?",
            fact=say(RIGHT_FOR_PUBLISHED),
            place=places[0],
        )
    difference = what_differs(wrong_cases, right_cases, parameters)
    if not difference:
        return ""
    return say(
        "{fact}: it is wrong only where {difference}. Does your code allow for that?",
        fact=say(RIGHT_FOR_PUBLISHED),
        difference=difference,
    )


def other_parts_are_right(situation: Situation) -> Failure | None:
    """Name the returned parts that are right in all wrong cases, so that the search is for the others alone."""
    context = situation.context
    names = context.homework.task(situation.task).returns
    if situation.failure.kind is not FailureKind.VALUES or len(names) < 2:
        return None
    right_names = set(names)
    for known in situation.wrong_cases:
        right_names &= _right_parts(known, context.answer(known).value, names)
    if not situation.wrong_cases or not right_names:
        return None

    right_titles = []
    wrong_titles = []
    for name in names:
        if name in right_names:
            right_titles.append(title_of(name))
        else:
            wrong_titles.append(title_of(name))
    text = say(
        "Right in all cases: {right}. Look at the lines that make the rest: {wrong}.",
        right=", ".join(right_titles),
        wrong=", ".join(wrong_titles),
    )
    return situation.before_facts(text)


def _right_parts(known: KnownCase, value: Any, names: Sequence[str]) -> set[str]:
    """Return the names of the parts of an answer that are right."""
    if known.is_structured or not isinstance(known.expected, tuple | list):
        return set()
    parts = split(value, known.expected)
    if parts is None or len(parts) != len(names):
        return set()
    right_names = set()
    for name, part, expected in zip(names, parts, known.expected, strict=True):
        if deviation(part, expected) <= known.tolerance:
            right_names.add(name)
    return right_names


def sizes_of_wrong_axes(situation: Situation) -> Failure | None:
    """Name the sizes that the axes of a wrong shape have, and should have."""
    failure = situation.failure
    if failure.kind is not FailureKind.SHAPE or failure.misconceptions:
        return None
    # Where only axes of length 1 differ, or two are to be merged, the comparison has said so.
    if ". " in failure.student:
        return None
    context = situation.context
    answers = {}
    wrong_cases = []
    for known in context.cases_like(situation.first):
        answers[known] = context.answer(known)
        if answers[known].is_usable and not context.is_right(known):
            wrong_cases.append(known)
    if not wrong_cases:
        return None
    text = describe_axes(answers, wrong_cases, situation.facts.parameters)
    return situation.with_fact(text) if text else None


EXPLANATIONS: Sequence[Callable[[Situation], Failure | None]] = (
    # What another check has found is the reason here as well.
    raised_in_another_task,
    changed_by_a_helper,
    nan_of_a_wrong_task,
    # Whatever else is found is a chance where results depend on what was in memory, or on the calls before.
    reads_unset_memory,
    keeps_something,
    proved_or_known_mistake,
    wrong_dtype,
    # A known mistake about a size gives way to the outside name that fixes the size, where that is proved.
    sizes_from_outside,
    sizes_from_outside_and_known_mistake,
    mention_globals,
    mistake_about_size_or_pair,
    lost_axis_of_length_1,
    relation_to_right_answer,
    one_wrong_step,
    one_change,
    calls_a_wrong_task,
    raised_in_a_right_task,
    possible_mistakes,
    where_nan_arises,
    weights_at_forbidden_places,
    on_other_places,
    right_for_published_sizes_only,
    other_parts_are_right,
    sizes_of_wrong_axes,
)
"""All explanations, the most certain and most specific first.

``mention_globals`` explains nothing, but adds facts to the failure that the later ones explain.
"""
