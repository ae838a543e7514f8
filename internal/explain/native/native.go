package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/machine"
	"whyhot/internal/explain/object"
)

// Request is what is asked.
type Request struct {
	Unit      compdb.Unit
	Files     map[string][]byte // the changed files, by absolute path
	Functions []string          // linkage names of those that have the loop
	File      string            // of the loop
	Line      int               // where it begins, before
	Moved     int               // and after
	Span      int               // how many lines behind it are the loop's
}

// Effect is what became of the functions.
type Effect struct {
	Compiler string // as the build calls it
	Same     bool   // the same machine code, to the byte
	Before   string // what the loop is, "" where it was not found
	After    string
	// Useless says that the loop is known to be no faster than before: Same, or as many
	// instructions and cycles.
	Useless bool
}

// String says it.
func (e Effect) String() string {
	switch {
	case e.Same:
		return "compiled as before by " + e.Compiler + ", the build's compiler"
	case e.Before == "" || e.After == "":
		return "other machine code by " + e.Compiler + ", the build's compiler; which loop of it is this one cannot be told"
	}
	return e.Before + " before, " + e.After + " after, by " + e.Compiler + ", the build's compiler"
}

// Asked says whether the unit is compiled by another compiler than the analyser is.
func Asked(u compdb.Unit) bool {
	return len(u.Written) > 0 && !strings.Contains(filepath.Base(u.Written[0]), "clang")
}

// Compare compiles the unit as it is and with the files changed.
func Compare(ctx context.Context, r Request) (e Effect, err error) {
	if len(r.Functions) == 0 {
		return e, errors.New("no function is known to have the loop")
	}
	e.Compiler = filepath.Base(r.Unit.Written[0])
	dir, err := os.MkdirTemp("", "whyhot-native-*")
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	changed, file, err := withFiles(r.Unit, r.Files, dir)
	if err != nil {
		return e, err
	}
	objects := [2]string{filepath.Join(dir, "before.o"), filepath.Join(dir, "after.o")}
	done := make(chan error, 2)
	go func() { done <- object.Compile(ctx, lines(r.Unit), r.Unit.File, objects[0]) }()
	go func() { done <- object.Compile(ctx, lines(changed), file, objects[1]) }()
	if err := errors.Join(<-done, <-done); err != nil {
		return e, err
	}
	functions, same, err := codes(objects[0], objects[1], r.Functions)
	if err != nil {
		return e, err
	}
	if e.Same = same; same {
		e.Useless = true
		return e, nil
	}
	was, err := innermost(ctx, r.Unit, objects[0], functions.names)
	if err != nil {
		return e, err
	}
	is, err := innermost(ctx, r.Unit, objects[1], functions.after)
	if err != nil {
		return e, err
	}
	e.Before = describe(largest(at(was, r.File, r.Line, r.Line+r.Span)))
	e.After = describe(largest(at(is, r.File, r.Moved, r.Moved+r.Span)))
	// A loop around others is none of these: what its edit gives lies outside of them. Of
	// one that is innermost, some instruction is its first line's.
	e.Useless = !functions.calls && gainsNothing(at(was, r.File, r.Line, r.Line), at(is, r.File, r.Moved, r.Moved))
	if e.Before != "" && e.After == "" && functions.calls {
		e.After = "a library call"
	}
	return e, nil
}

// lines has the compiler write line numbers, and no more debug information than these.
func lines(u compdb.Unit) compdb.Unit {
	u.Written = append(slices.Clone(u.Written), "-g1")
	return u
}

// innermost gives the innermost loops of functions, with their lines.
func innermost(ctx context.Context, u compdb.Unit, object string, functions []string) ([]*machine.Loop, error) {
	linked := strings.TrimSuffix(object, ".o")
	// Addresses in debug information are filled in by the linker alone.
	link := exec.CommandContext(ctx, u.Written[0], "-nostdlib", "-no-pie", "-w", "-Wl,--unresolved-symbols=ignore-all,-e,0,-w", object, "-o", linked)
	link.Dir = u.Directory
	if text, err := link.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("linking %s for its lines: %w: %s", filepath.Base(u.File), err, bytes.TrimSpace(text))
	}
	codes := make([]machine.Code, len(functions))
	for i, f := range functions {
		codes[i] = machine.Code{File: linked, Function: f}
	}
	lists, err := machine.Model(ctx, codes, nil)
	if err != nil {
		return nil, err
	}
	var out []*machine.Loop
	for _, list := range lists {
		for i := range list {
			out = append(out, &list[i])
		}
	}
	return out, nil
}

// at are the loops that have instructions of lines.
func at(loops []*machine.Loop, file string, line, end int) []*machine.Loop {
	var out []*machine.Loop
	for _, l := range loops {
		if has(l, file, line, end) {
			out = append(out, l)
		}
	}
	return out
}

// largest is the loop to show of several; nil for none. It is the vectorised one, which
// the others complete: the rest of an array, and what overlaps. Else it is the largest.
func largest(loops []*machine.Loop) *machine.Loop {
	var best *machine.Loop
	for _, l := range loops {
		larger := best == nil || len(l.Instructions) > len(best.Instructions)
		if v := isVector(l); best == nil || v && !isVector(best) || v == isVector(best) && larger {
			best = l
		}
	}
	return best
}

func has(l *machine.Loop, file string, line, end int) bool {
	return slices.ContainsFunc(l.Instructions, func(in machine.Instruction) bool {
		for _, f := range in.Lines {
			if int(f.Line) >= line && int(f.Line) <= end && filepath.Base(f.Function.File) == filepath.Base(file) {
				return true
			}
		}
		return false
	})
}

// packed are moves of more than one element at a time.
var packed = regexp.MustCompile(`^v?mov(dq|up|ap|nt)[a-z0-9]*\s.*%[xyz]mm`)

// leastVector is the size of the smallest vector register.
const leastVector = 16

func isVector(l *machine.Loop) bool {
	return max(l.Step, -l.Step) >= leastVector && slices.ContainsFunc(l.Instructions, func(in machine.Instruction) bool {
		return packed.MatchString(strings.Join(strings.Fields(in.Text), " "))
	})
}

func describe(l *machine.Loop) string {
	if l == nil {
		return ""
	}
	if isVector(l) {
		return fmt.Sprintf("vectorised, %d bytes an iteration", max(l.Step, -l.Step))
	}
	text := fmt.Sprintf("%d instructions an iteration", len(l.Instructions))
	low, high := math.Inf(1), 0.0
	for _, c := range l.Cycles {
		low, high = min(low, c.Least), max(high, c.Least)
	}
	switch {
	case high == 0 || l.Calls > 0:
	case low == high:
		text += fmt.Sprintf(" (%.3g cycles by model)", low)
	default:
		text += fmt.Sprintf(" (%.3g to %.3g cycles by model)", low, high)
	}
	return text
}
