# A vector grows by c().
collect <- function(n) {
  all <- numeric(0)
  for (i in seq_len(n)) {
    all <- c(all, i * 2)
  }
  all
}
