"""Stage 3, consensus: every method of a study on every case."""
