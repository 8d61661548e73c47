"""What is computed from scores: significance, the main table, comparison with the published values, verdicts."""
