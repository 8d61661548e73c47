"""What the report shows of a diagnosis: a function for each table and picture, in the chapters of the report."""

# pandas is imported where needed, so that what does without it starts faster

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from consclust import diagnostics, plot
from consclust.diagnostics import describe_recommendation
from consclust.diagnostics.criteria import CRITERIA
from consclust.diagnostics.trust import known_mean
from consclust.ensemble import MISSING, FloatArray, IntArray
from consclust.known_classes import KnownClasses
from consclust.report.blocks import Cell, Shown, Table, listed
from consclust.report.diagnosis import Diagnosis, Settings
from consclust.report.wording import DASH, conjunction, count, numbers, paragraph, score, spanned

MOST = 20
"""Objects in the table of those that the clusterings disagree on; the CSV has all."""
FEW = 3
"""Objects that are named of a cluster."""


def clusters(found: Diagnosis) -> Shown:
    """Return a row for each cluster of the consensus."""
    import pandas as pd

    each = diagnostics.cluster_consensus(found.items, found.labels)
    rows = []
    for cluster in range(found.items.shape[1]):
        members = np.flatnonzero(found.labels == cluster)
        typical = members[np.argsort(-found.items[members, cluster], kind="stable")[:FEW]]
        means = known_mean(found.silhouette[members]), known_mean(found.stays.share[members])
        rows.append((cluster, len(members), each[cluster], *means, ", ".join(map(str, found.ids[typical]))))
    frame = pd.DataFrame(
        rows, columns=["cluster", "objects", "cluster_consensus", "silhouette", "stability", "most_typical"]
    )
    caption = (
        "Cluster consensus: mean consensus value of the pairs of objects in the cluster. The consensus value of two "
        "objects is the share of the base clusterings with both that join them. Silhouette: mean over the objects, on "
        "1 less the consensus value. Stability: mean share of the bootstrap ensembles that leave an object in its "
        f"cluster. Most typical: the {FEW} objects with the largest mean consensus value with the others."
    )
    columns = "cluster, objects, cluster_consensus, silhouette, stability, most_typical"
    table = listed("Clusters", frame, columns)
    return Shown(frame, (table,), paragraph(caption, _describe_drawn(found), found.no_stability))


def _describe_drawn(found: Diagnosis) -> str:
    """Say of how many objects the stability is known, if not of all."""
    return _describe_sample(found.settings.samples.of_trust, found, "The stability is that")


def _describe_sample(some: IntArray | None, found: Diagnosis, what: str) -> str:
    """Say that something is of a sample of the objects; empty if it is of all."""
    if some is None:
        return ""
    return f"{what} of {len(some):,} of the {found.ensemble.n_objects:,} objects, drawn at random."


def matrix(found: Diagnosis) -> Shown:
    """Return the consensus values, ordered by the consensus."""
    import pandas as pd

    names, sizes = np.unique(found.labels, return_counts=True)
    of_clusters = np.column_stack([_known_means(found.items[found.labels == name]) for name in names]).T
    frame = pd.DataFrame(of_clusters, columns=[f"cluster_{name}" for name in names])
    frame.insert(0, "objects", sizes)
    frame.insert(0, "cluster", names)
    at_left = "which the strip at the left shows."
    if found.classes is not None:
        at_left = "which the lines separate. The strip at the left shows the known classes."
    caption = paragraph(
        f"Consensus values (co-association) of the objects, ordered by their clusters, {at_left}",
        "The better the base clusterings agree on the clusters, the brighter are the blocks and the darker is the "
        "rest. The CSV has the means over clusters.",
        found.ensemble.has_missing and "Grey: pairs that no base clustering contains.",
    )
    picture = plot.coassociation(found.ensemble, found.labels, strip=_name_classes(found)).figure
    return Shown(frame, caption=caption, picture=picture)


def _name_classes(found: Diagnosis) -> npt.NDArray[np.str_] | None:
    """Return the known class of each object for a picture, shape (n,); None without known classes."""
    if found.classes is None:
        return None
    return np.where(found.classes.is_known, found.classes.names, "unknown")


def _known_means(rows: FloatArray) -> FloatArray:
    """Return the means of the columns without NaN; NaN where there is nothing else."""
    return np.array([known_mean(column) for column in rows.T])


def criteria(found: Diagnosis) -> Shown:
    """Return the values of the criteria at each k, the choice of each in bold, and the recommended k marked."""
    table, names = found.criteria, list(found.criteria["criterion"].unique())
    at = {
        (row.criterion, row.k): Cell(text="chosen" if row.chosen and row.k == 1 else score(row.value), bold=row.chosen)
        for row in table.itertuples()
    }
    recommended = set(table.loc[table["recommended"], "k"])
    heads = {k: Cell(text=f"{k} (recommended)" if k in recommended else f"{k}") for k in sorted(table["k"].unique())}
    rows = tuple((head, *(at[name, k] for name in names)) for k, head in heads.items())
    weak = conjunction([name for name in names if CRITERIA[name].is_weak])
    caption = paragraph(
        describe_recommendation(table),
        _describe_sample(found.settings.samples.of_k, found, "All numbers of clusters are compared by the labels"),
        _explain_marks(found.settings),
        found.settings.nulls > 0 and _describe_null_reference(found.settings),
        "Larger is better: mean silhouette, cluster consensus, mean ARI with the clusterings, cophenetic correlation. "
        "Smaller is better: PAC, the share of the pairs of objects with a consensus value in (0.1, 0.9], and the "
        "dispersion, the log of the share of the sum of squares within clusters. Delta area: relative increase of the "
        "area under the distribution function; the last k with at least .1.",
        f"{weak[:1].upper()}{weak[1:]} were often wrong where they were measured.",
    )
    shown = Table(title="Criteria", header=("k", *names), rows=rows)
    return Shown(table, (shown,), caption, plot.criteria(table)[0].figure)


def _explain_marks(settings: Settings) -> str:
    """Say what is best, chosen and recommended, and how each is marked."""
    best = "Best (a star in the picture) is the number of clusters where the criterion has its best value."
    chosen = "Chosen (bold in the table, a ring in the picture) is the same, as there is no null reference."
    if settings.nulls > 0:
        chosen = (
            "Chosen (bold in the table, a ring in the picture) is the one where the criterion exceeds the null "
            "reference most, or 1."
        )
    return f"{best} {chosen} Recommended (a dotted line in the picture) is the one number to take."


def _describe_null_reference(settings: Settings) -> str:
    """Say what the values are compared with, and what that tests."""
    draws = count(settings.nulls, "draw")
    shown = "(grey in the picture: their mean, and one standard deviation to either side)"
    if settings.recipe is not None:
        what = f"features with the same covariance from one normal distribution {shown}"
        limit = "Heavy tails, skewness and uniform data are no normal distribution: another k is no proof of clusters."
    else:
        what = f"the labels of each clustering permuted {shown}"
        limit = "The reference has no shape, as data without clusters have, so that another k is no proof of clusters."
    return (
        f"It compares the values with those of {draws} of a null reference: {what}. It chooses k = 1 if its best value "
        f"is not better at the 5 % level. {limit}"
    )


def cdf(found: Diagnosis) -> Shown:
    """Return the distribution function of the consensus values at each k."""
    import pandas as pd

    if not found.values:
        return Shown(pd.DataFrame(columns=["k", "value", "share_at_most"]), caption=_without_consensus(found))
    at = np.arange(101) / 100
    parts = [pd.DataFrame({"k": k, "value": at, "share_at_most": of_k.cdf(at)}) for k, of_k in found.values.items()]
    caption = (
        "Distribution function of the consensus values of the resampled clusterings at each k. It is flat between the "
        "bounds of PAC where few pairs of objects are joined by some of them and separated by others."
    )
    return Shown(pd.concat(parts, ignore_index=True), caption=caption, picture=plot.consensus_cdf(found.values).figure)


def tracking(found: Diagnosis) -> Shown:
    """Return the clusters of the objects over k."""
    import pandas as pd

    some = found.settings.samples.of_k
    frame = pd.DataFrame({"id": found.name_objects(some), **{f"k{k}": labels for k, labels in found.labelings.items()}})
    method = found.settings.k_method
    how = "average linkage of the consensus values" if method is None else type(method).__name__
    caption = paragraph(
        "Clusters of the objects, a row for each k; a cluster keeps its colour while it keeps most of its objects. At "
        "the right the share of the objects that are in another cluster than at the k before. Consensus at each k: "
        f"{how}.",
        _describe_sample(some, found, "These are the clusters"),
    )
    if not found.labelings:
        return Shown(frame, caption=_without_consensus(found))
    return Shown(frame, caption=caption, picture=plot.tracking(found.labelings).figure)


def _without_consensus(found: Diagnosis) -> str:
    """Say that no number of clusters has a consensus, and why."""
    groups = found.ensemble.n_profiles
    too_many = found.settings.recipe is None and min(found.settings.ks) > groups
    return paragraph(
        f"There is no consensus at any number of clusters that is compared: {numbers(tuple(found.settings.ks))}.",
        too_many and f"The base clusterings distinguish only {count(groups, 'group')} of objects.",
    )


def objects(found: Diagnosis) -> Shown:
    """Return a row for each object; the table has those that the clusterings disagree on most."""
    import pandas as pd

    _, share, low, high = found.stays
    stays = {"stability": share, "low": low, "high": high}
    frame = pd.DataFrame(
        {
            "id": found.ids,
            "cluster": found.labels,
            **stays,
            "silhouette": found.silhouette,
            "contested": found.contested,
        }
    )
    worst = frame.sort_values("contested", ascending=False, kind="stable")[:MOST]
    caption = (
        f"The {len(worst)} objects that the base clusterings disagree on most, of {len(frame)}; the CSV has all. "
        "Contested: mean of 4 M (1 - M) over the other objects, M being the consensus value; 0 if all clusterings "
        f"agree on the object's pairs. Stability: share of {count(found.settings.draws, 'bootstrap ensemble')} that "
        "leave it in its cluster; low and high: 95 % interval of Wilson, as in the picture of all objects."
    )
    columns = "Object: id, cluster, contested, stability, low, high, silhouette"
    table = listed("Contested objects", worst, columns, left=2)
    picture = None if found.no_stability else plot.stability(found.stays).figure
    return Shown(frame, (table,), paragraph(caption, _describe_drawn(found), found.no_stability), picture)


def memberships(found: Diagnosis) -> Shown:
    """Return the consensus of the objects with the clusters."""
    import pandas as pd

    frame = pd.DataFrame(found.items, columns=[f"cluster_{k}" for k in range(found.items.shape[1])])
    frame.insert(0, "id", found.ids)
    caption = paragraph(
        "Item consensus: mean consensus value of each object (column) with the objects of each cluster (row).",
        found.classes is not None and "The strip shows the known classes of the objects.",
    )
    groups = found.labels if found.classes is None else _name_classes(found)
    picture = plot.memberships(found.items, groups, label="item consensus").figure
    return Shown(frame, caption=caption, picture=picture)


def base(found: Diagnosis) -> Shown:
    """Return a row for each base clustering."""
    import pandas as pd

    frame = pd.DataFrame(
        {
            "clustering": list(found.names),
            "clusters": found.ensemble.n_clusters,
            "missing": (found.ensemble.labels == MISSING).mean(axis=0),
            "with_the_others": found.quality,
            "with_the_consensus": found.agreement,
            "held_out": found.held_out,
            "influence": found.influence,
        }
    )
    caption = (
        "ARI (adjusted Rand index) with the other base clusterings (mean), with the consensus, and, held out, with the "
        f"consensus of others, in {count(min(found.settings.folds, len(frame)), 'part')}. Influence: root mean square "
        "change of the consensus values if the clustering is left out. Missing: share of the objects without a label. "
        "A clustering that differs from all others is not a bad one for that reason."
    )
    drawn = _describe_sample(found.settings.samples.of_trust, found, "The held-out ARI is that")
    forms = {"missing": lambda share: f"{share:.0%}", "influence": "{:.4f}".format}
    columns = "clustering, clusters, missing, with_the_others, with_the_consensus, held_out, influence"
    tables = [listed("Base clusterings", frame, columns, forms=forms)]
    if found.coalitions.found:
        groups = pd.DataFrame(diagnostics.list_coalitions(found.coalitions, list(found.names)))
        tables.append(listed("Coalitions", groups, "group, size, within, between, clusterings"))
    sentence = diagnostics.describe_coalitions(found.coalitions)
    return Shown(frame, tuple(tables), paragraph(caption, drawn, sentence, found.no_held_out))


def diversity(found: Diagnosis) -> Shown:
    """Return diversity against quality."""
    import pandas as pd

    first, second = np.triu_indices(found.ensemble.n_clusterings, 1)
    agreement, names = diagnostics.pairwise_agreement(found.ensemble)[first, second], np.array(found.names)
    mean = (found.agreement[first] + found.agreement[second]) / 2
    frame = pd.DataFrame(
        {"first": names[first], "second": names[second], "ari": agreement, "mean_with_the_consensus": mean}
    )
    caption = (
        "A point for each two base clusterings: how they agree, and how far they agree with the consensus on average. "
        "Points at the left are diverse pairs, points at the top are near to the consensus."
    )
    picture = plot.diversity(found.ensemble, found.labels, name="the consensus").figure
    return Shown(frame, caption=caption, picture=picture)


def methods(found: Diagnosis) -> Shown:
    """Return what is measured of each method, without seconds."""
    import pandas as pd

    columns = ["method", "clusters", "ari", "nmi", "held_out_ari", "stability", "note"]
    frame = pd.DataFrame(list(found.compared), columns=found.compared[0]._fields)[columns]
    caption = paragraph(
        "Mean ARI and NMI with the base clusterings, mean ARI with those held out, and stability, of several methods. "
        "High agreement does not mean that the clusters are the true classes.",
        _describe_sample(found.settings.samples.of_methods, found, "The methods are fitted to the labels"),
    )
    names = "method, clusters, ARI: ari, NMI: nmi, Held-out ARI: held_out_ari, stability, note"
    whole = {"clusters": lambda number: DASH if np.isnan(number) else f"{number:.0f}"}
    return Shown(frame, (listed("Methods", frame, names, forms=whole),), caption)


def between(found: Diagnosis) -> Shown:
    """Return the agreement between the methods' consensus clusterings."""
    import pandas as pd

    labels = {one.method: one.labels for one in found.compared if one.labels is not None}
    frame = pd.DataFrame({"id": found.name_objects(found.settings.samples.of_methods), **labels})
    caption = "ARI between the consensus clusterings of the methods; the CSV has their labels."
    return Shown(frame, caption=caption, picture=plot.agreement(labels).figure if len(labels) > 1 else None)


def signatures(found: Diagnosis) -> Shown:
    """Return which features separate the clusters."""
    frame = diagnostics.signatures(found.features, found.labels, found.feature_names or None)
    shown = frame[:MOST]
    caption = (
        f"The {count(len(shown), 'feature')} of {len(frame)} that separate the clusters most, by eta squared, the "
        "share of the sum of squares that lies between the clusters; the CSV has all. H: Kruskal-Wallis statistic. "
        "Adjusted p: its p-value after Benjamini and Hochberg over the features. The clusters were made from these "
        "features, and any clusters would separate some of them: p ranks the features, and does not test whether there "
        "are clusters. In the picture: the mean of each cluster, in standard deviations from the mean of all objects."
    )
    columns = "feature, eta squared: eta_squared, H: kruskal_h, adjusted p: p_adjusted"
    forms = {"kruskal_h": "{:.1f}".format, "p_adjusted": "{:.2g}".format}
    table = listed("Features", shown, columns, forms=forms)
    return Shown(frame, (table,), caption, plot.signatures(frame, most=MOST).figure)


def truth(found: Diagnosis) -> Shown:
    """Return how the consensus, the base clusterings and the methods agree with the known classes."""
    import pandas as pd

    known = _require_classes(found)
    some = found.settings.samples.of_methods
    of_compared = known if some is None else known.keep(some)
    rows = [
        {"clustering": f"consensus ({found.settings.name})", **known.score(found.labels)},
        {"clustering": "base clusterings, mean", **known.score_mean(found.ensemble.labels)},
        *({"clustering": one.method, **of_compared.score(one.labels)} for one in found.compared),
    ]
    frame = pd.DataFrame(rows)
    caption = (
        f"Scores with the known classes ({known.describe()}), which no fit has used: ACC (share of the objects in "
        "their class, by the best match of clusters and classes), NMI (normalised mutual information, divided by the "
        "larger entropy) and ARI (adjusted Rand index), of the consensus, of the base clusterings on average, and of "
        "the methods that are compared. Objects without a class or a label are left out."
    )
    return Shown(frame, (listed("Scores", frame, "clustering, ACC, NMI, ARI"),), caption)


def classes(found: Diagnosis) -> Shown:
    """Return the number of objects of each class in each cluster."""
    crossed = _require_classes(found).cross(found.labels)
    frame = crossed.rename(columns=lambda cluster: f"cluster_{cluster}").reset_index()
    header = {"Class": "class", **{f"Cluster {name.rpartition('_')[2]}": name for name in frame.columns[1:]}}
    caption = "Objects of each known class (row) in each cluster of the consensus (column)."
    return Shown(frame, (listed("Objects", frame, header),), caption)


def _require_classes(found: Diagnosis) -> KnownClasses:
    """Return the known classes, which a report with this section has."""
    if found.classes is None:
        raise ValueError("this section needs known classes; give Diagnosis(classes=...)")
    return found.classes


CHAPTERS: Mapping[str, Mapping[str, Callable[[Diagnosis], Shown]]] = {
    "Consensus": {"clusters": clusters, "matrix": matrix},
    "Number of clusters": {"criteria": criteria, "cdf": cdf, "tracking": tracking},
    "Objects": {"objects": objects, "memberships": memberships},
    "Base clusterings": {"base": base, "diversity": diversity},
    "Methods": {"methods": methods, "between": between},
}
"""Chapters of the report: the function of each section."""
FEATURES: Mapping[str, Callable[[Diagnosis], Shown]] = {"signatures": signatures}
"""Sections of a chapter that is there if there are features, and more than one cluster."""
KNOWN_CLASSES: Mapping[str, Callable[[Diagnosis], Shown]] = {"truth": truth, "classes": classes}
"""Sections of a chapter that is there if there are known classes."""
ALL_CHAPTERS = {**CHAPTERS, "Features": FEATURES, "Known classes": KNOWN_CLASSES}
"""Chapters that a report may have."""


def choose_chapters(found: Diagnosis) -> Mapping[str, Mapping[str, Callable[[Diagnosis], Shown]]]:
    """Return the chapters of the report of a diagnosis."""
    chapters = dict(ALL_CHAPTERS)
    if found.features is None or found.labels.max() == 0:
        del chapters["Features"]
    if found.classes is None:
        del chapters["Known classes"]
    return chapters


def abstract(found: Diagnosis, source: str) -> str:
    """Return the main findings in a few sentences."""
    ensemble, sizes = found.ensemble, np.bincount(found.labels)
    seen, unseen = (score(known_mean(values)) for values in (found.agreement, found.held_out))
    n_objects = count(ensemble.n_objects, "object", ",")
    own = f"{count(len(sizes), 'cluster')} of {spanned(sizes, 'object', ',')}"
    return paragraph(
        f"{source} has {n_objects} in {count(ensemble.n_clusterings, 'base clustering')} of "
        f"{spanned(ensemble.n_clusters, 'cluster')}.",
        *(f"{sentence[0].upper()}{sentence[1:]}." for sentence in found.unseen),
        f"The consensus by {found.settings.name} has {own}.",
        *(f"Note: {caution}." for caution in found.cautions),
        f"Its mean ARI with the base clusterings is {seen}, and {unseen} with those that it has not seen.",
        found.coalitions.found and diagnostics.describe_coalitions(found.coalitions),
        found.no_held_out,
        found.no_stability
        or f"On average an object stays in its cluster in {known_mean(found.stays.share):.0%} of the bootstrap "
        "ensembles.",
        f"Number of clusters. {describe_recommendation(found.criteria)}",
        len(found.settings.choices) > 0
        and "Because of the size of the data some numbers are of a part of the objects or of "
        "other methods than usual; the last chapter says which.",
        _describe_scores(found),
    )


def _describe_scores(found: Diagnosis) -> str:
    """Say how the consensus agrees with the known classes, or that there are none."""
    if found.classes is None:
        return "No classes were used: nothing here says that the clusters are the true ones."
    scores = [f"{name} {score(value)}" for name, value in found.classes.score(found.labels).items()]
    return f"With the known classes, which no fit has used, its scores are {conjunction(scores)}."
