"""The picture of the page for newcomers."""

from sklearn.datasets import load_digits

from consclust import LWEA, ensembles, plot

X, digits = load_digits(return_X_y=True)
X, digits = X[:600], digits[:600]
ensemble = ensembles.kmeans(X, runs=20, n_clusters=range(10, 31), random_state=0)
plot.coassociation(ensemble, groups=LWEA(n_clusters=10).fit_predict(ensemble), strip=digits)
