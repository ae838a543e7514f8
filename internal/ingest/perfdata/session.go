package perfdata

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"whyhot/internal/profile"
)

// session is the reading of one recording.
type session struct {
	opts   Options
	src    *source
	header *fileHeader // nil in pipe mode
	inf    *inflater   // made with the first compressed record
	facts  facts
	order  orderer

	events []*event
	byID   map[uint64]int // event ID → index in events
	chosen []bool         // by event; nil until the first sample

	lastID    uint64 // the ID of the last record that had one, 0 is none
	lastEvent int

	tasks   *tasks
	kernel  space
	bins    *images
	out     *stacks
	resolve resolver
	jobs    jobs

	seenFeatures bool
	samples      int64 // of the chosen events, idle ones included
	others       int64 // samples of other events
	idle         int64
	lost         uint64
	first, last  uint64 // times of samples
	truncated    error
	warnings     []string
}

func newSession(r io.Reader, opts Options) (*session, error) {
	var states uint32
	s := &session{
		opts: opts, byID: map[uint64]int{}, kernel: newSpace(&states), tasks: newTasks(&states), bins: newImages(), out: newStacks(),
	}
	for _, l := range opts.Labels {
		if !slices.Contains([]string{
			profile.LabelProcess, profile.LabelPID, profile.LabelThread, profile.LabelTID, profile.LabelContainer,
		}, l) {
			return nil, fmt.Errorf("label %q is not recorded by perf", l)
		}
	}
	if opts.Labels == nil {
		s.opts.Labels = []string{profile.LabelProcess, profile.LabelPID, profile.LabelThread, profile.LabelContainer}
	}
	s.resolve.init(s)
	s.jobs.init(s)
	s.src = newSource(r)
	var err error
	if s.header, err = readHeader(s.src); err != nil {
		return nil, err
	}
	return s, nil
}

// run reads the whole input.
func (s *session) run(ctx context.Context, r io.Reader) error {
	if s.header != nil {
		if err := s.prepareFile(r); err != nil {
			return err
		}
	}
	err := s.records(ctx)
	if s.inf != nil {
		s.inf.close()
	}
	if err != nil {
		// A header without a data size was never finished: perf was killed. What
		// it left at the very end may be anything.
		unfinished := s.header != nil && s.header.data.size == 0
		if ctx.Err() != nil || !errors.Is(err, errTruncated) && !unfinished {
			return err
		}
		s.truncated = err
	}
	if err := s.settle(true); err != nil {
		return err
	}
	if s.truncated != nil && s.samples == 0 {
		return s.truncated
	}
	if s.header != nil && s.truncated == nil && !s.seenFeatures && s.header.data.size != 0 {
		return s.header.readFeatures(s.src, s.facts.feature)
	}
	return nil
}

// prepareFile reads what stands before the data and, where it can be reached,
// behind it.
func (s *session) prepareFile(r io.Reader) error {
	h := s.header
	if h.data.size > 1<<62 {
		return fmt.Errorf("offset 0x30: the data section is said to have %d bytes; the file is corrupt", h.data.size)
	}
	events, err := h.readPreamble(s.src)
	if err != nil {
		return err
	}
	for _, e := range events {
		s.addEvent(e)
	}
	if h.data.size != 0 {
		s.src.end = int64(h.data.off + h.data.size)
		s.out.expect(h.data.size)
	}
	rs, ok := r.(io.ReadSeeker)
	if !ok {
		return nil
	}
	// The source has read ahead, so the file's own position is saved and set
	// back; the buffer stays as it is.
	start, err := rs.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil //nolint:nilerr // a pipe is an *os.File too; it is read front to back
	}
	ahead := start - s.src.off - int64(s.src.br.Buffered())
	err = h.readFeaturesAt(rs, ahead, s.facts.feature)
	if _, back := rs.Seek(start, io.SeekStart); back != nil {
		return back
	}
	if err != nil && !errors.Is(err, errTruncated) {
		return err
	}
	s.seenFeatures = true
	return nil
}

func (s *session) addEvent(e *event) {
	i := len(s.events)
	s.events = append(s.events, e)
	for _, id := range e.ids {
		s.byID[id] = i
	}
	s.lastID = 0
}

// records reads the data section.
func (s *session) records(ctx context.Context) error {
	for {
		if s.src.n&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		rec, err := s.src.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if rec.typ == recCompressed || rec.typ == recCompressed2 {
			if s.inf == nil {
				if s.inf, err = newInflater(s.src, s.take); err != nil {
					return err
				}
			}
			err = s.inf.each(rec, s.take)
		} else {
			err = s.take(rec)
		}
		if err != nil {
			return err
		}
	}
}

// take sorts one record in: what has a time waits for its turn, the rest is
// handled at once.
func (s *session) take(rec *record) error {
	if rec.typ >= recFirstSynthetic {
		return s.synthetic(rec)
	}
	var at uint64
	var ev int
	var err error
	switch rec.typ {
	case recSample:
		if ev, at, err = s.sampleTime(rec); err != nil {
			return err
		}
		if !s.isChosen(ev) {
			s.others++
			return nil
		}
	case recMmap, recMmap2, recComm, recFork, recExit, recLost, recLostSamples, recKsymbol, recCgroup:
		at = s.recordTime(rec)
	default:
		return nil
	}
	if at == 0 || at == ^uint64(0) {
		if err := s.handle(rec, ev); err != nil {
			return err
		}
		return s.jobs.run()
	}
	if s.order.full() {
		if err := s.settle(false); err != nil {
			return err
		}
	}
	s.order.add(rec, at, uint16(ev))
	return nil
}

// settle ends a round of records.
func (s *session) settle(last bool) error {
	var rec record
	err := s.order.round(last, func(p *pending) error {
		rec = record{typ: p.typ, misc: p.misc, body: s.order.body(p), at: p.at, n: p.seq}
		return s.handle(&rec, int(p.event))
	})
	if err != nil {
		return err
	}
	// Jobs hold on to stacks in the records, which the next round overwrites.
	return s.jobs.run()
}

// finish makes the profile.
func (s *session) finish() (*profile.Profile, error) {
	s.out.intern.end()
	if s.samples == 0 {
		return nil, s.noSamples()
	}
	if s.out.b.Size().Samples == 0 {
		return nil, fmt.Errorf("all %d samples are of the idle task: nothing ran", s.samples)
	}
	s.out.complete(s.bins.list, s.facts.buildIDs)
	return s.out.b.Build(s.meta()), nil
}

func (s *session) noSamples() error {
	if s.others > 0 {
		return fmt.Errorf("no sample of event %q; the %d samples are of other events: %s",
			s.opts.Event, s.others, strings.Join(s.eventNames(), ", "))
	}
	return errors.New("the recording holds no samples: the program ended too soon, slept all the time, or the event did not fire; record longer or with -e cpu-clock")
}
