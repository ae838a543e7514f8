package pprof

import (
	"bytes"
	"reflect"
	"testing"

	"whyhot/internal/profile"
	"whyhot/internal/profile/sqlshape"
)

func TestStatementsAreKept(t *testing.T) {
	want := []profile.Statement{{System: "sqlite", Text: "SELECT a FROM t WHERE b = ?", Runs: 3, Prepared: 1, Steps: 6, Watched: 0.5, Facts: sqlshape.Facts{Numbers: []string{"b"}, List: 2}}}
	b := profile.NewBuilder()
	fn := b.Function(profile.Function{Name: "main"})
	loc := b.Location(0, 0, profile.KindUnknown, profile.Line{Function: fn})
	labels := b.Labels([]profile.Label{{Key: profile.LabelStatement, Str: want[0].Text}})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Labels: labels, Count: 1, Value: 1})
	var out bytes.Buffer
	if err := WriteUncompressed(&out, b.Build(profile.Meta{Statements: want, ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})); err != nil {
		t.Fatal(err)
	}
	p := readBytes(t, out.Bytes(), Options{})
	if !reflect.DeepEqual(p.Meta.Statements, want) {
		t.Errorf("%+v", p.Meta.Statements)
	}
	if l, _ := p.Label(p.Samples()[0].Labels, profile.LabelStatement); l.Str != want[0].Text {
		t.Errorf("the label is %q", l.Str)
	}
}

func TestBranchesAreKept(t *testing.T) {
	want := []profile.Branch{{Path: "/app", Address: 1<<63 + 1, Seen: 5, Taken: 2, Judged: 3, Missed: 1}}
	b := profile.NewBuilder()
	fn := b.Function(profile.Function{Name: "main"})
	loc := b.Location(0, 0, profile.KindUnknown, profile.Line{Function: fn})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: 1, Value: 1})
	var out bytes.Buffer
	if err := WriteUncompressed(&out, b.Build(profile.Meta{Branches: want, ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})); err != nil {
		t.Fatal(err)
	}
	if p := readBytes(t, out.Bytes(), Options{}); !reflect.DeepEqual(p.Meta.Branches, want) {
		t.Errorf("%+v", p.Meta.Branches)
	}
}
