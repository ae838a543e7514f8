package merge

import (
	"slices"
	"testing"
	"time"

	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

// run is one run of a program that was loaded at an address.
func run(at uint64, value int64, warning string) *profile.Profile {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/usr/bin/app", BuildID: "ab", Start: at + 0x1000, Limit: at + 0x2000 + uint64(value), Offset: 0x1000})
	named := b.Function(profile.Function{Name: "work", Mapping: m, Kind: profile.KindNative})
	stack := []profile.LocationID{
		b.Location(m, at+0x1100, profile.KindNative),
		b.Location(m, at+0x1200, profile.KindNative, profile.Line{Function: named, Line: 3}),
		b.Location(0, 0, profile.KindPython, profile.Line{Function: b.Function(profile.Function{Name: "f", Kind: profile.KindPython})}),
	}
	b.Sample(profile.Sample{Stack: b.Stack(stack), Labels: b.Labels([]profile.Label{{Key: profile.LabelProcess, Str: "app"}}), Count: 2, Value: value})
	return b.Build(profile.Meta{Period: value / 2, Duration: time.Second, Lost: 1, Warnings: []string{"both", warning},
		Coverage: profile.Coverage{Samples: 2, Seen: time.Second, Used: 2 * time.Second}})
}

func TestRunsAddUp(t *testing.T) {
	p := All([]*profile.Profile{run(0x400000, 20, "one"), run(0x550000, 40, "two"), run(0x400000, 20, "one")})
	if p.Count() != 6 || p.Total() != 80 || p.NumStacks() != 1 || len(p.Samples()) != 1 {
		t.Fatalf("%d samples, %d, %d stacks", p.Count(), p.Total(), p.NumStacks())
	}
	rows := view.Top(p, view.TopOptions{}).Rows
	if len(rows) != 3 {
		t.Errorf("%d functions: a binary that is loaded elsewhere is another", len(rows))
	}
	stack := p.Stack(p.Samples()[0].Stack)
	l := p.Location(stack[0])
	if m := p.Mapping(l.Mapping); l.Address != 0x401100 || m.Start != 0x401000 || m.Offset != 0x1000 || m.Limit != 0x402028 {
		t.Errorf("address %#x in %+v", l.Address, *m)
	}
	if f := p.Function(p.Lines(stack[1])[0].Function); f.Name != "work" || f.Kind != profile.KindNative {
		t.Errorf("%+v", *f)
	}
	if m := p.Meta; m.Duration != 3*time.Second || m.Lost != 3 || m.Period != 0 || !slices.Equal(m.Warnings, []string{"both", "one", "two"}) {
		t.Errorf("%+v", m)
	}
	if c := p.Meta.Coverage; c.Samples != 6 || c.Seen != 3*time.Second || c.Used != 6*time.Second {
		t.Errorf("coverage %+v", c)
	}
}

func TestOneProfileStaysItself(t *testing.T) {
	p := run(0, 10, "")
	if All([]*profile.Profile{p}) != p {
		t.Error("it is another")
	}
}

func TestTimesOfRunsCountFromTheFirst(t *testing.T) {
	timed := func(start int64, elapsed bool, at int64) *profile.Profile {
		p := run(0x400000, 20, "one").Retold(func(*profile.Sample) ([]profile.Label, int64, bool) { return nil, at, true })
		p.Meta.Start, p.Meta.Elapsed = time.Unix(start, 0), elapsed
		return p
	}
	const second = int64(time.Second)
	p := All([]*profile.Profile{timed(1000, true, second), timed(1060, true, second), timed(1100, false, 1102*second), timed(1200, true, 0)})
	var got []int64
	for _, s := range p.Samples() {
		got = append(got, s.Time/second)
	}
	if want := []int64{1, 61, 102, 0}; !p.Meta.Elapsed || !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
