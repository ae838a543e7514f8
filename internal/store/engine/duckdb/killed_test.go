//go:build cgo

package duckdb

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"whyhot/internal/store/engine"
)

// writesIn names the directory in which this program, started by a test, commits
// until it is killed.
const writesIn = "WHYHOT_TEST_WRITES_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writesIn); dir != "" {
		if err := writeForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	// Each commit of the property test waits for the disk.
	if err := flag.Set("rapid.checks", "40"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

const rowsOfCommit = 40_000

// writeForever makes commits, says each that was made, and compacts beside.
func writeForever(dir string) error {
	ctx := context.Background()
	e, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	go func() {
		for {
			if err := e.Compact(ctx, true); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	for n := e.Committed() + 1; ; n++ {
		rows := engine.NewBlock(engine.Samples, rowsOfCommit)
		for i := range uint32(rowsOfCommit) {
			rows.Append(20_779*engine.MinutesPerDay+i%3*engine.MinutesPerDay+i%1440, 1+i%7, uint32(n), i, int64(1), uint32(1))
		}
		if err := e.Commit(ctx, n, []*engine.Block{rows}); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// Killed at any moment, with commits, compaction and checkpoints under way: what was
// committed is there, and once.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 12 {
		acknowledged := killed(t, dir, time.Duration(100+random.IntN(1200))*time.Millisecond)
		e, err := Open(dir, Options{})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if e.Committed() < acknowledged {
			t.Errorf("round %d: commit %d was acknowledged, the last one is %d", round, acknowledged, e.Committed())
		}
		s, err := e.Sum(t.Context(), engine.Query{Table: engine.Samples, To: math.MaxUint32, By: []string{engine.ColSeries}})
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range s.Counts { // the series is the commit
			if n != rowsOfCommit {
				t.Errorf("round %d: commit %d has %d rows, not %d", round, s.Keys[0][i], n, rowsOfCommit)
			}
		}
		if uint64(s.Len()) != e.Committed() {
			t.Errorf("round %d: rows of %d commits, not %d", round, s.Len(), e.Committed())
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// killed runs the writer for a while after its first commit, and gives the last commit
// that it said was made.
func killed(t *testing.T, dir string, after time.Duration) uint64 {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), writesIn+"="+dir)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var last uint64
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if last == 0 {
			time.AfterFunc(after, func() { _ = c.Process.Kill() })
		}
		if last, err = strconv.ParseUint(lines.Text(), 10, 64); err != nil {
			t.Error(err)
		}
	}
	if err := c.Wait(); c.ProcessState.Exited() || last == 0 {
		t.Fatalf("the writer ended by itself: %v", err)
	}
	return last
}
