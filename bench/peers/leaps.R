# Best subsets by leaps: columns in, seconds of CPU and the best support of each size out.
suppressMessages(library(leaps))
args <- commandArgs(trailingOnly = TRUE)
data <- as.matrix(read.csv(args[1]))
p <- ncol(data) - 1
x <- data[, 1:p]
y <- data[, p + 1]
# Columns of unit length, as for everybody else.
x <- sweep(x, 2, sqrt(colSums(x^2)), "/")
start <- proc.time()
found <- regsubsets(x, y, nbest = as.integer(args[3]), nvmax = as.integer(args[2]),
                    intercept = FALSE, method = "exhaustive", really.big = TRUE)
seconds <- sum((proc.time() - start)[1:2])
listed <- summary(found)
sizes <- as.integer(rownames(listed$which))
cat("seconds", seconds, "\n")
for (m in unique(sizes)) {
  rows <- which(sizes == m)
  best <- rows[which.min(listed$rss[rows])]
  # Where leaps drops dependent columns it keeps their names.
  names <- colnames(listed$which)[listed$which[best, ]]
  cat(m, sub("^x", "", names), "\n")
}
