package explain

import (
	"path/filepath"
	"testing"

	"whyhot/internal/fetch"
	"whyhot/internal/finding"
)

// Recordings of small programs, made for this test: what asks for a service, or contains the
// work of another finding, stands in the list, and what asks for nothing leaves the service
// there.
//
//	python-dom    xml.dom.minidom parses a text six times: its nodes are what is collected
//	python-graph  dates by strptime, then a graph of many lists: these are what is collected
//	perl-json     JSON::PP decodes a text; its own patterns are compiled within
//	go-patterns   a pattern compiled for each line: the garbage is that of compiling
//	go-trees      a few patterns, and trees that are built and dropped: the garbage is theirs
func TestWhatFollowsFromACauseInRecordings(t *testing.T) {
	for _, x := range []struct {
		file, cause, follows string
		after                bool
	}{
		{"python-dom", "python-xml-dom", "python-gc", true},
		{"python-graph", "python-strptime", "python-gc", false},
		{"perl-json", "perl-pure-fallback", "perl-regex-compile", true},
		{"go-patterns", "go-regexp-compile", "go-gc", true},
		{"go-trees", "go-regexp-compile", "go-gc", false},
	} {
		f, err := fetch.Profile(t.Context(), filepath.Join("testdata", "after", x.file+".pb.gz"), fetch.Options{NoSymbols: true})
		if err != nil {
			t.Fatal(err)
		}
		report, err := Explain(t.Context(), Request{Profile: f.Profile, Rules: builtin(t), ByBuildID: true})
		if err != nil {
			t.Fatal(err)
		}
		by := map[string]finding.Finding{}
		for _, f := range report.Findings {
			by[f.Rule] = f
		}
		cause, follows := by[x.cause], by[x.follows]
		switch {
		case cause.ID == "" || follows.ID == "":
			t.Errorf("%s: %s found: %v, %s found: %v", x.file, x.cause, cause.ID != "", x.follows, follows.ID != "")
		case cause.Minor != "":
			t.Errorf("%s: the cause is minor: %s", x.file, cause.Minor)
		case x.after && follows.After != cause.ID, !x.after && follows.Minor != "":
			t.Errorf("%s: %s is after %q (%s)", x.file, x.follows, follows.After, follows.Minor)
		}
	}
}
