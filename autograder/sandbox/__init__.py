"""The trusted side of the wall: worker processes of an isolation level, requests to them, reports from them.

A report was written by untrusted code; it has been parsed, checked for its types and counted, and nothing more.
Expected values never enter this package.
"""
