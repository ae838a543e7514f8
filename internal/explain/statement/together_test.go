package statement

import (
	"strings"
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
	"whyhot/internal/profile/sqlshape"
)

// executed is a statement that a line executes for each row.
type executed struct {
	stack string // functions and lines of the program, innermost first
	text  string
	here  int64 // samples with it
	below int64 // samples of the line without it: what a client library does
}

func repeated(t *testing.T, all []executed) []judge.Found {
	t.Helper()
	b := profile.NewBuilder()
	server := b.Mapping(profile.Mapping{Path: "/usr/lib/libsqlite3.so.0", Start: 1, Limit: 2})
	native := b.Location(server, 1, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: "sqlite3_step", Mapping: server, Kind: profile.KindNative})})
	meta := profile.Meta{}
	seen := map[string]bool{}
	for _, x := range all {
		shape := sqlshape.Of(x.text, sqlshape.SQLite, false)
		var locs []profile.LocationID
		for at := range strings.SplitSeq(x.stack, " ") {
			name, line, _ := strings.Cut(at, ":")
			locs = append(locs, b.Location(0, 0, profile.KindPython, profile.Line{
				Function: b.Function(profile.Function{Name: name, File: "/me/" + name + ".py", Kind: profile.KindPython}), Line: int32(line[0] - '0'),
			}))
		}
		labels := b.Labels([]profile.Label{{Key: profile.LabelDatabase, Str: sqlite}, {Key: profile.LabelStatement, Str: shape.Text}})
		b.Sample(profile.Sample{Stack: b.Stack(append([]profile.LocationID{native}, locs...)), Labels: labels, Count: x.here, Value: x.here * 2_000_000})
		if x.below > 0 {
			b.Sample(profile.Sample{Stack: b.Stack(locs), Labels: b.Labels(nil), Count: x.below, Value: x.below * 2_000_000})
		}
		if !seen[shape.Text] {
			seen[shape.Text] = true
			meta.Statements = append(meta.Statements, profile.Statement{System: sqlite, Text: shape.Text, Runs: 90_000, Steps: 180_000, Watched: 1, Facts: shape.Facts})
		}
	}
	answer, err := Judge(t.Context(), judge.Subject{Profile: b.Build(meta)})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Found
}

const (
	members = "SELECT name FROM members WHERE id = ?"
	books   = "SELECT title FROM books WHERE id = ?"
	authors = "SELECT name FROM authors WHERE id = ?"
)

func TestStatementsOfOneLoop(t *testing.T) {
	for _, x := range []struct {
		name   string
		all    []executed
		titles []string
		shares []float64
	}{
		{"one function, and what it calls", []executed{
			{"row:1 main:1", members, 100, 100}, {"row:2 main:1", books, 100, 100}, {"cite:3 row:4 main:1", authors, 100, 100}, {"other:1 main:2", "SELECT 1", 200, 200},
		}, []string{"One query for each row, of 3 tables; ask for many at once"}, []float64{0.6}},
		{"two functions", []executed{
			{"row:1 main:1", members, 100, 100}, {"list:2 main:2", books, 100, 100}, {"other:1 main:3", "SELECT 1", 300, 300},
		}, []string{"One query for each row; ask for many at once (members)", "One query for each row; ask for many at once (books)"}, []float64{0.2, 0.2}},
		{"a few samples of another line's statement", []executed{
			{"row:1 main:1", members, 100, 200}, {"row:1 main:1", books, 5, 0}, {"list:2 main:2", books, 100, 200}, {"other:1 main:3", "SELECT 1", 195, 200},
		}, []string{"One query for each row; ask for many at once (members)", "One query for each row; ask for many at once (books)"}, []float64{0.305, 0.3}},
		{"two statements on one line", []executed{
			{"row:1 main:1", members, 100, 200}, {"row:1 main:1", books, 100, 0}, {"other:1 main:3", "SELECT 1", 300, 300},
		}, []string{"One query for each row, of 2 tables; ask for many at once"}, []float64{0.4}},
	} {
		t.Run(x.name, func(t *testing.T) {
			found := repeated(t, x.all)
			if len(found) != len(x.titles) {
				t.Fatalf("%d findings: %+v", len(found), found)
			}
			for i, f := range found {
				if share := *f.Share.Inclusive; f.Title != x.titles[i] || share < x.shares[i]-0.005 || share > x.shares[i]+0.005 {
					t.Errorf("%q with %.3f, not %q with %.3f", f.Title, share, x.titles[i], x.shares[i])
				}
				if len(f.Title) > 60 || f.Gain.High > *f.Share.Inclusive+1e-9 {
					t.Errorf("%q: %+v", f.Title, f.Gain)
				}
			}
		})
	}
}
