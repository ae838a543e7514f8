package perfdata

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"whyhot/internal/profile"
)

// Whatever comes in, and however much of it: the profile is the one that a single
// goroutine makes, row for row, while locations are made beside.
func TestTwoStagesMakeTheSameProfile(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		count := []int{0, 1, batchRows - 1, batchRows, batchRows + 1, 3000, 20000}[rng.IntN(7)]
		kinds := 1 + rng.IntN(400) // how many different stacks there are
		plain, staged := profile.NewBuilder(), profile.NewBuilder()
		second := interner{b: staged}
		for range count {
			kind := rand.New(rand.NewPCG(seed, uint64(rng.IntN(kinds))))
			var stack []profile.LocationID
			for range kind.IntN(60) {
				addr := uint64(kind.IntN(5000))
				a, b := plain.Location(0, addr, profile.KindNative), staged.Location(0, addr, profile.KindNative)
				if a != b {
					t.Fatalf("seed %d: location %d, want %d", seed, b, a)
				}
				stack = append(stack, a)
			}
			s := profile.Sample{Count: 1, Value: int64(rng.IntN(9)), Time: int64(rng.IntN(2))}
			direct := s
			direct.Stack = plain.Stack(stack)
			plain.Sample(direct)
			second.add(stack, s)
			clear(stack) // it is the caller's again
		}
		second.end()
		second.end()
		want, got := plain.Build(profile.Meta{}), staged.Build(profile.Meta{})
		if a, b := text(want), text(got); a != b {
			t.Fatalf("seed %d, %d samples: got\n%.300s\nwant\n%.300s", seed, count, b, a)
		}
	}
}

// text is all of a profile's rows, in order.
func text(p *profile.Profile) string {
	var b strings.Builder
	for _, s := range p.Samples() {
		fmt.Fprintln(&b, s, p.Stack(s.Stack))
	}
	return b.String()
}
