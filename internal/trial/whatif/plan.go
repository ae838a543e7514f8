package whatif

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// The worlds that an edit can take a loop to.
const (
	Retyped = "retyped" // what is written gets a type that aliases nothing else
	Hoisted = "hoisted" // what is loaded again is copied into locals before the loop
)

// Point is a source position. Column 0 is any.
type Point struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// Edit is what is to change for one finding. A chain of points is a position
// with the calls it was inlined through, innermost first; it reaches as far as
// the user's own code.
type Edit struct {
	Finding   string    `json:"finding"`
	Predicate string    `json:"predicate"` // what is blamed: char, bitfield, pointer, size, volatile
	World     string    `json:"world"`
	Loops     [][]Point `json:"loops,omitempty"`    // where the loops start; for Hoisted
	Accesses  [][]Point `json:"accesses,omitempty"` // the blamed ones; for Retyped
}

// late says that the edit waits until functions are inlined and simplified.
func (e *Edit) late() bool {
	return e.World == Hoisted || slices.ContainsFunc(e.Accesses, func(c []Point) bool { return len(c) > 1 })
}

// Plan is a what-if build. A placebo does everything but the edits.
type Plan struct {
	Placebo bool   `json:"placebo"`
	Edits   []Edit `json:"edits"`
}

// Late says that units with such edits go through the compiler's passes twice,
// which alone may change how fast they are: the placebo shows how much.
func (p *Plan) Late() bool {
	return slices.ContainsFunc(p.Edits, func(e Edit) bool { return e.late() })
}

// World is a plan that is ready to be built: a directory with the plug-in, the
// plan beside it and the log that compilers append to.
type World struct {
	dir  string
	plan *Plan
}

const (
	pluginName = "whyhot-whatif.so"
	planName   = "plan.json"
	logName    = "log"
)

// Install makes the directory of a world, which the build needs until it ends.
func Install(dir, plugin string, p *Plan) (*World, error) {
	if len(p.Edits) == 0 {
		return nil, errors.New("a what-if build without an edit")
	}
	full, err := filepath.Abs(dir) // the compilers run elsewhere
	if err != nil {
		return nil, fmt.Errorf("what-if build: %w", err)
	}
	w := &World{dir: full, plan: p}
	if err := os.MkdirAll(full, 0o755); err != nil {
		return nil, fmt.Errorf("what-if build: %w", err)
	}
	// The plug-in looks for the plan where it was loaded from, so each world has
	// its own name for the one file.
	if err := os.Symlink(plugin, w.path(pluginName)); err != nil {
		return nil, fmt.Errorf("what-if build: %w", err)
	}
	text, err := json.Marshal(struct {
		*Plan

		Log string `json:"log"`
	}{p, w.path(logName)})
	if err != nil {
		return nil, fmt.Errorf("what-if build: %w", err)
	}
	if err := os.WriteFile(w.path(planName), text, 0o644); err != nil {
		return nil, fmt.Errorf("what-if build: %w", err)
	}
	return w, nil
}

func (w *World) path(name string) string { return filepath.Join(w.dir, name) }

// Flags go behind those of every compilation. Positions have to be known to
// find a place; they change no code.
func (w *World) Flags() []string {
	return append(BaselineFlags(), "--start-no-unused-arguments", "-fpass-plugin="+w.path(pluginName), "--end-no-unused-arguments")
}

// BaselineFlags are what the world is compared with gets, so that only the edits
// differ.
func BaselineFlags() []string {
	return []string{"--start-no-unused-arguments", "-gline-tables-only", "-gcolumn-info", "--end-no-unused-arguments"}
}
