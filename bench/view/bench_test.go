// Package view_test measures the views on a profile of a million distinct
// stacks, made up but shaped like a system-wide recording.
package view_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

const (
	stacks    = 1_000_000
	functions = 20_000
)

// million builds the profile: stacks of 20 to 60 frames, in which the outer
// frames are few and the inner ones many.
var million = sync.OnceValue(func() *profile.Profile {
	r := rand.New(rand.NewPCG(1, 2))
	b := profile.NewBuilder()
	var libraries []profile.MappingID
	for i := range 40 {
		libraries = append(libraries, b.Mapping(profile.Mapping{Path: fmt.Sprintf("/usr/lib/lib%d.so", i), Start: uint64(i) << 32, Limit: uint64(i+1) << 32}))
	}
	locations := make([]profile.LocationID, functions*4)
	for i := range locations {
		f := i % functions
		m := libraries[f%len(libraries)]
		fn := b.Function(profile.Function{Name: fmt.Sprintf("namespace::Class%d<int>::function_%d", f%997, f), Mapping: m, Kind: profile.KindNative})
		locations[i] = b.Location(m, uint64(m)<<32+uint64(i), profile.KindNative, profile.Line{Function: fn, Line: int32(i)})
	}
	labels := make([]profile.LabelSetID, 50)
	for i := range labels {
		labels[i] = b.Labels([]profile.Label{{Key: profile.LabelProcess, Str: fmt.Sprintf("process-%d", i)}})
	}
	stack := make([]profile.LocationID, 0, 60)
	for range stacks {
		stack = stack[:0]
		depth := 20 + r.IntN(41)
		for i := range depth {
			choices := 1 << min(i/2+1, 16) // the outermost frames are nearly always the same
			stack = append(stack, locations[(i*131+r.IntN(choices))%len(locations)])
		}
		for i, j := 0, len(stack)-1; i < j; i, j = i+1, j-1 {
			stack[i], stack[j] = stack[j], stack[i]
		}
		n := int64(1 + r.IntN(3))
		b.Sample(profile.Sample{Stack: b.Stack(stack), Labels: labels[r.IntN(len(labels))], Count: n, Value: n * 10_000_000})
	}
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
})

// cpuTime is what the process has used: it means something on a busy machine
// too.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func measure(b *testing.B, run func(p *profile.Profile)) {
	b.Helper()
	p := million()
	runtime.GC()
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		run(p)
	}
	b.ReportMetric((cpuTime(b)-before).Seconds()/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(len(p.Samples()))/1e6*float64(b.N)/b.Elapsed().Seconds(), "Mstacks/s")
}

func BenchmarkTop(b *testing.B) {
	measure(b, func(p *profile.Profile) { view.Top(p, view.TopOptions{}) })
}

func BenchmarkTopByProcess(b *testing.B) {
	measure(b, func(p *profile.Profile) { view.Top(p, view.TopOptions{By: view.ByProcess}) })
}

// BenchmarkTree keeps the nodes of at least a ten-thousandth, as flame graphs do.
func BenchmarkTree(b *testing.B) {
	measure(b, func(p *profile.Profile) { view.BuildTree(p, view.TreeOptions{MinWeight: p.Total() / 10_000}) })
}

func BenchmarkTreeFromLeaf(b *testing.B) {
	measure(b, func(p *profile.Profile) {
		view.BuildTree(p, view.TreeOptions{FromLeaf: true, MinWeight: p.Total() / 10_000})
	})
}

func BenchmarkCallgraph(b *testing.B) {
	measure(b, func(p *profile.Profile) {
		view.Callgraph(p, []profile.FunctionID{1}, view.CallgraphOptions{Depth: 3, MinWeight: p.Total() / 1000})
	})
}

func BenchmarkDiff(b *testing.B) {
	measure(b, func(p *profile.Profile) { view.Diff(p, p, view.DiffOptions{}) })
}
