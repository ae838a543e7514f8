//go:build cgo

// Engines fills an engine of the store with the rows of a fleet and asks it.
//
//	CGO_ENABLED=1 go run ./bench/store/engines -rows 10000000 DIR
//	CGO_ENABLED=1 go run ./bench/store/engines -rows 10000000 clickhouse://127.0.0.1:19000/bench?cluster=two
//
// DIR is for DuckDB. bench/store/engines/servers.sh starts two servers of ClickHouse.
// The rows are synthetic: 2 000 hosts, 8 000 containers, 30 groups and 200 000 stacks
// over 7 days. It prints what each step took as a table of Markdown.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/clickhouse"
	"whyhot/internal/store/engine/duckdb"
)

func main() {
	rows := flag.Int("rows", 10_000_000, "rows of samples")
	size := flag.Int("commit", 100_000, "rows of samples in a commit")
	repeat := flag.Int("repeat", 15, "times that each question is asked")
	memory := flag.Int64("memory", 1024, "MiB that DuckDB may use")
	full := flag.Bool("full", false, "the directory was filled before")
	along := flag.Int("compact-every", 0, "compact what pays beside the commits, looking after each `N` of them")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: engines [flags] DIR|clickhouse://…")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *rows, *size, *repeat, *along, *memory<<20, *full); err != nil {
		fmt.Fprintln(os.Stderr, "engines:", err)
		os.Exit(1)
	}
}

func run(dir string, rows, size, repeat, along int, memory int64, full bool) error {
	ctx := context.Background()
	e, err := open(ctx, dir, memory)
	if err != nil {
		return err
	}
	defer func() { _ = e.Close() }() // what was committed is there without
	if !full {
		if err := fill(ctx, e, rows, size, along); err != nil {
			return err
		}
		rss("filled")
		if err := ask(ctx, e, "as filled", max(repeat/5, 1)); err != nil {
			return err
		}
		begin := time.Now()
		if err := e.Compact(ctx, true); err != nil {
			return err
		}
		fmt.Printf("\ncompaction of all: %.1f s\n", time.Since(begin).Seconds())
		rss("compacted")
	}
	if err := stats(ctx, e); err != nil {
		return err
	}
	if err := ask(ctx, e, "compacted", repeat); err != nil {
		return err
	}
	rss("asked")
	return nil
}

func open(ctx context.Context, where string, memory int64) (engine.Engine, error) {
	if !strings.HasPrefix(where, "clickhouse://") {
		return duckdb.Open(where, duckdb.Options{Memory: memory}) //nolint:contextcheck // it is not ended halfway
	}
	o, err := clickhouse.ParseURL(where)
	if err != nil {
		return nil, err
	}
	return clickhouse.Open(ctx, o)
}

func fill(ctx context.Context, e engine.Engine, rows, size, along int) error {
	f := newFleet(rows)
	var took []time.Duration
	begin := time.Now()
	compacting := make(chan error, 1)
	compacting <- nil
	for number := uint64(1); ; number++ {
		blocks := f.commit(size)
		if blocks == nil {
			break
		}
		start := time.Now()
		if err := e.Commit(ctx, number, blocks); err != nil {
			return err
		}
		took = append(took, time.Since(start))
		if along > 0 && int(number)%along == 0 {
			select {
			case err := <-compacting:
				if err != nil {
					return err
				}
				go func() { compacting <- e.Compact(ctx, false) }()
			default:
			}
		}
	}
	if err := <-compacting; err != nil {
		return err
	}
	var all time.Duration
	for _, d := range took {
		all += d
	}
	slices.Sort(took)
	fmt.Printf("filled: %d rows of samples in %d commits; in them %.1f s, %.0f rows/s; with the making of rows %.1f s; a commit p50 %s, p95 %s, p99 %s, most %s\n",
		f.row, len(took), all.Seconds(), float64(f.row)/all.Seconds(), time.Since(begin).Seconds(), at(took, 0.5), at(took, 0.95), at(took, 0.99), at(took, 1))
	return nil
}

func at(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)].Round(100 * time.Microsecond)
}

func stats(ctx context.Context, e engine.Engine) error {
	all, err := e.Stats(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("\n| table | rows | MiB | bytes a row |\n|---|---|---|---|\n")
	for _, s := range all {
		if s.Rows > 0 {
			fmt.Printf("| %s | %d | %.1f | %.2f |\n", s.Table, s.Rows, float64(s.Bytes)/(1<<20), float64(s.Bytes)/float64(s.Rows))
		}
	}
	return nil
}

// ask puts the questions of a page, which are sums by stack, of the time up to noon
// of the last day.
func ask(ctx context.Context, e engine.Engine, state string, repeat int) error {
	const until = uint32((firstDay+days-1)*engine.MinutesPerDay + 12*60)
	ranges := []struct {
		name    string
		minutes uint32
	}{{"1 h", 60}, {"24 h", 24 * 60}, {"7 d", minutesOfAll - 12*60}}
	scopes := []struct {
		name           string
		groups, series []uint32
	}{{"fleet", nil, nil}, {"one group", []uint32{7}, nil}, {"one host", nil, []uint32{401, 402, 403, 404}}, {"one container", nil, []uint32{4001}}}
	sources := []struct {
		name  string
		table *engine.Table
		level uint32
	}{{"hourly", engine.Hourly, 0}, {"samples", engine.Samples, 0}, {"level 2", engine.Thinned, 2}, {"level 4", engine.Thinned, 4}, {"level 6", engine.Thinned, 6}}
	fmt.Printf("\n| %s | rows of answer | p50 ms | p95 ms |\n|---|---|---|---|\n", state)
	for _, source := range sources {
		for _, r := range ranges {
			for _, scope := range scopes {
				if source.table == engine.Hourly && scope.series != nil || source.level > 0 && scope.name != "fleet" {
					continue
				}
				q := engine.Query{Table: source.table, Level: source.level, From: until - r.minutes, To: until, Groups: scope.groups, Series: scope.series, By: []string{engine.ColStack}}
				var took []time.Duration
				var n int
				for range repeat {
					start := time.Now()
					s, err := e.Sum(ctx, q)
					if err != nil {
						return err
					}
					took, n = append(took, time.Since(start)), s.Len()
				}
				slices.Sort(took)
				fmt.Printf("| %s, %s, %s | %d | %.1f | %.1f |\n", source.name, r.name, scope.name, n, ms(at(took, 0.5)), ms(at(took, 0.95)))
			}
		}
	}
	return nil
}

func ms(d time.Duration) float64 { return math.Round(d.Seconds()*1e5) / 100 }

// rss prints the memory of the process.
func rss(state string) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "VmHWM") || strings.HasPrefix(line, "VmRSS") {
			out = append(out, strings.Join(strings.Fields(line), " "))
		}
	}
	fmt.Printf("\n%s: %s\n", state, strings.Join(out, ", "))
}
