package clickhouse_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"syscall"
	"testing"
	"time"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/clickhouse"
)

// everything asks for all rows by what they are spread by, and by what they are not.
func everything(t *testing.T, e engine.Engine) (byStack, byMinute int64, missing []string, err error) {
	t.Helper()
	for _, q := range []struct {
		by  string
		sum *int64
	}{{engine.ColStack, &byStack}, {engine.ColMinute, &byMinute}} {
		s, err := e.Sum(t.Context(), engine.Query{Table: engine.Samples, To: math.MaxUint32, By: []string{q.by}})
		if err != nil {
			return 0, 0, nil, err
		}
		seen := map[uint32]bool{}
		for i, n := range s.Counts {
			if seen[s.Keys[0][i]] {
				t.Errorf("%s %d is there twice", q.by, s.Keys[0][i])
			}
			seen[s.Keys[0][i]] = true
			*q.sum += n
		}
		missing = append(missing, s.Missing...)
	}
	return byStack, byMinute, slices.Compact(missing), nil
}

// whole waits until all rows can be asked for again.
func whole(t *testing.T, e engine.Engine) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		stacks, minutes, missing, err := everything(t, e)
		if err == nil && len(missing) == 0 {
			if stacks != 3000 || minutes != 3000 {
				t.Errorf("%d and %d rows are there, not 3000", stacks, minutes)
			}
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%v is missing still, %v", missing, err)
		}
	}
}

// What a shard that is away has is missing in an answer, which says so; what needs it whole
// fails, and says that it is away. When it is back the answers are whole.
func TestAShardIsAway(t *testing.T) {
	servers(t)
	o := clickhouse.Options{Address: shards[0].address(), Database: database(t), Cluster: cluster}
	e, err := clickhouse.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = e.Close()
		servers(t)
		for _, s := range shards {
			dropped(t, s, o.Database)
		}
	})
	if err := e.Commit(t.Context(), 1, killedBlocks(1, 3000)); err != nil {
		t.Fatal(err)
	}
	whole(t, e)
	for _, away := range []struct {
		name       string
		begin, end func() error
	}{
		{"Killed", func() error { shards[1].kill(); return nil }, func() error { return shards[1].start() }},
		{"Silent", func() error { return shards[1].command.Process.Signal(syscall.SIGSTOP) }, func() error { return shards[1].command.Process.Signal(syscall.SIGCONT) }},
	} {
		t.Run(away.name, func(t *testing.T) {
			if err := away.begin(); err != nil {
				t.Fatal(err)
			}
			stacks, minutes, missing, err := everything(t, e)
			if err != nil || !slices.Equal(missing, []string{"shard 2 of 2"}) || stacks != minutes || stacks == 0 || stacks >= 3000 {
				t.Errorf("%d and %d rows, %v is missing, %v", stacks, minutes, missing, err)
			}
			stats, err := e.Stats(t.Context())
			if !errors.Is(err, engine.ErrAway) || !slices.ContainsFunc(stats, func(s engine.TableStats) bool { return s.Table == "samples" && s.Rows == stacks }) {
				t.Errorf("%+v, %v", stats, err)
			}
			if err := e.Scan(t.Context(), engine.Samples, 0, math.MaxUint32, func(*engine.Block) error { return nil }); !errors.Is(err, engine.ErrAway) {
				t.Errorf("reading all rows: %v", err)
			}
			if err := e.Commit(t.Context(), 2, killedBlocks(2, 10)); !errors.Is(err, engine.ErrAway) {
				t.Errorf("a commit: %v", err)
			}
			if err := away.end(); err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
				s, err := e.Sum(t.Context(), engine.Query{Table: engine.Samples, To: math.MaxUint32, Series: []uint32{1}})
				if err == nil && len(s.Missing) == 0 && s.Counts[0] == 3000 {
					break
				}
				if time.Now().After(end) {
					t.Fatalf("%+v, %v", s, err)
				}
			}
		})
	}
	// With the second commit made, which had parts on the way.
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if err = e.Commit(t.Context(), 2, killedBlocks(2, 10)); err == nil || time.Now().After(end) {
			break
		}
	}
	s, sumErr := e.Sum(t.Context(), engine.Query{Table: engine.Samples, To: math.MaxUint32})
	if err != nil || sumErr != nil || s.Counts[0] != 3010 {
		t.Errorf("%+v, %v, %v", s, err, sumErr)
	}
}

// A store opens while a shard is away, if it is not the one with the dictionary.
func TestOpenWhileAShardIsAway(t *testing.T) {
	servers(t)
	o := clickhouse.Options{Address: shards[0].address(), Database: database(t), Cluster: cluster}
	t.Cleanup(func() {
		servers(t)
		for _, s := range shards {
			dropped(t, s, o.Database)
		}
	})
	e, err := clickhouse.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(e.Commit(t.Context(), 1, killedBlocks(1, 3000)), e.Close()); err != nil {
		t.Fatal(err)
	}
	shards[1].kill()
	if e, err = clickhouse.Open(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	if _, _, missing, err := everything(t, e); err != nil || len(missing) != 1 {
		t.Errorf("%v is missing, %v", missing, err)
	}
	shards[0].kill()
	if _, _, _, err := everything(t, e); !errors.Is(err, engine.ErrAway) {
		t.Errorf("without any server: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if other, err := clickhouse.Open(ctx, o); !errors.Is(err, engine.ErrAway) {
		t.Errorf("opened without a server: %v, %v", other, err)
	}
	servers(t)
	whole(t, e)
}
