"""Reading what students hand in: which submissions there are, what is in them, which homework each file is.

In this room: folders, zips, downloads of learning platforms, text encodings, notebooks, and names that are
only nearly right, as plain data.
Not in this room: running or importing a student's code, torch, points, and the particulars of a homework
(stub names and task names are given by the caller). Nothing is unpacked to disk.
"""
