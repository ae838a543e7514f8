package limit

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxAddresses bounds the list; when it is full all begin again.
const maxAddresses = 10_000

// Addresses holds what nobody needs a token for to a rate for each address of a client. Of IPv6
// that is a /64, which is what one client has.
type Addresses struct {
	rate Rate
	mu   sync.Mutex
	of   map[netip.Prefix]*rate.Limiter
}

// NewAddresses makes the limits of one kind of request.
func NewAddresses(r Rate) *Addresses {
	return &Addresses{rate: r, of: map[netip.Prefix]*rate.Limiter{}}
}

// Allow takes one request from HOST:PORT into account. Where it is one too many, again is
// when to come again. Without limits all are allowed.
func (a *Addresses) Allow(hostport string, now time.Time) (again time.Duration, ok bool) {
	if a == nil {
		return 0, true
	}
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	address, _ := netip.ParseAddr(host) // what is no address counts as one
	address = address.Unmap().WithZone("")
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	from, _ := address.Prefix(bits)
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.of[from]
	if l == nil {
		if len(a.of) >= maxAddresses {
			clear(a.of)
		}
		l = a.rate.limiter()
		a.of[from] = l
	}
	return admit(l, now)
}
