"""Questions to an ensemble, or to a matrix over its objects, that need no consensus: order, levels, contrast."""

from concord.diagnostics.contrast import contrast
from concord.diagnostics.levels import level_shares
from concord.diagnostics.vat import vat_order

__all__ = ["contrast", "level_shares", "vat_order"]
