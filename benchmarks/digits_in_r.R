# Called by digits_in_r.py: Rscript digits_in_r.R <folder> <largest k> <resamplings>
# Debian 12: r-bioc-consensusclusterplus, r-cran-jsonlite.
suppressPackageStartupMessages({
  library(ConsensusClusterPlus)
  library(jsonlite)
})

given <- commandArgs(trailingOnly = TRUE)
folder <- given[1]
most <- as.integer(given[2])
reps <- as.integer(given[3])
objects <- as.matrix(read.csv(file.path(folder, "features.csv")))
rownames(objects) <- seq_len(nrow(objects))

# A hook of ConsensusClusterPlus that keeps the labels of each run: k-means of the objects whose distances it is given.
runs <- list()
recorder <- function(distances, k) {
  drawn <- as.integer(attr(distances, "Labels"))
  found <- kmeans(objects[drawn, ], k, iter.max = 100)$cluster
  column <- rep(-1L, nrow(objects))
  column[drawn] <- found
  runs[[as.character(k)]] <<- cbind(runs[[as.character(k)]], column)
  found
}

pdf(NULL)
set.seed(1)
seconds <- system.time(result <- suppressMessages(ConsensusClusterPlus(
  t(objects), maxK = most, reps = reps, pItem = 0.8, clusterAlg = "recorder", distance = "euclidean", seed = 7, plot = NULL
)))[["elapsed"]]
icl <- calcICL(result, plot = NULL)

lower <- function(m) m[lower.tri(m)]
# The area as in ConsensusClusterPlus:::CDF, which only plots it.
area <- function(m) {
  h <- hist(lower(m), plot = FALSE, breaks = seq(0, 1, by = 1 / 100))
  sum(cumsum(h$counts) / sum(h$counts) * diff(h$breaks))
}
areas <- sapply(2:most, function(k) area(result[[k]]$consensusMatrix))
for (k in 2:most) {
  write.table(runs[[as.character(k)]], file.path(folder, sprintf("labels_%d.csv", k)), sep = ",", row.names = FALSE,
              col.names = paste0("run", seq_len(reps)))
}
of_k <- lapply(2:most, function(k) {
  cdf <- ecdf(lower(result[[k]]$consensusMatrix))
  clusters <- icl$clusterConsensus[icl$clusterConsensus[, "k"] == k, , drop = FALSE]
  list(k = k, area = areas[k - 1], pac = cdf(0.9) - cdf(0.1), consensus = as.integer(result[[k]]$consensusClass),
       cluster_consensus = clusters[order(clusters[, "cluster"]), "clusterConsensus"])
})
write(toJSON(list(
  versions = c(R.version.string, paste("ConsensusClusterPlus", packageVersion("ConsensusClusterPlus"))),
  seconds = seconds, delta_area = c(areas[1], diff(areas) / areas[-length(areas)]), of_k = of_k
), digits = NA, auto_unbox = TRUE, na = "null"), file.path(folder, "numbers.json"))
