// Package primitive knows the operations of languages and their libraries whose cost grows
// with the container or the text they are called with: those that copy it, move what is
// behind a place, search it or walk it.
//
// It owns the table primitives.yaml: by runtime, the functions that such an operation shows
// in a stack, what it is called in the language, what it does to what, and the usual cure.
// It takes functions of a profile and gives rows of the table. It must never judge whether an
// operation costs too much (package growth), or import a judge.
package primitive

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"whyhot/internal/host/yamldoc"
	"whyhot/internal/profile"
)

//go:embed primitives.yaml
var text []byte

// Does is what an operation does with its container.
type Does string

// What operations do.
const (
	Copies   Does = "copies"   // all of it, into a new one
	Moves    Does = "moves"    // what is behind a place
	Searches Does = "searches" // element by element
	Walks    Does = "walks"    // from its start to a place or its end
	Sorts    Does = "sorts"    // what is sorted already
)

// Row is an operation of a language.
type Row struct {
	Language  string   `yaml:"language"`
	Operation string   `yaml:"operation"` // as its users call it
	Does      Does     `yaml:"does"`
	Container string   `yaml:"container"`
	Frames    []string `yaml:"frames"`       // expressions for names of functions
	In        string   `yaml:"in,omitempty"` // an expression for the binary that they are in
	// Kind is that of the frames' code, "" for any: a runtime's own functions have names of a
	// letter or a word.
	Kind string `yaml:"kind,omitempty"`
	// Loop is an expression for what begins a loop: the operation costs no more than once unless
	// the line that calls it, or one of its callers, is in such a loop. The line must be one of
	// Source, where there are some.
	Loop    string   `yaml:"loop,omitempty"`
	Without []string `yaml:"without,omitempty"` // expressions for functions of a stack in which it is another operation
	// Bulk: below the frames the time must be in moving, clearing or faulting in memory,
	// since the functions do other things as well.
	Bulk bool `yaml:"bulk,omitempty"`
	// Leaves are expressions for functions in which the time must be, in each a part of it:
	// where a library names a part of its functions only, the mix tells which it is.
	Leaves []string `yaml:"leaves,omitempty"`
	// With and Beside are expressions for functions below the line of which a part of the time,
	// or hardly any of it, is in one: what a database's engine does tells how it searches.
	With   []string `yaml:"with,omitempty"`
	Beside []string `yaml:"beside,omitempty"`
	// LeastWith is the part of the time that With asks for, where not the usual one.
	LeastWith float64 `yaml:"least_with,omitempty"`
	// Runtime is an expression for the binary of the process, and Source are some for a line
	// of a script: where the runtime does not say which line runs, the operation is told only
	// where the script has such a line. The first expression that any line has counts; two
	// groups must be the same text.
	Runtime string   `yaml:"runtime,omitempty"`
	Source  []string `yaml:"source,omitempty"`
	// Tight: it is told by a loop of the runtime without a name, and by the script.
	Tight bool `yaml:"tight,omitempty"`
	// Flat: what the operation calls for each element runs beside it, not below it, as blocks do
	// in Perl's one loop: the line's whole time is the operation's.
	Flat bool `yaml:"flat,omitempty"`
	// Least is the part of the profile from which it is told, where not the usual one.
	Least float64 `yaml:"least,omitempty"`
	Cure  string  `yaml:"cure"`

	frames, without, in, runtime, with, beside, loop *regexp.Regexp
	leaves, source                                   []*regexp.Regexp
}

// Table is all that is known.
type Table struct{ Rows []Row }

// Load reads the table once.
var Load = sync.OnceValues(func() (*Table, error) { return read("primitives.yaml", text) })

func read(name string, text []byte) (*Table, error) {
	t := &Table{}
	if err := yamldoc.Decode(name, text, &t.Rows); err != nil {
		return nil, err
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		if err := r.compile(); err != nil {
			return nil, fmt.Errorf("%s: row %d (%s, %s): %w", name, i+1, r.Language, r.Operation, err)
		}
	}
	return t, nil
}

func (r *Row) compile() error {
	switch {
	case r.Language == "", r.Operation == "", r.Container == "", r.Cure == "":
		return errors.New("language, operation, container and cure are needed")
	case len(r.Frames) == 0 && !r.Tight, r.Tight && (len(r.Source) == 0 || r.Runtime == ""):
		return errors.New("frames are needed, or tight with runtime and source")
	case r.Does != Copies && r.Does != Moves && r.Does != Searches && r.Does != Walks && r.Does != Sorts:
		return fmt.Errorf("does: %q is not copies, moves, searches, walks or sorts", r.Does)
	}
	var err error
	set := func(to **regexp.Regexp, expression string) {
		if expression != "" && err == nil {
			*to, err = regexp.Compile(expression)
		}
	}
	set(&r.frames, whole(r.Frames))
	set(&r.without, whole(r.Without))
	set(&r.with, whole(r.With))
	set(&r.beside, whole(r.Beside))
	set(&r.in, r.In)
	set(&r.runtime, r.Runtime)
	set(&r.loop, r.Loop)
	for _, e := range r.Source {
		var source *regexp.Regexp
		set(&source, e)
		r.source = append(r.source, source)
	}
	for _, e := range r.Leaves {
		var leaf *regexp.Regexp
		set(&leaf, whole([]string{e}))
		r.leaves = append(r.leaves, leaf)
	}
	return err
}

// whole is an expression for names that one of several matches from begin to end.
func whole(expressions []string) string {
	if len(expressions) == 0 {
		return ""
	}
	return "^(?:" + strings.Join(expressions, "|") + ")$"
}

// Of gives the rows, by number, that a function shows, and those that it rules out.
func (t *Table) Of(fn *profile.Function, binary string) (shows, rulesOut []int) {
	if fn.Name == "" {
		return nil, nil
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.frames != nil && (r.Kind == "" || r.Kind == fn.Kind.String()) && r.frames.MatchString(fn.Name) && (r.in == nil || r.in.MatchString(binary)) {
			shows = append(shows, i)
		}
		if r.without != nil && r.without.MatchString(fn.Name) {
			rulesOut = append(rulesOut, i)
		}
	}
	return shows, rulesOut
}

// Runs says whether a process of this binary may run the language.
func (r *Row) Runs(binary string) bool { return r.runtime == nil || r.runtime.MatchString(binary) }

// IsWith and IsBeside say whether a function is one of those.
func (r *Row) IsWith(name string) bool   { return r.with != nil && r.with.MatchString(name) }
func (r *Row) IsBeside(name string) bool { return r.beside != nil && r.beside.MatchString(name) }

// Repeats says whether a line of a file is within one that begins a loop. What is within is
// farther to the right, or on the line itself.
func (r *Row) Repeats(text []string, line int) bool {
	if r.loop == nil || line < 1 || line > len(text) {
		return false
	}
	inner := indent(text[line-1])
	if r.loop.MatchString(text[line-1]) {
		return true
	}
	for i := line - 2; i >= 0 && inner > 0; i-- {
		outer := indent(text[i])
		if strings.TrimSpace(text[i]) == "" || outer >= inner {
			continue
		}
		if inner = outer; r.loop.MatchString(text[i]) {
			return true
		}
	}
	return false
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// Leaf is which of the leaves a function is, -1 for none.
func (r *Row) Leaf(name string) int {
	return slices.IndexFunc(r.leaves, func(e *regexp.Regexp) bool { return e.MatchString(name) })
}

// Written gives the numbers of the lines of a script that write the operation, from 1.
func (r *Row) Written(script []string) []int {
	_, at := r.WrittenIn([][]string{script})
	return at
}

// WrittenIn is the same for the files of a program: which of them, and its lines. An expression
// that any file has counts before the next one.
func (r *Row) WrittenIn(scripts [][]string) (which int, at []int) {
	for _, e := range r.source {
		for which, script := range scripts {
			for i, line := range script {
				if isWritten(e, line) {
					at = append(at, i+1)
				}
			}
			if len(at) > 0 {
				return which, at
			}
		}
	}
	return 0, nil
}

func isWritten(e *regexp.Regexp, line string) bool {
	for _, m := range e.FindAllStringSubmatch(line, -1) {
		if len(m) < 3 || m[1] == m[2] {
			return true
		}
	}
	return false
}
