"""The steps by name; a job names those that it uses, and another one changes no job."""

MODULES = {
    "idf": "text",
    "log_tf": "text",
    "minmax": "ranges",
    "tfidf": "text",
    "tfidf_to_counts": "text",
    "unit_norm": "scaling",
    "zscore": "scaling",
}
"""File of each step; known without NumPy, as every job reads the registry."""
