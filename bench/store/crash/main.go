//go:build cgo

// Program crash kills a store under load, again and again, and counts what is there in
// the end: each batch that was acknowledged must be there once, and no batch twice.
//
//	crash -data DIR [-kills N]
//
// The store runs in a process of its own, which tells of each acknowledged batch by a
// line; after a restart each sender begins with the batch whose fate it does not know,
// as an agent does. Batches of one sender have one function each, named like the batch.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"whyhot/internal/profile"
	"whyhot/internal/store"
	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/duckdb"
)

const senders = 8

func main() {
	data := flag.String("data", "", "directory of the store")
	kills := flag.Int("kills", 50, "how often it is killed")
	child := flag.String("child", "", "numbers of the senders' next batches (for its own use)")
	flag.Parse()
	ctx := context.Background()
	if *child != "" {
		send(ctx, *data, *child)
		return
	}
	next := make([]uint64, senders)
	began := time.Now()
	for kill := range *kills {
		run(*data, next, time.Duration(100+rand.IntN(2500))*time.Millisecond) //nolint:gosec // any moment will do
		fmt.Fprintf(os.Stderr, "\r%d kills, %d batches acknowledged", kill+1, sum(next))
	}
	fmt.Fprintln(os.Stderr)
	verify(ctx, *data, next)
	fmt.Printf("%d kills in %.0f s\n", *kills, time.Since(began).Seconds())
}

func sum(next []uint64) (n uint64) {
	for _, x := range next {
		n += x
	}
	return n
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "crash:", err)
	os.Exit(1)
}

func check(err error) {
	if err != nil {
		fail(err)
	}
}

// run starts the store, and kills it after a time. next[i] is the first batch of a
// sender that was not acknowledged.
func run(dir string, next []uint64, after time.Duration) {
	texts := make([]string, len(next))
	for i, n := range next {
		texts[i] = strconv.FormatUint(n, 10)
	}
	cmd := exec.Command(os.Args[0], "-data", dir, "-child", strings.Join(texts, ",")) //nolint:gosec // this program itself
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	check(err)
	check(cmd.Start())
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "open" {
		fail(fmt.Errorf("the store did not open"))
	}
	time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	for lines.Scan() {
		var i int
		var n uint64
		if _, err := fmt.Sscanf(lines.Text(), "%d %d\n", &i, &n); err == nil && i < len(next) {
			next[i] = n + 1
		}
	}
	_ = cmd.Wait() // killed
}

func open(ctx context.Context, dir string) *store.Store {
	s, err := store.Open(ctx, dir, func(_ context.Context, dir string) (engine.Engine, error) {
		return duckdb.Open(dir, duckdb.Options{Memory: 500 << 20})
	}, store.Options{Names: store.NameOptions{Off: true}, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	check(err)
	return s
}

func send(ctx context.Context, dir, from string) {
	s := open(ctx, dir)
	fmt.Println("open")
	go func() {
		for {
			check(s.Compact(ctx)) // it must not matter when that is killed
			time.Sleep(time.Second)
		}
	}()
	var mu sync.Mutex
	var all sync.WaitGroup
	for i, text := range strings.Split(from, ",") {
		n, err := strconv.ParseUint(text, 10, 64)
		check(err)
		all.Go(func() {
			for ; ; n++ {
				id := fmt.Sprintf("s%d-%d", i, n)
				b, err := batch.FromProfile(one(id), batch.Options{ID: id, Now: time.Now(), Labels: batch.Labels{Service: fmt.Sprint("s", i)}})
				check(err)
				_, err = s.Append(ctx, b)
				check(err)
				mu.Lock()
				fmt.Println(i, n)
				mu.Unlock()
			}
		})
	}
	all.Wait()
}

// one is a profile of one sample, and some others that are the same in each.
func one(name string) *profile.Profile {
	b := profile.NewBuilder()
	frame := func(text string) profile.LocationID {
		return b.Location(0, 0, 0, profile.Line{Function: b.Function(profile.Function{Name: text})})
	}
	root := frame("main")
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{frame(name), root}), Count: 1, Value: 1e7})
	for i := range 50 {
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{frame(fmt.Sprint("f", i)), root}), Count: 1, Value: 1e7})
	}
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
}

func verify(ctx context.Context, dir string, next []uint64) {
	s := open(ctx, dir)
	check(s.Flush(ctx))
	top, err := s.Top(ctx, store.Selection{From: time.Now().Add(-24 * time.Hour), To: time.Now().Add(time.Hour), Exact: true}, store.TopOptions{})
	check(err)
	counts := map[string]int64{}
	var others int64
	for _, r := range top.Rows {
		n := r.Self / 1e7
		if strings.HasPrefix(r.Function.Name, "s") {
			counts[r.Function.Name] = n
		} else {
			others += n
		}
	}
	var missing, twice int
	for i, n := range next {
		for k := range n {
			if counts[fmt.Sprintf("s%d-%d", i, k)] == 0 {
				missing++
			}
		}
	}
	for _, n := range counts {
		if n > 1 {
			twice++
		}
	}
	check(s.Close())
	fmt.Printf("%d batches acknowledged, %d are there; missing %d, counted twice %d; other samples %d, expected %d\n", sum(next), len(counts), missing, twice, others, 50*len(counts))
	if missing+twice > 0 || others != int64(50*len(counts)) {
		os.Exit(1)
	}
}
