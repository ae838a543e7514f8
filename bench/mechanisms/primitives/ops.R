# OP LENGTH ROUNDS: an operation on a container of that length, once a round.
arguments <- commandArgs(TRUE)
n <- as.integer(arguments[2])
items <- as.numeric(seq_len(n))
rows <- data.frame(id = seq_len(n), value = sqrt(seq_len(n)))
texts <- as.character(seq_len(n))
many <- as.list(items)
other <- new.env()
total <- 0

work <- function(i) assign(as.character(i %% 64), i, envir = other)
grown <- function(i) {
  length(c(items, i)) # WASTE grown
}
bound <- function(i) {
  nrow(rbind(rows, data.frame(id = i, value = 1))) # WASTE bound
}
member <- function(i) {
  -i %in% items # WASTE member
}
which_ <- function(i) {
  which(items == i) # WASTE which_
}
listed <- function(i) {
  length(append(many, list(i))) # WASTE listed
}
index <- function(i) {
  items[[n + 1]] <- i # WASTE index
  items[n]
}
pasted <- function(i) {
  nchar(paste(texts, collapse = ",")) # WASTE pasted
}
head_ <- function(i) {
  length(items[-1]) # WASTE head_
}
cell <- function(i) {
  rows[i %% n + 1, "value"] <<- i # WASTE cell
}
subset_ <- function(i) {
  nrow(rows[rows$id == i, ]) # WASTE subset_
}
all_ <- function(run, rounds) {
  for (i in seq_len(rounds)) {
    run(i)
    work(i)
  }
}
all_(get(arguments[1]), as.integer(arguments[3]))
