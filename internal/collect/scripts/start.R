# Starts R's own profiler for the recording, and keeps the lines of what is parsed.
options(keep.source = TRUE)
local({
    own <- %s
    try(utils::Rprof(paste0("%s/r-", Sys.getpid()), interval = %g, line.profiling = TRUE), silent = TRUE)
    if (nzchar(own)) source(own)
})
