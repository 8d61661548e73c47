"""Second stage: base clusterings."""
