"""The student's side of the trust boundary: everything that runs in the process of a submission.

The worker reads a request, loads a submission from memory, makes the calls and packs the answers. It imports no
other package of ``autograder``, because those cannot be read where it runs. The trusted side imports from here
only what both sides share, such as the wire format; so do the checks on students' machines.

In the order in which a submission passes through them:

- ``wire``: the format of requests and answers; ``composites``: values of it that are not only arrays.
- ``zygote``: the warm process that forks for each run, and the messages between it and the grader. ``confine``,
  ``filter`` and ``limits`` lock the fork in, layer by layer (``layers``). (``__main__`` starts it, or a process
  for one run.)
- ``runner``: one request from its first byte to the last of its answer.
- ``load``: runs the code, in the surroundings of ``inert`` (modules that do nothing here), ``scratch`` (files in
  memory) and ``one_entry`` (arrays of one number); ``places``: its file names; ``errors``: its exceptions.
- ``calls``: makes the calls. Of a torch module, ``parameters`` loads the given weights, and ``training`` and
  ``probes`` look at what it learns and uses; ``steps`` uses an object step by step.

The rest is for reasons alone: ``alterations`` (the code is altered while a call is made) and the package ``facts``.
"""
