package foldedtext

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/profile"
)

func TestWrite(t *testing.T) {
	build := func(odd int64) *profile.Profile {
		b := profile.NewBuilder()
		app := b.Mapping(profile.Mapping{Path: "/bin/app"})
		kernel := b.Mapping(profile.Mapping{Path: "[kernel.kallsyms]"})
		at := func(m profile.MappingID, name string, addr uint64, k profile.Kind) profile.LocationID {
			f := b.Function(profile.Function{Name: name, Mapping: m, Kind: k})
			return b.Location(m, addr, k, profile.Line{Function: f})
		}
		run, again := at(app, "run;it", 1, profile.KindNative), at(app, "run;it", 2, profile.KindNative)
		sys, unnamed := at(kernel, "read", 3, profile.KindKernel), at(app, "", 4, profile.KindNative)
		labels := b.Labels([]profile.Label{{Key: profile.LabelProcess, Str: "a pp"}})
		add := func(n, value int64, leafFirst ...profile.LocationID) {
			b.Sample(profile.Sample{Stack: b.Stack(leafFirst), Labels: labels, Count: n, Value: value})
		}
		add(2, 20, run)
		add(1, 10, again) // another address of the same function: one line
		add(3, 30+odd, sys, run)
		add(1, 10, unnamed, run)
		add(1, 10)
		return b.Build(profile.Meta{})
	}
	for _, test := range []struct {
		name string
		odd  int64
		opt  Options
		want string
	}{
		{"plain", 0, Options{}, "run:it 3\nrun:it;read 3\nrun:it;[app] 1\n[unknown] 1\n"},
		{
			"marks", 0, Options{Binaries: true, RootLabel: profile.LabelProcess},
			"a pp;run:it_[app] 3\na pp;run:it_[app];read_[k] 3\na pp;run:it_[app];[unknown]_[app] 1\na pp;[unknown] 1\n",
		},
		{"uneven weights", 1, Options{}, "run:it 30\nrun:it;read 31\nrun:it;[app] 10\n[unknown] 10\n"},
	} {
		var out bytes.Buffer
		if err := Write(&out, build(test.odd), test.opt); err != nil {
			t.Fatal(err)
		}
		if out.String() != test.want {
			t.Errorf("%s: got\n%swant\n%s", test.name, out.String(), test.want)
		}
	}
	var out bytes.Buffer
	if err := Write(&out, profile.NewBuilder().Build(profile.Meta{}), Options{}); err != nil || out.Len() > 0 {
		t.Errorf("empty profile: %q, %v", out.String(), err)
	}
}

// Stacks are merged where their texts are the same, whatever functions and binaries
// stand behind them: compared with the merging of texts.
func TestMergesWhatReadsTheSame(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 2))
		b := profile.NewBuilder()
		var mappings []profile.MappingID
		for _, path := range []string{"/bin/app", "/opt/bin/app", "[kernel.kallsyms]", ""} { // two read the same
			mappings = append(mappings, b.Mapping(profile.Mapping{Path: path}))
		}
		names := []string{"main", "a;b", "a:b", "", "operator<", "x\ny"}
		line := func() profile.Line {
			f := profile.Function{Name: names[rng.IntN(len(names))], Mapping: mappings[rng.IntN(len(mappings))], Kind: profile.KindNative}
			return profile.Line{Function: b.Function(f)}
		}
		var locations []profile.LocationID
		for addr := range uint64(12) {
			locations = append(locations, b.Location(mappings[0], addr, profile.KindNative, []profile.Line{line(), line()}[:1+rng.IntN(2)]...))
		}
		var labels []profile.LabelSetID
		for _, process := range []string{"p", "p;q", "p:q"} {
			labels = append(labels, b.Labels([]profile.Label{{Key: profile.LabelProcess, Str: process}}))
		}
		labels = append(labels, b.Labels(nil))
		for range rng.IntN(300) {
			stack := make([]profile.LocationID, rng.IntN(4))
			for i := range stack {
				stack[i] = locations[rng.IntN(len(locations))]
			}
			b.Sample(profile.Sample{Stack: b.Stack(stack), Labels: labels[rng.IntN(len(labels))], Count: 1, Value: int64(rng.IntN(3))})
		}
		p := b.Build(profile.Meta{})
		for _, opt := range []Options{{}, {Binaries: true}, {RootLabel: profile.LabelProcess}, {Binaries: true, RootLabel: profile.LabelProcess}} {
			var got bytes.Buffer
			if err := Write(&got, p, opt); err != nil {
				t.Fatal(err)
			}
			if want := merged(p, opt); got.String() != want {
				t.Fatalf("seed %d, %+v: got\n%s\nwant\n%s", seed, opt, got.String(), want)
			}
		}
	}
}

// merged merges the texts of all samples.
func merged(p *profile.Profile, opt Options) string {
	var order []string
	values := map[string]int64{}
	for _, s := range p.Samples() {
		var frames []string
		if opt.RootLabel != "" {
			name := "(no " + opt.RootLabel + ")"
			if l, ok := p.Label(s.Labels, opt.RootLabel); ok {
				name = clean(l.Str)
			}
			frames = append(frames, name)
		}
		stack := p.Stack(s.Stack)
		for _, id := range slices.Backward(stack) {
			for _, l := range slices.Backward(p.Lines(id)) {
				frames = append(frames, frame(p, l.Function, opt))
			}
		}
		if len(stack) == 0 {
			frames = append(frames, frame(p, 0, opt))
		}
		text := strings.Join(frames, ";")
		if _, seen := values[text]; !seen {
			order = append(order, text)
		}
		values[text] += s.Value
	}
	var out strings.Builder
	for _, text := range order {
		if values[text] != 0 {
			fmt.Fprintf(&out, "%s %d\n", text, values[text]/perSample(p))
		}
	}
	return out.String()
}
