"""The trusted side of the wall: starting workers, sending requests, reading answers, naming what happened.

In this room: warm and cold sandboxes, the pool that keeps them alive, and the report of one run.
Not in this room: expected values, checks and grades. What comes out of here is untrusted data that has
been parsed and shaped, nothing more.
"""
