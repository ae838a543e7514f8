package view

import (
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"whyhot/internal/profile"
)

// byBinary is a Grouper with one family.
type byBinary struct{}

func (byBinary) Group(_ *profile.Function, m *profile.Mapping) string {
	if m.Path == "/usr/bin/app" {
		return "application"
	}
	return ""
}

func TestTopConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProfile(t)
		by := rapid.SampledFrom(Groupings()).Draw(t, "by")
		order := rapid.SampledFrom([]Sort{SortSelf, SortTotal}).Draw(t, "sort")
		table := Top(p, TopOptions{By: by, Sort: order, Grouper: byBinary{}})
		var self int64
		last := int64(1 << 62)
		for _, r := range table.Rows {
			self += r.Self
			if r.Total > p.Total() || r.Self > r.Total {
				t.Fatalf("row %+v: want self ≤ total ≤ %d", r, p.Total())
			}
			value := r.Self
			if order == SortTotal {
				value = r.Total
			}
			if value > last {
				t.Fatalf("row %+v is out of order", r)
			}
			last = value
			if sample := by == ByProcess || by == ByThread; sample && r.Self != r.Total {
				t.Fatalf("row %+v of a group of samples has self ≠ total", r)
			}
		}
		if self != p.Total() {
			t.Fatalf("by %s: selves add up to %d, want %d", by, self, p.Total())
		}
	})
}

// TestTopAgreesWithPlainCount counts every function the slow way.
func TestTopAgreesWithPlainCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProfile(t)
		self, total := map[profile.FunctionID]int64{}, map[profile.FunctionID]int64{}
		for _, s := range p.Samples() {
			stack := stackFunctions(p, s.Stack)
			self[stack[0]] += s.Value
			slices.Sort(stack)
			for _, fn := range slices.Compact(stack) {
				total[fn] += s.Value
			}
		}
		rows := 0
		for _, r := range Top(p, TopOptions{}).Rows {
			rows++
			if r.Self != self[r.Function] || r.Total != total[r.Function] {
				t.Fatalf("%+v, want self %d total %d", r, self[r.Function], total[r.Function])
			}
		}
		for fn, v := range total {
			if v == 0 {
				delete(total, fn)
			}
		}
		if rows != len(total) {
			t.Fatalf("%d rows, want %d", rows, len(total))
		}
	})
}

// TestChosenFramesPartition: the rows of a library and those of all others are
// the rows of the whole.
func TestChosenFramesPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProfile(t)
		all := Top(p, TopOptions{})
		lib := Top(p, TopOptions{Library: regexp.MustCompile(`libz`)})
		rest := Top(p, TopOptions{Library: regexp.MustCompile(`app|unknown|native|python`)})
		joined := slices.Concat(lib.Rows, rest.Rows)
		for _, rows := range [][]Row{joined, all.Rows} {
			slices.SortFunc(rows, func(a, b Row) int { return int(a.Function) - int(b.Function) })
		}
		if !slices.Equal(joined, all.Rows) {
			t.Fatalf("library %v + rest %v is not %v", lib.Rows, rest.Rows, all.Rows)
		}
	})
}

func TestFilterAndComplement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProfile(t)
		re := regexp.MustCompile(rapid.SampledFrom([]string{"^f$", "main|g", "libz", "nothing", "."}).Draw(t, "pattern"))
		kept := Filter{Focus: re}.Apply(p)
		dropped := Filter{Ignore: re}.Apply(p)
		if kept.Total()+dropped.Total() != p.Total() || kept.Count()+dropped.Count() != p.Count() {
			t.Fatalf("kept %d + dropped %d, want %d", kept.Total(), dropped.Total(), p.Total())
		}
		for _, q := range []*profile.Profile{kept, dropped} {
			checkTree(t, BuildTree(q, TreeOptions{}), q.Total())
		}
		for _, r := range Top(dropped, TopOptions{}).Rows {
			if re.MatchString(Name(p, r.Function)) {
				t.Fatalf("%s was not dropped", Name(p, r.Function))
			}
		}
		for _, r := range Top(Filter{Leaf: re}.Apply(p), TopOptions{}).Rows {
			if r.Self > 0 && !re.MatchString(Name(p, r.Function)) {
				t.Fatalf("leaf %s should not be there", Name(p, r.Function))
			}
		}
	})
}

func TestFilterByProcess(t *testing.T) {
	b := profile.NewBuilder()
	for i, labels := range [][]profile.Label{
		{{Key: profile.LabelProcess, Str: "nginx"}, {Key: profile.LabelPID, Num: 17}},
		{{Key: profile.LabelThread, Str: "nginx-worker"}, {Key: profile.LabelPID, Num: 170}},
		{{Key: profile.LabelProcess, Str: "17-seventeen"}},
		nil,
	} {
		b.Sample(profile.Sample{Stack: b.Stack(nil), Labels: b.Labels(labels), Count: 1, Value: int64(1) << (4 * i)})
	}
	p := b.Build(profile.Meta{})
	for pattern, want := range map[string]int64{"nginx": 0x11, "^nginx$": 0x1, "17": 0x101, "170": 0x10, "x$": 0x1} {
		if got := (Filter{Process: regexp.MustCompile(pattern)}).Apply(p).Total(); got != want {
			t.Errorf("process %q keeps %#x, want %#x", pattern, got, want)
		}
	}
}

func TestEvents(t *testing.T) {
	b := profile.NewBuilder()
	b.Sample(profile.Sample{Stack: b.Stack(nil), Count: 100, Value: 100})
	if got := Events(b.Build(profile.Meta{})); got != 100 {
		t.Errorf("100 equal events count as %d", got)
	}
	b = profile.NewBuilder()
	b.Location(0, 1, profile.KindNative)
	b.Sample(profile.Sample{Stack: b.Stack(nil), Count: 100, Value: 100})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{0}), Count: 1, Value: 1_000_000})
	if got := Events(b.Build(profile.Meta{})); got != 1 {
		t.Errorf("one event that weighs nearly everything counts as %d", got)
	}
}
