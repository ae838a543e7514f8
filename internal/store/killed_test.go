//go:build cgo

package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/duckdb"
)

// agesIn names the directory of the store in which this program, started by a test, lives
// one day after another until it is killed; agesFrom is the first of them.
const (
	agesIn   = "WHYHOT_TEST_AGES_IN"
	agesFrom = "WHYHOT_TEST_AGES_FROM"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(agesIn); dir != "" {
		first, err := strconv.Atoi(os.Getenv(agesFrom))
		if err == nil {
			err = ageForever(dir, first)
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A store that keeps three days, at noon of a day.
func storeOfDay(dir string, c *clock, day int) (*Store, error) {
	const keep = 3 * 24 * time.Hour
	c.move(testNow.Add(time.Duration(day) * 24 * time.Hour).Sub(c.Now()))
	open := func(_ context.Context, dir string) (engine.Engine, error) { return duckdb.Open(dir, duckdb.Options{}) }
	return Open(context.Background(), dir, open, quick(Options{Now: c.Now, Retention: Retention{Samples: keep, Hourly: keep, Thinned: keep}}))
}

const stacksOfDay = 40

// functionsOf are those that run on one day alone.
func functionsOf(day int) (names []string) {
	for i := range stacksOfDay {
		names = append(names, fmt.Sprintf("f%d-%d", day, i))
	}
	slices.Sort(names)
	return names
}

func ageForever(dir string, first int) error {
	c := &clock{now: testNow}
	s, err := storeOfDay(dir, c, first)
	if err != nil {
		return err
	}
	for day := first; ; day++ {
		stacks := map[string]int64{}
		for _, f := range functionsOf(day) {
			stacks["main;"+f] = 1
		}
		p := simple(stacks)
		p.Meta.Start = c.Now()
		b, err := batch.FromProfile(p, batch.Options{ID: fmt.Sprint("day-", day), Now: c.Now(), Labels: batch.Labels{Service: fmt.Sprint("s", day), Host: fmt.Sprint("h", day)}})
		if err != nil {
			return err
		}
		if _, err := s.Append(context.Background(), b); err != nil {
			return err
		}
		fmt.Println(day)
		if day%3 > 0 { // otherwise the day is in the journal when the dictionary is written anew
			if err := s.Flush(context.Background()); err != nil {
				return err
			}
		}
		if err := errors.Join(s.Retain(context.Background()), s.Age(context.Background())); err != nil {
			return err
		}
		c.move(24 * time.Hour)
	}
}

// Killed at any moment while days go and the dictionary is written anew: each day that is
// kept has its functions under its service, once, and what has gone is not there.
func TestKilledWhileItAges(t *testing.T) {
	dir, random := filepath.Join(t.TempDir(), "store"), rand.New(rand.NewPCG(3, 4)) //nolint:gosec // any moment will do
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	last := -1
	for range 8 {
		child := exec.CommandContext(t.Context(), self)
		child.Env = append(os.Environ(), agesIn+"="+dir, fmt.Sprint(agesFrom, "=", last+1))
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		before := last
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if last == before {
				time.AfterFunc(time.Duration(50+random.IntN(700))*time.Millisecond, func() { _ = child.Process.Kill() })
			}
			if last, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(err)
			}
		}
		if _ = child.Wait(); child.ProcessState.Exited() || last == before {
			t.Fatalf("it ended after day %d: %s", last, child.ProcessState)
		}
		c := &clock{now: testNow}
		s, err := storeOfDay(dir, c, last)
		if err != nil {
			t.Fatal(err)
		}
		flush(t, s)
		for range 2 { // as it was left, and aged
			for day := max(0, last-8); day <= last; day++ {
				sel := around(c)
				sel.Service = []string{fmt.Sprint("s", day)}
				want := append(functionsOf(day), "main")
				slices.Sort(want)
				got := namesIn(t, s, sel)
				if day < last-3 && len(got) == 0 {
					continue // it went, or is about to
				}
				if !slices.Equal(got, want) || total(t, s, sel) != stacksOfDay {
					t.Errorf("after day %d: day %d has %d samples of %v", last, day, total(t, s, sel), got)
				}
			}
			if err := errors.Join(s.Retain(t.Context()), s.Age(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		// Three days back, the day of the cut and today are kept: five, with one main for all.
		const days = 5
		if st, err := s.Stats(t.Context()); err != nil || st.Functions > days*stacksOfDay+1 || st.Series > days {
			t.Errorf("after day %d: %d functions, %d series (%v)", last, st.Functions, st.Series, err)
		}
		closeStore(t, s)
	}
	t.Logf("%d days", last+1)
}
