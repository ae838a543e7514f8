package store

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/memory"
)

// What a store holds fits together, also after it aged and in what was brought back from a
// backup; rows that lead nowhere, and sums that do not agree, are told.
func TestVerify(t *testing.T) {
	e := memory.New()
	s := openStore(t, t.TempDir(), e, quick(Options{}))
	defer closeStore(t, s)
	for i := range 20 {
		appendProfile(t, s, simple(map[string]int64{fmt.Sprintf("main;f%d", i): 40, "main;g": 3}), batch.Options{
			ID: fmt.Sprintf("a-%d", i), Labels: batch.Labels{Service: "web", Host: fmt.Sprint("h", i%3)},
		})
	}
	whole := func() {
		t.Helper()
		v, err := s.Verify(t.Context())
		if err != nil || len(v.Problems) > 0 || v.Days != 1 || v.Stacks != 21 || v.Series != 3 || v.Rows == 0 {
			t.Fatalf("%+v, %v", v, err)
		}
	}
	whole()
	if err := s.Age(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole()

	group, series, minute := uint32(0), uint32(0), uint32(0)
	if err := e.Scan(t.Context(), engine.Samples, 0, ^uint32(0), func(b *engine.Block) error {
		minute, group, series = b.Uint32s(engine.ColMinute)[0], b.Uint32s(engine.ColGroup)[0], b.Uint32s(engine.ColSeries)[0]
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	samples, hourly := engine.NewBlock(engine.Samples, 3), engine.NewBlock(engine.Hourly, 1)
	samples.Append(minute, group, series, uint32(5000), int64(1), uint32(1000))
	samples.Append(minute, group, uint32(77), uint32(1), int64(1), uint32(1))
	samples.Append(minute, group+5, series, uint32(1), int64(1), uint32(1))
	hourly.Append(minute-minute%60, group, uint32(1), int64(1), uint32(1))
	if err := e.Commit(t.Context(), 1000, []*engine.Block{samples, hourly}); err != nil {
		t.Fatal(err)
	}
	v, err := s.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Join(v.Problems, "\n")
	for _, want := range []string{
		"rows of stack 5000", fmt.Sprintf("rows of series 77 and group %d", group), fmt.Sprintf("rows of group %d", group+5),
		"861 events with stacks, and 860 without", "samples has 1861 events, of 860",
	} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told:\n%s", want, told)
		}
	}
}

// A backup that is made while samples come has whole commits: what was taken before, and sums
// that agree; it makes a store that knows its batches.
func TestBackupWhileItRuns(t *testing.T) {
	s := openStore(t, t.TempDir(), memory.New(), quick(Options{}))
	defer closeStore(t, s)
	take := func(i int) {
		appendProfile(t, s, simple(map[string]int64{fmt.Sprintf("main;f%d", i%50): 7}), batch.Options{ID: fmt.Sprintf("a-%d", i), Labels: batch.Labels{Service: "web"}})
	}
	const before = 100
	for i := range before {
		take(i)
	}
	stop := make(chan struct{})
	var taking sync.WaitGroup
	taking.Go(func() {
		for i := before; ; i++ {
			select {
			case <-stop:
				return
			default:
				take(i)
			}
		}
	})
	var saved [][]byte
	for range 5 {
		f, err := s.Backup(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
		saved = append(saved, data)
		if _, err := s.Top(t.Context(), lastDay(), TopOptions{}); err != nil {
			t.Errorf("a question meanwhile: %v", err)
		}
	}
	close(stop)
	taking.Wait()
	for _, data := range saved {
		e := memory.New()
		if err := Import(context.Background(), e, bytes.NewReader(data), nil); err != nil {
			t.Fatal(err)
		}
		again := openStore(t, t.TempDir(), e, quick(Options{}))
		v, err := again.Verify(t.Context())
		if err != nil || len(v.Problems) > 0 {
			t.Errorf("%+v, %v", v, err)
		}
		if got := events(t, again); got < before*7 || got%7 != 0 {
			t.Errorf("%d events", got)
		}
		if r := appendID(t, again, "a-0", 7); !r.Duplicate {
			t.Error("a batch of before counts twice")
		}
		closeStore(t, again)
	}
}
