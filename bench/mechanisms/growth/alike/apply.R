# Columns are computed as a whole; short vectors are put together.
n <- as.integer(commandArgs(TRUE)[1])
sums <- vapply(seq_len(n), function(i) sum(sqrt(c(i, i + 1, i + 2, 7))), 0)
cat(sum(sums), "\n")
