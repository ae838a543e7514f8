package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"

	"whyhot/internal/server/limit"
	"whyhot/internal/server/project"
	"whyhot/internal/store/gap"
	"whyhot/internal/store/stage"
)

// worked is what became of a request.
type worked struct {
	answer   any
	err      error
	panicked any
}

// inTime gives the answer to a question, or says after the time of a query what it was
// at. Not all that a question waits for heeds its context: a lock, the engine in the
// middle of a commit, a project that is being opened. Such a one goes on by itself, keeps
// its slot until it has ended, and its answer is nobody's.
func (s *Server) inTime(ctx context.Context, r *request) (any, error) {
	ctx, at := stage.Watch(ctx)
	ended := make(chan worked, 1)
	own := *r // what is left to itself shares nothing that is changed
	s.answering.Go(func() {
		var o worked
		defer func() {
			if o.panicked = recover(); o.panicked != nil {
				s.o.Log.Error("an answer failed", "path", own.URL.Path, "error", fmt.Sprint(o.panicked), "stack", string(debug.Stack()))
			}
			ended <- o
		}()
		o.answer, o.err = s.work(ctx, &own)
	})
	select {
	case o := <-ended:
		if o.panicked != nil {
			panic(http.ErrAbortHandler) // it is in the log
		}
		return o.answer, s.late(ctx, r, at, o.err)
	case <-ctx.Done():
		return nil, s.late(ctx, r, at, ctx.Err())
	}
}

// late makes of an error that is the end of a query's time one that says what it was at.
func (s *Server) late(ctx context.Context, r *request, at *stage.Stage, err error) error {
	if err == nil || ctx.Err() == nil || r.Request.Context().Err() != nil {
		return err
	}
	if known, busy := (*problem)(nil), (*limit.BusyError)(nil); errors.As(err, &known) || errors.As(err, &busy) {
		return err
	}
	detail := fmt.Sprintf("the answer took longer than %s", s.o.Limits.QueryTime)
	if text := at.String(); text != "" {
		detail += "; at that time it was " + text
	}
	return &problem{status: http.StatusGatewayTimeout, kind: timedOut, detail: detail, help: askForLess}
}

// work opens the project that a request is about, waits for a slot and has it answered.
func (s *Server) work(ctx context.Context, r *request) (any, error) {
	if r.about != "" {
		stage.Enter(ctx, "waiting for the project to be opened")
		p, done, err := s.Project(ctx, r.grant, r.about, r.route.scope)
		if err != nil {
			return nil, err
		}
		defer done()
		r.project = p
		if answering := r.answered(p); answering != nil && !r.route.takes && !r.route.local {
			return nil, answering
		}
		if r.route.samples {
			recovered(ctx, p)
		}
		if b := p.Behind(); b.Why != "" && r.route.samples {
			gap.Note(ctx, []string{fmt.Sprintf("%d batches that wait in the journal", b.Batches)})
		}
	}
	if r.bounded() {
		release, err := s.slots(r).Take(ctx, r.client(), func(ahead int) {
			stage.Enter(ctx, fmt.Sprintf("waiting in the queue; %d requests were ahead when it arrived", ahead))
		})
		if err != nil {
			return nil, err
		}
		r.leave = sync.OnceFunc(release)
		defer r.leave()
	}
	stage.Enter(ctx, "")
	return r.route.handle(s, project.With(ctx, r.project), r)
}

// Wait waits for what was given up and has not ended.
func (s *Server) Wait() { s.answering.Wait() }
