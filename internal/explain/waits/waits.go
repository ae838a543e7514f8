// Package waits says of a recorded command that it waits more than it computes.
//
// It owns that note, the lines that wait where a recording saw waits, and the loops of the program
// that wait for one thing after the other. It takes a profile whose recording says how long CPUs
// were idle meanwhile, and the program's source; it gives notes and no findings: how much shorter a
// wait could be nobody knows here. It must never import another judge.
//
// How. Samples of the CPU do not show what is waited for. But the recording knows how long it
// took, and that a CPU was free for that time: then the program did not want it. Where it saw
// waits, the functions of the kernel and of the C library on their stacks tell what for.
//
// Example. A sender of webhooks takes 5 s of CPU in 17 s, and both CPUs are idle for 20 s of
// the 34: it waits for 12 s. In one of its functions that have samples stands
// for (const d of due) { await deliver(d); }
package waits

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

const (
	// mostBusy is the part of the time up to which a command mostly waits.
	mostBusy = 0.5
	// leastFree is the part of what it did not use that a CPU must have been free for: the rest it
	// may have had to wait for others to leave one.
	leastFree = 0.8
	// shortest is the time under which starting and ending counts too much.
	shortest = time.Second
	// mostLoops is how many loops are named.
	mostLoops = 3
)

// Judge is the judge of commands that wait.
func Judge(_ context.Context, s judge.Subject) (judge.Answer, error) {
	var a judge.Answer
	busy, is := waits(s.Profile)
	lines := append(held(s), seen(s, is)...)
	if !is {
		a.Notes = lines
		return a, nil
	}
	m := &s.Profile.Meta
	note := fmt.Sprintf("The command mostly waits: it used a CPU for %.0f%% of %s, and one was free in the rest; less CPU shortens that %.0[1]f%% only", 100*busy, m.Duration.Round(time.Second/10))
	if len(s.Profile.Waits()) == 0 {
		note += ". What it waits for was not recorded"
	}
	a.Notes = append(append(a.Notes, note), lines...)
	if s.Facts != nil {
		a.Notes = append(a.Notes, awaited(s)...)
	}
	return a, nil
}

// waits says for which part of its time a command used a CPU; is holds where that is little, and
// not for want of a free one.
func waits(p *profile.Profile) (busy float64, is bool) {
	m := &p.Meta
	if len(m.Command) == 0 || m.Duration < shortest || m.Idle <= 0 || m.ValueType.Unit != "nanoseconds" {
		return 0, false
	}
	busy = float64(p.Total()) / float64(m.Duration)
	unused := float64(m.Duration) * (1 - busy)
	return busy, busy <= mostBusy && float64(m.Idle) >= leastFree*unused
}

// awaited names loops that wait for one thing after the other, of functions that have samples.
func awaited(s judge.Subject) []string {
	p := s.Profile
	lines, files := ownline.Reading(p, s.Facts.Source), text.NewFiles(s.Facts.Source)
	seen := map[profile.Line]bool{}
	var out []string
	for i := range p.Samples() {
		line, _, ok := lines.Innermost(p.Samples()[i].Stack)
		if !ok || seen[line] {
			continue
		}
		seen[line] = true
		path := p.Function(line.Function).File
		f := files.At(path)
		if f == nil || ways[f.Language()].how == "" {
			continue
		}
		fn, in := f.Function(int(line.Line))
		if !in {
			continue
		}
		for _, at := range oneByOne(f, fn.Range) {
			base := filepath.Base(path)
			note := fmt.Sprintf("%s:%d waits for %s on each pass of the loop at %s:%d before the next one begins. Where passes do not need each other, let some run at a time: %s",
				base, at.line, at.what, base, at.loop, ways[f.Language()].how)
			if !slices.Contains(out, note) { // by another line of the function
				out = append(out, note)
			}
		}
	}
	slices.Sort(out)
	return out[:min(len(out), mostLoops)]
}

// one is a line that waits, in a loop.
type one struct {
	line, loop int
	what       string
}

// oneByOne are the lines of a function that wait for a call on each pass of a loop over what is
// known before it: a loop that goes on as long as something holds may need what it waited for.
func oneByOne(f *text.File, of text.Range) []one {
	w := ways[f.Language()]
	var out []one
	for n := of.First; n <= of.Last; n++ {
		m := w.waits.FindStringSubmatch(f.Code(n))
		if m == nil || w.together.MatchString(f.Code(n)) {
			continue
		}
		loops := f.Loops(n)
		if len(loops) == 0 || loops[0].Within || !w.over.MatchString(strings.TrimSpace(loops[0].Header)) || slices.ContainsFunc(out, func(o one) bool { return o.loop == loops[0].First }) {
			continue
		}
		out = append(out, one{n, loops[0].First, m[1]})
	}
	return out
}
