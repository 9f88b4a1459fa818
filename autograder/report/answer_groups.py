"""The groups of a class's wrong answers as the staff reads them: what members share, and how they wrote it."""

from __future__ import annotations

import ast
import contextlib
import re
from collections import Counter
from collections.abc import Collection

from autograder.course.statements import text_of
from autograder.gradebook.groups import AnswerGroup, Groups
from autograder.verdict.results import most_fundamental

MEMBERS_SEARCHED = 40
"""Examples are taken from so many members of a group."""
MOST_EXAMPLES = 3
"""And so many are shown."""


def groups_of(groups: Groups, homeworks: Collection[str] = ()) -> list[AnswerGroup]:
    """Return the groups that have members, in these homeworks or (none given) in all, the largest first.

    A group has the labels that more than half of its members have.
    """
    tasks = groups.tasks()
    labels_of_group = groups.labels()
    answer_groups = []
    for group, names in groups.members().items():
        homework, task = tasks[group]
        if homeworks and homework not in homeworks:
            continue
        labels_of_member = labels_of_group.get(group, {})
        counts = Counter[str]()
        for labels in labels_of_member.values():
            counts.update(sorted(labels))
        shared = []
        for label, count in counts.most_common():
            if 2 * count > len(names):
                shared.append(label)

        # The representative has all labels that are shared, if somebody has.
        representative = names[0]
        for name in names:
            if labels_of_member.get(name, set()) >= set(shared):
                representative = name
                break
        task_checks = []
        for check in groups.result(representative, homework).checks:
            if check.task == task:
                task_checks.append(check)
        first = most_fundamental(task_checks)
        answer_groups.append(
            AnswerGroup(
                id=group,
                homework=homework,
                task=task,
                submissions=tuple(names),
                misconceptions=tuple(shared),
                reason=first.reason if first else "",
                representative=representative,
            )
        )
    return sorted(answer_groups, key=lambda group: (-group.size, group.id))


def examples_of(group: AnswerGroup, groups: Groups) -> list[tuple[str, str]]:
    """Return how members wrote the task, each with the submission's name: the typical one, then others.

    Code that is the same but for its spaces is shown once; a task that is nowhere defined is shown nowhere.
    """
    examples: dict[str, tuple[str, str]] = {}
    names = [group.representative, *group.submissions[:MEMBERS_SEARCHED]]
    for name in dict.fromkeys(names):
        if len(examples) == MOST_EXAMPLES:
            break
        work = groups.work(name, group.homework)
        if work is None:
            continue
        code = function_in(work.source, group.task)
        if code:
            examples.setdefault(" ".join(code.split()), (name, code))
    return list(examples.values())


def function_in(source: str, name: str) -> str:
    """Return the last definition of a function or class in a file, or in cells each of which is Python."""
    code = ""
    for cell in re.split(r"^# In \[\d+\]$", source, flags=re.MULTILINE):
        text = re.sub(r"^[%!].*$", "", cell, flags=re.MULTILINE)  # a notebook's magics
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            for node in ast.parse(text).body:
                if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                    continue
                if node.name != name:
                    continue
                code = text_of(text, node)
    return code
