package growth

import (
	"regexp"
	"strings"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// step is one line of a stack.
type step struct {
	function int32 // of frames.functions
	line     int32
}

// ownPath is a stack without what is not the program's own, outermost first.
type ownPath struct {
	steps []step
	own   bool
	// below is what the innermost own line calls: the operation by which it is known, none
	// for the line's own work.
	kind Kind
	name string // of the function by which the operation is known, or the outermost below
}

// named is a function, however many rows of the profile's table it has.
type named struct{ name, file string }

// frames reads stacks.
type frames struct {
	p         *profile.Profile
	functions []named
	language  []profile.Kind // by function
	index     map[named]int32
	of        []int32 // by function of the profile
	origins   []origin.Origin
	kinds     []Kind
	moves     []bool // moves, copies or ends one object of C++, by function
	std       []bool // is of the standard library
	enters    []bool // is of entries
	paths     []*ownPath
	binaries  []binaryOf // by function; nil until program is asked
}

// weight is what a sample counts for: one at a lower rate stands for more time than one before
// the recorder lowered it. All together weigh as many as there are.
func (f *frames) weight(s *profile.Sample) float64 {
	return float64(s.Value) * float64(f.p.Count()) / float64(max(f.p.Total(), 1))
}

func newFrames(p *profile.Profile) *frames {
	f := &frames{p: p, index: map[named]int32{}, paths: make([]*ownPath, p.NumStacks())}
	for i := range p.NumFunctions() {
		id := profile.FunctionID(i)
		fn := p.Function(id)
		from := ownline.Origin(p, id)
		f.origins = append(f.origins, from)
		f.kinds = append(f.kinds, kindOf(fn, from))
		f.moves = append(f.moves, from == origin.Own && isOfObject(fn.Name))
		f.std = append(f.std, from != origin.Own && strings.Contains(fn.Name, "std::"))
		f.enters = append(f.enters, entries.MatchString(fn.Name))
		key := named{fn.Name, fn.File}
		n, there := f.index[key]
		if !there {
			n = int32(len(f.functions))
			f.index[key] = n
			f.functions = append(f.functions, key)
			f.language = append(f.language, fn.Kind)
		}
		f.of = append(f.of, n)
	}
	return f
}

// path reads a stack once.
func (f *frames) path(id profile.StackID) *ownPath {
	if f.paths[id] == nil {
		f.paths[id] = f.read(id)
	}
	return f.paths[id]
}

func (f *frames) read(id profile.StackID) *ownPath {
	out := &ownPath{own: true}
	if f.walk(id, out, f.isOwn); len(out.steps) > 0 {
		return out
	}
	// Nothing of it is the program's own: a runtime's thread, or a program that is an
	// interpreter.
	*out = ownPath{}
	f.walk(id, out, func(fn profile.FunctionID) bool {
		return f.kinds[fn] == "" && (f.origins[fn] == origin.Library || f.origins[fn] == origin.Runtime)
	})
	if len(out.steps) == 0 && out.kind != "" {
		kind, name := out.kind, out.name
		f.walk(id, out, func(fn profile.FunctionID) bool { return len(out.steps) == 0 && f.kinds[fn] == kind })
		out.kind, out.name = kind, name
	}
	return out
}

// isOwn tells whether a function is the program's own.
func (f *frames) isOwn(fn profile.FunctionID) bool {
	return f.origins[fn] == origin.Own && f.kinds[fn] == ""
}

// isOfObject says whether a function moves, copies, makes or ends one object of its class.
//
// Example. Job::operator=, Job::Job, Job::~Job.
func isOfObject(name string) bool {
	owner, last := ownline.Parts(name)
	return owner != "" && (last == "operator=" || strings.TrimPrefix(last, "~") == owner)
}

// isElement says whether the function at line j of location i of a stack does so for a
// collection of the standard library that calls it, itself or for one that contains it: then
// the line that pays is the one that calls the collection's function.
//
// Example. jobs.erase(jobs.begin()) calls Job::operator= for each job.
func (f *frames) isElement(id profile.StackID, i, j int) bool {
	if !f.moves[f.p.Lines(f.p.Stack(id)[i])[j].Function] {
		return false
	}
	for _, loc := range f.p.Stack(id)[i:] {
		for _, l := range f.p.Lines(loc)[j:] {
			if !f.moves[l.Function] {
				return f.std[l.Function]
			}
		}
		j = 0
	}
	return false
}

// walk takes the steps that are taken, and what is below the last of them.
func (f *frames) walk(id profile.StackID, out *ownPath, take func(profile.FunctionID) bool) {
	stack := f.p.Stack(id)
	var below string
	for i := len(stack) - 1; i >= 0; i-- {
		lines := f.p.Lines(stack[i])
		for j := len(lines) - 1; j >= 0; j-- {
			fn := lines[j].Function
			if take(fn) && !f.isElement(id, i, j) {
				out.steps = f.stepped(out.steps, step{f.of[fn], lines[j].Line})
				out.kind, out.name, below = "", "", ""
				continue
			}
			if k := f.kinds[fn]; out.kind == "" && k != "" {
				out.kind, out.name = k, f.p.Function(fn).Name
			}
			if below == "" && f.origins[fn] != origin.Unknown && !f.enters[fn] {
				below = f.p.Function(fn).Name
			}
		}
	}
	if out.kind == "" {
		out.name = below
	}
}

// entries are functions by which the machine code of Lua and R begins that stands below all of
// a script's lines: they say nothing of the innermost one.
var entries = regexp.MustCompile(`^(lua_p?callk?|lua_cpcall|lua_resume|run_Rmainloop|Rf_(ReplIteration|eval|applyClosure))$`)

// stepped adds a step. What a function calls when it calls itself is its own: the path is
// cut back to where it first stands, with the inner line.
func (f *frames) stepped(steps []step, s step) []step {
	for i := range steps {
		if steps[i].function == s.function {
			steps = steps[:i]
			break
		}
	}
	return append(steps, s)
}

func (f *frames) place(s step) Place {
	n := f.functions[s.function]
	return Place{Function: n.name, File: n.file, Line: s.line}
}
