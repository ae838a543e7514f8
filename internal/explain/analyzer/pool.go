package analyzer

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"whyhot/internal/explain/compdb"
)

// Options says how a tree of units is analysed.
type Options struct {
	Binary     string // from Find
	Workers    int    // 0: one per core
	Timeout    time.Duration
	Predicates []string
	Functions  []string
	// FunctionsOf overrules Functions for each unit; nil: the same for all.
	FunctionsOf func(compdb.Unit) []string
	Remarks     bool
	AST         ASTRequest // which layers run; the zero value is the IR layer alone
	Blame       bool       // say which writes must change together
	Cycles      bool       // model the throughput of candidates in every world
	Assembly    bool       // give their machine code
	At          *At        // follow the loops around a line instead of candidates
	Cache       *Cache     // nil: none
	Fix         FixRequest
	Resident    *Resident // answers, one unit at a time; nil: workers of this run
	Whole       bool      // the Resident analyses all of a unit, whatever it knows of its functions
}

// Outcome is the answer for one unit. Err is set when the unit has no answer;
// Reply.Errors is set when the compiler refused it.
type Outcome struct {
	Unit   compdb.Unit
	Reply  Reply
	Cached bool
	Err    error
}

// Run analyses every unit over all workers and calls done, one call at a time,
// in the order in which units finish.
func Run(ctx context.Context, units []compdb.Unit, opts Options, done func(Outcome)) error {
	workers := opts.Workers
	if workers <= 0 {
		workers = runtime.NumCPU()
	}
	if opts.Timeout == 0 {
		opts.Timeout = requestTimeout
	}
	work := make(chan compdb.Unit)
	results := make(chan Outcome)
	var group sync.WaitGroup
	for range min(workers, max(1, len(units))) {
		group.Go(func() {
			l := &lane{opts: opts}
			defer l.close()
			for u := range work {
				results <- l.unit(ctx, u)
			}
		})
	}
	go func() {
		defer close(work)
		for _, u := range units {
			select {
			case work <- u:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		group.Wait()
		close(results)
	}()
	for o := range results {
		if ctx.Err() == nil {
			done(o)
		}
	}
	return ctx.Err()
}

// lane is one worker process and its replacements.
type lane struct {
	opts Options
	w    *worker
}

func (l *lane) unit(ctx context.Context, u compdb.Unit) Outcome {
	if u.Problem != "" {
		return Outcome{Unit: u, Err: errors.New(u.Problem)}
	}
	req := Request{
		Directory: u.Directory, Arguments: u.Arguments,
		Predicates: l.opts.Predicates, Functions: l.opts.Functions, Remarks: l.opts.Remarks, ASTRequest: l.opts.AST, FixRequest: l.opts.Fix,
		Blame: l.opts.Blame, Cycles: l.opts.Cycles, Assembly: l.opts.Assembly, At: l.opts.At,
	}
	if l.opts.FunctionsOf != nil {
		req.Functions = l.opts.FunctionsOf(u)
	}
	if r, ok := l.opts.Cache.get(req); ok {
		return Outcome{Unit: u, Reply: r, Cached: true}
	}
	start := time.Now()
	r, err := l.ask(ctx, req)
	if err == nil {
		err = l.opts.Cache.put(req, r, start)
	}
	return Outcome{Unit: u, Reply: r, Err: err}
}

func (l *lane) ask(ctx context.Context, req Request) (Reply, error) {
	if l.opts.Resident != nil {
		req.Whole = l.opts.Whole
		return l.opts.Resident.ask(ctx, l.opts.Binary, l.opts.Timeout, req)
	}
	if l.w == nil {
		w, err := startWorker(l.opts.Binary)
		if err != nil {
			return Reply{}, err
		}
		l.w = w
	}
	limited, cancel := context.WithTimeout(ctx, l.opts.Timeout)
	defer cancel()
	r, err := l.w.ask(limited, req)
	if err != nil {
		l.close()
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return r, fmt.Errorf("no answer after %s: the analyser was stopped for this unit", l.opts.Timeout)
	}
	return r, err
}

func (l *lane) close() {
	if l.w != nil {
		l.w.stop()
		l.w = nil
	}
}
