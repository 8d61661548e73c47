"""Where the files of a run are: each path once, as a pattern of names that rules and plan share."""

RAW = "data/raw/{dataset}/{file}"
PREPARED = "data/prepared/{dataset}/{steps}.npz"
ENSEMBLE = "results/ensembles/{study}/{case}.npz"
LABELS = "results/{study}/consensus/{case}/{method}/{block}.npz"
RUNTIME = "results/{study}/consensus/{case}/{method}/{block}.runtime.json"
RACE = "results/{study}/races/{case}/{method}.json"
CASE_SCORES = "results/{run}{part}/scores/{case}.parquet"
SCORES = "results/{run}{part}/scores.parquet"
SCORES_CSV = "results/{run}{part}/scores.csv"
SELECTED = "results/{run}{part}/selected.parquet"
SELECTED_CSV = "results/{run}{part}/selected.csv"
UNSEEN = "results/{run}/unseen/{case}.parquet"
EXHIBIT = "results/{run}/exhibits/{exhibit}.json"
SHOWN = "reports/{run}/{exhibit}.{suffix}"
REPORT = "reports/{run}/{document}"
PIECE = "data/labels/{matrix}/{piece}.parquet"
PIECE_PROFILES = "results/labels/{matrix}/profiles/{piece}.npz"
PIECE_SUMMARY = "results/labels/{matrix}/summaries/{piece}.npz"
MERGED = "results/labels/{matrix}/profiles.npz"
CONSENSUS_OF_LABELS = "results/labels/{matrix}/{method}-{k}.npz"
PIECE_LABELS = "results/labels/{matrix}/{method}-{k}/{piece}.parquet"
SIZES = "results/labels/{matrix}/{method}-{k}.csv"
STUDIES = "studies"
"""The folder of all studies; what one of them needs is in a folder of its own."""
STUDY = f"{STUDIES}/{{study}}/study.yaml"
PUBLISHED = f"{STUDIES}/{{study}}/published/{{table}}.csv"
DISCUSSION = f"{STUDIES}/{{study}}/discussion.md"
KINDS_OF_STUDY = f"{STUDIES}/{{study}}/exhibits"
"""The folder of the kinds of exhibits that a study alone has."""

TABLE_SUFFIXES = ("csv", "tex", "md", "html")
FIGURE_SUFFIXES = ("csv", "tex", "svg", "pdf", "png")
DOCUMENTS = ("report.pdf", "report.html", "provenance.json", "SHA256SUMS")
"""Files of a report beside those of its exhibits."""

LOGS = {
    "fetch": "logs/datasets/fetch/{fetched}.log",
    "prepare": "logs/datasets/prepare/{dataset}/{steps}.log",
    "base_clusterings": "logs/{study}/ensembles/{case}.log",
    "consensus": "logs/{study}/consensus/{case}/{method}/{block}.log",
    "race": "logs/{study}/races/{case}/{method}.log",
    "score": "logs/{run}{part}/scores/{case}.log",
    "collect": "logs/{run}{part}/scores/collect.log",
    "unseen": "logs/{run}/unseen/{case}.log",
    "tables": "logs/{run}/reports/tables.log",
    "figure": "logs/{run}/reports/{figure}.log",
    "document": "logs/{run}/reports/document.log",
    "profiles": "logs/labels/{matrix}/profiles/{piece}.log",
    "summary": "logs/labels/{matrix}/summaries/{piece}.log",
    "merge": "logs/labels/{matrix}/merge.log",
    "consensus_of_labels": "logs/labels/{matrix}/{method}-{k}.log",
    "label": "logs/labels/{matrix}/{method}-{k}/{piece}.log",
    "sizes_of_clusters": "logs/labels/{matrix}/{method}-{k}.sizes.log",
}
"""The log of each rule."""
