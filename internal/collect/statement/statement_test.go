package statement

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/profile"
)

func exactly(string, string) (float64, bool) { return 0, false }

func sent(probe uint32, thread uint32, at int64, handle, steps uint64, runs uint32, text string) event {
	b := make([]byte, headSize, headSize+len(text)+1)
	n := binary.NativeEndian
	n.PutUint64(b[offTime:], uint64(at))
	n.PutUint64(b[offThread:], 5<<half|uint64(thread))
	n.PutUint64(b[offHandle:], handle)
	n.PutUint64(b[offSteps:], steps)
	n.PutUint32(b[offProbe:], probe)
	n.PutUint32(b[offRuns:], runs)
	if text != "" {
		b = append(append(b, text...), 0)
	}
	e, ok := parse(b)
	if !ok {
		panic("it is an event")
	}
	return e
}

func of(s *System, symbol string) *probe {
	for _, f := range s.function {
		if f.symbol == symbol {
			return &probe{located: located{function: f}, of: s}
		}
	}
	panic(symbol)
}

// A server's statements: one that is sent as text, one that is prepared.
func TestStatementsOfAServer(t *testing.T) {
	s, b := newSeen(func(uint32) uint64 { return 0 }), &watched{of: systems[1], in: true, unweighted: map[shapeID]*tally{}}
	query, prepare, execute := of(systems[1], "_Z11mysql_parseP3THDPcj"), of(systems[1], "_ZN18Prepared_statement7prepareEPKcj"), of(systems[1], "_ZN18Prepared_statement12execute_loopE")
	s.take(sent(0, 7, 10, 0, 0, 1, "SELECT a FROM t WHERE b = 'secret'"), b, query)
	s.take(sent(0, 7, 20, 99, 0, 0, "SELECT c FROM t WHERE d = ?"), b, prepare)
	s.take(sent(0, 7, 30, 99, 0, 1, ""), b, execute)
	s.take(sent(0, 7, 40, 99, 0, 1, ""), b, execute)
	s.take(sent(0, 8, 50, 12, 0, 1, ""), b, execute) // was prepared before
	for at, want := range map[int64]string{5: "", 15: "SELECT a FROM t WHERE b = ?", 25: "SELECT c FROM t WHERE d = ?", 45: "SELECT c FROM t WHERE d = ?"} {
		got := ""
		if id := s.is(7, at, nil); id > 0 {
			got = s.rows[id-1].text
		}
		if got != want {
			t.Errorf("at %d: %q, want %q", at, got, want)
		}
	}
	if id := s.is(8, 60, nil); id == 0 || s.rows[id-1].text != Earlier {
		t.Error("a statement whose text nobody saw is none")
	}
	b.weigh(s, time.Now())
	all := s.statements(exactly)
	if len(all) != 3 || all[0].Runs != 2 || all[0].Prepared != 1 || all[1].Runs != 1 || all[2].Runs != 1 {
		t.Errorf("%+v", all)
	}
}

// Of the queries that a statement has prepared for itself, the foreign keys are kept, and nothing
// else; the statement goes on.
func TestForeignKeysOfAStatement(t *testing.T) {
	s, b := newSeen(func(uint32) uint64 { return 0 }), &watched{of: systems[0], in: true, unweighted: map[shapeID]*tally{}}
	query, prepare := of(systems[0], "PortalDefineQuery"), of(systems[0], "SPI_prepare")
	check := `DELETE FROM ONLY "public"."receipts" WHERE $1 OPERATOR(pg_catalog.=) "message_id"`
	s.take(sent(0, 8, 5, 0, 0, 0, check), b, prepare) // of nobody's statement
	s.take(sent(0, 7, 10, 0, 0, 1, "DELETE FROM messages WHERE day < 4"), b, query)
	s.take(sent(0, 7, 20, 0, 0, 0, "SELECT name FROM users WHERE token = 'secret'"), b, prepare)
	s.take(sent(0, 7, 30, 0, 0, 0, check), b, prepare)
	s.take(sent(0, 7, 40, 0, 0, 0, check), b, prepare)
	if id := s.is(7, 50, nil); id == 0 || s.rows[id-1].text != "DELETE FROM messages WHERE day < ?" {
		t.Error("the statement does not go on")
	}
	b.weigh(s, time.Now())
	all := s.statements(exactly)
	if len(all) != 1 || all[0].Runs != 1 || len(all[0].Facts.ForeignKeys) != 1 || all[0].Facts.ForeignKeys[0] != "receipts (message_id)" {
		t.Errorf("%+v", all)
	}
}

// What a procedure executes is seen apart from its CALL, and so is what a function asks within
// that; checks of foreign keys are work of the statement that has them made.
func TestStatementsWithinAnother(t *testing.T) {
	s, b := newSeen(func(uint32) uint64 { return 0 }), &watched{of: systems[0], inner: true, in: true, unweighted: map[shapeID]*tally{}}
	query, activity := of(systems[0], "PortalDefineQuery"), of(systems[0], "pgstat_report_activity")
	begin, end := of(systems[0], "standard_ExecutorStart"), of(systems[0], "standard_ExecutorEnd")
	at := func(when int64, want string) {
		t.Helper()
		if got := s.text(s.is(7, when, nil)); got != want {
			t.Errorf("at %d: %q, want %q", when, got, want)
		}
	}
	s.take(sent(0, 7, 10, 0, 0, 1, "CALL settle(4711)"), b, query)
	s.take(sent(0, 7, 20, 1, 0, 0, "SELECT id FROM bill WHERE day > 4"), b, begin)
	s.take(sent(0, 7, 30, 2, 0, 0, "UPDATE item SET x = price(9)"), b, begin)
	s.take(sent(0, 7, 40, 3, 0, 0, "SELECT p FROM rates"), b, begin)
	s.take(sent(0, 7, 41, 4, 0, 0, `SELECT 1 FROM ONLY "public"."t" x WHERE "id" OPERATOR(pg_catalog.=) $1 FOR KEY SHARE OF x`), b, begin)
	s.take(sent(0, 7, 44, 4, 0, 0, ""), b, end)
	at(45, "SELECT p FROM rates")
	s.take(sent(0, 7, 50, 3, 0, 0, ""), b, end)
	at(55, "UPDATE item SET x = price(?)")
	s.take(sent(0, 7, 60, 5, 0, 0, "SELECT p FROM rates"), b, begin) // an error ends it: nobody tells
	s.take(sent(0, 7, 70, 2, 0, 0, ""), b, end)
	at(75, "SELECT id FROM bill WHERE day > ?")
	if n := len(s.within[7].open); n != 1 {
		t.Errorf("%d statements go on, want 1: what an error ended is over", n)
	}
	s.take(sent(0, 7, 80, 1, 0, 0, ""), b, end)
	at(85, "CALL settle(?)")
	s.take(sent(0, 7, 90, 6, 0, 0, "SELECT p FROM rates"), b, begin)
	s.leave(systems[0], 95) // there were too many
	at(97, "CALL settle(?)")
	s.take(sent(0, 7, 98, 6, 0, 0, ""), b, end)
	at(99, "CALL settle(?)")
	s.take(sent(0, 7, 100, 0, 0, 0, ""), b, activity)
	s.take(sent(0, 7, 110, 0, 0, 1, "SELECT a FROM t"), b, query)
	s.take(sent(0, 7, 120, 8, 0, 0, "SELECT a FROM t"), b, begin) // a worker of its plan
	s.take(sent(0, 7, 130, 8, 0, 0, ""), b, end)
	at(135, "SELECT a FROM t")
	s.take(sent(0, 8, 140, 3, 0, 0, "SELECT p FROM rates"), b, begin) // within what began before anybody looked
	b.weigh(s, time.Now())
	want := map[string]profile.Statement{
		"CALL settle(?)":                    {Runs: 1},
		"SELECT id FROM bill WHERE day > ?": {Runs: 1, Inner: 1, Outer: 1, Within: "CALL settle(?)"},
		"UPDATE item SET x = price(?)":      {Runs: 1, Inner: 1, Outer: 1, Within: "CALL settle(?)"},
		"SELECT p FROM rates":               {Runs: 4, Inner: 4, Outer: 2, Within: "CALL settle(?)"},
		"SELECT a FROM t":                   {Runs: 1},
	}
	for _, got := range s.statements(exactly) {
		w := want[got.Text]
		if got.Runs != w.Runs || got.Inner != w.Inner || got.Outer != w.Outer || got.Within != w.Within {
			t.Errorf("%+v, want %+v", got, w)
		}
		delete(want, got.Text)
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
}

// Of a library, samples count in its code alone, and rows are counted.
func TestStatementsOfALibrary(t *testing.T) {
	s, b := newSeen(func(uint32) uint64 { return 0 }), &watched{of: linked, in: true, unweighted: map[shapeID]*tally{}}
	step, reset := of(linked, "sqlite3_step"), of(linked, "sqlite3_reset")
	s.take(sent(0, 7, 10, 1, 0, 1, "SELECT a FROM t"), b, step)
	s.take(sent(0, 7, 20, 1, 101, 0, ""), b, reset)
	if s.is(7, 15, nil) != 0 {
		t.Error("the program's own code belongs to a statement")
	}
	if s.is(7, 15, linked) == 0 || s.is(7, 25, linked) != 0 {
		t.Error("the statement is not where it is")
	}
	b.in, b.window, b.since = false, time.Second, time.Now().Add(-3*time.Second)
	b.weigh(s, time.Now())
	if got := s.statements(exactly)[0]; got.Runs != 4 || got.Steps < 403 || got.Steps > 406 {
		t.Errorf("with a pause of three times the window: %+v", got)
	}
	if got := s.statements(func(string, string) (float64, bool) { return 10, true })[0]; got.Runs != 10 || got.Steps != 1010 {
		t.Errorf("where samples tell: %+v", got)
	}
}

// counted is an event with counters.
func counted(at int64, handle uint64, runs uint32, text string, scanned, operations uint32) event {
	e := sent(0, 7, at, handle, 1, runs, text)
	e.work = work{fullScan: scanned, 3: operations}
	return e
}

// Counters run on over the executions of a statement, and begin anew with another one at the
// same place.
func TestWorkIsCounted(t *testing.T) {
	s, b := newSeen(func(uint32) uint64 { return 4096 }), &watched{of: linked, in: true, unweighted: map[shapeID]*tally{}}
	step, end := of(linked, "sqlite3_step"), of(linked, "sqlite3_finalize")
	step.counters, end.counters = 0xd0, 0xd0
	s.take(counted(10, 1, 1, "SELECT a FROM t", 0, 0), b, step)
	s.take(counted(20, 1, 0, "", 100, 700), b, end)
	s.take(counted(30, 1, 1, "SELECT a FROM t", 100, 700), b, step)
	s.take(counted(40, 2, 1, "SELECT b FROM t", 0, 0), b, step) // while it goes on
	s.take(counted(50, 2, 0, "", 0, 9), b, end)
	s.take(counted(60, 1, apart, "", 300, 2100), b, end) // the thread was not at it
	s.take(counted(70, 1, 1, "SELECT c FROM t", 0, 0), b, step)
	s.take(counted(80, 1, 0, "", 5, 50), b, end)
	if s.is(7, 65, linked) != 0 {
		t.Error("the end of another statement begins one")
	}
	s.take(counted(90, 3, 1, "SELECT d FROM t", 400, 900), b, step) // had run before anybody looked
	s.interrupt(linked, 95)
	s.take(counted(100, 3, 0, "", 500, 1000), b, end) // of a pause nobody knows
	b.weigh(s, time.Now())
	want := map[string][2]uint64{"SELECT a FROM t": {300, 2100}, "SELECT b FROM t": {0, 9}, "SELECT c FROM t": {5, 50}, "SELECT d FROM t": {0, 0}}
	for _, got := range s.statements(exactly) {
		if n := [2]uint64{got.Scanned, got.Operations}; n != want[got.Text] || got.DatabaseBytes != 4096 {
			t.Errorf("%s: %v of %d bytes, want %v", got.Text, n, got.DatabaseBytes, want[got.Text])
		}
		delete(want, got.Text)
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
}

// The kernel takes the program of every function.
func TestProgramsAreTaken(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, for probes")
	}
	r, err := Start(nil, func(at int64) int64 { return at })
	if errors.Is(err, os.ErrPermission) {
		t.Skipf("probes are not allowed here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, s := range systems {
		for _, f := range s.function {
			prog, err := r.load(&probe{located: located{function: f, text: f.offset, counters: 0xd0}, of: s})
			if err != nil {
				t.Errorf("%s: %v", f.symbol, err)
				continue
			}
			_ = prog.Close() // it was not attached
		}
	}
}

func TestWhereSQLiteKeepsCounters(t *testing.T) {
	for name, x := range map[string]struct {
		code []byte
		want int32
	}{
		// movslq %esi,%rsi; add $0x34,%rsi; mov (%rdi,%rsi,4),%eax
		"added to the index":   {[]byte{0x48, 0x63, 0xf6, 0x48, 0x83, 0xc6, 0x34, 0x8b, 0x04, 0xb7, 0x85, 0xd2}, 0xd0},
		"an offset":            {[]byte{0x48, 0x63, 0xc6, 0x8b, 0x84, 0x87, 0xd0, 0, 0, 0, 0xc3}, 0xd0},
		"a short offset":       {[]byte{0x48, 0x63, 0xc6, 0x8b, 0x44, 0x87, 0x70, 0xc3}, 0x70},
		"no index":             {[]byte{0x48, 0x8b, 0x87, 0xf8, 0, 0, 0, 0xc3, 0, 0, 0}, 0},
		"an index of bytes":    {[]byte{0x8b, 0x04, 0x37, 0xc3, 0, 0, 0, 0}, 0},
		"beyond any statement": {[]byte{0x8b, 0x84, 0xb7, 0, 0, 0, 0x7f, 0xc3}, 0},
		"cut":                  {[]byte{0x8b, 0x84, 0xb7, 0xd0}, 0},
	} {
		if got := indexedX86(x.code); got != x.want {
			t.Errorf("%s: %#x, want %#x", name, got, x.want)
		}
	}
}

func TestDatabasesOfAProcess(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.db", string(magic)+strings.Repeat("x", 1000))
	write("a.db-wal", strings.Repeat("x", 500))
	write("b.txt", strings.Repeat("x", 3000))
	var d databases
	before := d.bytes(uint32(os.Getpid()))
	for _, name := range []string{"a.db", "a.db", "b.txt"} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close() //nolint:errcheck // only read from
	}
	if got := d.bytes(uint32(os.Getpid())); got != before {
		t.Errorf("%d bytes at once", got)
	}
	clear(d.known)
	if got, want := d.bytes(uint32(os.Getpid())), before+uint64(len(magic))+1500; got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	if got := d.bytes(1 << 30); got != 0 {
		t.Errorf("%d bytes of nobody", got)
	}
}

func TestShapesAreBounded(t *testing.T) {
	s := newSeen(func(uint32) uint64 { return 0 })
	for i := range 3 * mostShapes {
		s.shape(linked, "SELECT a"+strings.Repeat("x", i%200)+" FROM t"+strings.Repeat("y", i/200), false)
	}
	if len(s.rows) > mostShapes+1 || s.rows[len(s.rows)-1].text != Other {
		t.Errorf("%d rows", len(s.rows))
	}
	var all []profile.Statement = s.statements(exactly)
	if len(all) != len(s.rows) {
		t.Errorf("%d of them", len(all))
	}
}

func TestPauses(t *testing.T) {
	for _, x := range []struct {
		calls uint64
		in    time.Duration
		much  bool
		rest  time.Duration
	}{
		{15, time.Millisecond, false, leastPause},
		{mostCalls, time.Second, false, leastPause},
		{mostCalls, 100 * time.Millisecond, true, 900 * time.Millisecond},
		{100 * mostCalls, time.Second, true, longestPause},
	} {
		if got := isTooMuch(x.calls, x.in); got != x.much {
			t.Errorf("%+v: %v", x, got)
		}
		if got := pause(x.calls, x.in, time.Second); got != leastPause {
			t.Errorf("%+v: at first %v", x, got)
		}
		if got := pause(x.calls, x.in, time.Minute); got != x.rest {
			t.Errorf("%+v: %v", x, got)
		}
	}
}

func TestWhereSQLiteKeepsTexts(t *testing.T) {
	// test %rdi,%rdi; je; mov 0xf8(%rdi),%rax; ret
	if n, ok := loadedX86([]byte{0x48, 0x85, 0xff, 0x74, 0x0b, 0x48, 0x8b, 0x87, 0xf8, 0, 0, 0, 0xc3}); !ok || n != 0xf8 {
		t.Error(n, ok)
	}
	// cbz x0; ldr x0, [x0, #248]; ret
	if n, ok := loadedARM([]byte{0x40, 0, 0, 0xb4, 0, 0x7c, 0x40, 0xf9, 0xc0, 3, 0x5f, 0xd6}); !ok || n != 0xf8 {
		t.Error(n, ok)
	}
	for _, code := range [][]byte{nil, {0x48, 0x8b}, {0x48, 0x8b, 0x87, 0xff, 0xff, 0xff, 0xff}, {1, 2, 3, 4}} {
		if _, ok := loadedX86(code); ok {
			t.Errorf("%x is read", code)
		}
	}
}

func TestLocateNothing(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := locate(exe, linked, false); !errors.Is(err, errNone) {
		t.Errorf("this test has SQLite: %v", err)
	}
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read from
	if code, ok := codeAt(f, elf.Symbol{}); ok {
		t.Errorf("a function that is not there has the code %x", code)
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := locate(path, linked, false); err == nil {
		t.Error("a script has functions")
	}
}

// Whatever the file is, reading it ends with an answer.
func FuzzTextOffset(f *testing.F) {
	f.Add([]byte{0x48, 0x8b, 0x87, 0xf8, 0, 0, 0}, true)
	f.Fuzz(func(t *testing.T, code []byte, x86 bool) {
		read := loadedARM
		if x86 {
			read = loadedX86
		}
		if n, ok := read(code); ok && (n < 0 || n >= 1<<15) {
			t.Fatal(n)
		}
		if n := indexedX86(code); n < 0 || n >= most {
			t.Fatal(n)
		}
		parse(code)
	})
}

func FuzzLocate(f *testing.F) {
	f.Add([]byte(elf.ELFMAG))
	f.Fuzz(func(t *testing.T, file []byte) {
		path := filepath.Join(t.TempDir(), "lib.so")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		_, _ = locate(path, linked, true)
	})
}
