"""Read what people hand in, in folders, zips and downloads; decide for which homework a file is, and whose.

Everything here is read as data, under limits of size, number and depth. No code of a submission is run, and
no particular homework is known: stub names and task names are given by the caller.
"""
