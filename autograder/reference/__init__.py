"""Expected outputs: running reference solutions, storing what they return, reading and verifying the store.

In this room: everything that may see a reference solution or a stored answer as a whole.
Not in this room: submissions. Reference code is run by the same workers as theirs, in another process.
"""
