package inimage

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/finding"
	"whyhot/internal/image/inventory"
	"whyhot/internal/ingest/folded"
)

func builtin(t *testing.T) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func with(packages ...inventory.Package) inventory.Inventory {
	return inventory.Inventory{Version: inventory.Version, Image: "app:1", Packages: packages}
}

func pkg(kind, name, version string) inventory.Package {
	return inventory.Package{Kind: kind, Name: name, Version: version, Layer: 1, Path: "/x"}
}

func rules(a Answer) []string {
	out := []string{}
	for _, r := range a.Rows {
		out = append(out, r.Rule)
	}
	return out
}

func TestWithoutProfile(t *testing.T) {
	for _, c := range []struct {
		name     string
		packages []inventory.Package
		want     []string
	}{
		{"nothing is known", []inventory.Package{pkg(inventory.Deb, "bash", "5.2")}, []string{}},
		{"Debian's zlib", []inventory.Package{pkg(inventory.Deb, "zlib1g", "1:1.2.13.dfsg-1")}, []string{"zlib-ng"}},
		{"a kind is not another", []inventory.Package{pkg(inventory.NPM, "zlib1g", "1")}, []string{}},
		{"libjpeg-turbo needs nothing", []inventory.Package{pkg(inventory.Deb, "libjpeg62-turbo", "1:2.1.5-2")}, []string{}},
		{"PyYAML twice is one row", []inventory.Package{pkg(inventory.Deb, "python3-yaml", "6.0"), pkg(inventory.PyPI, "pyyaml", "6.0")}, []string{"python-yaml-c"}},
		{"redis", []inventory.Package{pkg(inventory.PyPI, "redis", "5.0")}, []string{"python-redis-hiredis"}},
		{"redis with hiredis", []inventory.Package{pkg(inventory.PyPI, "redis", "5.0"), pkg(inventory.PyPI, "hiredis", "2")}, []string{}},
		{"pydantic 1", []inventory.Package{pkg(inventory.PyPI, "pydantic", "1.10.13")}, []string{"python-pydantic"}},
		{"pydantic 2", []inventory.Package{pkg(inventory.PyPI, "pydantic", "2.5")}, []string{}},
		{"musl", []inventory.Package{pkg(inventory.Apk, "musl", "1.2.5-r0")}, []string{"musl-malloc"}},
		{"Java", []inventory.Package{pkg(inventory.Maven, "com.google.code.gson:gson", "2.10")}, []string{"java-jackson"}},
		{"reference BLAS", []inventory.Package{pkg(inventory.Deb, "libblas3", "3.11")}, []string{"blas-reference"}},
		{"reference BLAS beside OpenBLAS", []inventory.Package{pkg(inventory.Deb, "libblas3", "3.11"), pkg(inventory.Deb, "libopenblas0-pthread", "0.3")}, []string{}},
		{"json of Ruby, old and new", []inventory.Package{pkg(inventory.Gem, "json", "2.9.1"), pkg(inventory.Gem, "json", "2.10.2")}, []string{"ruby-json"}},
	} {
		a := Scan(Request{Inventory: with(c.packages...), Catalog: builtin(t)})
		if got := rules(a); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		for _, r := range a.Rows {
			if r.Share != nil || r.Finding != nil || len(r.Steps) == 0 || len(r.Packages) == 0 {
				t.Errorf("%s: %+v", c.name, r)
			}
		}
	}
}

func hot(t *testing.T, stacks string, findings ...finding.Finding) *Hot {
	t.Helper()
	p, err := folded.Read(t.Context(), strings.NewReader(stacks))
	if err != nil {
		t.Fatal(err)
	}
	return &Hot{Profile: p, Report: finding.Report{Findings: findings}}
}

func found(rule, binary, file string, share float64) finding.Finding {
	return finding.Finding{ID: rule, Rule: rule, Place: finding.Place{Binary: binary, File: file, BuildID: "aa"}, Share: finding.Share{Inclusive: &share}}
}

// What is hot and in the image is told, what burns most first; what is in the image and
// not hot is not, nor what is hot and not in the image.
func TestWithProfile(t *testing.T) {
	const zlib, app = "/usr/lib/libz.so.1", "/app/server"
	in := with(pkg(inventory.Deb, "zlib1g", "1:1.2.13"), pkg(inventory.Deb, "libjson-c5", "0.16"), pkg(inventory.PyPI, "pyyaml", "6"), pkg(inventory.Deb, "server", "1"),
		inventory.Package{Kind: inventory.Go, Name: "github.com/sirupsen/logrus", Path: app}, inventory.Package{Kind: inventory.Go, Name: "github.com/sirupsen/logrus", Path: "/app/other"})
	in.Files = map[string]inventory.File{
		zlib: {Path: zlib, Layer: 1, BuildID: "bb", Owners: []int{0}},
		app:  {Path: app, Layer: 2, BuildID: "aa", Owners: []int{3}},
	}
	h := hot(t, "app;main_["+app+"] 60\napp;main_["+app+"];inflate_["+zlib+"] 20\n",
		found("zlib-ng", zlib, "", 0.1), found("python-yaml-c", "/usr/bin/python3", "", 0.3), found("go-json", app, "", 0.2), found("go-log-zap", app, "", 0.05), found("node-moment", "/usr/bin/node", "/home/x.js", 0.4))
	h.Cores = 10
	a := Scan(Request{Inventory: in, Catalog: builtin(t), Hot: h})
	if want := []string{"python-yaml-c", "go-json", "zlib-ng", "go-log-zap"}; !slices.Equal(rules(a), want) {
		t.Fatalf("%q, want %q", rules(a), want)
	}
	if a.Profile.Elsewhere != 1 {
		t.Errorf("%d findings are elsewhere, not 1", a.Profile.Elsewhere)
	}
	yaml, json, z := a.Rows[0], a.Rows[1], a.Rows[2]
	if len(yaml.Packages) != 1 || yaml.Packages[0].Name != "pyyaml" || *yaml.Cores != 3 || yaml.File != "" {
		t.Errorf("%+v", yaml)
	}
	if len(json.Packages) != 1 || json.Packages[0].Name != "server" || json.OtherBuild {
		t.Errorf("an entry without packages is of the package that owns the binary: %+v", json)
	}
	if log := a.Rows[3]; len(log.Packages) != 1 || log.Packages[0].Path != app {
		t.Errorf("a module of another binary is not hot: %+v", log)
	}
	if z.Packages[0].Name != "zlib1g" || !z.OtherBuild || z.File != zlib {
		t.Errorf("the profile is of another build: %+v", z)
	}
}

func TestProfileOfSomethingElse(t *testing.T) {
	in := with(pkg(inventory.PyPI, "pyyaml", "6"))
	a := Scan(Request{Inventory: in, Catalog: builtin(t), Hot: hot(t, "app;main_[/opt/other] 10\n", found("python-yaml-c", "/opt/other", "", 0.9))})
	if len(a.Rows) != 0 || a.Profile.Elsewhere != 1 || len(a.Notes) != 1 || *a.Profile.Covered != 0 {
		t.Errorf("%+v", a)
	}
	// Folded stacks name no paths: the packages are all there is to go by.
	a = Scan(Request{Inventory: in, Catalog: builtin(t), Hot: hot(t, "app;main_[python3] 10\n", found("python-yaml-c", "python3", "", 0.9))})
	if len(a.Rows) != 1 || a.Profile.Covered != nil {
		t.Errorf("%+v", a)
	}
}

// An entry that names packages names them by patterns that stand for whole names: one
// that matches in the middle of a name would be about other packages.
func TestPatternsOfTheCatalogueBegin(t *testing.T) {
	for _, e := range builtin(t).Entries {
		for _, p := range e.Packages {
			for _, n := range append(slices.Clone(p.Name), p.Unless...) {
				if !strings.HasPrefix(n.String(), "^") {
					t.Errorf("%s: %s does not begin with ^", e.ID, n)
				}
			}
		}
	}
}

func TestFiles(t *testing.T) {
	h := hot(t, "app;main_[/app];f_[libz.so.1] 1\n", found("x", "", "/app/x.py", 1))
	if got, want := Files(h.Profile, h.Report.Findings), []string{"/app", "/app/x.py"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
