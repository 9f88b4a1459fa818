"""The command line: one file per command, each a thin layer that reads options and shows results.

In this room: options, help texts, progress, tables, exit codes.
Not in this room: anything that another program would want to call; that lies in the rooms to the left.
"""
