package explain

import (
	"path/filepath"
	"slices"

	"whyhot/internal/finding"
)

// generators are programs that only put load on another: what they could do better is
// nothing that the reader runs.
var generators = []string{
	"ab", "bombardier", "h2load", "hey", "httperf", "k6", "memtier_benchmark", "mysqlslap", "mariadb-slap", "oha", "pgbench",
	"redis-benchmark", "siege", "sysbench", "vegeta", "wrk", "wrk2",
}

// setGeneratorMinor makes findings about a load generator minor, unless it is what was
// recorded.
func (h *heard) setGeneratorMinor(command []string) {
	recorded := filepath.Base(finding.ProgramOr(command)[0])
	for i := range h.found {
		f := &h.found[i].Finding
		name := filepath.Base(f.Place.Binary)
		if f.Minor == "" && slices.Contains(generators, name) && recorded != name {
			f.Minor = "it is about the load generator " + name
		}
	}
}
