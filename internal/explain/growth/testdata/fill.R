# A vector of its final length.
collect <- function(n) {
  all <- numeric(n)
  for (i in seq_len(n)) all[i] <- i * 2
  all
}
