package bisect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/collect/session"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
	"whyhot/internal/trial"
	"whyhot/internal/trial/run"
)

// Grown is a function that takes more CPU time in the commit than in the one before it,
// or less where that was looked for.
type Grown struct {
	Function string  `json:"function"`
	Binary   string  `json:"binary,omitempty"`
	File     string  `json:"file,omitempty"`
	Change   float64 `json:"change"`            // as a share of the CPU time before: 0.07 is 7%
	Self     bool    `json:"self"`              // in its own code, not in what it calls
	Touched  bool    `json:"touched,omitempty"` // the commit changes its file
}

// mostGrown is how many functions are told.
const mostGrown = 3

// grown records both commits and compares them. That it cannot is a note: the commit is
// known without it.
func (w *workshop) grown(ctx context.Context, s *search, r *Result) {
	switch w.reader.Metric() { //nolint:exhaustive // the others are CPU time or close to it
	case trial.Memory, trial.Faults:
		return
	}
	best := s.best()
	w.told.Remark("recording the commit and the one before it")
	before, err := w.record(ctx, best.before())
	var after *profile.Profile
	if err == nil {
		after, err = w.record(ctx, best.at)
	}
	if err != nil {
		r.notef("which functions grew is not known: %v", err)
		return
	}
	changed, err := w.repo.Changed(ctx, w.line[best.before()].ID, w.line[best.at].ID)
	if err != nil {
		changed = nil // the functions are worth telling without it
	}
	sign := 1.0
	if w.request.Less != w.reader.HigherIsBetter() {
		sign = -1
	}
	r.Functions = compare(before, after, changed, sign)
	if len(r.Functions) == 0 {
		r.notef("no function grew by more than the sampling error")
	}
}

// compare lists functions by their own code, and first those of changed files with what
// they call.
func compare(before, after *profile.Profile, changed []string, sign float64) []Grown {
	grew := func(by view.Sort) []Grown {
		var out []Grown
		t := view.Diff(before, after, view.DiffOptions{Sort: by, Absolute: true})
		for _, row := range t.Rows {
			if !row.Significant || row.Delta*sign <= 0 || t.TotalA == 0 {
				continue
			}
			out = append(out, Grown{
				Function: row.Name, Binary: row.Binary, File: row.File, Change: row.Delta / float64(t.TotalA), Self: by == view.SortSelf,
				Touched: touches(changed, row.File),
			})
		}
		return out
	}
	own := grew(view.SortSelf)
	if len(own) > mostGrown {
		own = own[:mostGrown]
	}
	if slices.ContainsFunc(own, func(g Grown) bool { return g.Touched }) {
		return own
	}
	// What a commit changes often calls what then takes the time: the narrowest such
	// function is the last of those that grew as much.
	for _, g := range slices.Backward(grew(view.SortTotal)) {
		if g.Touched {
			return append([]Grown{g}, own[:min(len(own), mostGrown-1)]...)
		}
	}
	return own
}

// touches says whether a source file is one of those that a commit changes. Paths of
// debug information have a beginning of their own.
func touches(changed []string, file string) bool {
	return file != "" && slices.ContainsFunc(changed, func(c string) bool {
		return file == c || strings.HasSuffix(file, "/"+c) || strings.HasSuffix(c, "/"+filepath.Base(file)) && !strings.Contains(file, "/")
	})
}

// record runs a commit as often as it takes to have samples, and both commits as often.
func (w *workshop) record(ctx context.Context, commit int) (*profile.Profile, error) {
	key, err := w.key(ctx, commit)
	if err != nil {
		return nil, err
	}
	if err := w.stage.Put(w.kept(key)); err != nil {
		return nil, err
	}
	if w.times == 0 {
		if w.times, err = w.timesToRecord(ctx); err != nil {
			return nil, err
		}
	}
	temp, err := os.MkdirTemp("", "whyhot-bisect-")
	if err != nil {
		return nil, fmt.Errorf("a directory for the recording: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }() // nothing better can be done
	in := w.stdin
	if in == "" {
		in = os.DevNull
	}
	script := filepath.Join(temp, "record.sh")
	text := "i=0\nexport WHYHOT_TREE=" + shellwords.Quote(w.repo.Root) + "\ncd " + shellwords.Quote(w.where()) + "\nwhile [ $i -lt " + strconv.Itoa(w.times) + " ]; do\n" +
		shellwords.Join(w.command) + " <" + shellwords.Quote(in) + " >/dev/null 2>&1\ni=$((i+1))\ndone\n"
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		return nil, fmt.Errorf("preparing the recording: %w", err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = null.Close() }()
	const frequency = 997
	recorded, err := session.Record(ctx, session.Options{
		Target: collect.Target{Command: []string{"/bin/sh", script}}, Sampler: session.Auto, Settings: collect.Settings{Frequency: frequency},
		Streams: command.Streams{In: null, Out: null, Err: null}, Output: filepath.Join(temp, "recorded.pb.gz"),
	})
	if err != nil {
		return nil, err
	}
	return recorded.Profile, nil
}

// timesToRecord is how many runs have CPU time enough to compare functions.
func (w *workshop) timesToRecord(ctx context.Context) (int, error) {
	const wanted, most = 4 * time.Second, 400
	res, err := w.runner.Run(ctx, run.Spec{Args: w.command, Env: w.env, Dir: w.where(), Stdin: w.stdin, Timeout: w.limit(w.request.Timeout)})
	if err != nil {
		return 0, err
	}
	return min(most, 1+int(wanted/max(res.CPU(), time.Millisecond))), nil
}
