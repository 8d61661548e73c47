"""Which versions made the results that are there, and whether they are to be made anew."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from consclust.errors import InputError
from consclust.report.wording import count
from consclust_studies.contents import WITH_MARKS, Marks, read_marks
from consclust_studies.kinds import KINDS
from consclust_studies.plan.jobs import PlannedJob
from consclust_studies.plan.plan import Plan
from consclust_studies.specs import differ_in_code_alone, without_inputs
from consclust_studies.stamps import Stamp, installed_versions


class Made:
    """The versions behind the results of a plan.

    An upgrade of a package makes nothing anew by itself. What other versions made is counted and named when a run
    begins, and is made anew with ``--config versions=rerun``.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.now = Stamp(versions=dict(installed_versions()), inputs="")

    def find_versions(self, job: PlannedJob) -> str:
        """Return the digest of the versions that made the output of a job, or that will make it.

        It is a param of the rule, so that Snakemake repeats a job for which it changes: it does where the installed
        versions are to count.
        """
        stored = self.find_marks(job)
        if self.plan.settings.versions == "rerun" or stored is None or not self.is_for(job, stored):
            return self.now.versions_digest
        return stored.stamp.versions_digest

    def is_for(self, job: PlannedJob, stored: Marks) -> bool:
        """Whether what is stored was made for the spec of a job, whatever its inputs came from."""
        planned = job.spec.json_text
        if without_inputs(stored.spec) == without_inputs(planned):
            return True
        is_confirmed = self.plan.settings.confirms and KINDS[job.kind].is_sampled
        return is_confirmed and differ_in_code_alone(stored.spec, planned)

    def find_marks(self, job: PlannedJob) -> Marks | None:
        """Return spec and stamp of the output of a job; None if there is none."""
        files = [Path(path) for paths in job.outputs.values() for path in paths]
        with_marks = [path for path in files if path.suffix in WITH_MARKS]
        for path in sorted(with_marks, key=lambda path: WITH_MARKS.index(path.suffix)):
            if path.is_file():
                return _read_once(path, path.stat().st_mtime_ns)
        return None

    def describe_other_versions(self, run: str) -> Iterator[str]:
        """Yield lines on the results of a run that other versions made."""
        others: Counter[str] = Counter()
        for job in self.plan.list_jobs(run):
            if not KINDS[job.kind].keeps_results:
                continue
            stored = self.find_marks(job)
            if stored and self.is_for(job, stored) and stored.stamp.versions_digest != self.now.versions_digest:
                others[describe_difference(stored.stamp, self.now)] += 1
        if not others:
            return
        again = self.plan.settings.versions == "rerun"
        what = "are made anew" if again else "are kept; --config versions=rerun makes them anew"
        yield f"{run}: {count(others.total(), 'result')} of other versions {what}"
        for difference, number in others.most_common():
            yield f"  {count(number, 'result')} made with {difference}"


def describe_difference(made: Stamp, now: Stamp) -> str:
    """Say which versions differ: "scikit-learn 1.9.1 (now 9.9.9)"."""
    names = sorted({*made.versions, *now.versions})
    differing = [name for name in names if made.versions.get(name) != now.versions.get(name)]
    none = "none"
    words = [f"{name} {made.versions.get(name, none)} (now {now.versions.get(name, none)})" for name in differing]
    return ", ".join(words)


@cache
def _read_once(path: Path, mtime_ns: int) -> Marks | None:
    try:
        return read_marks(path)
    except InputError:
        return None
