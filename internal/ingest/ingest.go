// Package ingest opens profiles that other programs wrote: it finds out what a
// file is from its content, unwraps gzip and zstd, and calls the reader of that
// format.
//
// It owns detection and decompression; each format is a sub-package that takes
// bytes and gives a profile.Profile. It must never resolve symbols, show
// anything or decide what a profile means. Of this module it imports
// internal/profile, internal/ingest/otlp and its own sub-packages.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"whyhot/internal/ingest/perfdata"
	"whyhot/internal/profile"
)

// Options say how to read. The zero value is right for most files.
type Options struct {
	// SampleType chooses among the values of a pprof profile, for example
	// "alloc_space"; "" takes the profile's own default, else CPU time.
	SampleType string
	// Perf says how to read a perf.data file.
	Perf perfdata.Options
	// Stdin is what the path "-" reads; nil means the standard input.
	Stdin io.Reader
	// Source gives the text of files that a V8 profile names, to tell the lines of its functions
	// from those of inlined ones; nil for none, as for input of others.
	Source func(path string) (lines []string, ok bool)
	// SelfContained refuses perf.data: to walk its stacks is to open the files that it
	// names, which is not for input of others.
	SelfContained bool
	// MaxBytes bounds what is read, and what each layer of compression holds; 0 does not.
	MaxBytes int64
	// MaxEntries bounds what the tables of a profile hold, since an entry of two bytes may
	// take sixty in memory: of pprof and of folded stacks the names, locations and different
	// stacks; of JSON what its objects, arrays and, an eighth each, other values are; of
	// perf script the lines. 0 bounds nothing; OTLP has MaxBytes alone.
	MaxEntries int
}

// ErrTooLarge is wrapped by the error for input beyond Options.MaxBytes or MaxEntries.
var ErrTooLarge = profile.ErrTooLarge

// ErrNoSamples is wrapped by the error for a profile in which nothing was
// recorded.
var ErrNoSamples = errors.New("the profile has no samples")

// Open reads the profile at path, "-" being the standard input.
func Open(ctx context.Context, path string, opts Options) (*profile.Profile, error) {
	if path == "-" {
		in := opts.Stdin
		if in == nil {
			in = os.Stdin
		}
		return Read(ctx, in, "standard input", opts)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read from
	if st, err := f.Stat(); err == nil && st.IsDir() {
		return nil, fmt.Errorf("%s: is a directory; give the profile in it", path)
	}
	return Read(ctx, f, path, opts)
}

// Read reads a profile from r up to its end. name stands for it in errors. An
// *os.File that can seek is read in place where the format gains from it.
func Read(ctx context.Context, r io.Reader, name string, opts Options) (*profile.Profile, error) {
	p, err := read(ctx, r, opts)
	for _, f := range formats {
		if f.empty != nil && errors.Is(err, f.empty) {
			err = fmt.Errorf("%w: %w", ErrNoSamples, err)
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

func read(ctx context.Context, r io.Reader, opts Options) (*profile.Profile, error) {
	s, err := newSource(r, opts.MaxBytes)
	if err != nil {
		return nil, err
	}
	defer s.close()
	for depth := 0; ; depth++ {
		if len(s.head) == 0 {
			return nil, s.emptyError()
		}
		wrapped, err := s.unwrap()
		if err != nil {
			return nil, err
		}
		if !wrapped {
			break
		}
		if depth == maxWraps {
			return nil, fmt.Errorf("compressed more than %d times over", maxWraps)
		}
	}
	p, err := s.decode(ctx, opts)
	if cerr := s.compressionError(); cerr != nil {
		return nil, cerr // the cause of whatever the reader of the format met
	}
	return p, err
}
