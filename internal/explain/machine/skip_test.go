package machine

import (
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// A loop skips where its jump's outcomes say so and its samples are on the iterations that do.
func TestSkips(t *testing.T) {
	for name, c := range map[string]struct {
		seen, taken uint64
		by, cycle   string
		rules       []string
		is          bool
	}{
		"one of a thousand":                {10_000, 9990, "taken", "100-10a", nil, true},
		"the other way":                    {10_000, 10, "next", "100-104,104-10a", nil, true},
		"a tenth is not skipped":           {10_000, 9000, "taken", "100-10a", nil, false},
		"hardly executed":                  {200, 200, "taken", "100-10a", nil, false},
		"the way that is seldom taken":     {10_000, 9990, "next", "100-10a", nil, false},
		"what is not skipped takes longer": {10_000, 9990, "taken", "100-105", nil, false},
		"a list":                           {10_000, 9990, "taken", "100-10a", []string{"machine-walk"}, false},
		"not followed":                     {0, 0, "taken", "100-10a", nil, false},
	} {
		m := analyzer.MachineMatch{Rule: skipRule, At: []uint64{0x104}, Facts: map[string]string{"by": c.by, "cycle": c.cycle}}
		l := &Loop{Self: 100, Count: 100, Matches: []analyzer.MachineMatch{m}, binary: &binary{outcomes: map[uint64]profile.Branch{0x104: {Seen: c.seen, Taken: c.taken}}}}
		for a := uint64(0x100); a < 0x10a; a++ {
			l.Instructions = append(l.Instructions, Instruction{Address: a, Self: 10, Count: 10})
		}
		for _, r := range c.rules {
			l.Matches = append(l.Matches, analyzer.MachineMatch{Rule: r})
		}
		if value, events := l.inSkips(m); (value > 0) != c.is || value != events {
			t.Errorf("%s: %d, %d", name, value, events)
		}
		if c.is && !strings.Contains(skips(nil, l, m)[0].Text, "of 10000 executions of the jump at 104 that were followed 99.9% skip") {
			t.Errorf("%s: %+v", name, skips(nil, l, m))
		}
	}
}

func TestASkipThatIsDisputed(t *testing.T) {
	at := func(rule string, line int) Found {
		return Found{Finding: finding.Finding{Rule: rule, Place: finding.Place{File: "/me/table.c", Line: line, Binary: "/me/table"}}}
	}
	left := undisputed([]Found{at(skipRule, 43), at(skipRule, 54), at(branchRule, 43), at(StallRule, 54), at(walkRule, 9), at(StallRule, 9)})
	loop := &Loop{}
	in := func(rule string, line int) Found {
		f := at(rule, line)
		f.Loop = loop
		return f
	}
	if waits := undisputed([]Found{in(sparseRule, 43), in(branchRule, 15), at(branchRule, 90)}); len(waits) != 2 || waits[1].Place.Line != 90 {
		t.Errorf("in a loop that waits for memory: %v", waits)
	}
	if len(left) != 4 || left[0].Place.Line != 54 || left[1].Rule != branchRule {
		t.Errorf("left: %v", left)
	}
}
