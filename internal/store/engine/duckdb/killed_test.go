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
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"whyhot/internal/store/engine"
)

// writesIn names the directory in which this program, started by a test, commits
// until it is killed, or a file is to become larger than noLarger says (in bytes).
const (
	writesIn = "WHYHOT_TEST_WRITES_IN"
	noLarger = "WHYHOT_TEST_NO_LARGER"
)

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

// writeForever makes commits, says each that was made, writes the dictionary anew after
// every fourth, and compacts beside.
func writeForever(dir string) error {
	ctx := context.Background()
	if size, err := strconv.ParseUint(os.Getenv(noLarger), 10, 64); err == nil {
		signal.Ignore(unix.SIGXFSZ) // the write fails, as on a disk that is full
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: size}); err != nil {
			return err
		}
	}
	e, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	e.leastSlack = 0 // whenever it is compacted
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
		node := engine.NewBlock(engine.Nodes, 1)
		node.Append(uint32(n), uint32(n), uint32(n))
		if err := e.Commit(ctx, n, []*engine.Block{rowsOf(n), node}); err != nil {
			return err
		}
		if n%4 == 0 {
			if err := e.Replace(ctx, []*engine.Block{dictionaryOf(n)}); err != nil {
				return err
			}
		}
		fmt.Println(n)
	}
}

// rowsOfDictionary is how many rows a dictionary has that is written anew after a commit;
// each later commit adds one.
const rowsOfDictionary = 30_000

func dictionaryOf(n uint64) *engine.Block {
	nodes := engine.NewBlock(engine.Nodes, rowsOfDictionary)
	for range rowsOfDictionary {
		nodes.Append(uint32(n), uint32(n), uint32(n))
	}
	return nodes
}

// hasWholeDictionary checks that the dictionary is one that was written anew, whole, and has
// what commits added since.
func hasWholeDictionary(t *testing.T, e *Engine) {
	t.Helper()
	var ids []uint32
	if err := e.Scan(t.Context(), engine.Nodes, 0, 0, func(b *engine.Block) error {
		ids = append(ids, b.Uint32s("id")...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	anew := uint32(0)
	if len(ids) >= rowsOfDictionary {
		anew = ids[0]
		for i, id := range ids[:rowsOfDictionary] {
			if id != anew {
				t.Fatalf("row %d of a dictionary of commit %d is of %d", i, anew, id)
			}
		}
		ids = ids[rowsOfDictionary:]
	}
	if uint64(anew)+uint64(len(ids)) != e.Committed() {
		t.Fatalf("a dictionary of commit %d and %d rows since, at commit %d", anew, len(ids), e.Committed())
	}
	for i, id := range ids {
		if id != anew+uint32(i)+1 {
			t.Fatalf("after a dictionary of commit %d row %d is of %d", anew, i, id)
		}
	}
	names, err := e.writer.tables(t.Context())
	if err != nil || slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, unfinished) }) {
		t.Errorf("tables %v (%v)", names, err)
	}
}

// rowsOf are those of a commit.
func rowsOf(n uint64) *engine.Block {
	rows := engine.NewBlock(engine.Samples, rowsOfCommit)
	for i := range uint32(rowsOfCommit) {
		rows.Append(20_779*engine.MinutesPerDay+i%3*engine.MinutesPerDay+i%1440, 1+i%7, uint32(n), i, int64(1), uint32(1))
	}
	return rows
}

// Killed at any moment, with commits, compaction and checkpoints under way: what was
// committed is there, and once.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 12 {
		acknowledged, state := written(t, dir, time.Duration(100+random.IntN(1200))*time.Millisecond, "")
		if state.Exited() {
			t.Fatalf("round %d: the writer ended by itself: %s", round, state)
		}
		hasAll(t, dir, acknowledged, true)
	}
}

// When the disk is full a commit fails, and those before it stay.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	acknowledged, state := written(t, dir, time.Minute, fmt.Sprint(24<<20))
	if !state.Exited() || state.ExitCode() == 0 {
		t.Fatalf("nothing was refused: %s", state)
	}
	hasAll(t, dir, acknowledged, true)
	if acknowledged, state = written(t, dir, 100*time.Millisecond, ""); state.Exited() {
		t.Errorf("with room again the writer ended: %s", state)
	}
	hasAll(t, dir, acknowledged, true)
}

// hasAll checks that what was acknowledged is there, and that all that is there is
// whole, the dictionary too where it was written anew.
func hasAll(t *testing.T, dir string, acknowledged uint64, anew bool) {
	t.Helper()
	e, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e.Committed() < acknowledged {
		t.Errorf("commit %d was acknowledged, the last one is %d", acknowledged, e.Committed())
	}
	s, err := e.Sum(t.Context(), engine.Query{Table: engine.Samples, To: math.MaxUint32, By: []string{engine.ColSeries}})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range s.Counts { // the series is the commit
		if n != rowsOfCommit {
			t.Errorf("commit %d has %d rows, not %d", s.Keys[0][i], n, rowsOfCommit)
		}
	}
	if anew {
		hasWholeDictionary(t, e)
	}
	if uint64(s.Len()) != e.Committed() {
		t.Errorf("rows of %d commits, not %d", s.Len(), e.Committed())
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// written runs the writer for a while after its first commit, and gives the last
// commit that it said was made.
func written(t *testing.T, dir string, after time.Duration, largest string) (uint64, *os.ProcessState) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), writesIn+"="+dir, noLarger+"="+largest)
	var said strings.Builder
	c.Stderr = &said
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
	_ = c.Wait() // it is killed, or says why it ended
	t.Logf("commit %d, %s %s", last, c.ProcessState, said.String())
	if last == 0 {
		t.Fatal("the writer wrote nothing")
	}
	return last, c.ProcessState
}
