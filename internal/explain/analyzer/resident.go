package analyzer

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Resident is a worker that stays, for somebody who has the same units analysed again
// after each edit. It keeps their precompiled preambles and what was found in each function, and so it is not ended with a
// request that nobody waits for any more: that one is answered first, and dropped.
type Resident struct {
	free   chan struct{} // holds one token while no request is being answered
	closed chan struct{}
	w      *worker // of who has the token
}

// NewResident makes one. Its process starts with the first request.
func NewResident() *Resident {
	r := &Resident{free: make(chan struct{}, 1), closed: make(chan struct{})}
	r.free <- struct{}{}
	return r
}

// errClosed says that the resident has ended.
var errClosed = errors.New("the analyser was ended")

func (r *Resident) ask(ctx context.Context, binary string, limit time.Duration, req Request) (Reply, error) {
	select {
	case <-ctx.Done():
		return Reply{}, ctx.Err()
	case <-r.closed:
		return Reply{}, errClosed
	case <-r.free:
	}
	if err := ctx.Err(); err != nil {
		r.free <- struct{}{}
		return Reply{}, err
	}
	type answer struct {
		reply Reply
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		reply, err := r.answer(binary, limit, req)
		r.free <- struct{}{}
		done <- answer{reply, err}
	}()
	select {
	case <-ctx.Done():
		return Reply{}, ctx.Err()
	case a := <-done:
		return a.reply, a.err
	}
}

// answer is called by who has the token.
func (r *Resident) answer(binary string, limit time.Duration, req Request) (Reply, error) {
	if r.w == nil {
		w, err := startWorker(binary)
		if err != nil {
			return Reply{}, err
		}
		r.w = w
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	go func() {
		select {
		case <-r.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	req.Preamble = true
	reply, err := r.w.ask(ctx, req)
	if err != nil {
		r.w.stop()
		r.w = nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return reply, fmt.Errorf("no answer after %s: the analyser was stopped for this unit", limit)
	}
	return reply, err
}

// Close ends the process, with what it is at.
func (r *Resident) Close() {
	close(r.closed)
	<-r.free
	if r.w != nil {
		r.w.stop()
		r.w = nil
	}
}
