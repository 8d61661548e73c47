"""Which jobs a run has, with their specs, files and needs: what the rules of the workflow read."""

from concord.plan.load import load_plan
from concord.plan.plan import Plan

__all__ = ["Plan", "load_plan"]
