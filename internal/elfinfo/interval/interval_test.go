package interval

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNesting(t *testing.T) {
	m := Build([]Span{{10, 50, 1}, {20, 30, 2}, {22, 25, 3}, {60, 70, 4}, {5, 5, 9}})
	for addr, want := range map[uint64]int32{
		9: none, 10: 1, 19: 1, 20: 2, 22: 3, 24: 3, 25: 2, 29: 2, 30: 1, 49: 1, 50: none, 60: 4, 69: 4, 70: none,
	} {
		got, ok := m.Find(addr)
		if !ok {
			got = none
		}
		if got != want {
			t.Errorf("address %d: span %d, want %d", addr, got, want)
		}
	}
}

// slow is the definition: among the spans that hold addr the one that begins
// last, then the shortest, then the latest.
func slow(spans []Span, addr uint64) int32 {
	best := -1
	for i, s := range spans {
		if addr < s.Low || addr >= s.High {
			continue
		}
		if best < 0 || s.Low > spans[best].Low || s.Low == spans[best].Low && s.High <= spans[best].High {
			best = i
		}
	}
	if best < 0 {
		return none
	}
	return spans[best].ID
}

func TestAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		spans := make([]Span, n)
		for i := range spans {
			low := rapid.Uint64Range(0, 40).Draw(t, "low")
			spans[i] = Span{low, low + rapid.Uint64Range(0, 15).Draw(t, "len"), int32(i)}
		}
		m := Build(append([]Span(nil), spans...))
		for addr := range uint64(60) {
			got, ok := m.Find(addr)
			if !ok {
				got = none
			}
			if want := slow(spans, addr); got != want {
				t.Fatalf("spans %v, address %d: got %d, want %d", spans, addr, got, want)
			}
		}
	})
}

func TestLayeredAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		spans := make([]Span, n)
		for i := range spans {
			low := rapid.Uint64Range(0, 40).Draw(t, "low")
			spans[i] = Span{low, low + rapid.Uint64Range(0, 15).Draw(t, "len"), int32(i)}
		}
		m := BuildLayered(n, func(i int) Span { return spans[i] })
		for addr := range uint64(60) {
			want := int32(none)
			for _, s := range spans {
				if addr >= s.Low && addr < s.High {
					want = s.ID
				}
			}
			got, ok := m.Find(addr)
			if !ok {
				got = none
			}
			if got != want {
				t.Fatalf("spans %v, address %d: got %d, want %d", spans, addr, got, want)
			}
		}
	})
}
