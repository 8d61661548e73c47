"""One sample for all blocks of a method on a case whose fits take long.

The first block that is confirmed draws the sample and writes it down; the others read it. A fit of the sample is made
again once, by whichever block comes to it first, and its outcome is written down too. Each block goes through the whole
sample before it takes its labels over, so none does where a fit of another one differs.
"""

import fcntl
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, Self

from consclust.errors import InputError
from consclust.files import read_record, write_record
from consclust.seeds import generator
from consclust_studies import job_files
from consclust_studies.contents import read_marks
from consclust_studies.kept_blocks import Fit, KeptBlock, draw_share, read_seconds
from consclust_studies.specs import digest
from consclust_studies.stages.consensus import ConsensusJob
from consclust_studies.stamps import Stamp

Repeats = Callable[[KeptBlock, Fit], bool]
"""Whether a fit of a block, made again, is the same."""


class Member(NamedTuple):
    """A fit of the sample, and the block that has it."""

    block: str
    fit: Fit


class SharedSample:
    """A sample of the fits of several blocks.

    Parameters
    ----------
    name : str
        Digest of what the sample is for: the specs before and after, the inputs and the versions.
    own : KeptBlock
        The block that is confirmed.
    contents : mapping
        Digest of the labels of each block.
    members : sequence of Member
        The sample.
    of : int
        Fits of all blocks.
    """

    def __init__(
        self, name: str, own: KeptBlock, contents: Mapping[str, str], members: Sequence[Member], of: int
    ) -> None:
        self.members = members
        self.of = of
        self._name = name
        self._own = own
        self._contents = contents

    @classmethod
    def find(cls, job: ConsensusJob, stamp: Stamp, own: KeptBlock, share: float) -> Self:
        """Return the sample that another block wrote down; draw it if none did, or with other labels of this block.

        It takes a ``share`` of the seconds of all blocks.
        """
        before = str(own.arrays["spec"])
        name = digest(json.dumps([before, job.json_text, stamp.inputs, stamp.versions_digest]))
        path = job_files.FOLDER / f"sample-{name}.json"
        with lock(path):
            with suppress(InputError):
                kept = read_record(path)
                if kept["blocks"].get(own.word) == own.content:
                    members = [Member(block, Fit(*one)) for block, *one in kept["members"]]
                    return cls(name, own, kept["blocks"], members, kept["of"])
            blocks = list_alike(own, before, stamp)
            contents = {block.word: block.content for block in blocks}
            seconds = {
                Member(block.word, one): read_seconds(block.runtime, one)
                for block in blocks
                for one in block.list_fits()
            }
            stream = generator(job.seed, "confirm", job.study, job.case, job.method_id, "all blocks")
            members = draw_share(seconds, share, stream)
            written = [[member.block, *member.fit] for member in members]
            write_record(path, {"blocks": contents, "members": written, "of": len(seconds)})
        return cls(name, own, contents, members, len(seconds))

    def agrees(self, repeats: Repeats) -> bool:
        """Whether all fits of the sample are the same when they are made again; each is made once for all blocks."""
        # blocks at work at the same time begin at different places
        place = sorted(self._contents).index(self._own.word) * len(self.members) // len(self._contents)
        return all(self._agrees(member, repeats) for member in [*self.members[place:], *self.members[:place]])

    def list_fits_of(self, block: KeptBlock) -> list[Fit]:
        """Return the fits of the sample that a block has."""
        return [member.fit for member in self.members if member.block == block.word]

    def _agrees(self, member: Member, repeats: Repeats) -> bool:
        content = self._contents[member.block]
        name = digest(json.dumps([self._name, content, *member.fit]))
        path = job_files.FOLDER / f"sampled-{name}.json"
        with lock(path):
            with suppress(InputError):
                return bool(read_record(path)["is_same"])
            block = self._own if member.block == self._own.word else self._own.get_other(member.block)
            # a block that has been fitted again since then had differed
            is_same = block.content == content and repeats(block, member.fit)
            write_record(path, {"is_same": is_same})
        return is_same


def list_alike(own: KeptBlock, spec: str, stamp: Stamp) -> list[KeptBlock]:
    """Return a block and the others beside it that were made for the same spec, from inputs of the same content."""
    found = []
    for path in sorted(own.labels.parent.glob("*.npz")):
        block = own if path == own.labels else own.get_other(path.stem)
        marks = read_marks(path)
        if marks and marks.spec == spec and marks.stamp.inputs == stamp.inputs:
            found.append(block)
    return found


@contextmanager
def lock(path: Path) -> Iterator[None]:
    """Let one process at a time make a file; in a file system without locks several may, and write the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as handle:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
