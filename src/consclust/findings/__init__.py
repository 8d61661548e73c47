"""What the scores come to beside the published values: the main table, unseen objects, verdicts on claims."""
