"""Stage ``reports``: tables, figures, claims with their verdicts, and the PDF."""
