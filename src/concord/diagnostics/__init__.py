"""What one asks of an ensemble, or of a matrix over its objects, before and after a consensus."""

from concord.diagnostics.contrast import contrast
from concord.diagnostics.levels import level_shares
from concord.diagnostics.vat import vat_order

__all__ = ["contrast", "level_shares", "vat_order"]
