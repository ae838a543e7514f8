package upload

import (
	"context"
	"io"
	"time"
)

// pacer reads no faster than so many bytes a second, so that neither the machine's
// network nor its processors notice.
type pacer struct {
	ctx   context.Context //nolint:containedctx // a Reader has no other way to be told
	from  io.Reader
	rate  int64
	start time.Time
	read  int64
}

// slice is how much is read between two looks at the clock.
const slice = 64 << 10

func newPacer(ctx context.Context, from io.Reader, rate int64) *pacer {
	return &pacer{ctx: ctx, from: from, rate: rate, start: time.Now()}
}

func (p *pacer) Read(b []byte) (int, error) {
	due := p.start.Add(time.Duration(float64(p.read) / float64(p.rate) * float64(time.Second)))
	if d := time.Until(due); d > time.Millisecond && !pause(p.ctx, d) {
		return 0, p.ctx.Err()
	}
	n, err := p.from.Read(b[:min(len(b), slice)])
	p.read += int64(n)
	return n, err
}
