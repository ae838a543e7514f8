package ebpf

import (
	"strings"
	"testing"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/profile"
	"whyhot/internal/symbol"
)

// A program whose goroutines sleep, wait for a lock that another has while it sleeps, or hand a
// number to and fro as often as they can.
const waitsInGo = `package main

import (
	"os"
	"sync"
	"time"
)

var mu sync.Mutex

func nap() {
	for range 20 {
		time.Sleep(20 * time.Millisecond)
	}
}

func locked() {
	mu.Lock()
	defer mu.Unlock()
	time.Sleep(10 * time.Millisecond)
}

func toAndFro() {
	a, b := make(chan int), make(chan int)
	go func() {
		for n := range a {
			b <- n
		}
	}()
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); <-b {
		a <- 1
	}
}

func burn() (x int) {
	for i := range 200_000_000 {
		x += i * i
	}
	return x
}

func main() {
	burn()
	if len(os.Args) > 1 {
		toAndFro()
		return
	}
	nap()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5 {
				locked()
			}
		})
	}
	all.Wait()
}
`

func TestGoroutinesThatWait(t *testing.T) {
	usable(t.Context(), t)
	for name, flags := range map[string][]string{"with a table of symbols": nil, "without": {"-ldflags=-s -w"}, "position-independent": {"-buildmode=pie"}} {
		t.Run(name, func(t *testing.T) {
			program := goProgram(t, waitsInGo, flags...)
			settled(t, func(v *verdict) {
				p, out := recordGo(t, program)
				sleeps, locks := waitedIn(p, "main.nap", "time.Sleep"), waitedIn(p, "main.locked", "lockSlow")
				// None takes less than it was asked to.
				if sleeps.Value < int64(360*time.Millisecond) || sleeps.Count < 18 || sleeps.Count > 20 {
					v.Errorf("slept %v, %d times; %q, %q", time.Duration(sleeps.Value), sleeps.Count, out.Notes, p.Meta.Warnings)
				}
				// Three wait at a time for the fourth.
				if locks.Value < int64(300*time.Millisecond) || locks.Count < 10 {
					v.Errorf("waited %v, %d times for the lock; %q, %q", time.Duration(locks.Value), locks.Count, out.Notes, p.Meta.Warnings)
				}
				if n, ok := p.Label(locks.Labels, profile.LabelGoroutines); !ok || n.Num < 2 || n.Num > 4 {
					v.Errorf("%d goroutines", n.Num)
				}
				// Those of a part of the time stand for all.
				if p, _ := recordGo(t, program, "to and fro"); waitedIn(p, "main.toAndFro", "runtime.chan").Count < 100 {
					v.Errorf("%d waits of those that come too often to look at each", waitedIn(p, "main.toAndFro", "runtime.chan").Count)
				}
			})
		})
	}
}

func recordGo(t *testing.T, command ...string) (*profile.Profile, collect.Outcome) {
	t.Helper()
	p, out := record(t.Context(), t, collect.Request{Target: collect.Target{Command: command}, Settings: collect.Settings{Frequency: 199, OffCPU: true}})
	named, _ := symbol.New(symbol.Options{}).Symbolize(t.Context(), p)
	return named, out
}

// waitedIn is what was waited for in two functions, an outer and an inner one, with the labels of the
// most frequent.
func waitedIn(p *profile.Profile, outer, inner string) (sum profile.Sample) {
	most := int64(0)
	for _, w := range p.Waits() {
		hasOuter, hasInner := outer == "", false
		for _, loc := range p.Stack(w.Stack) {
			for _, line := range p.Lines(loc) {
				name := p.Function(line.Function).Name
				hasOuter, hasInner = hasOuter || name == outer, hasInner || strings.Contains(name, inner)
			}
		}
		if !hasOuter || !hasInner {
			continue
		}
		sum.Count, sum.Value = sum.Count+w.Count, sum.Value+w.Value
		if w.Count > most {
			most, sum.Labels = w.Count, w.Labels
		}
	}
	return sum
}
