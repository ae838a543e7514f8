//go:build cgo

// Program fleet measures the whole store, on DuckDB, with a fleet that never was: hosts,
// containers and services over days, whose stacks come from real recordings.
//
//	fleet fill -data DIR [-rows N] PROFILE…   takes rows into a new store, by batches
//	fleet ask  -data DIR [-clients N]         asks it what a page asks, and times it
//
// Each service runs one of the recordings. A stack's frames become addresses, and its
// leaf one of several in the function, by which there are as many stacks as in a fleet;
// which one is seen is drawn by Zipf's law. The load of a container has a daily cycle,
// a service has a new version every other day.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"whyhot/internal/ingest"
	"whyhot/internal/profile"
	"whyhot/internal/store"
	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/duckdb"
)

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: fleet fill|ask -data DIR …"))
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	data := flags.String("data", "", "directory of the store")
	rows := flags.Int("rows", 100_000_000, "rows")
	days := flags.Int("days", 7, "days")
	size := flags.Int("batch", 5000, "rows of a batch")
	senders := flags.Int("senders", 4, "who send at a time")
	clients := flags.String("clients", "1,8", "who ask at a time")
	rounds := flags.Int("rounds", 15, "times that each question is asked")
	memory := flags.Int("memory", 1000, "MiB for the engine")
	only := flags.String("only", "", "questions whose name begins so, such as \"fleet 24 h exact\" (ask)")
	load := flags.Int("load", 0, "rows a second that are sent meanwhile (ask)")
	_ = flags.Parse(os.Args[2:]) // it exits
	f := &fleet{dir: *data, days: *days, rows: *rows, size: *size, memory: *memory, only: *only}
	ctx := context.Background()
	switch os.Args[1] {
	case "fill":
		check(f.shapes(ctx, flags.Args()))
		f.fill(ctx, *senders)
	case "ask":
		if *load > 0 {
			check(f.shapes(ctx, flags.Args()))
		}
		f.ask(ctx, *clients, *rounds, *load)
	default:
		fail(fmt.Errorf("%s: fill or ask", os.Args[1]))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "fleet:", err)
	os.Exit(1)
}

func check(err error) {
	if err != nil {
		fail(err)
	}
}

// The fleet.
const (
	services   = 30
	hosts      = 2000
	containers = 8000
	allStacks  = 200_000
	period     = int64(time.Second) / 19
)

type fleet struct {
	dir              string
	days, rows, size int
	memory           int
	only             string
	services         []*service
	begin            time.Time
}

// service is what one service runs: tables of a batch, and its stacks.
type service struct {
	name   string
	tables batch.Batch
	stacks []uint32
}

func (f *fleet) open(ctx context.Context) *store.Store {
	s, err := store.Open(ctx, f.dir, func(_ context.Context, dir string) (engine.Engine, error) {
		return duckdb.Open(dir, duckdb.Options{Memory: int64(f.memory) << 20})
	}, store.Options{
		Names: store.NameOptions{Off: true}, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Retention: store.Retention{Samples: 60 * 24 * time.Hour},
	})
	check(err)
	return s
}

// shapes reads the recordings and makes a service of each, several of some.
func (f *fleet) shapes(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return fmt.Errorf("give recordings")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range services {
		p, err := ingest.Open(ctx, paths[i%len(paths)], ingest.Options{})
		if err != nil {
			return err
		}
		base := strings.SplitN(filepath.Base(paths[i%len(paths)]), ".", 2)[0]
		f.services = append(f.services, serviceOf(fmt.Sprintf("%s-%d", base, i), p, allStacks/services, random))
	}
	return nil
}

func serviceOf(name string, p *profile.Profile, wanted int, random *rand.Rand) *service {
	s := &service{name: name}
	s.tables.Mappings = []batch.Mapping{{}, {Path: "/usr/lib/" + name, BuildID: fmt.Sprintf("%040x", random.Uint64())}}
	functions := map[string]uint32{}
	function := func(id profile.FunctionID) uint32 {
		text := p.Function(id).Name
		n, ok := functions[text]
		if !ok {
			n = uint32(len(s.tables.Functions))
			functions[text] = n
			s.tables.Functions = append(s.tables.Functions, batch.Function{Name: text, Mapping: 1, Kind: uint8(profile.KindNative)})
		}
		return n
	}
	type frame struct{ function, line uint32 }
	frames := map[frame]uint32{}
	location := func(f frame) uint32 {
		n, ok := frames[f]
		if !ok {
			n = uint32(len(s.tables.Locations))
			frames[f] = n
			s.tables.Locations = append(s.tables.Locations, batch.Location{Mapping: 1, Kind: uint8(profile.KindNative), Function: f.function, Line: f.line, Named: true})
		}
		return n
	}
	nodes := map[batch.Node]uint32{}
	node := func(n batch.Node) uint32 {
		id, ok := nodes[n]
		if !ok {
			s.tables.Nodes = append(s.tables.Nodes, n)
			id = uint32(len(s.tables.Nodes))
			nodes[n] = id
		}
		return id
	}
	seen := map[uint32]bool{}
	for tries := 0; len(s.stacks) < wanted && tries < 20*wanted; tries++ {
		stack := p.Stack(p.Samples()[random.IntN(len(p.Samples()))].Stack)
		at := uint32(0)
		for i := len(stack) - 1; i >= 0; i-- {
			lines := p.Lines(stack[i])
			for j := len(lines) - 1; j >= 0; j-- {
				line := uint32(1)
				if i < 3 { // near the leaf, samples fall on many lines
					line = uint32(random.IntN(1 << (6 - 2*i)))
				}
				at = node(batch.Node{Parent: at, Location: location(frame{function(lines[j].Function), line})})
			}
		}
		if at > 0 && !seen[at] {
			seen[at] = true
			s.stacks = append(s.stacks, at)
		}
	}
	return s
}

// fill sends all rows, by the minute, from as many senders as are given.
func (f *fleet) fill(ctx context.Context, senders int) {
	s := f.open(ctx)
	f.begin = time.Now().Add(-time.Duration(f.days) * 24 * time.Hour).Truncate(time.Hour)
	minutes := f.days * 24 * 60
	var sent atomic.Int64
	var next atomic.Int64
	began := time.Now()
	perMinute := f.rows / minutes
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(i)))
			zipf := map[int]*rand.Zipf{}
			for k, sv := range f.services {
				zipf[k] = rand.NewZipf(random, 1.1, 20, uint64(len(sv.stacks)-1))
			}
			// A batch is of one service, as a collector of its hosts would send it: as many
			// minutes of it as make up the size.
			for {
				n := int(next.Add(1)) - 1
				span := max(1, f.size*services/perMinute)
				from := n / services * span
				if from >= minutes {
					return
				}
				b := f.batch(random, zipf, n%services, from, min(from+span, minutes), perMinute)
				b.ID = "fill-" + strconv.Itoa(n+1)
				for {
					_, err := s.Append(ctx, b)
					if err == nil {
						break
					}
					time.Sleep(100 * time.Millisecond) // the engine is behind
				}
				if total := sent.Add(int64(len(b.Rows))); total/2_000_000 != (total-int64(len(b.Rows)))/2_000_000 {
					fmt.Fprintf(os.Stderr, "%d M rows, %.0f k rows/s\n", total/1e6, float64(total)/time.Since(began).Seconds()/1000)
				}
			}
		})
	}
	all.Wait()
	acknowledged := time.Since(began)
	check(s.Flush(ctx))
	applied := time.Since(began)
	fmt.Printf("rows %d, acknowledged after %.1f s (%.0f k rows/s), applied after %.1f s (%.0f k rows/s)\n", sent.Load(),
		acknowledged.Seconds(), float64(sent.Load())/acknowledged.Seconds()/1e3, applied.Seconds(), float64(sent.Load())/applied.Seconds()/1e3)
	began = time.Now()
	check(s.Compact(ctx))
	fmt.Printf("compacted in %.1f s\n", time.Since(began).Seconds())
	stats, err := s.Stats(ctx)
	check(err)
	for _, t := range stats.Tables {
		if t.Rows > 0 {
			fmt.Printf("%-10s %12d rows %12d bytes %6.2f bytes/row\n", t.Name, t.Rows, t.Bytes, float64(t.Bytes)/float64(t.Rows))
		}
	}
	check(s.Close())
	fmt.Printf("stacks %d, nodes %d, series %d, dictionary about %d MiB, on disk %d MiB, most memory %d MiB, CPU %.0f s\n", stats.Stacks, stats.Nodes, stats.Series,
		stats.Memory>>20, stats.Bytes>>20, peak(), cpu())
}

// batch is one service in a span of minutes.
func (f *fleet) batch(random *rand.Rand, zipf map[int]*rand.Zipf, k, from, to, perMinute int) *batch.Batch {
	sv := f.services[k]
	b := sv.tables
	version := func(minute int) string { return fmt.Sprintf("1.%d", (minute/60/24+k)/2) }
	of := map[batch.Labels]uint32{}
	b.Labels, b.Rows = nil, nil
	used := map[uint32]bool{}
	for minute := from; minute < to; minute++ {
		at := f.begin.Add(time.Duration(minute) * time.Minute)
		load := 1 + 0.5*math.Sin(2*math.Pi*(float64(at.Hour())/24+float64(k)/services))
		for range int(float64(perMinute)/services*load + random.Float64()) {
			c := k + services*random.IntN(containers/services)
			l := batch.Labels{Service: sv.name, Version: version(minute), Host: fmt.Sprintf("host-%04d", c%hosts), Container: fmt.Sprintf("c-%05d", c), Process: sv.name}
			n, ok := of[l]
			if !ok {
				n = uint32(len(b.Labels))
				of[l] = n
				b.Labels = append(b.Labels, l)
			}
			st := sv.stacks[zipf[k].Uint64()]
			used[st] = true
			b.Rows = append(b.Rows, batch.Row{Minute: uint32(at.Unix() / 60), Labels: n, Stack: st, Period: period, Count: 1 + uint32(random.ExpFloat64()/2)})
		}
	}
	return prune(&b, used)
}

// prune leaves what the rows need, as a sender would.
func prune(b *batch.Batch, used map[uint32]bool) *batch.Batch {
	out := &batch.Batch{Mappings: b.Mappings, Labels: b.Labels, Rows: b.Rows}
	nodes, locations, functions := map[uint32]uint32{0: 0}, map[uint32]uint32{}, map[uint32]uint32{}
	var node func(n uint32) uint32
	node = func(n uint32) uint32 {
		if id, ok := nodes[n]; ok {
			return id
		}
		old := b.Nodes[n-1]
		parent := node(old.Parent)
		loc, ok := locations[old.Location]
		if !ok {
			l := b.Locations[old.Location]
			fn, ok := functions[l.Function]
			if !ok {
				fn = uint32(len(out.Functions))
				functions[l.Function] = fn
				out.Functions = append(out.Functions, b.Functions[l.Function])
			}
			l.Function = fn
			loc = uint32(len(out.Locations))
			locations[old.Location] = loc
			out.Locations = append(out.Locations, l)
		}
		out.Nodes = append(out.Nodes, batch.Node{Parent: parent, Location: loc})
		id := uint32(len(out.Nodes))
		nodes[n] = id
		return id
	}
	for i := range out.Rows {
		out.Rows[i].Stack = node(out.Rows[i].Stack)
	}
	return out
}

func peak() int64 {
	data, err := os.ReadFile("/proc/self/status")
	check(err)
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			check(err)
			return n >> 10
		}
	}
	return 0
}

func cpu() float64 {
	var u syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// question is one that a page asks.
type question struct {
	name string
	ask  func(context.Context, *store.Store, store.Selection) error
}

var questions = []question{
	{"top self", func(ctx context.Context, s *store.Store, sel store.Selection) error {
		_, err := s.Top(ctx, sel, store.TopOptions{Limit: 100})
		return err
	}},
	{"top total", func(ctx context.Context, s *store.Store, sel store.Selection) error {
		_, err := s.Top(ctx, sel, store.TopOptions{Limit: 100, Total: true})
		return err
	}},
	{"flame", func(ctx context.Context, s *store.Store, sel store.Selection) error {
		_, err := s.Tree(ctx, sel, store.TreeOptions{MinShare: 0.0005})
		return err
	}},
	{"reverse", func(ctx context.Context, s *store.Store, sel store.Selection) error {
		_, err := s.Tree(ctx, sel, store.TreeOptions{FromLeaf: true, MinShare: 0.0005})
		return err
	}},
	{"call graph", func(ctx context.Context, s *store.Store, sel store.Selection) error {
		_, err := s.Callgraph(ctx, sel, 100)
		return err
	}},
	{"time line", func(ctx context.Context, s *store.Store, sel store.Selection) error {
		step := sel.To.Sub(sel.From) / 120
		if step = step.Truncate(time.Minute); step > 30*time.Minute {
			step = time.Hour
		}
		_, err := s.Timeline(ctx, sel, store.ByService, max(step, time.Minute), 10)
		return err
	}},
}

// ask times every question over ranges and selections. No two are of the same range, so
// that none is answered from the answer before.
func (f *fleet) ask(ctx context.Context, clients string, rounds, load int) {
	began := time.Now()
	s := f.open(ctx)
	fmt.Printf("opened in %.2f s\n", time.Since(began).Seconds())
	defer func() { check(s.Close()) }()
	if load > 0 {
		go f.load(ctx, s, load)
	}
	for text := range strings.SplitSeq(clients, ",") {
		n, err := strconv.Atoi(text)
		check(err)
		f.askWith(ctx, s, n, rounds)
	}
	fmt.Printf("most memory %d MiB, CPU %.0f s\n", peak(), cpu())
}

// load sends rows of now at a rate, until the program ends.
func (f *fleet) load(ctx context.Context, s *store.Store, rate int) {
	random := rand.New(rand.NewPCG(9, 9))
	zipf := map[int]*rand.Zipf{}
	for k, sv := range f.services {
		zipf[k] = rand.NewZipf(random, 1.1, 20, uint64(len(sv.stacks)-1))
	}
	for n := 0; ; n++ {
		began := time.Now()
		f.begin = began
		b := f.batch(random, zipf, n%services, 0, 1, f.size*services)
		_, err := s.Append(ctx, b)
		check(err)
		time.Sleep(time.Duration(len(b.Rows))*time.Second/time.Duration(rate) - time.Since(began))
	}
}

func (f *fleet) askWith(ctx context.Context, s *store.Store, clients, rounds int) {
	names, err := s.Labels(ctx, store.Selection{From: time.Now().Add(-240 * time.Hour), To: time.Now()}, store.ByService)
	check(err)
	var salt atomic.Int64
	for _, where := range []struct {
		name string
		sel  store.Selection
	}{
		{"fleet", store.Selection{}}, {"service", store.Selection{Service: []string{names[0].Value}}},
		{"host", store.Selection{Host: []string{"host-0007"}}}, {"container", store.Selection{Container: []string{"c-00123"}}},
	} {
		for _, long := range []time.Duration{time.Hour, 24 * time.Hour, 7 * 24 * time.Hour} {
			for _, exact := range []bool{true, false} {
				for _, q := range questions {
					if !exact && (where.name != "fleet" && where.name != "service" || q.name == "time line") {
						continue
					}
					how := map[bool]string{true: "exact", false: "ladder"}[exact]
					if !strings.HasPrefix(fmt.Sprintf("%s %.0f h %s %s", where.name, long.Hours(), how, q.name), f.only) {
						continue
					}
					times := make([]time.Duration, 0, clients*rounds)
					var mu sync.Mutex
					var all sync.WaitGroup
					for range clients {
						all.Go(func() {
							for range rounds {
								sel := where.sel
								sel.Exact = exact
								// Each asks for another end, a few minutes from the last one's.
								sel.To = time.Now().Add(-time.Hour - time.Duration(salt.Add(1)%600)*time.Minute/10*7)
								sel.From = sel.To.Add(-long)
								began := time.Now()
								check(q.ask(ctx, s, sel))
								took := time.Since(began)
								mu.Lock()
								times = append(times, took)
								mu.Unlock()
							}
						})
					}
					all.Wait()
					slices.Sort(times)
					fmt.Printf("%d clients  %-9s %4.0f h  %-6s  %-10s  p50 %7.1f ms  p95 %7.1f ms\n", clients, where.name, long.Hours(), how, q.name,
						times[len(times)/2].Seconds()*1e3, times[len(times)*95/100].Seconds()*1e3)
				}
			}
		}
	}
}
