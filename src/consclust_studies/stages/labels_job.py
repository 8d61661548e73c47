"""The jobs on a label matrix in pieces: the profiles of each piece, all of them merged, and their consensus."""

from pydantic import Field

from consclust_studies.specs import Spec


class ProfilesJob(Spec):
    """What the profiles of a piece depend on beside its file."""

    code: str = ""


class MergeJob(Spec):
    """What the profiles of the whole matrix depend on."""

    pieces: tuple[str, ...] = Field(description="their names, in the order of the inputs")
    profiles: str = Field(description="digest of the spec of their profiles")
    code: str = ""


class LabelsJob(Spec):
    """What the consensus of a label matrix depends on."""

    matrix: str = Field(description="its name, which with the method names the random stream")
    merged: str = Field(description="digest of the spec of the merged profiles")
    method: str
    n_clusters: int
    seed: int
    code: str = ""
