"""Read what people hand in, in folders, zips and downloads; decide for which homework a file is, and whose.

Everything here is read as data, under limits of size, number and depth. No code of a submission is run, and
no particular homework is known: stub names and task names are given by the caller.

In the order of reading: ``submission`` (the records), ``files`` and ``zips`` (from a path to bytes) under the
limits of ``limits``, ``text`` and ``notebook`` (from bytes to source), ``matching`` (which file is for which
homework) with ``naming`` (file names) and ``handed_out`` (what students received); then ``download`` (the items of
a class's download) and ``roster`` (whose a submission is). Platforms that schools have added import from
``csv_table``.
"""
