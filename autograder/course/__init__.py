"""The parts of a course: its homeworks with their tasks, questions, input cases and stubs, as records.

It reads ``solutions/<homework>/``; it runs no solution and judges no answer.
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
