package explain

import (
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
)

// What a load generator could do better is minor beside the server that is studied, and not
// where the generator itself was recorded.
func TestLoadGenerators(t *testing.T) {
	for name, c := range map[string]struct {
		command []string
		binary  string
		minor   bool
	}{
		"beside a server":        {[]string{"bash", "./run.sh"}, "/usr/bin/ab", true},
		"a server":               {[]string{"bash", "./run.sh"}, "/usr/sbin/nginx", false},
		"the generator recorded": {[]string{"/usr/bin/ab", "-n", "100"}, "/usr/bin/ab", false},
		"no command":             {nil, "/usr/bin/ab", true},
	} {
		h := heard{found: []judge.Found{{Finding: finding.Finding{Place: finding.Place{Binary: c.binary}}}}}
		h.setGeneratorMinor(c.command)
		if got := h.found[0].Minor != ""; got != c.minor {
			t.Errorf("%s: minor %v, want %v", name, got, c.minor)
		}
	}
}
