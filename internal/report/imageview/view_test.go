package imageview

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"whyhot/internal/explain/inimage"
	"whyhot/internal/finding"
	"whyhot/internal/image/inventory"
	"whyhot/internal/report/term"
)

func answer() inimage.Answer {
	share, cores, all := 0.25, 1.5, 0.9
	return inimage.Answer{
		Image:   inimage.Image{Name: "web:1", Kind: inventory.Registry, System: "Debian", Packages: map[string]int{"deb": 2, "npm": 1}, Layers: []inventory.Layer{{}, {}}},
		Profile: &inimage.Profile{Source: finding.Source{Path: "cpu.pb.gz", Samples: 100}, Covered: &all, Cores: 6, Elsewhere: 1},
		Rows: []inimage.Row{
			{Rule: "zlib-ng", Title: "Time in zlib", ReplaceWith: "zlib-ng", Steps: []string{"install it"}, Share: &share, Cores: &cores, OtherBuild: true,
				File: "/lib/libz.so.1", Packages: []inventory.Package{{Kind: "deb", Name: "zlib1g", Version: "1.2", Layer: 2, Path: "/var/lib/dpkg/status"}}},
			{Rule: "glibc-malloc", Title: "Time in malloc", Share: &share, Cores: &cores, File: "/app/a b\x1b[31m"},
			{Rule: "zlib-ng", Title: "Time in zlib", Share: &share, File: "/app/other"},
		},
	}
}

func TestTable(t *testing.T) {
	var b bytes.Buffer
	p := term.New(&b, nil)
	Table(p, answer())
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"web:1 · registry · Debian · 2 layers · 3 packages (2 deb, 1 npm)",
		"profile cpu.pb.gz · 100 samples · 6 cores busy · 90.0% in binaries of this image · 1 finding about what is not in it",
		" 1.50  25.0%  zlib1g 1.2 (deb) [another build than the profile's]",
		"    -  25.0%  /app/other",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "\x1b") || strings.Contains(b.String(), "No profile says") {
		t.Errorf("%q", b.String())
	}
}

// Each result names a rule that is there, by its place, and files by relative URIs.
func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	if err := SARIF(&b, "1.0", []inimage.Answer{answer(), {Image: inimage.Image{Name: "empty"}}}); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID              string
				RuleIndex           int
				Level               string
				Rank                float64
				Message             struct{ Text string }
				PartialFingerprints map[string]string
				Locations           []struct {
					PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil { //nolint:musttag // names of the standard, taken without regard to case
		t.Fatal(err)
	}
	if doc.Version != "2.1.0" || len(doc.Runs) != 2 || len(doc.Runs[0].Tool.Driver.Rules) != 2 || len(doc.Runs[0].Results) != 3 {
		t.Fatalf("%s", b.String())
	}
	if strings.Contains(b.String(), `"results": null`) {
		t.Error("results that are null mean that nothing was run")
	}
	seen := map[string]bool{}
	for _, r := range doc.Runs[0].Results {
		if got := doc.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID; got != r.RuleID {
			t.Errorf("rule %d is %s, not %s", r.RuleIndex, got, r.RuleID)
		}
		if r.Level != "warning" || r.Rank != 25 || r.Message.Text == "" {
			t.Errorf("%+v", r)
		}
		for _, l := range r.Locations {
			if uri := l.PhysicalLocation.ArtifactLocation.URI; strings.HasPrefix(uri, "/") || strings.ContainsAny(uri, " \x1b") {
				t.Errorf("the URI %q", uri)
			}
		}
		id := r.PartialFingerprints[fingerprint]
		if id == "" || seen[id] {
			t.Errorf("the fingerprint %q", id)
		}
		seen[id] = true
	}
}
