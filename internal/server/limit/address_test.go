package limit

import (
	"fmt"
	"testing"
	"time"
)

func TestAnAddressHasARateOfItsOwn(t *testing.T) {
	a := NewAddresses(Rate{PerSecond: 1, Burst: 3})
	now := time.Now()
	for i := range 5 {
		if _, ok := a.Allow(fmt.Sprintf("192.0.2.1:%d", 1000+i), now); ok != (i < 3) {
			t.Errorf("request %d: %v", i, ok)
		}
	}
	if again, ok := a.Allow("192.0.2.1:1", now); ok || again <= 0 || again > time.Second {
		t.Errorf("again in %v, %v", again, ok)
	}
	if _, ok := a.Allow("192.0.2.1:1", now.Add(time.Second)); !ok {
		t.Error("refused a second later")
	}
	if _, ok := a.Allow("[::ffff:192.0.2.2]:1", now); !ok {
		t.Error("another address is refused")
	}
	for i := range 3 { // of one /64
		if _, ok := a.Allow(fmt.Sprintf("[2001:db8::%d%%eth0]:1", i), now); !ok {
			t.Error("refused")
		}
	}
	if _, ok := a.Allow("[2001:db8::ffff]:1", now); ok {
		t.Error("another address of one /64 has a rate of its own")
	}
	for i := range maxAddresses + 10 {
		a.Allow(fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255), now)
	}
	if len(a.of) > maxAddresses {
		t.Errorf("%d addresses are kept", len(a.of))
	}
	for _, odd := range []string{"", "pipe", "@", "[", "1.2.3.4"} {
		a.Allow(odd, now)
	}
	if _, ok := (*Addresses)(nil).Allow("192.0.2.1:1", now); !ok {
		t.Error("without limits it is refused")
	}
}
