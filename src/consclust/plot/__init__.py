"""Pictures of ensembles and of what the diagnostics find, by matplotlib and seaborn.

Each function draws into the axes that it is given (``criteria``: the figure), or into those of a new figure, and
returns them. None shows a figure or changes matplotlib's settings: use ``plt.show()``, ``ax.figure.savefig(..)`` and
``matplotlib.rc_context`` as with any picture. Trees, strips of groups and colour scales lie beside the axes: a figure
of several panels has room for them with ``plt.subplots(.., layout="compressed")``. Heat maps draw at most ``most``
objects, evenly spaced in their order.
"""

from consclust.plot.choice_plots import consensus_cdf, criteria, delta_area, tracking
from consclust.plot.ensemble_plots import agreement, diversity
from consclust.plot.error_plots import rce_errors
from consclust.plot.matrix_plots import coassociation, matrix
from consclust.plot.object_plots import images, memberships, stability
from consclust.plot.signature_plots import signatures

__all__ = [
    "agreement", "coassociation", "consensus_cdf", "criteria", "delta_area", "diversity", "images", "matrix",
    "memberships", "rce_errors", "signatures", "stability", "tracking",
]  # fmt: skip
