package ebpf

import (
	"encoding/hex"
	"strings"
	"testing"

	"whyhot/internal/profile"
)

// The table of CPython 3.11 for
//
//	def outer(items, limit):
//	    total = sum(i for i in items if i < limit)
//	    with open("x") as f:
//	        try:
//	            total += min(items, key=lambda i: i - limit)
//	        except ValueError as e:
//	            print(e)
//	    return (total,
//	            f)
//
// and the lines of some of its instructions, as co_lines() gives them.
func TestLineTable(t *testing.T) {
	table, err := hex.DecodeString("f88000dd0c0fd00f2ed00f2ed00f2ed00f2e9835d00f2ed10f2ed40f2ed10c2ed40c2e8045dd090d886389198c19f0000405159061f002030915d80c1195539815d02437d02437d02437d02437d01538d11538d41538d10c3888458845f8dd0f19f000010915f000010915f000010915dd0c11902189488c48884888488848884888488848f8f8f8f8f003010915f8f8f8f007040515f000040515f000040515f100040515f400040515f000040515f000040515f000040515f000040515f000040515f000040515f8f8f8f000040515f000040515f000040515f000040515f00a000d12d80c0df003010c0ff00001050f")
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[uint32]uint32{1: 0, 2: 1, 28: 1, 29: 2, 45: 3, 46: 4, 69: 4, 71: 5, 80: 6, 104: 5, 108: 2, 131: 7, 132: 8, 134: 7} {
		if got, _, ok := lineAt(table, at); got != want || !ok {
			t.Errorf("instruction %d is in line %d (%v), not %d", at, got, ok, want)
		}
	}
	// What the profiler says: one less behind the cells, something else behind the handlers.
	if _, said, _ := lineAt(table, 46); said != 3 {
		t.Errorf("the profiler says line %d of instruction 46, not 3", said)
	}
	for _, cut := range [][]byte{nil, table[:3], {0x7f, 0xf8}} {
		if _, _, ok := lineAt(cut, 40); ok {
			t.Errorf("a table of %d bytes has a line for instruction 40", len(cut))
		}
	}
}

// A function with a lambda that uses its variables has its lines.
func TestLinesOfClosures(t *testing.T) {
	usable(t.Context(), t)
	cmd := ready(t, interpreted(t, "python3", "closure.py", `
def outer(n):
    table = [i * 7 % 1000 for i in range(n)]
    best = 0
    for round in range(200):
        best += min(range(n), key=lambda i: table[i])
    return best
outer(100)
print("ready", flush=True)
while True: outer(5000)
`))
	settled(t, func(v *verdict) {
		p, _ := record(t.Context(), t, running(cmd))
		lines := map[int32]int64{}
		var all int64
		for _, s := range p.Samples() {
			for _, loc := range p.Stack(s.Stack) {
				for _, l := range p.Lines(loc) {
					if f := p.Function(l.Function); f.Kind == profile.KindPython && strings.HasSuffix(f.Name, "outer") {
						lines[l.Line] += s.Count
						all += s.Count
					}
				}
			}
		}
		if all == 0 || float64(lines[6]) < 0.9*float64(all) {
			v.Errorf("of %d samples in outer %d are in line 6: %v", all, lines[6], lines)
		}
	})
}
