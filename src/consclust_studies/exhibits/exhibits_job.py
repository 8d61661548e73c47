"""The job of some exhibits: all tables of a report, or one figure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from consclust import methods
from consclust.errors import InputError
from consclust.files import RERUN
from consclust_studies.code import Code, full_name, merge_options
from consclust_studies.config.exhibit import Exhibit
from consclust_studies.config.study import PlannedStudy
from consclust_studies.contents import marks_of
from consclust_studies.exhibits import stored
from consclust_studies.job_files import Files
from consclust_studies.results.source import Item, Source, find_fit_parameters
from consclust_studies.specs import Spec, digest

OF_PROJECT = ("published", "discussion")
"""Roles of items that no job makes: files of the project, under version control."""


class ExhibitError(Exception):
    """An exhibit broke where it should not; the message names it."""


class ExhibitJob(Spec):
    """What the exhibits of a job depend on: all tables of a report, or one figure."""

    kind: ClassVar = "exhibits"

    study: PlannedStudy
    """:func:`reduce_to_exhibits` the study, with no other exhibits but those that count for its claims."""
    items: dict[str, tuple[Item, ...]]
    """What each exhibit reads that the job makes."""
    seed: int | None = None
    templates: str = ""
    """Digest of the templates that tables are written with."""

    def shown_as(self, exhibit: Exhibit) -> Exhibit:
        """Return an exhibit under its heading: where the data are not the paper's, a table is after the paper's."""
        after = self.study.other_data and exhibit.title.startswith("Table")
        return exhibit.model_copy(update={"title": f"After {exhibit.title}"}) if after else exhibit

    def code_behind(self) -> Code:
        """Return the exhibits, what they fit anew, and what writes them."""
        options: dict[str, dict[str, tuple[Any, ...]]] = {}
        for exhibit in self.study.exhibits:
            for case_id, method_id in exhibit.needs(self.study).fits:
                cls = methods.load(self.study.method(method_id).method)
                given = find_fit_parameters(self.study, self.study.case(case_id), method_id)
                values = {name: (value,) for name, value in given.items()}
                merge_options(options.setdefault(full_name(cls), {}), values)
        made = dict.fromkeys(type(exhibit) for exhibit in self.study.exhibits if exhibit.id in self.items)
        asked = dict.fromkeys(type(self.study.exhibit(name)) for name in self.study.list_exhibits_of_claims())
        # the job calls methods of exhibits of kinds that its code does not name
        entries = [full_name(named) for kind in made for named in (kind, kind.build)]
        entries += [full_name(named) for kind in asked for named in (kind, kind.count_for_claim)]
        frame = ("consclust_studies.exhibits.stored.write_shown", "consclust_studies.results.source.Source")
        return Code((*frame, *dict.fromkeys(entries), *options), options)


def in_order(items: Iterable[Item]) -> list[Item]:
    """Return items in the order of their files in a job, each once."""
    return sorted(dict.fromkeys(items), key=lambda item: (item.role, item.key))


def reduce_to_exhibits(study: PlannedStudy, exhibits: Sequence[Exhibit]) -> PlannedStudy:
    """Return the study with what exhibits can depend on: no others, no title, the ledger only if one reads it."""
    elsewhere = {"title": "-", "summary": "-", "discussion": False, "run_id": "", "restriction": "", "left_out": ()}
    elsewhere |= {"items_left_out": (), "claims_left_out": 0}
    reads = any(exhibit.needs(study).claims for exhibit in exhibits)
    unread: dict[str, object] = {} if reads else {"claims": (), "ledger": (), "sections": {}, "lacking": {}}
    asked = study.list_exhibits_of_claims() if reads else []
    made = {exhibit.id for exhibit in exhibits}
    others = [study.exhibit(name) for name in asked if name not in made]
    return study.model_copy(update={**elsewhere, **unread, "exhibits": (*exhibits, *others)})


def given_files(items: Iterable[Item], files: Files) -> list[tuple[Item, Path]]:
    """Return the files of items, each beside its item.

    The inputs of a job are named by the roles of its items. Those of a role are in the order of the items, ``counts``
    in the arguments says how many each item has. InputError for a file of the project that has changed since the plan.
    """
    counts: Mapping[str, Sequence[int]] = files.arguments["counts"]
    waiting = {role: list(files.several(role)) for role in counts}
    found: list[tuple[Item, Path]] = []
    places = dict.fromkeys(counts, 0)
    for item in items:
        role = item.role
        count = counts[role][places[role]]
        places[role] += 1
        own = waiting[role][:count]
        del waiting[role][:count]
        if len(own) != count:
            raise InputError(f"{role}: {len(own)} files given, {count} planned for {item.key or role}; {RERUN}")
        found += [(item, path) for path in own]
    for item, path in found:
        if item.role in OF_PROJECT and digest(path.read_bytes()) != item.spec:
            raise InputError(f"{path}: not the file that this job was planned for; {RERUN}")
    return found


def run(job: ExhibitJob, files: Files) -> str:
    """Build the exhibits and write their files; return their ids."""
    items = in_order(item for items in job.items.values() for item in items)
    given = given_files(items, files)
    whole = Source(job.study, given, job.seed)
    out = [path for paths in files.outputs.values() for path in paths]
    marks = marks_of(job.json_text, files.stamp)
    for exhibit in map(job.study.exhibit, job.items):
        own = {*job.items[exhibit.id]}
        own_files = [pair for pair in given if pair[0] in own]
        source = replace(whole, study=reduce_to_exhibits(job.study, [exhibit]), files=own_files)
        own_out = {path.suffix: path for path in out if path.stem == exhibit.id}
        try:
            stored.write_shown(job.shown_as(exhibit), exhibit.build(source), marks, own_out)
        except InputError:
            raise
        except Exception as error:
            raise ExhibitError(f"exhibit {exhibit.id}: {type(error).__name__}: {error}") from error
    return ", ".join(job.items)
