package ingest

import (
	"context"
	"errors"

	"whyhot/internal/ingest/cpuprofile"
	"whyhot/internal/ingest/folded"
	"whyhot/internal/ingest/otlp"
	"whyhot/internal/ingest/perfdata"
	"whyhot/internal/ingest/perfscript"
	"whyhot/internal/ingest/pprof"
	"whyhot/internal/ingest/speedscope"
	"whyhot/internal/profile"
)

// format is one kind of profile.
type format struct {
	// detect says by the first bytes of the content whether it is one, and JSON by what the
	// document begins with.
	detect func(head []byte) bool
	json   func(begin string) bool
	// text is set where any text could be one: it is asked after everything else.
	text bool
	read func(ctx context.Context, s *source, opts Options) (*profile.Profile, error)
	// empty is the reader's error for a profile without samples.
	empty error
}

// formats are what is read, in the order in which they are asked.
var formats = []format{
	{detect: perfdata.Detect, read: readPerfData},
	// Before pprof, whose fields have the same numbers.
	{detect: otlp.Detect, empty: otlp.ErrEmpty, read: func(ctx context.Context, s *source, o Options) (*profile.Profile, error) {
		return otlp.Read(ctx, s, otlp.Options{SampleType: o.SampleType})
	}},
	{detect: pprof.DetectLegacy, read: func(ctx context.Context, s *source, o Options) (*profile.Profile, error) {
		return pprof.ReadLegacy(ctx, s, pprof.Options{SampleType: o.SampleType})
	}},
	{detect: pprof.Detect, empty: pprof.ErrEmpty, read: func(ctx context.Context, s *source, o Options) (*profile.Profile, error) {
		return pprof.Read(ctx, s, pprof.Options{SampleType: o.SampleType, MaxEntries: o.MaxEntries})
	}},
	{json: cpuprofile.Detect, empty: cpuprofile.ErrEmpty, read: func(ctx context.Context, s *source, o Options) (*profile.Profile, error) {
		return cpuprofile.Read(ctx, entries(s, jsonCosts, o.MaxEntries), o.Source)
	}},
	{json: speedscope.Detect, empty: speedscope.ErrEmpty, read: func(ctx context.Context, s *source, o Options) (*profile.Profile, error) {
		return speedscope.Read(ctx, entries(s, jsonCosts, o.MaxEntries))
	}},
	{text: true, detect: isFolded, empty: folded.ErrEmpty, read: func(ctx context.Context, s *source, o Options) (*profile.Profile, error) {
		return folded.ReadMost(ctx, s, o.MaxEntries)
	}},
	{text: true, detect: perfscript.Detect, empty: perfscript.ErrEmpty, read: func(ctx context.Context, s *source, o Options) (*profile.Profile, error) {
		return perfscript.Read(ctx, entries(s, textCosts, o.MaxEntries))
	}},
}

func readPerfData(ctx context.Context, s *source, o Options) (*profile.Profile, error) {
	if o.SelfContained {
		return nil, errors.New("perf.data is not taken: it names files of the machine that recorded it, and their names are looked up there (`whyhot push` does)")
	}
	return perfdata.Read(ctx, s.seekable(), o.Perf)
}

func isFolded(head []byte) bool {
	ok, _, _ := folded.Detect(head)
	return ok
}

// decode calls the reader of the format that the head shows.
func (s *source) decode(ctx context.Context, opts Options) (*profile.Profile, error) {
	doc := jsonDocument(s.head)
	for _, f := range formats {
		if !f.text && (f.detect != nil && f.detect(s.head) || doc != "" && f.json != nil && f.json(doc)) {
			return f.read(ctx, s, opts)
		}
	}
	if doc != "" {
		return nil, errors.New(foreignJSON(doc))
	}
	if why := foreign(s.head); why != "" {
		return nil, errors.New(why)
	}
	for _, f := range formats {
		if f.text && f.detect(s.head) {
			return f.read(ctx, s, opts)
		}
	}
	_, line, text := folded.Detect(s.head)
	return nil, unknownText(line, text)
}
