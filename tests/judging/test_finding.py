from autograder.verdict.failure import Failure, FailureKind


def test_the_kinds_stand_in_the_order_of_comparison():
    order = [
        FailureKind.NOT_DEFINED,
        FailureKind.RAISED,
        FailureKind.ARITY,
        FailureKind.SHAPE,
        FailureKind.DTYPE,
        FailureKind.NOT_FINITE,
        FailureKind.VALUES,
    ]
    assert [kind for kind in FailureKind if kind in order] == order


def test_a_finding_has_nothing_for_the_staff_and_no_label_unless_given():
    finding = Failure(FailureKind.VALUES, "wrong")
    assert (finding.staff, finding.misconceptions) == ("", ())
