package analyzer

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Function is a function as the source has it: a template once, however many
// instantiations it has.
type Function struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	EndLine int    `json:"end_line"`
	// Key is one function's in the file and has no line number.
	Key   string   `json:"key"`
	Loops [][2]int `json:"loops"` // line and column of each, in order
}

// Name names a place of the source without its line numbers, so that it is still
// the name after an edit above: by its function, and by how many loops of the
// function begin before it. No two places of a build have the same. ok is false where
// no function of the source holds the place; nothing but its lines tells it then.
//
// Example. Row::clear begins at line 8 and its loops at 9:3 and 12:3. The place 12:3
// is the loop 2 of Row::clear; a call of std::copy at 14:5 is "2+2:5", two lines below
// that loop.
func (o Outcome) Name(file string, line, column int) (function, within string, ok bool) {
	f := o.around(file, line, column)
	if f == nil {
		return "", "", false
	}
	before, exact := f.loop(line, column)
	if exact {
		return f.Key, fmt.Sprintf("loop %d", before+1), true
	}
	from := f.Line
	if before > 0 {
		from = f.Loops[before-1][0]
	}
	return f.Key, fmt.Sprintf("%d+%d:%d", before, line-from, column), true
}

// loop counts the loops that begin before a place, and says whether one begins there.
func (f *Function) loop(line, column int) (before int, exact bool) {
	at := [2]int{line, column}
	return slices.BinarySearchFunc(f.Loops, at, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
}

// Hoist is what the locals of the loop at a place would be, nil where nobody looked.
func (o Outcome) Hoist(file string, line, column int) *Hoist {
	for i := range o.Reply.Hoists {
		h := &o.Reply.Hoists[i]
		if h.Line == line && h.Column == column && absolute(h.File, o.Unit.Directory) == absolute(file, o.Unit.Directory) {
			return h
		}
	}
	return nil
}

// around is the function whose loop begins at a place, else the smallest one around
// its line: several may stand on one line.
func (o Outcome) around(file string, line, column int) *Function {
	var best *Function
	for i := range o.Reply.Functions {
		f := &o.Reply.Functions[i]
		if line < f.Line || line > f.EndLine || absolute(f.File, o.Unit.Directory) != absolute(file, o.Unit.Directory) {
			continue
		}
		if _, exact := f.loop(line, column); exact {
			return f
		}
		if best == nil || f.EndLine-f.Line < best.EndLine-best.Line {
			best = f
		}
	}
	return best
}

func absolute(file, dir string) string {
	if !filepath.IsAbs(file) {
		return filepath.Join(dir, file)
	}
	return filepath.Clean(file)
}
