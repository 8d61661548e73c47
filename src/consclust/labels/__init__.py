"""A label matrix too large for one process: profiles of its pieces, merged, one consensus, labels for each piece."""
