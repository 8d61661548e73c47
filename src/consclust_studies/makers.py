"""Which versions of packages made the labels behind some scores, job by job where they differ."""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple, Self

from consclust_studies.stamps import Stamp


class Maker(NamedTuple):
    """What some jobs were made with."""

    jobs: tuple[str, ...]
    """As "case: method", sorted; with its block of subsets where a sample of each block confirmed the labels."""
    stamp: Stamp


class Makers(tuple[Maker, ...]):
    """All that made the labels behind some scores; each job is in one of them, or in several if its blocks differ."""

    @classmethod
    def of(cls, stamps: Iterable[tuple[str, Stamp]]) -> Self:
        """Return the makers of jobs; ``stamps`` are pairs of a job and the stamp of one of its files."""
        jobs: dict[str, set[str]] = {}
        known: dict[str, Stamp] = {}
        for job, stamp in stamps:
            text = stamp.model_copy(update={"inputs": ""}).json_text
            jobs.setdefault(text, set()).add(job)
            known[text] = stamp.model_copy(update={"inputs": ""})
        return cls(Maker(tuple(sorted(jobs[text])), known[text]) for text in sorted(jobs))

    @classmethod
    def joined(cls, texts: Iterable[str]) -> Self:
        """Return the makers in some JSON texts together."""
        pairs: list[tuple[str, Stamp]] = []
        for text in texts:
            for maker in json.loads(text):
                stamp = Stamp.model_validate(maker["stamp"])
                pairs += [(job, stamp) for job in maker["jobs"]]
        return cls.of(pairs)

    @property
    def confirmed(self) -> dict[str, int]:
        """How many fits of labels of other code were made again, of how many, in how many jobs; empty if none."""
        found = [maker.stamp.confirmed for maker in self if maker.stamp.confirmed for _ in maker.jobs]
        if not found:
            return {}
        return {"jobs": len(found), "fits": sum(one.fits for one in found), "of": sum(one.of for one in found)}

    @property
    def json_text(self) -> str:
        """The makers as JSON."""
        return json.dumps(self.records)

    @property
    def records(self) -> list[dict[str, Any]]:
        """The makers as plain data."""
        return [{"jobs": list(maker.jobs), "stamp": maker.stamp.model_dump(exclude_defaults=True)} for maker in self]
