package clickhouse_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/clickhouse"
)

// Of replicas of which one, or all, have lost their tables, none makes an existing store new.
func TestStoreIsNotMadeAgain(t *testing.T) {
	r := withReplicas(t)
	o := r.options(t)
	e := opened(t, o)
	committed(t, e, 1, 300)
	committed(t, e, 2, 300)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	dropped(t, r.replicas[0][0], o.Database)
	e = opened(t, o)
	if e.Committed() != 2 {
		t.Errorf("with a replica that lost its tables, the last commit is %d, not 2", e.Committed())
	}
	committed(t, e, 3, 300)
	wantWhole(t, e, 3, 300)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, s := range slices.Concat(r.replicas...) {
		dropped(t, s, o.Database)
	}
	for range 2 {
		if e, err := clickhouse.Open(t.Context(), o); !errors.Is(err, engine.ErrDamaged) || !strings.Contains(err.Error(), o.Database+"/value") {
			t.Fatalf("a store whose tables all servers lost: %v, %v", e, err)
		}
	}
}

// A reader goes on after the dictionary was rewritten and the tables that it knew are gone.
func TestReaderOfReplicasAfterARewrite(t *testing.T) {
	r := withReplicas(t)
	o := r.options(t)
	o.Shared, o.Advertise = true, "http://first:7878"
	e := opened(t, o)
	if err := e.Commit(t.Context(), 1, words(1, 100)); err != nil {
		t.Fatal(err)
	}
	reader, err := clickhouse.OpenReader(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	got, mark := collected{}, engine.Mark{}
	for range 2 {
		for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			if mark, err = reader.Added(t.Context(), mark, got.take); err == nil {
				break
			}
			got, mark = collected{}, engine.Mark{}
			if time.Now().After(end) {
				t.Fatal(err)
			}
		}
		got.want(t, 100, engine.Functions, engine.Stacks)
		if mark.Commit != 1 {
			t.Errorf("the mark is at commit %d", mark.Commit)
		}
		var fresh []*engine.Block
		for _, b := range words(1, 100) {
			if !b.Table.Timed {
				fresh = append(fresh, b)
			}
		}
		if err := e.Replace(t.Context(), fresh); err != nil {
			t.Fatal(err)
		}
		got, mark = collected{}, engine.Mark{}
		time.Sleep(1500 * time.Millisecond) // it looks at replicas twice a second
	}
}

// What is to have all rows, as an export or the dictionary, does not come from a replica that lacks
// some.
func TestAllRowsOrNone(t *testing.T) {
	r := withReplicas(t)
	o := r.options(t)
	e := opened(t, o)
	committed(t, e, 1, 300)
	r.whole(t, o)
	first, second := r.replicas[0][0], r.replicas[0][1]
	second.kill()
	committed(t, e, 2, 300)
	first.kill()
	if err := second.start(); err != nil {
		t.Fatal(err)
	}
	rows := 0
	scan := func() error {
		rows = 0
		return e.Scan(t.Context(), engine.Samples, 0, math.MaxUint32, func(b *engine.Block) error { rows += b.Len(); return nil })
	}
	want := 0
	for _, b := range slices.Concat(killedBlocks(1, 300), killedBlocks(2, 300)) {
		if b.Table == engine.Samples {
			want += b.Len()
		}
	}
	for range 50 {
		time.Sleep(20 * time.Millisecond) // it looks at replicas meanwhile
		if err := scan(); err == nil {
			t.Fatalf("%d rows of %d, and no error", rows, want)
		} else if !errors.Is(err, engine.ErrAway) {
			t.Fatal(err)
		}
	}
	if err := first.start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		err := scan()
		if err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	if rows != want {
		t.Errorf("%d rows, not %d", rows, want)
	}
}

// A replica that goes silent while it is written to does not hold up writing.
func TestReplicaGoesSilentWhileCommitting(t *testing.T) {
	r := withReplicas(t)
	o := r.options(t)
	e := opened(t, o)
	committed(t, e, 1, 3000)
	r.whole(t, o)
	frozen := r.replicas[0][0]
	if err := frozen.command.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for { // a try that is not given up lasts until ctx ends
		err := e.Commit(ctx, 2, killedBlocks(2, 3000))
		if err == nil {
			break
		}
		if !errors.Is(err, engine.ErrAway) {
			t.Error(err)
			break
		}
	}
	if err := frozen.command.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	wantWhole(t, e, 2, 3000)
	r.whole(t, o)
}
