package fix

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
)

// verify compiles the fixed source in memory and holds its loops against those
// of the source as it is. What does not compile, or gains nothing, is refused.
func verify(ctx context.Context, o Options, units []compdb.Unit, at Place, p *Proposal) error {
	shift := 0
	for _, c := range p.Changes {
		if leadToOne(c.Path, at.File) && at.Line <= bytes.Count(c.Before, []byte("\n"))+1 {
			shift = shiftAt(c, at.Line)
		}
	}
	before, broken, err := loopsAt(ctx, o, units, at, nil, p)
	if err == nil && len(before) == 0 && len(at.Functions) > 0 { // the loop is elsewhere by now
		at.Functions = nil
		before, broken, err = loopsAt(ctx, o, units, at, nil, p)
	}
	if err != nil {
		return err
	}
	moved := Place{at.File, at.Line + shift, at.Functions}
	p.At, p.Moved = at, moved
	for _, l := range thatBegin(before, at) {
		p.Functions = unite(p.Functions, []string{l.Function})
		p.Span = max(p.Span, l.EndLine-at.Line)
	}
	after, errs, err := loopsAt(ctx, o, units, moved, fixed(p.Changes, units), nil)
	if err == nil && len(after) == 0 && len(errs) == 0 && len(at.Functions) > 0 { // a new type is a new name
		moved.Functions = nil
		after, errs, err = loopsAt(ctx, o, units, moved, fixed(p.Changes, units), nil)
	}
	if err != nil {
		return err
	}
	for unit := range broken { // not by this fix
		delete(errs, unit)
	}
	for _, unit := range slices.Sorted(maps.Keys(errs)) {
		e := errs[unit]
		p.Refusals = append(p.Refusals, Remark{Text: "the fixed source does not compile: " + e})
	}
	if len(errs) > 0 {
		return nil
	}
	c := compare(thatBegin(before, at), thatBegin(after, moved), p.Kind == WideStore)
	if c.verdict <= 0 {
		c = compare(before, after, p.Kind == WideStore)
	}
	p.Effect, p.Loops, p.whole = c.effect, c.better, c.whole
	switch {
	case c.verdict > 0:
	case c.verdict == 0 && p.Kind == BitField, p.Kind == VectorBool, p.Kind == WholeCopy:
		// What they save is masks and shifts, or another way around the loop, which its
		// loads and stores do not show.
		p.Notes = append(p.Notes, Remark{Text: "the loads and stores of the loop do not show the gain: measure it (whyhot try build --fix)"})
	default:
		p.Useless = true
		p.Refusals = append(p.Refusals, Remark{Text: "the compiler gains nothing from it: " + p.Effect, File: at.File, Line: at.Line})
	}
	return nil
}

// fixed are the files as they would be, by every name under which a unit may open them:
// the compiler goes by names, and a build beside its sources often reaches them through a
// symbolic link.
//
// Example. src is a link to ../ffmpeg, and a unit compiles src/a.c: ../ffmpeg/a.h is
// src/a.h, too.
func fixed(changes []Change, units []compdb.Unit) []analyzer.SourceFile {
	links := linksOf(units)
	files := make([]analyzer.SourceFile, 0, len(changes))
	for _, c := range changes {
		files = append(files, analyzer.SourceFile{Path: c.Path, Text: string(c.After)})
		for _, l := range links {
			if rest, ok := strings.CutPrefix(c.Path, l.target); ok {
				files = append(files, analyzer.SourceFile{Path: l.name + rest, Text: string(c.After)})
			}
		}
	}
	return files
}

// link is a directory by two names, each with a slash at its end.
type link struct{ name, target string }

// linksOf are the directories that the units reach through symbolic links.
func linksOf(units []compdb.Unit) []link {
	var out []link
	for _, u := range units {
		name := u.File
		target, err := filepath.EvalSymlinks(name)
		if err != nil || target == name {
			continue
		}
		for filepath.Base(name) == filepath.Base(target) && name != target {
			name, target = filepath.Dir(name), filepath.Dir(target)
		}
		if l := (link{name + "/", target + "/"}); !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// shiftAt is by how many lines the edits move what stands on the line.
func shiftAt(c Change, line int) int {
	start := 0
	for range line - 1 {
		start += bytes.IndexByte(c.Before[start:], '\n') + 1
	}
	end := start + max(0, bytes.IndexByte(c.Before[start:], '\n'))
	shift := 0
	for _, e := range c.edits {
		put := strings.Count(e.Text, "\n")
		// On the line itself, what is put in stands before the loop; what closes a
		// block after it begins with the end of a line.
		before := e.Offset <= start || (e.Offset <= end && e.Length == 0 && !strings.HasPrefix(strings.TrimPrefix(e.Text, "\r"), "\n"))
		if before {
			shift += put - bytes.Count(c.Before[e.Offset:e.Offset+e.Length], []byte("\n"))
		}
	}
	return shift
}

// loopsAt asks for the loops around a line. errs is what the compiler said of units
// that do not compile, by file. p, if it is not nil, remembers a unit that has them.
func loopsAt(ctx context.Context, o Options, units []compdb.Unit, at Place, files []analyzer.SourceFile, p *Proposal) (loops []analyzer.Candidate, errs map[string]string, err error) {
	errs = map[string]string{}
	opts := analyzer.Options{
		Predicates: []string{"char"}, Functions: at.Functions, Cycles: o.Cycles,
		At: &analyzer.At{File: filepath.Base(at.File), Line: at.Line}, Fix: analyzer.FixRequest{Files: files},
	}
	var failed error
	what := "units compiled as they are"
	if len(files) > 0 {
		what = "units compiled with the patch"
	}
	err = o.run(ctx, units, opts, what, func(out analyzer.Outcome) {
		if out.Err != nil {
			failed = fmt.Errorf("%s: %w", out.Unit.File, out.Err)
		}
		if len(out.Reply.Errors) > 0 {
			errs[out.Unit.File] = out.Reply.Errors[0]
		}
		if p != nil && len(out.Reply.Candidates) > 0 && (p.Unit.File == "" || out.Unit.File < p.Unit.File) {
			p.Unit = out.Unit
		}
		loops = append(loops, out.Reply.Candidates...)
	})
	if err == nil {
		err = failed
	}
	return loops, errs, err
}

// thatBegin are the loops that begin on the line, or all where none does: what stands on
// the line of a loop is often part of another one around it, whose fate is not the loop's.
func thatBegin(loops []analyzer.Candidate, at Place) []analyzer.Candidate {
	var out []analyzer.Candidate
	for _, c := range loops {
		if slices.ContainsFunc(c.Start, func(p analyzer.Point) bool {
			return p.Line == at.Line && filepath.Base(p.File) == filepath.Base(at.File)
		}) {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return loops
	}
	return out
}
