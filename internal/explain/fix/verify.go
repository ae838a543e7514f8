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
		if sameFile(c.Path, at.File) && at.Line <= bytes.Count(c.Before, []byte("\n"))+1 {
			shift = shiftAt(c, at.Line)
		}
	}
	before, broken, err := loopsAt(ctx, o, units, at, nil)
	if err == nil && len(before) == 0 && len(at.Functions) > 0 { // the loop is elsewhere by now
		at.Functions = nil
		before, broken, err = loopsAt(ctx, o, units, at, nil)
	}
	if err != nil {
		return err
	}
	moved := Place{at.File, at.Line + shift, at.Functions}
	after, errs, err := loopsAt(ctx, o, units, moved, fixed(p.Changes, units))
	if err == nil && len(after) == 0 && len(errs) == 0 && len(at.Functions) > 0 { // a new type is a new name
		moved.Functions = nil
		after, errs, err = loopsAt(ctx, o, units, moved, fixed(p.Changes, units))
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
	var verdict int
	p.Effect, verdict = compare(thatBegin(before, at), thatBegin(after, moved), p.Kind == WideStore)
	if verdict <= 0 {
		p.Effect, verdict = compare(before, after, p.Kind == WideStore)
	}
	p.whole = strings.HasSuffix(p.Effect, "after") && (strings.Contains(p.Effect, "before, vectorised") || strings.Contains(p.Effect, "before, a library call"))
	switch {
	case verdict > 0:
	case verdict == 0 && p.Kind == BitField, p.Kind == VectorBool, p.Kind == WholeCopy:
		// What they save is masks and shifts, or another way around the loop, which its
		// loads and stores do not show.
		p.Notes = append(p.Notes, Remark{Text: "the loads and stores of the loop do not show the gain: measure it (whyhot try --fix)"})
	default:
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
// that do not compile, by file.
func loopsAt(ctx context.Context, o Options, units []compdb.Unit, at Place, files []analyzer.SourceFile) (loops []analyzer.Candidate, errs map[string]string, err error) {
	errs = map[string]string{}
	opts := analyzer.Options{
		Binary: o.Binary, Workers: o.Workers, Cache: o.Cache, Predicates: []string{"char"}, Functions: at.Functions,
		At: &analyzer.At{File: filepath.Base(at.File), Line: at.Line}, Fix: analyzer.FixRequest{Files: files},
	}
	var failed error
	err = analyzer.Run(ctx, units, opts, func(out analyzer.Outcome) {
		if out.Err != nil {
			failed = fmt.Errorf("%s: %w", out.Unit.File, out.Err)
		}
		if len(out.Reply.Errors) > 0 {
			errs[out.Unit.File] = out.Reply.Errors[0]
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

// compare holds the loops as written against each other: the same loop of the
// same function, inlined copies apart.
// The verdict is 1 for better, -1 for worse, 0 where nothing tells.
func compare(before, after []analyzer.Candidate, mayVanish bool) (effect string, verdict int) {
	type key struct {
		function string
		depth, n int
	}
	index := func(list []analyzer.Candidate) map[key]analyzer.Candidate {
		out := map[key]analyzer.Candidate{}
		for _, c := range list {
			k := key{function: c.Function, depth: c.Depth}
			for ; ; k.n++ {
				if _, taken := out[k]; !taken {
					break
				}
			}
			out[k] = c
		}
		return out
	}
	was, is := index(before), index(after)
	if len(was) == 0 {
		if mayVanish {
			return "fewer stores; there is no loop to compare", 1
		}
		return "there is no loop to compare", 0
	}
	effect = "the loop is compiled as before"
	better, worse := false, false
	for k, c := range was {
		w := c.Worlds[analyzer.WorldWritten]
		now, there := is[k]
		if !there {
			switch {
			case mayVanish:
				effect, better = "the loop is gone", true
			case c.Worlds[analyzer.WorldHoisted].Idiom && !w.Idiom:
				// Early passes make the call, before loops are looked at. Without the world
				// that says so, a loop that is not there could be one that was not found.
				effect, better = describe(w)+" before, a library call after", true
			}
			continue
		}
		n := now.Worlds[analyzer.WorldWritten]
		switch gain(w, n) {
		case 1:
			if !better {
				effect = describe(w) + " before, " + describe(n) + " after"
			}
			better = true
		case -1:
			worse = true
			if !better {
				effect = describe(w) + " before, " + describe(n) + " after"
			}
		}
	}
	switch {
	case better && (!worse || len(was) > 1):
		return effect, 1
	case worse:
		return effect, -1
	}
	return effect, 0
}

// least is what counts as a difference in loads or stores an iteration.
const least = 0.2

// gain says whether a loop got better (1), worse (-1) or neither.
func gain(was, is analyzer.LoopState) int {
	rank := func(s analyzer.LoopState) int {
		switch {
		case s.Idiom:
			return 2
		case s.Vectorised:
			return 1
		}
		return 0
	}
	if !is.Present && !is.Idiom {
		return 0 // unrolled or gone: nothing to compare
	}
	switch a, b := rank(was), rank(is); {
	case b > a:
		return 1
	case b < a:
		return -1
	}
	if !was.Present {
		return 0
	}
	saved := was.LoadsPerIteration - is.LoadsPerIteration + was.StoresPerIteration - is.StoresPerIteration
	switch {
	case saved >= least || is.Calls < was.Calls:
		return 1
	case saved <= -least:
		return -1
	}
	return 0
}

func describe(s analyzer.LoopState) string {
	switch {
	case s.Idiom:
		return "a library call"
	case !s.Present:
		return "no loop"
	case s.Vectorised:
		return fmt.Sprintf("vectorised %d wide", s.VectorWidth)
	}
	return fmt.Sprintf("%.3g loads and %.3g stores per iteration", s.LoadsPerIteration, s.StoresPerIteration)
}
