// Package waits says of a recorded command that it waits more than it computes.
//
// It owns that note, the lines that wait where a recording saw waits, and the loops of the program
// that wait for one thing after the other. It takes a profile whose recording says how long CPUs
// were idle meanwhile, and the program's source; it gives notes and no findings: how much shorter a
// wait could be nobody knows here. It must never import another judge.
//
// How. Samples of the CPU do not show what is waited for. But the recording knows how long it
// took, and that a CPU was free for that time: then the program did not want it. Where it saw
// waits, the functions of the kernel and of the C library on their stacks tell what for; the waits
// of a main thread that computes, too, tell that the program waited though no CPU was free; and the
// text of a line tells a lock that is held while its thread waits for something else, and a loop
// that sleeps and asks again.
//
// Example. A sender of webhooks takes 5 s of CPU in 17 s, and both CPUs are idle for 20 s of
// the 34: it waits for 12 s. In one of its functions that have samples stands
// for (const d of due) { await deliver(d); }
package waits

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

const (
	// mostBusy is the part of the time up to which a command mostly waits.
	mostBusy = 0.5
	// leastFree is the part of what it did not use that a CPU must have been free for: the rest it
	// may have had to wait for others to leave one.
	leastFree = 0.8
	// leastOfThread is the part of the time from which the main thread's waits tell that, on a
	// machine where no CPU was free; and timesBusy how often the CPU time of all they have to be.
	leastOfThread, timesBusy = 0.35, 2
	// shortest is the time under which starting and ending counts too much.
	shortest = time.Second
	// mostLoops is how many loops are named.
	mostLoops = 3
)

// Judge is the judge of commands that wait.
func Judge(_ context.Context, s judge.Subject) (judge.Answer, error) {
	var a judge.Answer
	of := kindsOf(s.Profile)
	busy, waited, is := waits(s.Profile, of)
	if !is && len(s.Profile.Waits()) == 0 {
		return a, nil
	}
	source := func(string) ([]string, bool) { return nil, false }
	if s.Facts != nil {
		source = s.Facts.Source
	}
	program := &program{s.Profile, of, ownline.Reading(s.Profile, source), text.NewFiles(source)}
	m := &s.Profile.Meta
	rest := fmt.Sprintf("and its main thread waited for %s", waited.Round(time.Second/10)) //nolint:mnd // tenths
	switch {
	case is && wasFree(s.Profile, busy):
		rest = "and one was free in the rest"
	case !is && mayWaitMostly(m, busy):
		held := program.queued()
		is = float64(held) >= leastOfThread*float64(m.Duration)
		rest = fmt.Sprintf("and its threads queue for a lock that others of them had for %s while they waited", held.Round(time.Second/10)) //nolint:mnd // tenths
	}
	lines := program.seen(is)
	said := &finding.Waits{Mostly: is, Busy: busy, Elapsed: m.Duration.Seconds(), Lines: lines}
	if !is {
		if len(lines) > 0 {
			a.Waits = said
		}
		return a, nil
	}
	said.Text = fmt.Sprintf("The command mostly waits: it used a CPU for %.0f%% of %s, %s; less CPU can shorten that by %.0[1]f%% at most", 100*busy, m.Duration.Round(time.Second/10), rest)
	if len(s.Profile.Waits()) == 0 {
		said.Text += ". What it waits for was not recorded"
	}
	said.Lines = append(said.Lines, program.awaited()...)
	a.Waits = said
	return a, nil
}

// program is a program with its source, which is read once.
type program struct {
	p     *profile.Profile
	kind  func(profile.StackID) kind // what a stack waits for
	lines *ownline.Lines
	files *text.Files
}

// waits says for which part of its time a command used a CPU, and for how long its main thread
// waited; is holds where it used little, and not for want of a free one: the recording knows that
// one was free, or saw the main thread wait.
func waits(p *profile.Profile, of func(profile.StackID) kind) (busy float64, waited time.Duration, is bool) {
	m := &p.Meta
	busy = float64(p.Total()) / float64(max(1, m.Duration))
	if !mayWaitMostly(m, busy) {
		return busy, 0, false
	}
	waited = mainWaits(p, of)
	return busy, waited, wasFree(p, busy) || float64(waited) >= leastOfThread*float64(m.Duration) && float64(waited) >= timesBusy*float64(p.Total())
}

// mayWaitMostly says whether a recording is one of a command that used little of a CPU for long enough.
func mayWaitMostly(m *profile.Meta, busy float64) bool {
	return len(m.Command) > 0 && m.Duration >= shortest && m.ValueType.Unit == "nanoseconds" && busy <= mostBusy
}

// wasFree says whether a CPU was free while a command used none.
func wasFree(p *profile.Profile, busy float64) bool {
	m := &p.Meta
	return m.Idle > 0 && float64(m.Idle) >= leastFree*float64(m.Duration)*(1-busy)
}

// mayWait are kinds for which a command waits whatever its other threads do. A lock, a condition, a
// child or a pipe may be one that another of them computes for.
var mayWait = []string{sleep, disk, synced, network, "events"}

// started begins the stacks of threads that a program has started, as all but the first.
var started = regexp.MustCompile(`^(start_thread|__?clone3?|thread_start|thread_native_entry\b.*)$`)

// mainWaits is for how long the first thread of the process that used most CPU waited, where the
// recording saw that; none where other threads used most of it: then it may wait for those.
func mainWaits(p *profile.Profile, of func(profile.StackID) kind) time.Duration {
	if len(p.Waits()) == 0 {
		return 0
	}
	used, by := map[int64]int64{}, map[int64]int64{} // by process: all, and by threads that were started
	var busiest int64
	begun := p.StacksWith(started.MatchString)
	for i := range p.Samples() {
		s := &p.Samples()[i]
		pid, _ := p.Label(s.Labels, profile.LabelPID)
		used[pid.Num] += s.Value
		if used[pid.Num] > used[busiest] {
			busiest = pid.Num
		}
		if begun(s.Stack) {
			by[pid.Num] += s.Value
		}
	}
	if 2*by[busiest] > used[busiest] {
		return 0
	}
	main := p.StacksWith(goMain.MatchString)
	var thread, goroutine int64
	for _, w := range p.Waits() {
		tid, _ := p.Label(w.Labels, profile.LabelTID)
		pid, _ := p.Label(w.Labels, profile.LabelPID)
		_, isGo := p.Label(w.Labels, profile.LabelGoroutines)
		switch {
		case pid.Num != busiest || !slices.Contains(mayWait, of(w.Stack).name):
		case isGo && main(w.Stack):
			goroutine += w.Value
		case tid.Num == pid.Num:
			thread += w.Value
		}
	}
	return time.Duration(max(thread, goroutine)) // a thread of Go may run any goroutine
}

// awaited names loops that wait for one thing after the other, of functions in which samples are.
func (r *program) awaited() []finding.Wait {
	p := r.p
	seen := map[profile.Line]bool{}
	var out []finding.Wait
	for _, line := range r.ownLines() {
		if seen[line] {
			continue
		}
		seen[line] = true
		path := p.Function(line.Function).File
		f := r.files.At(path)
		if f == nil || ways[f.Language()].how == "" {
			continue
		}
		fn, in := f.Function(int(line.Line))
		if !in {
			continue
		}
		for _, at := range oneByOne(f, fn.Range) {
			base := filepath.Base(path)
			w := finding.Wait{
				Place:  finding.Place{Function: p.Function(line.Function).Name, File: path, Line: at.line},
				Text:   fmt.Sprintf("%s:%d waits for %s on each pass of the loop at %s:%d before the next one begins", base, at.line, at.what, base, at.loop),
				Advice: "Where passes do not need each other, let some run at a time: " + ways[f.Language()].how,
			}
			if !slices.ContainsFunc(out, func(o finding.Wait) bool { return o.Text == w.Text }) { // by another line of the function
				out = append(out, w)
			}
		}
	}
	slices.SortFunc(out, func(a, b finding.Wait) int { return cmp.Compare(a.Text, b.Text) })
	return out[:min(len(out), mostLoops)]
}

// ownLines are the lines of the program in the stacks of samples, with those that call others.
func (r *program) ownLines() []profile.Line {
	p, lines := r.p, r.lines
	var out []profile.Line
	known := map[profile.StackID]bool{}
	for i := range p.Samples() {
		id := p.Samples()[i].Stack
		if known[id] {
			continue
		}
		known[id] = true
		for _, loc := range p.Stack(id) {
			for _, line := range p.Lines(loc) {
				if line.Line > 0 && lines.IsOwn(line.Function) && !lines.IsImplicit(line) {
					out = append(out, line)
				}
			}
		}
	}
	return out
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
		out = append(out, one{n, loops[0].First, cmp.Or(m[1], "a call")})
	}
	return out
}
