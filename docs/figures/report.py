"""Two pictures of a report on 178 wines: the consensus matrix with the known classes, and the stability of each object.

    python docs/figures/report.py docs/_static/report.png

writes the picture in README.md.
"""

import sys

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from consclust import plot
from consclust.diagnostics import bootstrap_stability
from consclust.ensembles import kmeans
from consclust.methods import SpectralConsensus

wine = load_wine()
ensemble = kmeans(StandardScaler().fit_transform(wine.data), runs=20, n_clusters=range(2, 22), random_state=0)
method = SpectralConsensus(n_clusters=3, random_state=0)
labels = method.fit_predict(ensemble)
cultivars = [f"cultivar {number + 1}" for number in wine.target]

figure, axes = plt.subplots(1, 2, figsize=(10.5, 3.8), width_ratios=[1, 1.25], layout="compressed")
plot.coassociation(ensemble, labels, strip=cultivars, ax=axes[0])
plot.stability(bootstrap_stability(ensemble, method, draws=50, random_state=0), ax=axes[1])

if __name__ == "__main__" and len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=110)
