"""The jobs of a run up to the scores, one file each: what a job depends on, and what it does."""
