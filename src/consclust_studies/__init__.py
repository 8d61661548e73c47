"""The engine of the studies: it re-runs the papers, from data sets to a report, with Snakemake and the library."""
