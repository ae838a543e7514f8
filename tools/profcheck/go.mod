module github.com/open-telemetry/sig-profiling/profcheck

go 1.26.0
