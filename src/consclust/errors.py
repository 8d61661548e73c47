"""The failures that are expected: bad input, a method that cannot give an answer, and too little memory."""


class InputError(Exception):
    """Something the user gave is wrong; the message is one line per mistake and names the remedy."""


class ConsensusFailure(ValueError):
    """A consensus method cannot give an answer for this ensemble.

    The workflow records it with its reason and prints "-" with a footnote; it never becomes labels.
    """


class MemoryNeeded(MemoryError):
    """A fit needs more memory than there is; found before it starts. The message has n, n' and both numbers of bytes.

    This is no answer of the method, as a ConsensusFailure is: on another machine there may be one. It stops a job.
    """


class MissingLabelsWarning(UserWarning):
    """Missing labels leave so many pairs of objects without a common clustering that an answer says less than usual."""
