"""The sections of a report without classes, which are also exhibits of a study: their ids and titles."""

TITLES = {
    "clusters": "Clusters",
    "matrix": "Consensus matrix",
    "criteria": "Choice of the number of clusters",
    "cdf": "Consensus values",
    "tracking": "Clusters over k",
    "objects": "Stable and contested objects",
    "memberships": "Item consensus",
    "base": "Base clusterings",
    "diversity": "Diversity and quality",
    "methods": "Methods",
    "between": "Agreement of the methods",
    "signatures": "Features that separate the clusters",
    "truth": "Scores with the known classes",
    "classes": "Clusters and classes",
}
