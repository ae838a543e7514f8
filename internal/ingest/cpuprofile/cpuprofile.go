// Package cpuprofile reads V8's CPU profiles: the .cpuprofile JSON that
// `node --cpu-prof`, the inspector and Chrome's developer tools write.
//
// It takes a stream of JSON and gives a profile.Profile of JavaScript functions
// with the line on which each starts and, where V8 recorded them, the lines
// that were running, as far as they are the function's own; see extents. It must never
// open a file or decompress. Of this module it imports internal/profile only.
//
// Count are ticks of V8's timer, Value is their time; see weigh. What V8 books as
// "(idle)" is time in which nothing ran; it is left out and mentioned in Meta.Warnings.
//
// Format: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile
package cpuprofile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"whyhot/internal/profile"
)

// ErrEmpty is wrapped when a profile is sound but nothing ran in it.
var ErrEmpty = errors.New("no samples")

// file is the JSON document.
type file struct {
	Nodes      []node    `json:"nodes"`
	Samples    []int64   `json:"samples"`
	TimeDeltas []float64 `json:"timeDeltas"` // µs since the sample before, of the first since StartTime
	StartTime  float64   `json:"startTime"`  // µs
	EndTime    float64   `json:"endTime"`
}

type node struct {
	ID        int64   `json:"id"`
	Children  []int64 `json:"children"`
	HitCount  int64   `json:"hitCount"`
	CallFrame struct {
		FunctionName string  `json:"functionName"`
		URL          string  `json:"url"`
		LineNumber   float64 `json:"lineNumber"` // from 0; -1 when not known
		ColumnNumber float64 `json:"columnNumber"`
	} `json:"callFrame"`
	PositionTicks []struct {
		Line  int32 `json:"line"` // from 1
		Ticks int64 `json:"ticks"`
	} `json:"positionTicks"`
}

// Detect tells whether text, the start of a JSON document, can be a CPU profile.
func Detect(text string) bool {
	return strings.Contains(text, `"nodes"`) && strings.Contains(text, `"callFrame"`)
}

// Read parses one profile up to the end of r. source may be nil: then only lines before a
// function are known not to be its own.
func Read(ctx context.Context, r io.Reader, source Source) (*profile.Profile, error) {
	var f file
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return nil, fmt.Errorf("V8 CPU profile: %w", err)
	}
	t, err := newTree(&f, source)
	if err != nil {
		return nil, fmt.Errorf("V8 CPU profile: %w", err)
	}
	if err := t.weigh(&f); err != nil {
		return nil, fmt.Errorf("V8 CPU profile: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i := range f.Nodes {
		if err := t.sample(i); err != nil {
			return nil, fmt.Errorf("V8 CPU profile: %w", err)
		}
	}
	if t.kept == 0 {
		return nil, fmt.Errorf("V8 CPU profile: %w: nothing ran while it was recorded (%d ticks are idle)", ErrEmpty, t.idle)
	}
	return t.b.Build(t.meta(&f)), nil
}

// tree is the call tree with its locations.
type tree struct {
	b          *profile.Builder
	nodes      []node
	parent     []int         // index of the caller's node, -1 for a root
	index      map[int64]int // of a node, by its ID
	locs       []profile.LocationID
	functions  []profile.FunctionID
	extents    *extents
	weights    []weight // by node
	period     time.Duration
	kept, idle int64
}

func newTree(f *file, source Source) (*tree, error) {
	n := len(f.Nodes)
	t := &tree{
		b: profile.NewBuilder(), nodes: f.Nodes, parent: make([]int, n), index: make(map[int64]int, n),
		locs: make([]profile.LocationID, n), functions: make([]profile.FunctionID, n), extents: newExtents(source),
	}
	index := t.index
	for i := range f.Nodes {
		if _, twice := index[f.Nodes[i].ID]; twice {
			return nil, fmt.Errorf("node %d: its ID %d is used twice", i, f.Nodes[i].ID)
		}
		index[f.Nodes[i].ID] = i
		t.parent[i] = -1
		t.functions[i] = t.b.Function(function(&f.Nodes[i]))
		t.locs[i] = t.b.Location(0, 0, profile.KindJS, profile.Line{Function: t.functions[i]})
	}
	for i := range f.Nodes {
		for _, c := range f.Nodes[i].Children {
			child, ok := index[c]
			if !ok {
				return nil, fmt.Errorf("node %d: its child %d does not exist", f.Nodes[i].ID, c)
			}
			if t.parent[child] >= 0 {
				return nil, fmt.Errorf("node %d: it is the child of two nodes", c)
			}
			t.parent[child] = i
		}
	}
	return t, nil
}

func function(n *node) profile.Function {
	fn := profile.Function{Name: n.CallFrame.FunctionName, Kind: profile.KindJS}
	if fn.Name == "" {
		fn.Name = "(anonymous)"
	}
	fn.File = n.CallFrame.URL // the profile makes a path of it
	if l := n.CallFrame.LineNumber; fn.File != "" && l >= 0 && l < 1<<30 {
		fn.StartLine = int32(l) + 1
	}
	return fn
}

// maxDepth is more than any JavaScript stack has; a longer way to the root is a
// circle.
const maxDepth = 1 << 16

// sample adds what node i weighs, split by line where the lines are known.
func (t *tree) sample(i int) error {
	w := t.weights[i]
	if w.value == 0 {
		return nil
	}
	if t.nodes[i].CallFrame.FunctionName == "(idle)" && t.nodes[i].CallFrame.URL == "" {
		t.idle += w.ticks
		return nil
	}
	var stack []profile.LocationID
	for k := i; k >= 0; k = t.parent[k] {
		if t.nodes[k].CallFrame.FunctionName != "(root)" || t.parent[k] >= 0 {
			stack = append(stack, t.locs[k])
		}
		if len(stack) > maxDepth {
			return fmt.Errorf("node %d: it is among its own callers", t.nodes[i].ID)
		}
	}
	t.kept += w.ticks
	add := func(part weight) {
		t.b.Sample(profile.Sample{Stack: t.b.Stack(stack), Count: part.ticks, Value: part.value})
	}
	if len(stack) > 0 {
		leaf := stack[0]
		for _, p := range t.nodes[i].PositionTicks {
			if part := w.take(p.Ticks); part.ticks > 0 && p.Line > 0 && t.extents.has(&t.nodes[i], p.Line) {
				stack[0] = t.b.Location(0, 0, profile.KindJS, profile.Line{Function: t.functions[i], Line: p.Line})
				add(part)
				w = w.without(part)
			}
		}
		stack[0] = leaf
	}
	if w.ticks > 0 {
		add(w)
	}
	return nil
}

func (t *tree) meta(f *file) profile.Meta {
	m := profile.Meta{Source: "V8 CPU profile", ValueType: profile.ValueType{Type: "samples", Unit: "count"}}
	if t.period > 0 {
		m.ValueType = profile.ValueType{Type: "time", Unit: "nanoseconds"}
		m.PeriodType, m.Period = m.ValueType, t.period.Nanoseconds()
	}
	m.Duration = duration(f)
	if t.idle > 0 {
		m.Warnings = append(m.Warnings, fmt.Sprintf("%d of %d ticks are idle time and were skipped", t.idle, t.idle+t.kept))
	}
	return m
}
