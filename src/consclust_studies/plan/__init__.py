"""Which jobs a run has, with their specs, files and needs: what the rules of the workflow read."""

from consclust_studies.plan.load import load_plan
from consclust_studies.plan.plan import Plan

__all__ = ["Plan", "load_plan"]
