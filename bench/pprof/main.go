// Command pprof makes a large pprof profile and loads one, for the comparison
// with `go tool pprof -top` in run.sh.
//
//	pprof gen [-samples N] FILE   write a profile of N samples, no two stacks alike
//	pprof load [-reader own|google] FILE
//	                              read it as whyhot does, or with
//	                              github.com/google/pprof/profile into the same model,
//	                              and print its total
//	pprof write [-rounds N] FILE  read it as whyhot does and write it in both ways in turn
//	pprof same FILE               read it in both ways and compare every sample
//	pprof readers [-rounds N] FILE…   time load in both ways in turn
//	pprof compare [-rounds N] [-pprof PROGRAM] [-whyhot PROGRAM] FILE
//	                              time load and PROGRAM -top on it in turn; with
//	                              -whyhot, whyhot explain in place of load
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"

	"whyhot/internal/ingest"
	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pprof:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("say gen, load, write, same, readers or compare")
	}
	fs := flag.NewFlagSet(args[0], flag.ContinueOnError)
	rounds := fs.Int("rounds", 5, "number of rounds")
	peer := fs.String("pprof", "pprof", "the pprof program, built from the Go tree")
	whyhot := fs.String("whyhot", "", "compare `PROGRAM` explain instead of loading alone")
	which := fs.String("reader", "own", "own or google")
	samples := fs.Int("samples", 1_000_000, "number of samples")
	if err := fs.Parse(args[1:]); err != nil {
		return err
	}
	file := fs.Arg(0)
	switch args[0] {
	case "gen":
		return gen(file, *samples)
	case "readers":
		return readers(fs.Args(), *rounds)
	case "compare":
		self, err := os.Executable()
		if err != nil {
			return err
		}
		ours, name := []string{self, load, file}, "whyhot, load"
		if *whyhot != "" {
			ours, name = []string{*whyhot, "explain", file}, "whyhot explain"
		}
		return compare(file, *rounds, name, [2][]string{ours, {*peer, "-top", file}})
	}
	var p *profile.Profile
	var err error
	if args[0] == load && *which == google {
		p, err = parseGoogle(file)
	} else {
		p, err = ingest.Open(context.Background(), file, ingest.Options{})
	}
	if err != nil {
		return err
	}
	switch args[0] {
	case "write":
		return write(p, *rounds)
	case "same":
		other, err := parseGoogle(file)
		if err != nil {
			return err
		}
		if err := same(p, other); err != nil {
			return err
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println(m.TotalAlloc>>20, "MB allocated in", m.Mallocs, "objects;", len(p.Samples()), "samples,", p.NumStacks(), "stacks, total", p.Total())
	return nil
}

const (
	google = "google"
	load   = "load"
)

const (
	nFunctions = 20_000
	nBinaries  = 40
	minDepth   = 20
	maxDepth   = 60
)

// gen writes a profile as a service of many threads gives it: stacks grow from
// few roots through a call graph in which some callees are far more frequent
// than others, and carry the label set of their thread.
func gen(path string, samples int) error {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same file every time
	b := profile.NewBuilder()
	g := newGraph(r, b)
	labels := make([]profile.LabelSetID, 200)
	for i := range labels {
		labels[i] = b.Labels([]profile.Label{
			{Key: profile.LabelProcess, Str: fmt.Sprintf("service-%d", i%8)},
			{Key: profile.LabelPID, Num: int64(1000 + i%8)},
			{Key: profile.LabelThread, Str: fmt.Sprintf("worker-%d", i)},
		})
	}
	zipf := rand.NewZipf(r, 1.7, 1.5, uint64(len(g.callees[0])-1))
	for n := 0; n < samples; {
		stack := g.stack(r, zipf)
		s := b.Stack(stack)
		if int(s) < n {
			continue // this one was there: try again
		}
		n++
		b.Sample(profile.Sample{Stack: s, Labels: labels[r.IntN(len(labels))], Count: 1, Value: 10_000_000})
	}
	p := b.Build(profile.Meta{
		ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10_000_000,
		PeriodType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
	})
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := pprof.Write(f, p); err != nil {
		return err
	}
	return f.Close()
}

// graph is a random call graph: two call sites per callee, at addresses of
// their own.
type graph struct {
	callees [nFunctions][12]int
	sites   [nFunctions][4]profile.LocationID
}

func newGraph(r *rand.Rand, b *profile.Builder) *graph {
	g := &graph{}
	for f := range nFunctions {
		lib := f % nBinaries
		m := b.Mapping(profile.Mapping{
			Path: fmt.Sprintf("/usr/lib/libservice%02d.so.1", lib), BuildID: fmt.Sprintf("%040x", lib+1),
			Start: uint64(lib+1) << 32, Limit: uint64(lib+1)<<32 + 1<<28,
		})
		fn := b.Function(profile.Function{
			Name:       fmt.Sprintf("service::module%03d::Handler<int, std::string>::method%05d", f%400, f),
			SystemName: fmt.Sprintf("_ZN7service9module%03d7HandlerIiSsE11method%05dEv", f%400, f),
			File:       fmt.Sprintf("/src/service/module%03d/handler.cc", f%400), StartLine: int32(f%900) + 1,
			Mapping: m, Kind: profile.KindNative,
		})
		for s := range g.sites[f] {
			g.sites[f][s] = b.Location(m, uint64(lib+1)<<32+uint64(f)*256+uint64(s)*16, profile.KindNative,
				profile.Line{Function: fn, Line: int32(f%900) + int32(s) + 2})
		}
		for c := range g.callees[f] {
			g.callees[f][c] = r.IntN(nFunctions)
		}
	}
	return g
}

func (g *graph) stack(r *rand.Rand, zipf *rand.Zipf) []profile.LocationID {
	depth := minDepth + r.IntN(maxDepth-minDepth+1)
	stack := make([]profile.LocationID, depth)
	f := r.IntN(16)
	for i := depth - 1; i >= 0; i-- {
		stack[i] = g.sites[f][r.IntN(len(g.sites[f]))]
		f = g.callees[f][zipf.Uint64()]
	}
	return stack
}
