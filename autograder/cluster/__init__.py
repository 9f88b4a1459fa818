"""The cluster: grading on the workers of a Dask scheduler that somebody else runs.

In this room: the course as a parcel, what a worker must be like, handing entries out and taking results in.
Not in this room: the gradebook, which only the driver's command writes, and how one entry is graded.
Only ``member`` and ``driver`` import Dask, and they are imported when a scheduler is named.
"""
