package explain

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/host/tooltest"
)

// freeLoad compares with d[i] in each iteration, since p may point at it. gcc reads it with
// the comparison itself, and without the load needs another instruction's register.
const freeLoad = `void edges(char *p, const long *v, const int *d, const int *e, const char *bit, int n) {
  long org = 0;
  for (int i = 0; i < n; org += n, ++i) {
    const int *ei = e + v[i];
    for (int j = 0; j < d[i]; ++j) {
      long ii = ei[j] + org;
      p[ii / 6] |= bit[ii % 6];
    }
  }
}
`

// What clang gains and the build's compiler does not is no finding to lead with, and no
// patch.
func TestTheBuildsCompilerGainsNothing(t *testing.T) {
	analyzertest.Use(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	gcc := tooltest.Find(t, "gcc")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "edges.c", freeLoad)
	database, err := json.Marshal([]map[string]any{{"directory": dir, "file": "edges.c", "arguments": []string{gcc, "-O2", "-c", "edges.c"}}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "compile_commands.json", string(database))
	b, err := source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"first", "from the cache"} {
		r, err := Scan(t.Context(), ScanRequest{Build: b, Options: source.Options{Workers: 1}})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return f.Place.Line == 5 })
		if at < 0 || r.Findings[at].Minor != "its patch, compiled, gains nothing" {
			t.Fatalf("%s: %+v", run, r.Findings)
		}
		p, err := Patch(t.Context(), PatchRequest{
			Subject: r.Findings[at].ID, Kind: "hoist", Options: source.Options{Workers: 1}, Build: func() (*source.Build, error) { return b, nil },
		})
		if err != nil || p.Sound() || !p.Useless || !strings.Contains(p.Refusals[0].Text, "gains nothing") {
			t.Errorf("%s: %v, %q, %+v", run, err, p.Effect, p.Refusals)
		}
	}
}
