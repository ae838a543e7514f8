package store

import (
	"testing"
	"time"
)

// Two ranges that touch have no minute in common, and what is asked for up to now has the
// running one.
func TestRangesThatTouchShareNoMinute(t *testing.T) {
	at := func(text string) time.Time {
		m, err := time.Parse(time.TimeOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	now := at("10:06:20")
	for _, c := range []struct{ name, from, to, wantFrom, wantTo string }{
		{"the earlier one", "10:00:20", "10:03:20", "10:00:00", "10:03:00"},
		{"the later one, up to now", "10:03:20", "10:06:20", "10:03:00", "10:07:00"},
		{"up to now by a clock that is behind", "10:03:20", "10:06:15", "10:03:00", "10:07:00"},
		{"whole minutes", "10:01:00", "10:02:00", "10:01:00", "10:02:00"},
		{"within a minute", "10:01:10", "10:01:20", "10:01:00", "10:02:00"},
		{"the future", "10:03:00", "11:00:30", "10:03:00", "11:01:00"},
	} {
		from, to := WholeMinutes(at(c.from), at(c.to), now)
		if !from.Equal(at(c.wantFrom)) || !to.Equal(at(c.wantTo)) {
			t.Errorf("%s: %s to %s", c.name, from.Format(time.TimeOnly), to.Format(time.TimeOnly))
		}
	}
}

// Nor have two of a time of which only hours are kept.
func TestOldRangesThatTouchShareNoHour(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s := &Store{opts: Options{Now: func() time.Time { return now }, Retention: Retention{Samples: 24 * time.Hour, Hourly: 1000 * time.Hour}}}
	old := minute(now.Add(-100 * time.Hour)) // a whole hour
	end := func(from, to uint32) (uint32, uint32) {
		list := s.pieces(&chosen{from: from, to: to})
		return list[0].from, list[len(list)-1].to
	}
	_, first := end(old, old+90)
	second, last := end(old+90, old+200)
	if first != second || first != old+60 || last != old+180 {
		t.Errorf("up to %d and from %d to %d, want %d, %d, %d", first, second, last, old+60, old+60, old+180)
	}
	if from, to := end(old+70, old+80); from != old+60 || to != old+120 {
		t.Errorf("a range within an hour: %d to %d", from-old, to-old)
	}
}
