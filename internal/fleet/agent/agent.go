package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/fleet/agent/spool"
	"whyhot/internal/fleet/debuginfo/upload"
	"whyhot/internal/fleet/send"
	"whyhot/internal/profile"
)

// Sender delivers one request; see send.Client.
type Sender interface {
	Send(ctx context.Context, batch string, data []byte) (send.Result, error)
}

// DebugInfo gives the server the debug information that it lacks; see
// upload.Uploader.
type DebugInfo interface {
	Offer(b upload.Binary) (again bool)
	Run(ctx context.Context)
	Stats() upload.Stats
}

// Options say what to record and where it goes.
type Options struct {
	Sampler   collect.Sampler
	Settings  collect.Settings // Batch must be set
	Spool     *spool.Spool
	Sender    Sender
	Resource  map[string]string // attributes of everything that is sent
	DebugInfo DebugInfo         // nil: none is uploaded
	Backoff   *send.Backoff
	LastSends time.Duration // how long batches are still sent after the end was asked for
	// Attached is called once, when the sampler runs: what was needed to start it
	// can be given up. It may be nil.
	Attached func() error
	// Log takes a line for people. Several goroutines call it.
	Log func(text string)
}

// Agent records and delivers.
type Agent struct {
	opts     Options
	counts   counts
	told     int64         // lost samples that a batch has told of
	ended    chan struct{} // closed when no batch comes any more
	attach   sync.Once
	failing  string // why the last attempt failed, in a word; "" where it did not
	attached error
}

// counts are what the metrics show; all only grow.
type counts struct {
	batches, samples            atomic.Int64 // recorded
	lost                        atomic.Int64 // by the sampler
	delivered, deliveredBatches atomic.Int64
	refused, refusedBatches     atomic.Int64 // by the server, for good
	notKept                     atomic.Int64 // the spool could not be written
	rejectedProfiles            atomic.Int64 // of requests that were taken in part
	failedSends                 atomic.Int64
	rejectedTokens              atomic.Int64 // attempts that failed for the token alone
	sentBytes                   atomic.Int64
}

// New makes an agent.
func New(o Options) *Agent { return &Agent{opts: o, ended: make(chan struct{})} }

// Run records until ctx is done. What could not be sent by then stays in the spool.
func (a *Agent) Run(ctx context.Context) error {
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var sender sync.WaitGroup
	sender.Go(func() { a.deliver(sending) })
	recording, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request := collect.Request{
		Target: collect.Target{System: true}, Settings: a.opts.Settings, Progress: a.progress, CacheDir: collect.CacheDir(),
	}
	if a.opts.DebugInfo != nil {
		request.Executable = a.offer
		// It ends with the recording: what is left is taken up at the next start.
		sender.Go(func() { a.opts.DebugInfo.Run(recording) })
	}
	watch := request.Progress
	request.Progress = func(p collect.Progress) {
		if watch(p); a.attached != nil {
			cancel(a.attached)
		}
	}
	_, err := a.opts.Sampler.Record(recording, request, a.keep)
	close(a.ended)
	cancel(nil)
	late := time.AfterFunc(a.opts.LastSends, stop)
	sender.Wait()
	late.Stop()
	switch {
	case a.attached != nil:
		return a.attached
	case err != nil && ctx.Err() == nil:
		return fmt.Errorf("recording: %w", err)
	case ctx.Err() == nil:
		return errors.New("the sampler stopped by itself")
	}
	return nil
}

// offer tells the uploader of a binary with samples.
func (a *Agent) offer(e collect.Executable) (again bool) {
	return a.opts.DebugInfo.Offer(upload.Binary{BuildID: e.BuildID, Path: e.Path, PID: e.PID, File: e.File})
}

// progress hears of the moment from which on the sampler runs.
func (a *Agent) progress(p collect.Progress) {
	for _, note := range p.Notes {
		a.opts.Log(note)
	}
	if p.Phase != collect.PhaseRecording || a.opts.Attached == nil {
		return
	}
	a.attach.Do(func() { a.attached = a.opts.Attached() })
}

// keep is the sampler's sink: it puts a batch into the spool. What cannot be kept is
// counted; recording goes on.
func (a *Agent) keep(p *profile.Profile) error {
	a.counts.batches.Add(1)
	a.counts.samples.Add(p.Count())
	a.counts.lost.Add(int64(p.Meta.Lost))
	// The server is told of what it will not get, by a batch that will not be dropped
	// itself: not while many wait.
	gone := a.told
	if a.opts.Spool.Stats().Batches <= 1 {
		gone = a.Lost()
	}
	batch := *p
	batch.Meta.Lost += uint64(gone - a.told)
	parts, err := send.Parts(&batch, send.MaxRequest, a.opts.Resource)
	if err != nil {
		a.counts.notKept.Add(p.Count())
		a.opts.Log(fmt.Sprintf("a batch of %d samples is lost: %v", p.Count(), err))
		return nil
	}
	for i, part := range parts {
		if err := a.opts.Spool.Put(part.Data, part.Samples); err != nil {
			a.counts.notKept.Add(part.Samples)
			a.opts.Log(fmt.Sprintf("a batch of %d samples is lost: %v", part.Samples, err))
		} else if i == 0 {
			a.told = gone
		}
	}
	return nil
}

// Lost is how many recorded samples will not arrive.
func (a *Agent) Lost() int64 {
	s := a.opts.Spool.Stats()
	return s.Dropped.Samples + s.Damaged.Samples + a.counts.refused.Load() + a.counts.notKept.Load()
}

// Summary tells what became of the samples that were recorded since New, and of
// those that waited then.
func (a *Agent) Summary() string {
	return fmt.Sprintf("%d samples recorded, %d delivered, %d dropped, %d in the spool",
		a.counts.samples.Load(), a.counts.delivered.Load(), a.Lost(), a.opts.Spool.Stats().Samples)
}

// deliver sends what the spool holds, the oldest first, until ctx is done or, after
// the end, nothing is left or the server is away.
func (a *Agent) deliver(ctx context.Context) {
	for ctx.Err() == nil {
		batch, data, ok, err := a.opts.Spool.Oldest()
		switch {
		case err != nil:
			a.opts.Log(err.Error())
			if !a.pause(ctx, err) {
				return
			}
		case ok:
			if !a.send(ctx, batch, data) {
				return
			}
		default:
			select {
			case <-a.opts.Spool.Arrived():
				continue
			case <-ctx.Done():
				return
			case <-a.ended:
			}
			// The last batch may have come with the end.
			if a.opts.Spool.Stats().Batches == 0 {
				return
			}
		}
	}
}

// send delivers one batch, which the spool keeps until its fate is known: one whose
// answer was lost must neither be sent as another nor counted as dropped. It is false
// when nothing more is to be sent.
func (a *Agent) send(ctx context.Context, b spool.Batch, data []byte) bool {
	for {
		result, err := a.opts.Sender.Send(ctx, b.ID, data)
		retryable, credential := (*send.RetryableError)(nil), (*send.CredentialError)(nil)
		switch {
		case err == nil:
			a.arrived(b, data, result)
			return true
		case ctx.Err() != nil:
			_ = a.opts.Spool.Done(b, false) // it stays: nothing is written
			return false
		case errors.As(err, &credential):
			a.counts.rejectedTokens.Add(1)
			a.fails("token", fmt.Sprintf("the server rejects the token: batches are kept on disk; replace the token in the file of --token-file, which is read again for each attempt: %v", err))
		case errors.As(err, &retryable):
			a.counts.failedSends.Add(1)
			a.fails("away", fmt.Sprintf("batches are kept on disk until the server accepts them: %v", err))
		default:
			a.counts.refused.Add(b.Samples)
			a.counts.refusedBatches.Add(1)
			a.opts.Log(fmt.Sprintf("the server rejected %d samples: %v", b.Samples, err))
			a.remove(b)
			return true
		}
		if !a.pause(ctx, err) {
			_ = a.opts.Spool.Done(b, false) // it stays: nothing is written
			return false
		}
	}
}

// fails logs one line where attempts begin to fail for a reason.
func (a *Agent) fails(why, text string) {
	if a.failing != why {
		a.failing = why
		a.opts.Log(text)
	}
}

func (a *Agent) arrived(b spool.Batch, data []byte, result send.Result) {
	a.opts.Backoff.Reset()
	a.counts.delivered.Add(b.Samples)
	a.counts.deliveredBatches.Add(1)
	a.counts.sentBytes.Add(int64(len(data)))
	a.counts.rejectedProfiles.Add(result.Rejected)
	if result.Rejected > 0 {
		a.opts.Log(fmt.Sprintf("the server rejected %d profiles of a batch: %s", result.Rejected, result.Message))
	}
	if a.failing != "" {
		a.failing = ""
		a.opts.Log("the server accepts batches again")
	}
	a.remove(b)
}

func (a *Agent) remove(b spool.Batch) {
	if err := a.opts.Spool.Done(b, true); err != nil {
		a.opts.Log(err.Error())
	}
}

// pause waits before the next attempt; it is false when there is to be none.
func (a *Agent) pause(ctx context.Context, err error) bool {
	timer := time.NewTimer(a.opts.Backoff.Pause(err))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-a.ended:
	}
	return false
}
