"""The code behind a job, found in the sources without running them.

=============  =====================================================================================================
``sources``    modules, their definitions, and what a name stands for
``classes``    bases, members and fields of classes
``outside``    the list of what never counts, by name
``prepare``    a definition without messages and annotations, its local names unique
``values``     sets of constants that an expression can be
``prune``      which branches and statements of a definition remain, given these values
``write``      what remains as a text without names
``reach``      all definitions that a job enters, by repetition until nothing changes
=============  =====================================================================================================
"""
