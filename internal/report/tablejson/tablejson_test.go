package tablejson

import (
	"bytes"
	"strings"
	"testing"

	"whyhot/internal/finding/price"
	"whyhot/internal/host/version"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

func sampleProfile() *profile.Profile {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/bin/app", Start: 0x1000, Limit: 0x2000})
	known := b.Function(profile.Function{Name: "f<int>", File: "f.cc", StartLine: 3, Mapping: m})
	named := b.Location(m, 0x1004, profile.KindNative, profile.Line{Function: known, Line: 5})
	unnamed := b.Location(m, 0x1010, profile.KindNative)
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{named, unnamed}), Count: 3, Value: 30})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{unnamed}), Count: 1, Value: 10})
	b.Sample(profile.Sample{Stack: b.Stack(nil), Count: 1, Value: 10})
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
}

func check(t *testing.T, want string, write func(*bytes.Buffer) error) {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	want = `{"whyhot": "` + version.String() + `", ` + strings.TrimPrefix(want, "{")
	flat := strings.Join(strings.Fields(out.String()), "")
	if flat != strings.Join(strings.Fields(want), "") {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestTop(t *testing.T) {
	p := sampleProfile()
	check(t, `{"total": 50, "unit": "nanoseconds", "functions": [
		{"function": "f<int>", "binary": "/bin/app", "file": "f.cc", "line": 3, "self": 30, "total": 30},
		{"binary": "/bin/app", "self": 10, "total": 40},
		{"self": 10, "total": 10}
	]}`, func(w *bytes.Buffer) error { return Top(w, p, view.Top(p, view.TopOptions{}), p.Total(), 0, nil) })
	check(t, `{"total": 50, "unit": "nanoseconds", "functions": [
		{"function": "f<int>", "binary": "/bin/app", "file": "f.cc", "line": 5, "self": 30, "total": 30}
	]}`, func(w *bytes.Buffer) error {
		return Top(w, p, view.Top(p, view.TopOptions{By: view.ByLine}), p.Total(), 1, nil)
	})
	check(t, `{"total": 50, "unit": "nanoseconds", "by": "library", "groups": [
		{"name": "/bin/app", "self": 40, "total": 40}, {"name": "[unknown]", "self": 10, "total": 10}
	]}`, func(w *bytes.Buffer) error {
		return Top(w, p, view.Top(p, view.TopOptions{By: view.ByLibrary}), p.Total(), 0, nil)
	})
	empty := profile.NewBuilder().Build(profile.Meta{})
	check(t, `{"total": 0, "unit": "count", "functions": []}`,
		func(w *bytes.Buffer) error { return Top(w, empty, view.Top(empty, view.TopOptions{}), 0, 0, nil) })
}

func TestGraph(t *testing.T) {
	p := sampleProfile()
	fn := view.Find(p, func(s string) bool { return s == "f<int>" })
	check(t, `{"total": 50, "unit": "nanoseconds",
		"function": {"function": "f<int>", "binary": "/bin/app", "file": "f.cc", "line": 3, "self": 30, "total": 30},
		"recursive": 0, "entry": 0,
		"callers": [{"binary": "/bin/app", "total": 30}], "callees": [],
		"caller_tree": [{"binary": "/bin/app", "total": 30}], "callee_tree": []
	}`, func(w *bytes.Buffer) error {
		return Graph(w, p, view.Callgraph(p, fn, view.CallgraphOptions{}), p.Total(), nil)
	})
}

func TestLines(t *testing.T) {
	p := sampleProfile()
	for name, want := range map[string]string{
		"f<int>": `{"total": 50, "unit": "nanoseconds",
			"function": {"function": "f<int>", "binary": "/bin/app", "file": "f.cc", "line": 3, "self": 30, "total": 30},
			"lines": [{"file": "f.cc", "line": 5, "self": 30, "total": 30}]}`,
		"[app]": `{"total": 50, "unit": "nanoseconds",
			"function": {"binary": "/bin/app", "self": 10, "total": 40},
			"lines": [{"binary": "/bin/app", "offset": 16, "self": 10, "total": 40}]}`,
	} {
		fn := view.Find(p, func(s string) bool { return s == name })
		check(t, want, func(w *bytes.Buffer) error { return Lines(w, p, fn[0], view.Lines(p, fn), p.Total(), nil) })
	}
}

func TestDiff(t *testing.T) {
	a := sampleProfile()
	b := a.Filtered(func(s *profile.Sample) bool { return len(a.Stack(s.Stack)) > 0 })
	check(t, `{"before": {"total": 50, "unit": "nanoseconds", "samples": 5}, "after": {"total": 40, "unit": "nanoseconds", "samples": 4},
		"compared": "self", "absolute": true, "false_discovery_rate": 0.05, "functions": [
		{"before": {"self": 10, "total": 10}, "delta": -10, "p": 0.31731050786291415, "significant": false}
	]}`, func(w *bytes.Buffer) error {
		return Diff(w, a, b, view.Diff(a, b, view.DiffOptions{Absolute: true}), view.SortSelf, 1, nil, nil)
	})
}

func TestCosts(t *testing.T) {
	p := sampleProfile()
	rate := &price.Rate{Prices: price.Prices{Currency: "EUR", CoreHour: 0.1}, Cores: 10}
	check(t, `{"total": 50, "unit": "nanoseconds", "cost": {"cores": 10, "currency": "EUR", "money_per_year": 8760}, "functions": [
		{"function": "f<int>", "binary": "/bin/app", "file": "f.cc", "line": 3, "self": 30, "total": 30, "cost": {
			"self": {"cores": 6, "currency": "EUR", "money_per_year": 5256}, "total": {"cores": 6, "currency": "EUR", "money_per_year": 5256}}}
	]}`, func(w *bytes.Buffer) error { return Top(w, p, view.Top(p, view.TopOptions{}), p.Total(), 1, rate) })
	fn := view.Find(p, func(s string) bool { return s == "f<int>" })
	const cost = `"cost": {"self": {"cores": 6, "currency": "EUR", "money_per_year": 5256}, "total": {"cores": 6, "currency": "EUR", "money_per_year": 5256}}`
	check(t, `{"total": 50, "unit": "nanoseconds",
		"function": {"function": "f<int>", "binary": "/bin/app", "file": "f.cc", "line": 3, "self": 30, "total": 30, `+cost+`},
		"lines": [{"file": "f.cc", "line": 5, "self": 30, "total": 30, `+cost+`}]}`,
		func(w *bytes.Buffer) error { return Lines(w, p, fn[0], view.Lines(p, fn), p.Total(), rate) })
}
