package store

import (
	"math"
	"testing"
	"time"

	"whyhot/internal/profile"
	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine/memory"
)

func TestCovered(t *testing.T) {
	var c covered
	if got := c.within(0, 1000); got != 0 {
		t.Errorf("nothing: %d", got)
	}
	c.addBatch(&batch.Batch{})
	c.addBatch(&batch.Batch{Rows: []batch.Row{{Minute: 500}, {Minute: 420}, {Minute: 430}, {Minute: 500}}})
	for _, x := range []struct {
		from, to uint32
		want     int
	}{{0, 1000, 180}, {420, 501, 180}, {421, 460, 60}, {450, 1000, 60}, {0, 400, 0}, {600, 700, 0}} {
		if got := c.within(x.from, x.to); got != x.want {
			t.Errorf("[%d, %d): %d, not %d", x.from, x.to, got, x.want)
		}
	}
	if from, until := c.reach(); from != 420 || until != 501 {
		t.Errorf("it reaches from %d to %d", from, until)
	}
	if gone := c.forget(480); len(gone) != 1 || gone[0] != 7 {
		t.Errorf("%v was forgotten", gone)
	}
	if got := c.within(0, 1000); got != 60 {
		t.Errorf("what retention left: %d", got)
	}
}

// A time that a batch says counts to the second, once, and is the same after it was written.
func TestCoveredSpans(t *testing.T) {
	const never = math.MaxUint32
	var c covered
	begin := uint32(10 * secondsHour)
	c.addBatch(&batch.Batch{
		Spans: []batch.Span{{From: begin - 3, Until: begin + 3}, {From: begin + 1, Until: begin + 61}, {From: begin + 100, Until: begin + 101}},
		Rows:  []batch.Row{{Minute: begin / 60}, {Minute: begin/60 + 30}},
	})
	const want = 3 + 61 + 1 + 60
	if got := c.within(0, never); got != want {
		t.Errorf("%d seconds, want %d", got, want)
	}
	var again covered
	for key, body := range c.written() {
		again.load(&Document{Key: key, Body: body})
	}
	if got := again.within(0, never); got != want {
		t.Errorf("%d seconds after they were written, want %d", got, want)
	}
	if left := again.written(); len(left) != 0 {
		t.Errorf("it would be written again: %v", left)
	}
	again.load(&Document{Key: "x", Body: []byte("[]")})
	again.load(&Document{Key: "4294967295", Body: []byte("[0,9]")})
	again.load(&Document{Key: "7", Body: []byte("[")})
	if got := again.within(0, never); got != want {
		t.Errorf("%d seconds with documents that mean nothing, want %d", got, want)
	}
}

// Cores do not depend on how far back is looked, nor on the answer that they are taken from,
// and a store that is opened again, also one whose documents are of an older version, says the
// same.
func TestCoresOfAnyWidth(t *testing.T) {
	at := testNow.Add(-40 * time.Minute)
	one := func(when time.Time) *profile.Profile {
		b := profile.NewBuilder()
		f := b.Function(profile.Function{Name: "f"})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{b.Location(0, 0, profile.KindNative, profile.Line{Function: f})}), Count: 30, Value: 30e9})
		return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Start: when})
	}
	for name, test := range map[string]struct {
		spans []batch.Span
		want  time.Duration
	}{
		"minutes": {want: time.Minute},
		"spans":   {spans: []batch.Span{{From: uint32(at.Unix()), Until: uint32(at.Unix()) + 6}}, want: 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			dir, e := t.TempDir(), memory.New()
			s := openStore(t, dir, e, quick(Options{}))
			appendProfile(t, s, one(at), batch.Options{Spans: test.spans})
			flush(t, s)
			check := func(s *Store, want time.Duration) {
				t.Helper()
				for _, last := range []time.Duration{time.Hour, 6 * time.Hour, 7 * 24 * time.Hour} {
					sel := Selection{From: testNow.Add(-last), To: testNow}
					top, err := s.Top(t.Context(), sel, TopOptions{})
					if err != nil {
						t.Fatal(err)
					}
					whole, basis, err := s.Profile(t.Context(), sel)
					if err != nil {
						t.Fatal(err)
					}
					line, err := s.Timeline(t.Context(), sel, "", time.Hour, 1)
					if err != nil {
						t.Fatal(err)
					}
					for what, got := range map[string]time.Duration{"top": top.Basis.Covered, "profile": basis.Covered, "its duration": whole.Meta.Duration, "timeline": line.Basis.Covered} {
						if got != want {
							t.Errorf("the last %s: %s says %s, want %s", last, what, got, want)
						}
					}
				}
			}
			check(s, test.want)
			closeStore(t, s)
			s = openStore(t, dir, e, quick(Options{}))
			check(s, test.want)
			for _, d := range s.Documents(coveredKind) {
				if err := s.PutDocument(t.Context(), d.Kind, d.Key, nil); err != nil {
					t.Fatal(err)
				}
			}
			flush(t, s)
			closeStore(t, s)
			s = openStore(t, dir, e, quick(Options{}))
			defer closeStore(t, s)
			check(s, time.Minute) // of the rows alone
		})
	}
}
