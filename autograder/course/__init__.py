"""The parts of a course: its homeworks with their tasks, questions, input cases and stubs, as records.

It reads ``solutions/<homework>/``; it runs no solution and judges no answer.

In the order of reading: ``homework`` (the records), ``calls`` and ``arguments`` (what a submission is asked to
do), ``cases`` (calls with the rules by which answers are judged), ``stub`` (what students receive); then
``course``, which reads the files of a course by the types of ``schema`` and ``questions`` (with ``answer_form``),
and ``course_files``, which runs its modules. ``statements`` cuts source into statements, and ``attention_inputs``
is for ``cases.py`` of homeworks on attention.
"""

from autograder.course.arguments import function, generator, tensor
from autograder.course.calls import (
    FunctionCall,
    ModuleCall,
    PassThroughCall,
    object_call,
)
from autograder.course.cases import Case, Group, function_case
from autograder.course.homework import CourseError, Homework, Task

__all__ = [
    "Case",
    "CourseError",
    "FunctionCall",
    "Group",
    "Homework",
    "ModuleCall",
    "PassThroughCall",
    "Task",
    "function",
    "function_case",
    "generator",
    "object_call",
    "tensor",
]
