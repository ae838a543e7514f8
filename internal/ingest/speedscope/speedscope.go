// Package speedscope reads speedscope's own file format, the JSON that
// dotnet-trace, rbspy, py-spy, stackprof and others export.
//
// It takes a stream of JSON and gives a profile.Profile; several profiles in
// one file, mostly one a thread, become one with the label "thread". It must
// never open a file or decompress. Of this module it imports internal/profile
// and its sub-packages only.
//
// Weights are kept in the file's unit, times in nanoseconds. Format:
// https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources
package speedscope

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
)

// ErrEmpty is wrapped when a file is sound but has no sample.
var ErrEmpty = errors.New("no samples")

type file struct {
	Exporter string `json:"exporter"`
	Shared   struct {
		Frames []struct {
			Name string  `json:"name"`
			File string  `json:"file"`
			Line float64 `json:"line"`
		} `json:"frames"`
	} `json:"shared"`
	Profiles []one `json:"profiles"`
}

// one is one profile of a file: samples with weights, or calls and returns with
// their time.
type one struct {
	Type    string    `json:"type"`
	Name    string    `json:"name"`
	Unit    string    `json:"unit"`
	Samples [][]int   `json:"samples"` // root first
	Weights []float64 `json:"weights"`
	Events  []event   `json:"events"`
}

type event struct {
	Type  string  `json:"type"` // "O" or "C"
	Frame int     `json:"frame"`
	At    float64 `json:"at"`
}

// Detect tells whether text, the start of a JSON document, can be such a file.
func Detect(text string) bool {
	return strings.Contains(text, "speedscope.app/file-format-schema.json") ||
		strings.Contains(text, `"shared"`) && strings.Contains(text, `"frames"`)
}

// Read parses one file up to the end of r.
func Read(ctx context.Context, r io.Reader) (*profile.Profile, error) {
	var f file
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return nil, fmt.Errorf("speedscope: %w", err)
	}
	rd := &reader{b: profile.NewBuilder(), threads: len(f.Profiles) > 1}
	rd.frames(&f)
	for i := range f.Profiles {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := rd.profile(&f.Profiles[i]); err != nil {
			return nil, fmt.Errorf("speedscope: profile %d (%.40q): %w", i, f.Profiles[i].Name, err)
		}
	}
	if rd.rows == 0 {
		return nil, fmt.Errorf("speedscope: %w: no profile in the file has a weight", ErrEmpty)
	}
	return rd.b.Build(profile.Meta{Source: "speedscope", ValueType: rd.valueType}), nil
}

type reader struct {
	b         *profile.Builder
	locs      []profile.LocationID // by index of the shared frames
	valueType profile.ValueType
	scale     float64 // from the file's unit to the value's
	unit      string  // of the first profile
	labels    profile.LabelSetID
	threads   bool
	counts    bool // a weight is a number of samples
	rows      int
	sum       float64
}

func (r *reader) frames(f *file) {
	dotnet := strings.Contains(f.Exporter, "dotnet") || strings.Contains(f.Exporter, "Microsoft")
	for i := range f.Shared.Frames {
		fr := &f.Shared.Frames[i]
		fn := profile.Function{Name: codename.Display(fr.Name), File: fr.File}
		if fn.Name != fr.Name {
			fn.SystemName = fr.Name
		}
		fn.Kind = codename.Of(fn.Name, fn.File, "")
		if dotnet && strings.Contains(fr.Name, "!") {
			fn.Kind = profile.KindDotNet
		}
		line := int32(0)
		if fr.Line > 0 && fr.Line < 1<<30 {
			line = int32(fr.Line)
		}
		r.locs = append(r.locs, r.b.Location(0, 0, fn.Kind, profile.Line{Function: r.b.Function(fn), Line: line}))
	}
}

var (
	samples  = profile.ValueType{Type: "samples", Unit: "count"}
	duration = profile.ValueType{Type: "time", Unit: "nanoseconds"}
)

// units are what a weight of 1 is in the unit that Value has.
var units = map[string]struct {
	vt    profile.ValueType
	scale float64
}{
	"none":         {samples, 1},
	"":             {samples, 1},
	"bytes":        {profile.ValueType{Type: "space", Unit: "bytes"}, 1},
	"nanoseconds":  {duration, 1},
	"microseconds": {duration, 1e3},
	"milliseconds": {duration, 1e6},
	"seconds":      {duration, 1e9},
}

func (r *reader) profile(p *one) error {
	u, ok := units[p.Unit]
	if !ok {
		return fmt.Errorf("the unit %.40q is none of the format's", p.Unit)
	}
	if r.rows > 0 && u.vt != r.valueType {
		return fmt.Errorf("its unit is %q, that of the others %q; they do not add up", p.Unit, r.unit)
	}
	r.valueType, r.scale, r.unit = u.vt, u.scale, p.Unit
	r.counts = u.vt == samples
	r.labels = 0
	if r.threads && p.Name != "" {
		r.labels = r.b.Labels([]profile.Label{{Key: profile.LabelThread, Str: p.Name}})
	}
	switch p.Type {
	case "sampled":
		return r.sampled(p)
	case "evented":
		return r.evented(p)
	}
	return fmt.Errorf("the type %.40q is neither \"sampled\" nor \"evented\"", p.Type)
}

func (r *reader) sampled(p *one) error {
	if len(p.Weights) > 0 && len(p.Weights) != len(p.Samples) {
		return fmt.Errorf("it has %d samples and %d weights", len(p.Samples), len(p.Weights))
	}
	var locs []profile.LocationID
	for i, s := range p.Samples {
		locs = locs[:0]
		for _, f := range slices.Backward(s) {
			if f < 0 || f >= len(r.locs) {
				return fmt.Errorf("sample %d: frame %d does not exist", i, f)
			}
			locs = append(locs, r.locs[f])
		}
		weight := 1.0
		if len(p.Weights) > 0 {
			weight = p.Weights[i]
		}
		if err := r.add(locs, weight); err != nil {
			return fmt.Errorf("sample %d: %w", i, err)
		}
	}
	return nil
}

// evented turns calls and returns into the time that each stack was open.
func (r *reader) evented(p *one) error {
	var open []int // root first
	var locs []profile.LocationID
	last := 0.0
	for i, e := range p.Events {
		if e.Frame < 0 || e.Frame >= len(r.locs) {
			return fmt.Errorf("event %d: frame %d does not exist", i, e.Frame)
		}
		if i > 0 && e.At < last {
			return fmt.Errorf("event %d: it is before the one in front of it", i)
		}
		if len(open) > 0 && e.At > last {
			locs = locs[:0]
			for _, f := range slices.Backward(open) {
				locs = append(locs, r.locs[f])
			}
			if err := r.add(locs, e.At-last); err != nil {
				return fmt.Errorf("event %d: %w", i, err)
			}
		}
		last = e.At
		switch {
		case e.Type == "O":
			open = append(open, e.Frame)
		case e.Type != "C":
			return fmt.Errorf("event %d: the type %.40q is neither \"O\" nor \"C\"", i, e.Type)
		case len(open) == 0 || open[len(open)-1] != e.Frame:
			return fmt.Errorf("event %d: it closes frame %d, which is not the innermost open one", i, e.Frame)
		default:
			open = open[:len(open)-1]
		}
	}
	return nil
}

func (r *reader) add(locs []profile.LocationID, weight float64) error {
	v := weight * r.scale
	r.sum += math.Abs(v)
	if math.IsNaN(v) || r.sum > math.MaxInt64/4 {
		return errors.New("the weights add up to more than a profile can hold")
	}
	value := int64(math.Round(v))
	if value == 0 {
		return nil
	}
	count := int64(1)
	if r.counts {
		count = value
	}
	r.rows++
	r.b.Sample(profile.Sample{Stack: r.b.Stack(locs), Labels: r.labels, Count: count, Value: value})
	return nil
}
