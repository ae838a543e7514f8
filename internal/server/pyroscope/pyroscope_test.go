package pyroscope

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/store"
)

func TestSelectors(t *testing.T) {
	for text, want := range map[string][]matcher{
		``:                               nil,
		`{}`:                             nil,
		`{service_name=""}`:              {{"service_name", "=", ""}},
		` { a = "x" , b=~"web-\\d+", } `: {{"a", "=", "x"}, {"b", "=~", `web-\d+`}},
		"{a!='it\\'s \"x\"', b!~`\\d`}":  {{"a", "!=", `it's "x"`}, {"b", "!~", `\d`}},
		`{"k8s.pod.name"="p", k.v="w"}`:  {{"k8s.pod.name", "=", "p"}, {"k.v", "=", "w"}},
	} {
		got, err := parseSelector(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for text, says := range map[string]string{
		`service_name="x"`: "braces", `{="x"}`: "name is missing", `{a}`: "after a there must be", `{a=x}`: "in quotes", `{a="x" b="y"}`: "comma", `{a='x}`: "in quotes", `{a="x}`: "in quotes",
	} {
		if _, err := parseSelector(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Labels that are the same for all profiles choose all or none.
func TestConstantLabels(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	from, to := store.WholeMinutes(now.Add(-time.Hour), now, now)
	for text, none := range map[string]bool{
		`{__profile_type__="` + ProfileType + `"}`: false, `{__name__=~"process_.*"}`: false, `{__name__="memory"}`: true, `{__type__!="cpu"}`: true, `{__type__!~"c"}`: false,
	} {
		sel, got, err := selection("", []string{text, `{pod="a"}`}, 0, 0, now)
		if err != nil || got != none || sel.Where.String() != `pod="a"` || !sel.From.Equal(from) || !sel.To.Equal(to) {
			t.Errorf("%s: %v %v %v", text, sel, got, err)
		}
	}
}

// tree is main (self 4) that calls parse (self 2, of which 5 below are hidden) and two
// functions of one name.
func tree() *store.Tree {
	return &store.Tree{
		Function: []store.FunctionID{0, 1, 2, 3, 4}, Parent: []int32{-1, 0, 1, 1, 1}, Self: []int64{0, 4, 2, 1, 3}, Total: []int64{15, 15, 7, 1, 3}, Hidden: []int32{0, 0, 2, 0, 0},
		Functions: map[store.FunctionID]store.Function{0: {}, 1: {ID: 1, Name: "main"}, 2: {ID: 2, Name: "parse"}, 3: {ID: 3, Name: "copy"}, 4: {ID: 4, Name: "copy"}},
	}
}

func TestFlameGraph(t *testing.T) {
	root := newNode("")
	root.add(tree(), 0)
	g := flameGraph(root)
	if want := []string{"total", "main", "copy", "parse", "other"}; !slices.Equal(g.GetNames(), want) {
		t.Errorf("%q", g.GetNames())
	}
	for i, want := range [][]int64{{0, 15, 0, 0}, {0, 15, 4, 1}, {4, 4, 4, 2, 0, 7, 2, 3}, {10, 5, 5, 4}} {
		if got := g.GetLevels()[i].GetValues(); !slices.Equal(got, want) {
			t.Errorf("level %d: %v, not %v", i, got, want)
		}
	}
	if g.GetTotal() != 15 || g.GetMaxSelf() != 5 {
		t.Errorf("%v", g)
	}
}

// Weight that is cut is in a node of its own, and no graph weighs more or less for it.
func TestPrune(t *testing.T) {
	root := newNode("")
	root.add(tree(), 0)
	root.add(tree(), 1)
	root.prune(3) // total, main, parse
	d := flameGraphDiff(root)
	if d.GetLeftTicks() != 15 || d.GetRightTicks() != 15 || slices.Contains(d.GetNames(), "copy") || !slices.Contains(d.GetNames(), "parse") {
		t.Errorf("%v", d)
	}
	for _, l := range d.GetLevels() {
		for i := 0; i < len(l.GetValues()); i += 7 {
			if !slices.Equal(l.GetValues()[i:i+3], l.GetValues()[i+3:i+6]) {
				t.Errorf("the sides differ: %v", l.GetValues())
			}
		}
	}
	root.sum()
	if root.total[0] != 15 {
		t.Errorf("%v", root.total)
	}
}

// A minute's weight is in the steps that it overlaps, and none is lost at the ends.
func TestSpread(t *testing.T) {
	for name, c := range map[string]struct {
		from, to float64
		want     []float64
	}{
		"a minute of four steps": {0, 4, []float64{0, 15, 15, 15, 15}},
		"within a step":          {1.25, 1.5, []float64{0, 0, 60, 0, 0}},
		"across two":             {1.5, 2.5, []float64{0, 0, 30, 30, 0}},
		"before the first":       {-2, 1, []float64{40, 20, 0, 0, 0}},
		"after the last":         {3, 6, []float64{0, 0, 0, 0, 60}},
	} {
		sums := make([]float64, 5)
		spread(sums, 60, c.from, c.to)
		for i := range sums {
			if math.Abs(sums[i]-c.want[i]) > 1e-9 {
				t.Errorf("%s: %v, not %v", name, sums, c.want)
				break
			}
		}
	}
}

func TestTimes(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for text, want := range map[string]time.Time{
		"now": now, "now-1h": now.Add(-time.Hour), "now-2d": now.Add(-48 * time.Hour), "1700000000": now, "1700000000000": now, "2023-11-14T22:13:20Z": now,
	} {
		if got, err := parseTime(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"yesterday", "now+1h", "now-1", "now-999999999w", "now--1h"} {
		if got, err := parseTime(text, now); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}
