// Package push takes profiles that are sent to a server, in whatever form agents send
// them, and gives them to the store of the project that they are for.
//
// It owns what the forms of others mean: which of their labels are ours, and what is
// worth a sample of theirs. It takes bytes and gives batches to a project.Store. It must
// never judge who sends: its callers have.
//
// Bodies are of others: nothing that they name is opened, and what they hold is bounded
// before it is read (internal/ingest).
package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"whyhot/internal/fleet/receive"
	"whyhot/internal/ingest"
	"whyhot/internal/profile"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
	"whyhot/internal/store/batch"
)

// Profile is one that is pushed.
type Profile struct {
	Labels batch.Labels
	// ID has it count once, however often it comes; "" where the sender gives none.
	ID string
	// Period is the weight of a sample where the profile only counts, 0 where nobody says.
	Period time.Duration
	// Start is when it began where it does not say; zero for now.
	Start time.Time
	// SampleType chooses among the values of a pprof profile; "" takes CPU time.
	SampleType string
	// Measured says that the profile is one that somebody recorded, for as long as it says, and
	// not a part of what an agent sends all the time.
	Measured bool
}

// maxEntries bounds the tables of one profile: 130 kB of gzip can hold tables of 3 GB.
const maxEntries = 2_000_000

// Append reads a profile of any form and stores it. At most most bytes of it are read,
// decompressed.
func Append(ctx context.Context, to project.Store, body io.Reader, p Profile, most int64, now time.Time) (store.Receipt, error) {
	read, err := ingest.Read(ctx, body, "the profile", ingest.Options{SampleType: p.SampleType, SelfContained: true, MaxBytes: most, MaxEntries: maxEntries})
	switch {
	case errors.Is(err, ingest.ErrNoSamples):
		return store.Receipt{Warnings: []string{"the profile has no samples"}}, nil
	case ctx.Err() != nil:
		return store.Receipt{}, ctx.Err()
	case errors.Is(err, ingest.ErrTooLarge):
		return store.Receipt{}, err
	case err != nil:
		return store.Receipt{}, &store.BatchError{Err: err}
	}
	o := batch.Options{ID: p.ID, Labels: p.Labels, Override: true, Period: p.Period.Nanoseconds(), Now: now, Latest: now}
	if !p.Start.IsZero() && p.Start.Before(now) {
		o.Now = p.Start
	}
	if p.Measured {
		o.Spans = spans(&read.Meta, now)
	}
	return appendRead(ctx, to, read, o)
}

// spans are when a profile was recorded, to the second; none where it does not say. One that
// does not say when it began ended just now.
func spans(m *profile.Meta, now time.Time) []batch.Span {
	length := min(m.Duration.Round(time.Second), batch.MaxSpan*time.Second)
	if m.Duration <= 0 {
		return nil
	}
	length = max(length, time.Second)
	start := m.Start
	if start.Unix() <= 0 {
		start = now.Add(-length)
	}
	end := start.Add(length)
	if start.After(now) || end.Unix() > math.MaxUint32 {
		return nil
	}
	return []batch.Span{{From: uint32(max(0, start.Unix())), Until: uint32(end.Unix())}}
}

func appendRead(ctx context.Context, to project.Store, p *profile.Profile, o batch.Options) (store.Receipt, error) {
	b, err := batch.FromProfile(p, o)
	if err != nil {
		return store.Receipt{}, &store.BatchError{Err: &batchKindError{err}}
	}
	receipt, err := to.Append(ctx, b)
	if err != nil {
		return receipt, err
	}
	receipt.Warnings = append(append([]string{}, p.Meta.Warnings...), receipt.Warnings...)
	return receipt, nil
}

// Counted is told what became of each batch.
type Counted func(r store.Receipt, err error)

// OTLP takes the batches of OpenTelemetry's agents for the project in their context.
func OTLP(now func() time.Time, counted Counted) receive.Handler {
	return func(ctx context.Context, b receive.Batch) ([]string, error) {
		to := project.Of(ctx)
		if to == nil {
			return nil, receive.Refuse(errors.New("the request is about no project"))
		}
		made, err := batch.FromProfile(b.Profile, batch.Options{ID: b.ID, Now: now()})
		if err != nil {
			counted(store.Receipt{}, err)
			return nil, receive.Refuse(err)
		}
		receipt, err := to.Append(ctx, made)
		counted(receipt, err)
		wrong := (*store.BatchError)(nil)
		switch {
		case errors.As(err, &wrong):
			return nil, receive.Refuse(wrong)
		case errors.Is(err, store.ErrBusy), ctx.Err() != nil:
			return nil, err
		case err != nil:
			// What is wrong on this side is told to nobody else.
			return nil, fmt.Errorf("%w: see the server's log", store.ErrBusy)
		}
		return receipt.Warnings, nil
	}
}
