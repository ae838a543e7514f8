package journal

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// A journal that is opened without knowing what was taken elsewhere gives its segments
// numbers that nothing has, and removes what was taken when it is told.
func TestOpenAway(t *testing.T) {
	dir := t.TempDir()
	if Begun(dir) {
		t.Error("an empty directory has begun")
	}
	j := open(t, dir, 0, Options{SegmentBytes: 1})
	first, second, third := put(t, j, "a"), put(t, j, "b"), put(t, j, "c")
	if err := j.Remove(first); err != nil {
		t.Fatal(err)
	}
	_ = j.Close()
	if !Begun(dir) {
		t.Error("it has not begun")
	}
	var numbers []uint64
	for range 2 { // a second time it goes no further
		j, err := OpenAway(dir, Options{SegmentAge: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, put(t, j, "d"))
		_ = j.Close()
	}
	if !slices.Equal(numbers, []uint64{first + leap + 1, first + leap + 2}) {
		t.Errorf("segments %v", numbers)
	}
	j, err := OpenAway(dir, Options{SegmentAge: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	if lost := (*LostError)(nil); !errors.As(j.Taken(0), &lost) {
		t.Error("nobody noticed that what was taken is gone")
	}
	if err := j.Taken(second); err != nil {
		t.Fatal(err)
	}
	if want := append([]uint64{third}, numbers...); !slices.Equal(j.Pending(), want) {
		t.Errorf("%v wait, want %v", j.Pending(), want)
	}
	if got := read(t, j); !slices.Equal(got, []string{"7:c", "7:d", "7:d"}) {
		t.Errorf("read %q", got)
	}
}
