package ebpf

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/collect"
	"whyhot/internal/profile"
)

// inSQLite makes many look-ups by a key, which probes see a small part of, and some scans.
const inSQLite = `
import sqlite3
db = sqlite3.connect(":memory:")
db.execute("create table users(id integer primary key, email text)")
db.executemany("insert into users values(?,?)", ((i, "User%d@example.org" % i) for i in range(20000)))
def load(i): return db.execute("SELECT email FROM users WHERE id = ?", (i,)).fetchone()
def find(i): return db.execute("SELECT id FROM users WHERE lower(email) = 'secret%d'" % i).fetchone()
for n in range(40):
    for i in range(20000): load(i)
    for i in range(12): find(i)
`

func pythonWithSQLite(t *testing.T) string {
	t.Helper()
	const python = "/usr/bin/python3"
	if err := exec.CommandContext(t.Context(), python, "-c", "import sqlite3").Run(); err != nil {
		t.Skipf("Python has no SQLite here: %v", err)
	}
	return python
}

// The statements of a program that has SQLite in a library, without their values.
func TestStatements(t *testing.T) {
	python := pythonWithSQLite(t)
	script := filepath.Join(t.TempDir(), "users.py")
	if err := os.WriteFile(script, []byte(inSQLite), 0o600); err != nil {
		t.Fatal(err)
	}
	settled(t, func(v *verdict) {
		p, _ := record(t.Context(), t, collect.Request{
			Target: collect.Target{Command: []string{python, script}}, Settings: collect.Settings{Frequency: 997, Statements: true},
		})
		const byKey, byText = "SELECT email FROM users WHERE id = ?", "SELECT id FROM users WHERE lower(email) = ?"
		value := map[string]int64{}
		for _, s := range p.Samples() {
			system, _ := p.Label(s.Labels, profile.LabelDatabase)
			text, _ := p.Label(s.Labels, profile.LabelStatement)
			if text.Str != "" && system.Str != "sqlite" {
				t.Fatalf("%q is of the database %q", text.Str, system.Str)
			}
			value[text.Str] += s.Value
		}
		if len(p.Meta.Statements) == 0 {
			t.Fatalf("no statement was seen: %q", p.Meta.Warnings)
		}
		for text, least := range map[string]uint64{byKey: 20000, byText: 20} {
			i := slices.IndexFunc(p.Meta.Statements, func(s profile.Statement) bool { return s.Text == text })
			if i < 0 || p.Meta.Statements[i].Runs < least {
				v.Errorf("%s: not seen, or not often enough: %+v", text, p.Meta.Statements)
			}
			if share := float64(value[text]) / float64(p.Total()); share < 0.05 {
				v.Errorf("%s has %.1f%% of the samples: %v", text, 100*share, value)
			}
		}
		for text := range value {
			if strings.Contains(text, "secret") || strings.Contains(text, "User") {
				v.Errorf("a value is kept: %q", text)
			}
		}
	})
}

const (
	fillsSQLite = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("create table c(id integer primary key, email text)")
db.execute("create table b(id integer primary key, address text)")
db.executemany("insert into c values(?,?)", ((i, "user%d@example.org" % i) for i in range(4000)))
db.executemany("insert into b values(?,?)", ((i, "nobody%d@example.org" % i) for i in range(1500)))
db.commit()
`
	// The table that is made has SQLite read its own tables, whose statement has the place of
	// this one before it.
	scansSQLite = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("CREATE TEMP TABLE m AS SELECT id, (SELECT c.id FROM c WHERE c.email = b.address) FROM b")
`
)

// What SQLite counts of a statement is read, of the first statement of a program as well.
func TestWorkOfAStatement(t *testing.T) {
	const scanned = 1500 * 3999 // a step is from row to row
	python := pythonWithSQLite(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("where SQLite keeps its counters is read from x86-64 alone")
	}
	db := filepath.Join(t.TempDir(), "x.db")
	if out, err := exec.CommandContext(t.Context(), python, "-c", fillsSQLite, db).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p, _ := record(t.Context(), t, collect.Request{
		Target: collect.Target{Command: []string{python, "-c", scansSQLite, db}}, Settings: collect.Settings{Frequency: 997, Statements: true},
	})
	i := slices.IndexFunc(p.Meta.Statements, func(s profile.Statement) bool { return strings.HasPrefix(s.Text, "CREATE TEMP TABLE m") })
	if i < 0 {
		t.Fatalf("the statement was not seen: %+v, %q", p.Meta.Statements, p.Meta.Warnings)
	}
	s := p.Meta.Statements[i]
	if s.Runs != 1 || s.Scanned < scanned || s.Scanned > scanned+scanned/50 || // some by the share of samples before it was seen
		s.Operations < s.Scanned || s.DatabaseBytes < 100_000 {
		t.Errorf("%+v, with %d rows scanned", s, scanned)
	}
}

func TestCommandsThatNameTheLibrary(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, x := range []struct {
		command []string
		want    bool
	}{
		{[]string{"sqlite3", "x.db"}, true},
		{[]string{"bash", write("run.sh", "sqlite3 x.db < report.sql\n")}, true},
		{[]string{"python3", write("app.py", "import SQLite\n")}, true},
		{[]string{"bash", write("other.sh", "sort x\n"), filepath.Join(dir, "absent"), dir}, false},
		{[]string{"gzip", write("large", strings.Repeat("x", 1<<20)+"sqlite")}, false},
	} {
		if got := namesSQLite(x.command); got != x.want {
			t.Errorf("%q: %v", x.command, got)
		}
	}
}

// Samples whose statement nobody saw get that of the same callers, where it is one.
func TestAlike(t *testing.T) {
	b := profile.NewBuilder()
	library := b.Mapping(profile.Mapping{Path: "/lib/libsqlite3.so.0", Start: 1, Limit: 100})
	var inLibrary []profile.LocationID
	for address := range uint64(4) {
		inLibrary = append(inLibrary, b.Location(library, address+1, profile.KindNative))
	}
	line := func(n int32) profile.LocationID {
		return b.Location(0, 0, profile.KindPython, profile.Line{Function: b.Function(profile.Function{Name: "load", File: "a.py", Kind: profile.KindPython}), Line: n})
	}
	add := func(n int64, text string, locs ...profile.LocationID) {
		labels := []profile.Label{{Key: profile.LabelDatabase, Str: "sqlite"}}
		if text != "" {
			labels = append(labels, profile.Label{Key: profile.LabelStatement, Str: text})
		}
		b.Sample(profile.Sample{Stack: b.Stack(locs), Labels: b.Labels(labels), Count: n, Value: n})
	}
	add(10, "one", inLibrary[0], line(1))
	add(90, "", inLibrary[0], line(1))
	add(50, "", inLibrary[1], b.Location(0, 77, profile.KindNative), line(1)) // another way to the library
	add(5, "two", inLibrary[0], line(2))
	add(5, "three", inLibrary[2], line(2))
	add(20, "", inLibrary[0], line(2)) // two or three
	add(7, "", inLibrary[0], line(3))
	add(60, "page", inLibrary[0], line(4))
	add(20, "one", inLibrary[0], line(4)) // its end at line 1 was not seen
	add(140, "", inLibrary[0], line(4))
	p, times := alike(b.Build(profile.Meta{}), func(l profile.LocationID) bool { return slices.Contains(inLibrary, l) })
	got := map[string]int64{}
	for _, s := range p.Samples() {
		text, _ := p.Label(s.Labels, profile.LabelStatement)
		got[text.Str] += s.Value
	}
	if got["one"] != 170 || got["page"] != 200 || got[""] != 27 || got["two"] != 5 || p.Total() != 407 {
		t.Errorf("%v", got)
	}
	if n, ok := times("sqlite", "one"); !ok || n != 1+140./30 {
		t.Error(n, ok)
	}
	if _, ok := times("sqlite", "four"); ok {
		t.Error("of what has no samples nobody knows how much there is")
	}
}
