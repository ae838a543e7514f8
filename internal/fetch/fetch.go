// Package fetch gets a profile ready for questions: it reads the file and names
// its addresses.
//
// It owns the order (read, see what lacks a name, look that up) and what the
// reader should hear of it. It takes a path, "-" for the standard input, and gives
// a profile.Profile with a Summary of what stays without a name. Readers are
// internal/ingest's, names internal/symbol's. It must never import
// internal/profile/view, anything that judges or anything that prints.
package fetch

import (
	"context"
	"io"
	"os"

	"whyhot/internal/host/userdir"
	"whyhot/internal/ingest"
	"whyhot/internal/ingest/perfdata"
	"whyhot/internal/profile"
	"whyhot/internal/symbol"
	"whyhot/internal/symbol/sourcetext"
)

// Options say how to read. The zero value is right for most files.
type Options struct {
	SampleType string    // which value of a pprof file, or event of a perf.data file
	DebugDirs  []string  // searched for debug files too
	NoSymbols  bool      // leave what the file does not name without a name
	NamesOnly  bool      // functions without lines and inlined frames, which is quicker
	Stdin      io.Reader // what "-" reads; nil means the standard input
	// From is read in place of a file; the path is then its name in errors. nil for none.
	From io.Reader
	// Doing is called with what takes long, as it begins; what it returns when
	// that is done. nil for nobody who waits.
	Doing func(what string) (done func())
}

// Fetched is a profile and what is to be said of it.
type Fetched struct {
	*profile.Profile

	// Missing says what stays without a name, and why.
	Missing symbol.Summary
}

// worthSaying is the share of a profile that must lack names before a reader
// hears of it: less changes no conclusion.
const worthSaying = 0.02

// Hints say what lacks names and what would help. They bound what any rule could
// see.
func (f Fetched) Hints() []string { return f.Missing.Hints(worthSaying, false) }

// Profile reads the profile at path and names its addresses.
func Profile(ctx context.Context, path string, o Options) (Fetched, error) {
	done := o.doing("reading " + path)
	p, err := o.read(ctx, path)
	done()
	if err != nil {
		return Fetched{}, err
	}
	if o.NoSymbols || named(p) {
		return Fetched{Profile: p}, nil
	}
	defer o.doing("looking up symbols")()
	return name(ctx, p, o)
}

func (o Options) read(ctx context.Context, path string) (*profile.Profile, error) {
	how := ingest.Options{
		SampleType: o.SampleType,
		Perf:       perfdata.Options{Event: o.SampleType, DebugDirs: o.DebugDirs},
		Stdin:      o.Stdin,
		Source:     new(sourcetext.Finder).Lines,
	}
	if o.From != nil {
		return ingest.Read(ctx, o.From, path, how)
	}
	return ingest.Open(ctx, path, how)
}

func (o Options) doing(what string) func() {
	if o.Doing == nil {
		return func() {}
	}
	return o.Doing(what)
}

func name(ctx context.Context, p *profile.Profile, o Options) (Fetched, error) {
	opts := symbol.Options{DebugDirs: o.DebugDirs, NamesOnly: o.NamesOnly}
	if dir, err := userdir.Cache(os.Getenv); err == nil {
		opts.CacheDir = dir
	}
	out, missing := symbol.New(opts).Symbolize(ctx, p)
	return Fetched{Profile: out, Missing: missing}, ctx.Err()
}

// named says that no location with an address lacks a name.
func named(p *profile.Profile) bool {
	for i := range p.NumLocations() {
		id := profile.LocationID(i)
		if p.Location(id).Address == 0 {
			continue
		}
		for _, l := range p.Lines(id) {
			if p.Function(l.Function).Name == "" {
				return false
			}
		}
	}
	return true
}
