package send

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Pauses between attempts: each half as long again as the one before, up to
// the longest, and each by chance up to half longer or shorter, so that many
// clients of one server do not come back at the same moment.
const (
	FirstPause   = 500 * time.Millisecond
	LongestPause = 30 * time.Second
)

// maxServerPause bounds the pause that a server may ask for.
const maxServerPause = 5 * time.Minute

// Backoff counts the pauses of one series of attempts.
type Backoff struct {
	pauses *backoff.ExponentialBackOff
}

// NewBackoff makes one with the given bounds.
func NewBackoff(first, longest time.Duration) *Backoff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval = first, longest
	b.Reset()
	return &Backoff{pauses: b}
}

// Pause says how long to wait after err: at least as long as the server wished.
func (b *Backoff) Pause(err error) time.Duration {
	pause := b.pauses.NextBackOff()
	if r := (*RetryableError)(nil); errors.As(err, &r) {
		pause = max(pause, min(r.After, maxServerPause))
	}
	return pause
}

// Reset begins anew, after a success.
func (b *Backoff) Reset() { b.pauses.Reset() }

// Deliver sends until the server takes the request, refuses it for good, or ctx
// is done.
func (c *Client) Deliver(ctx context.Context, batch string, data []byte, b *Backoff) (Result, error) {
	for {
		result, err := c.Send(ctx, batch, data)
		if err == nil {
			b.Reset()
			return result, nil
		}
		if r := (*RetryableError)(nil); !errors.As(err, &r) {
			return result, err
		}
		timer := time.NewTimer(b.Pause(err))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return result, fmt.Errorf("gave up: %w", err)
		}
	}
}
