package rule

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"whyhot/internal/profile"
)

// BenchmarkMillionStacks judges a profile of a million distinct stacks, 20 to
// 60 frames deep, over 20 000 functions; bench/rule.md has the numbers.
func BenchmarkMillionStacks(b *testing.B) {
	p := millionStacks()
	cat := builtin(b)
	for b.Loop() {
		if _, _, err := Run(b.Context(), p, cat, nil, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMillionSamples judges a million samples of 200 000 stacks, as a fleet's
// profile has them: each stack in several threads.
func BenchmarkMillionSamples(b *testing.B) {
	p := made(200_000, 5)
	cat := builtin(b)
	for b.Loop() {
		if _, _, err := Run(b.Context(), p, cat, nil, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func millionStacks() *profile.Profile { return made(1_000_000, 1) }

// made is a profile of so many stacks, each in so many samples.
func made(stacks, samples int) *profile.Profile {
	rnd := rand.New(rand.NewPCG(1, 2))
	b := profile.NewBuilder()
	known := []string{"malloc", "_int_malloc", "std::_Rb_tree<int>::find", "deflate", "memcpy", "nlohmann::detail::parser<x>::parse"}
	var locs []profile.LocationID
	for m := range 40 {
		path := fmt.Sprintf("/usr/lib/lib%d.so.%d", m, m)
		if m == 0 {
			path = "/usr/lib/libc.so.6"
		}
		start := uint64(m) << 32
		id := b.Mapping(profile.Mapping{Path: path, Start: start, Limit: start + 1<<32})
		for i := range 500 {
			name := fmt.Sprintf("ns%d::Class%d<std::vector<int, std::allocator<int>>>::method_%d", m, i%50, i)
			if i < len(known) {
				name = known[i]
			}
			fn := b.Function(profile.Function{Name: name, Mapping: id, Kind: profile.KindNative})
			for k := range 3 {
				locs = append(locs, b.Location(id, start+uint64(i*100+k), profile.KindNative, profile.Line{Function: fn, Line: int32(k)}))
			}
		}
	}
	app := b.Mapping(profile.Mapping{Path: "/usr/bin/app"})
	root := b.Location(app, 1, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: "main", Mapping: app})})
	stack := make([]profile.LocationID, 0, 64)
	for range stacks {
		stack = stack[:0]
		for range 20 + rnd.IntN(40) {
			stack = append(stack, locs[rnd.IntN(len(locs))])
		}
		id := b.Stack(append(stack, root))
		for i := range samples {
			labels := b.Labels([]profile.Label{{Key: profile.LabelThread, Str: fmt.Sprint("worker", i)}})
			b.Sample(profile.Sample{Stack: id, Labels: labels, Count: 1, Value: 1})
		}
	}
	return b.Build(profile.Meta{})
}
