# Reference numbers for consclust.diagnostics: Rscript tests/oracles/diagnostics.R > tests/oracles/diagnostics.json
# Debian 12: r-bioc-consensusclusterplus, r-cran-clue, r-cran-cluster, r-cran-jsonlite.

suppressPackageStartupMessages({
  library(ConsensusClusterPlus)
  library(clue)
  library(cluster)
  library(jsonlite)
})

most <- 5
reps <- 40
set.seed(1)
centres <- matrix(rnorm(3 * 2, sd = 2), 3)
x <- t(centres[rep(1:3, c(12, 9, 7)), ] + matrix(rnorm(28 * 2), 28))
colnames(x) <- as.character(seq_len(ncol(x)))

# A hook of ConsensusClusterPlus that keeps the labels of each run: medoids of the distances of the objects it is given.
runs <- list()
recorder <- function(distances, k) {
  found <- pam(distances, k, cluster.only = TRUE)
  column <- rep(-1L, ncol(x))
  column[as.integer(attr(distances, "Labels"))] <- found
  runs[[as.character(k)]] <<- cbind(runs[[as.character(k)]], column)
  found
}

pdf(NULL)
result <- suppressMessages(ConsensusClusterPlus(
  x, maxK = most, reps = reps, pItem = 0.8, clusterAlg = "recorder", distance = "euclidean", seed = 7, plot = NULL
))
icl <- calcICL(result, plot = NULL)

lower <- function(m) m[lower.tri(m)]
# The area as in ConsensusClusterPlus:::CDF, which only plots it.
area <- function(m) {
  h <- hist(lower(m), plot = FALSE, breaks = seq(0, 1, by = 1 / 100))
  sum(cumsum(h$counts) / sum(h$counts) * diff(h$breaks))
}
areas <- sapply(2:most, function(k) area(result[[k]]$consensusMatrix))

by_k <- lapply(2:most, function(k) {
  m <- result[[k]]$consensusMatrix
  labels <- as.integer(result[[k]]$consensusClass)
  items <- icl$itemConsensus[icl$itemConsensus[, "k"] == k, ]
  matrix_of_items <- matrix(NA, ncol(x), k)
  matrix_of_items[cbind(as.integer(as.character(items$item)), items$cluster)] <- items$itemConsensus
  clusters <- icl$clusterConsensus[icl$clusterConsensus[, "k"] == k, , drop = FALSE]
  cdf <- ecdf(lower(m))
  list(
    k = k, labels = unname(runs[[as.character(k)]]), consensus_matrix = unname(m), consensus = labels,
    area_100 = area(m), pac = cdf(0.9) - cdf(0.1), cdf = cdf(c(0, 0.25, 0.5, 0.75, 0.999)),
    item_consensus = matrix_of_items,
    cluster_consensus = clusters[order(clusters[, "cluster"]), "clusterConsensus"],
    silhouette = silhouette(labels, as.dist(1 - m))[, "sil_width"]
  )
})

# Cophenetic correlation, where no two pairs have one distance: average linkage is not unique with ties.
set.seed(3)
shared <- function(i, j) mean((untied[i, ] == untied[j, ])[untied[i, ] > 0 & untied[j, ] > 0])
repeat {
  untied <- matrix(sample.int(4, 10 * 151, replace = TRUE), 10)
  untied[runif(length(untied)) < 0.3] <- -1L
  distances <- as.dist(1 - outer(1:10, 1:10, Vectorize(shared)))
  if (!anyDuplicated(round(as.vector(distances), 9))) break
}
untied_numbers <- list(labels = untied, cophenetic = cor(distances, cophenetic(hclust(distances, "average"))))

# clue: agreement of partitions, of objects without missing labels.
set.seed(2)
partitions <- sapply(c(2, 3, 3, 4, 6, 1), function(k) sample.int(k, 30, replace = TRUE))
partitions[, 3] <- ifelse(runif(30) < 0.8, partitions[, 2], partitions[, 3])
ensemble <- cl_ensemble(list = apply(partitions, 2, as.cl_partition))
agreement <- function(method) unname(as.matrix(cl_agreement(ensemble, method = method)))
clue_numbers <- list(
  labels = partitions,
  ARI = agreement("cRand"),
  NMI_geometric = agreement("NMI"),
  VI = unname(as.matrix(cl_dissimilarity(ensemble, method = "VI")))
)

cat(toJSON(
  list(
    versions = list(
      R = R.version.string, ConsensusClusterPlus = as.character(packageVersion("ConsensusClusterPlus")),
      clue = as.character(packageVersion("clue")), cluster = as.character(packageVersion("cluster"))
    ),
    ConsensusClusterPlus = by_k,
    delta_area_100 = c(areas[1], diff(areas) / areas[-length(areas)]),
    untied = untied_numbers,
    clue = clue_numbers
  ),
  digits = NA, auto_unbox = TRUE, na = "null"
))
