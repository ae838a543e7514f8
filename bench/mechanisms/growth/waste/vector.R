# A vector grows by c().
n <- as.integer(commandArgs(TRUE)[1])
collect <- function(n) {
  all <- c()
  for (i in seq_len(n)) {
    all <- c(all, i * 2) # WASTE
  }
  all
}
cat(length(collect(n)), "\n")
