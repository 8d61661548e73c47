"""Stage 1, datasets: features X and classes y, checked against the printed table."""
