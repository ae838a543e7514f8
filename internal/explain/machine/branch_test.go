package machine

import (
	"fmt"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/profile"
)

// Samples in percent of the loop on the two ways' first and second instructions, as
// recorded (decision 0544).
func TestWrongGuesses(t *testing.T) {
	for _, c := range []struct {
		name    string
		samples [4]int64
		events  int64
		is      bool
	}{
		{"append, a random half is kept", [4]int64{17, 32, 12, 33}, 600, true},
		{"append, a random tenth", [4]int64{22, 28, 34, 13}, 600, true},
		{"append, sorted", [4]int64{12, 7, 61, 14}, 600, false},
		{"append, a period of 64", [4]int64{12, 9, 62, 13}, 600, false},
		{"append, all", [4]int64{39, 20, 6, 23}, 600, false},
		{"runs, all differ", [4]int64{14, 22, 13, 16}, 600, false},
		{"a count, in turn", [4]int64{32, 1, 31, 31}, 600, false},
		{"too few samples", [4]int64{17, 32, 12, 33}, 50, false},
	} {
		l := &Loop{Self: 100, Count: c.events}
		for i, s := range c.samples {
			l.Instructions = append(l.Instructions, Instruction{Address: uint64(i), Self: s})
		}
		m := analyzer.MachineMatch{Facts: map[string]string{"one": "0", "one_next": "1", "other": "2", "other_next": "3"}}
		value, _ := inWrongGuesses(l, m)
		if is := value == l.Self; is != c.is {
			t.Errorf("%s: %v, not %v", c.name, is, c.is)
		}
		want := fmt.Sprintf("samples %d.0%% and %d.0%% are", c.samples[0]+c.samples[1], c.samples[2]+c.samples[3])
		if text := wrongGuesses(&profile.Profile{}, l, m)[0].Text; !strings.Contains(text, want) {
			t.Errorf("%s: %q in %q", c.name, want, text)
		}
	}
}

// Where jumps were followed, their outcomes decide, whatever the samples say.
func TestFollowedJumps(t *testing.T) {
	p := profile.NewBuilder().Build(profile.Meta{Branches: []profile.Branch{
		{Path: "/app", Address: 4, Seen: 8000, Taken: 4000, Judged: 4000, Missed: 1900},
		{Path: "/app", Address: 6, Seen: 4000, Taken: 400, Judged: 2000, Missed: 190},
		{Path: "/app", Address: 24, Seen: 8000, Taken: 4000, Judged: 4000, Missed: 10}, // a counter
		{Path: "/app", Address: 26, Seen: 200, Taken: 100, Judged: 100, Missed: 50},    // hardly executed
		{Path: "/lib", Address: 24, Seen: 8000, Taken: 4000, Judged: 4000, Missed: 1900},
	}})
	b := &binary{branches: followed(p, "/app")}
	loop := func(from uint64, matches ...analyzer.MachineMatch) *Loop {
		l := &Loop{Self: 100, Count: 1000, binary: b, Matches: matches}
		for a := from; a < from+20; a++ { // the clock's samples are on both ways
			l.Instructions = append(l.Instructions, Instruction{Address: a, Self: 5})
		}
		return l
	}
	match := func(at uint64, facts map[string]string) analyzer.MachineMatch {
		return analyzer.MachineMatch{Rule: "machine-branch", At: []uint64{at}, Facts: facts}
	}
	both := map[string]string{"both": "6", "one": "0", "one_next": "1", "other": "2", "other_next": "3"}
	long := map[string]string{"one": "0", "one_next": "1", "other": "2", "other_next": "3"}
	for name, c := range map[string]struct {
		from uint64
		at   analyzer.MachineMatch
		is   bool
	}{
		"a random half":              {0, match(4, both), true},
		"less than another's":        {0, match(6, both), false},
		"what it skips is long":      {0, match(4, long), false},
		"foreseen":                   {20, match(24, both), false},
		"hardly executed":            {20, match(26, both), false},
		"not followed, as others of": {20, match(30, both), false},
	} {
		l := loop(c.from, match(4, both), match(6, both))
		if value, _ := inWrongGuesses(l, c.at); value == l.Self != c.is {
			t.Errorf("%s: %v", name, value == l.Self)
		}
	}
	l := loop(0, match(4, both))
	low, high, known := inMisses(l, l.Matches[0])
	if !known || low < 0.3 || low > 0.4 || high < 0.7 || high > 0.8 { // 0.52 misses, 20 instructions
		t.Errorf("%.2f to %.2f, %v", low, high, known)
	}
	if title := titleOfBranch(l, l.Matches[0]); strings.Contains(title, "may") {
		t.Error(title)
	}
	if text := wrongGuesses(p, l, l.Matches[0]); len(text) != 2 || !strings.Contains(text[0].Text, "of 8000 executions") || !strings.Contains(text[0].Text, "misses 47.5%") {
		t.Errorf("%+v", text)
	}
}
