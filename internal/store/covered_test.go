package store

import (
	"testing"

	"whyhot/internal/store/batch"
)

func TestCovered(t *testing.T) {
	var c covered
	if got := c.within(0, 1000); got != 0 {
		t.Errorf("nothing: %d", got)
	}
	c.addRows(nil)
	c.addRows([]batch.Row{{Minute: 500}, {Minute: 420}, {Minute: 430}})
	for _, x := range []struct{ from, to, want uint32 }{
		{0, 1000, 81}, {420, 501, 81}, {450, 460, 10}, {450, 1000, 51}, {0, 400, 0}, {600, 700, 0},
	} {
		if got := c.within(x.from, x.to); got != x.want {
			t.Errorf("[%d, %d): %d, not %d", x.from, x.to, got, x.want)
		}
	}
	c.forget(440)
	if got := c.within(0, 1000); got != 61 {
		t.Errorf("what retention left: %d", got)
	}
	c.forget(10)
	if got := c.within(0, 1000); got != 61 {
		t.Errorf("forgetting what was forgotten: %d", got)
	}
}
