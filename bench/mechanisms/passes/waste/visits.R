n <- 40000
visits <- data.frame(patient = sprintf("p%04d", (seq_len(n) * 31) %% 1500), cost = seq_len(n) %% 90)
patients <- sprintf("p%04d", 0:1499)
total <- numeric(length(patients))
for (k in seq_along(patients)) {
  mine <- visits[visits$patient == patients[k], ]  # WASTE
  total[k] <- sum(mine$cost)
}
cat(sum(total), "\n")
