"""Questions to an ensemble, to a consensus, or to a matrix over the objects, one file for each kind of question.

How stable is the consensus (``stability``), how many clusters are there (``choice``), what is the ensemble like
(``ensembles``), how far can the consensus be trusted (``consensus``), what does a matrix show (``matrices``), what does
RCE correct (``errors``), which features separate the clusters (``signatures``). Except for some questions to a matrix
no classes are needed.
"""

from consclust.diagnostics.choice import choose_k, describe_recommendation
from consclust.diagnostics.coalitions import Coalitions, coalitions, describe_coalitions, list_coalitions
from consclust.diagnostics.comparison import Measured, compare_methods
from consclust.diagnostics.connective_errors import rce_error_matrix, rce_errors
from consclust.diagnostics.ensembles import (
    agreement_weights,
    agreement_with,
    contested,
    influence,
    pairwise_agreement,
    quality,
)
from consclust.diagnostics.matrices import block_structure, contrast, level_shares, vat_order
from consclust.diagnostics.pairs import half_width
from consclust.diagnostics.resampling import ResampledKMeans, resampled
from consclust.diagnostics.signatures import signatures
from consclust.diagnostics.stability import (
    ConsensusValues,
    Tracking,
    cluster_consensus,
    consensus_silhouette,
    consensus_values,
    cophenetic_correlation,
    delta_area,
    item_consensus,
    track_items,
)
from consclust.diagnostics.trust import Stability, bootstrap_stability, held_out_agreement

__all__ = [
    "Coalitions", "ConsensusValues", "Measured", "ResampledKMeans", "Stability", "Tracking", "agreement_weights",
    "agreement_with", "block_structure", "bootstrap_stability", "choose_k", "cluster_consensus", "coalitions",
    "compare_methods", "consensus_silhouette", "consensus_values", "contested", "contrast", "cophenetic_correlation",
    "delta_area", "describe_coalitions", "describe_recommendation", "half_width", "held_out_agreement", "influence",
    "item_consensus", "level_shares", "list_coalitions", "pairwise_agreement", "quality", "rce_error_matrix",
    "rce_errors", "resampled", "signatures", "track_items", "vat_order",
]  # fmt: skip
