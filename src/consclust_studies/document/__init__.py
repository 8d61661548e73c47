"""The report of a study: its parts in order, protocol, discussion and provenance."""
