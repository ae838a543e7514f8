package pprof

import (
	"bytes"
	"context"
	"fmt"
	"io"

	google "github.com/google/pprof/profile"

	"whyhot/internal/profile"
)

// maxLegacy bounds a profile in an older format, which is read as a whole.
const maxLegacy = 1 << 30

// ReadLegacy parses the formats from before the protocol buffer: gperftools'
// binary CPU profile with the text of /proc/self/maps behind it, and the text
// formats for heaps, threads and contention.
func ReadLegacy(ctx context.Context, r io.Reader, opts Options) (*profile.Profile, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxLegacy+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxLegacy {
		return nil, fmt.Errorf("gperftools profile: longer than %d MB", maxLegacy>>20)
	}
	g, err := parseLegacy(data)
	if err != nil {
		return nil, fmt.Errorf("gperftools profile: %w", err)
	}
	var buf bytes.Buffer
	if err := g.WriteUncompressed(&buf); err != nil {
		return nil, fmt.Errorf("gperftools profile: %w", err)
	}
	p, err := Read(ctx, &buf, opts)
	if err != nil {
		return nil, err
	}
	p.Meta.Source = "gperftools"
	return p, nil
}

// parseLegacy guards against a panic of the parser, whose input is foreign.
func parseLegacy(data []byte) (g *google.Profile, err error) {
	defer func() {
		if v := recover(); v != nil {
			g, err = nil, fmt.Errorf("damaged: %v", v)
		}
	}()
	return google.ParseData(data)
}
