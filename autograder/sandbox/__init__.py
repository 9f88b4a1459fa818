"""The trusted side of the trust boundary: worker processes of an isolation level, requests to them, their reports.

A report was written by untrusted code; it has been parsed, checked for its types and counted, and nothing more.
Expected values never enter this package.

In the order of reading: ``request`` (what is sent), ``report`` (what comes back), ``claims`` (which of it may be
shown), ``pool`` (the sandboxes of one grading thread), ``warm`` (a process that forks for each run); then
``levels`` and ``isolation`` (which protections hold on this machine), and ``cold`` (a new process for each run, on
systems other than Linux).
"""
