# A table grows by rbind.
n <- as.integer(commandArgs(TRUE)[1])
collect <- function(n) {
  all <- data.frame()
  for (i in seq_len(n)) {
    all <- rbind(all, data.frame(id = i, value = sqrt(i))) # WASTE
  }
  all
}
cat(nrow(collect(n)), "\n")
