package limit

import (
	"testing"
	"time"
)

func TestATokenHasARateOfItsOwn(t *testing.T) {
	r := NewRates(Rate{PerSecond: 2, Burst: 3})
	now := time.Now()
	for i := range 3 {
		if _, ok := r.Allow("a", now); !ok {
			t.Fatalf("request %d is refused", i)
		}
	}
	again, ok := r.Allow("a", now)
	if ok || again <= 0 || again > 500*time.Millisecond {
		t.Errorf("%v, %v", again, ok)
	}
	if _, ok := r.Allow("b", now); !ok {
		t.Error("one token takes another's share")
	}
	// A refusal costs nothing: half a second later there is one more, and no fewer.
	if _, ok := r.Allow("a", now.Add(again)); !ok {
		t.Error("refused at the time that it was told")
	}
}
