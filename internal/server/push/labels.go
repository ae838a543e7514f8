package push

import (
	"maps"
	"slices"
	"strings"

	"whyhot/internal/profile/label"
	"whyhot/internal/store/batch"
)

// Names that agents of others give to what our labels say, the best first.
var (
	serviceNames   = []string{"service_name", "service.name", "service", "app", "application", "job"}
	versionNames   = []string{"service_version", "service.version", "version", "app_version", "revision", "service_git_ref"}
	hostNames      = []string{"host.name", "hostname", "host", "node", "node_name", "instance"}
	containerNames = []string{"container_id", "container.id", "container", "container_name", "pod"}
	processNames   = []string{"process", "comm", "process_name", "process.executable.name"}
)

// labelsOf makes ours of others'.
func labelsOf(all map[string]string) batch.Labels {
	first := func(names []string) string {
		for _, n := range names {
			if v := all[n]; v != "" {
				return v
			}
		}
		return ""
	}
	ours := batch.Labels{
		Service: first(serviceNames), Version: first(versionNames), Host: first(hostNames),
		Container: first(containerNames), Process: first(processNames),
	}
	var others []label.Pair
	for _, k := range slices.Sorted(maps.Keys(all)) { // so that one of two spellings always counts
		if !strings.HasPrefix(k, "__") && !label.Reserved(label.Name(k)) {
			others = append(others, label.Pair{Key: k, Value: all[k]})
		}
	}
	ours.Tags = label.Of(others)
	return ours
}

// isCPU says, as far as labels tell, whether a profile is one of CPU time: agents send
// those of memory and locks, too, which are passed over.
func isCPU(all map[string]string) bool {
	switch name := strings.ToLower(all["__name__"]); {
	case name == "":
		return true
	case strings.Contains(name, "cpu"), name == "parca_agent", name == "parca_agent_cpu", name == "profile", name == "otelcol_process_cpu":
		return true
	case strings.Contains(name, "mem"), strings.Contains(name, "alloc"), strings.Contains(name, "heap"), strings.Contains(name, "inuse"),
		strings.Contains(name, "mutex"), strings.Contains(name, "block"), strings.Contains(name, "goroutine"), strings.Contains(name, "wall"),
		strings.Contains(name, "lock"), strings.Contains(name, "threadcreate"), strings.Contains(name, "off_cpu"), strings.Contains(name, "exceptions"):
		return false
	}
	return true // its values tell
}
