// Package limit bounds how much the bearers of tokens ask for: how often, and how much
// at a time.
//
// It owns the rates of tokens and the slots of queries with the queue for them. It takes
// names of tokens and gives a refusal that says when to retry, or the place in the queue.
// It must never know what is asked.
package limit

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rate is how often one token may ask: Burst at once, and then PerSecond.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Rates holds one kind of request to a rate for each token.
type Rates struct {
	rate Rate
	mu   sync.Mutex
	of   map[string]*rate.Limiter
}

// NewRates makes the limits of one kind of request. Names come from the file of tokens,
// which bounds how many there are.
func NewRates(r Rate) *Rates { return &Rates{rate: r, of: map[string]*rate.Limiter{}} }

// Allow takes one request of a token into account. Where it is one too many, again is
// when to come again.
func (r *Rates) Allow(token string, now time.Time) (again time.Duration, ok bool) {
	r.mu.Lock()
	l := r.of[token]
	if l == nil {
		l = r.rate.limiter()
		r.of[token] = l
	}
	r.mu.Unlock()
	return admit(l, now)
}

func (r Rate) limiter() *rate.Limiter { return rate.NewLimiter(rate.Limit(r.PerSecond), r.Burst) }

// admit takes one request into account, or says when it may come again.
func admit(l *rate.Limiter, now time.Time) (again time.Duration, ok bool) {
	reserved := l.ReserveN(now, 1)
	if !reserved.OK() {
		return time.Minute, false
	}
	if again = reserved.DelayFrom(now); again > 0 {
		reserved.CancelAt(now)
		return again, false
	}
	return 0, true
}
