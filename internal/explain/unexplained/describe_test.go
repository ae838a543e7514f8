package unexplained

import (
	"testing"

	"whyhot/internal/profile"
)

func TestCalls(t *testing.T) {
	for want, c := range map[string]*profile.FunctionCalls{
		"":             nil,
		"12,000 times": {Count: 12_000},
		"12,000 times with 40 different arguments":                                {Count: 12_000, Looked: 12_000, Different: 40},
		"12,000 times, the 6,000 that were looked at with 40 different arguments": {Count: 12_000, Looked: 6000, Different: 40},
	} {
		if got := calls(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
