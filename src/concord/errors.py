"""The two failures that are expected: bad input, and a method that cannot give an answer."""


class InputError(Exception):
    """Something the user gave is wrong; the message is one line per mistake and names the remedy."""


class ConsensusFailure(ValueError):
    """A consensus method cannot give an answer for this ensemble.

    The workflow records it with its reason and prints "-" with a footnote; it never becomes labels.
    """
