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
