"""What a course is: its homeworks with their tasks, questions, input cases and stubs, as records.

It reads ``solutions/<homework>/``; it runs no solution and judges no answer.
"""

from typing import TYPE_CHECKING

from autograder.faces import on_demand

if TYPE_CHECKING:
    from .cases import (
        ANSWERS_READ,
        CASES,
        NAMES_READ,
        STORED_SEED,
        Call,
        Case,
        FunctionCall,
        Group,
        ModuleCall,
        PassThroughCall,
        ReboundCall,
        ValueRead,
        errors_named,
        fresh_cases,
        load_module,
        place_of,
        read_call,
        stored_cases,
        tensor,
    )
    from .course import EXAMPLE, MASTER, PACKAGE_HOME, PICTURE, TELLING, Course, find_course, id_named
    from .homework import (
        ANSWERS,
        DRILL,
        EXAMPLES,
        LIBRARIES,
        THEORY,
        AnswerForm,
        CourseError,
        Homework,
        Task,
        by_number,
    )
    from .questions import Choice, Numeric, Question, Written
    from .schema import Amount, Count, Record, Text, Texts, parse_toml, read_json, read_toml, typed, wrong
    from .stub import BEGIN, END, PLACEHOLDER, given_texts, is_untouched, notebook_name, stub_text
else:
    __getattr__ = on_demand(__name__)
