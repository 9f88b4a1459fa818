"""Slow tests of the same subject as ``test_audit``, for CI and `make test WHOLE=1`.

That the homeworks of the kit keep all promises is said by the audit itself, in `make check`.
"""

from autograder.authoring.audit import audit_course


def test_sandboxes_and_threads_of_its_own_make_no_difference(audited):
    tiny = audited.tiny
    assert audit_course(tiny.course, [tiny.homework], 2, audited.heard.append) == audited.audit()
