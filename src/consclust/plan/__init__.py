"""Which jobs a run has, with their specs, files and needs: what the rules of the workflow read."""

from consclust.plan.load import load_plan
from consclust.plan.plan import Plan

__all__ = ["Plan", "load_plan"]
