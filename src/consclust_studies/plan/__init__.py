"""Which jobs a run has, with their specs, files and needs: what the rules of the workflow read."""

from consclust_studies.plan.load import check_command_line, load_plan
from consclust_studies.plan.plan import Plan

__all__ = ["Plan", "check_command_line", "load_plan"]
