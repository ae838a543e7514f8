package analyzer

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
)

// verdict is what is said of a loop: of worlds that do not confirm it, each question
// compiles only those that it needs.
func verdict(c Candidate) string {
	worlds := ""
	for _, name := range append([]string{WorldWritten}, c.Reach...) {
		if !c.Confirmed {
			break
		}
		s := c.Worlds[name]
		worlds += fmt.Sprintf(" %s: present %t idiom %t vectorised %t loads %.3g;", name, s.Present, s.Idiom, s.Vectorised, s.LoadsPerIteration)
	}
	return fmt.Sprintf("confirmed %t by %v %s;%s", c.Confirmed, c.Reach, c.Effect, worlds)
}

// A loop is asked about in three ways: with the whole unit (scan), with its
// function alone, as a profile does (explain), and by its line (explain-loop). The
// answer is the same, whichever it is.
func TestOneVerdictHoweverItIsAsked(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(fixtures + "/*.cpp")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			flags, _ := readWants(t, file)
			unit := fixtureUnit(t, file, flags)
			whole := ask(t, Options{Predicates: []string{"char"}}, unit)
			for _, c := range whole.Candidates {
				place := c.Start[len(c.Start)-1]
				same := func(x Candidate) bool { return x.Function == c.Function && slices.Equal(x.Start, c.Start) }
				for how, opts := range map[string]Options{
					"function": {Functions: []string{c.Function}},
					"line":     {At: &At{File: filepath.Base(file), Line: place.Line}},
				} {
					opts.Predicates = []string{"char"}
					part := ask(t, opts, unit)
					i := slices.IndexFunc(part.Candidates, same)
					if i < 0 && !c.Confirmed { // nor has a world to be compiled for it
						continue
					}
					if i < 0 {
						t.Errorf("%s:%d in %s: asked by %s it is no candidate", file, place.Line, c.Function, how)
						continue
					}
					if got, want := verdict(part.Candidates[i]), verdict(c); got != want {
						t.Errorf("%s:%d in %s: asked by %s\n%s\nwith the unit\n%s", file, place.Line, c.Function, how, got, want)
					}
				}
			}
		})
	}
}

// A profile may name the function that a loop was written in, though it was
// inlined and no such function is left, or the one it was inlined into.
func TestHotNamesOfInlinedFunctions(t *testing.T) {
	t.Parallel()
	unit := fixtureUnit(t, fixtures+"/copies.cpp", []string{"-O3"})
	const callee, caller = "_ZL10fillHiddenP6BufferPKi", "_Z6hiddenP6BufferPKi"
	for _, name := range []string{callee, caller} {
		r := ask(t, Options{Predicates: []string{"char"}, Functions: []string{name}}, unit)
		if len(r.Candidates) != 1 || r.Candidates[0].Function != caller || !r.Candidates[0].Confirmed {
			t.Errorf("%s: candidates %+v, want the copy in %s", name, r.Candidates, caller)
		}
	}
}
