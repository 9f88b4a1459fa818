from autograder.sandbox.report import Status


def test_the_names_are_those_of_the_results_format_and_the_most_urgent_comes_last():
    assert [str(status) for status in Status] == [
        "graded",
        "not_submitted",
        "import_failed",
        "invalid_answer",
        "crashed",
        "memory_limit",
        "time_limit",
        "infrastructure_error",
    ]


def test_only_one_status_is_our_fault():
    assert [status for status in Status if status.is_our_fault] == [Status.INFRASTRUCTURE_ERROR]
