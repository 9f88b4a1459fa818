"""Handouts: their text, worked examples with numbers of the reference solution, pictures, and pages.

In this room: filling in ``handout.md``, running ``example.py``, drawing as SVG, turning Markdown into HTML.
Not in this room: anything about a particular homework, hidden cases and stored answers; students read all
that is written here.
"""
