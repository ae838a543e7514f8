package remarks

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/ingest/remark"
	"whyhot/internal/profile"
)

// leastChecked is the share of a loop's checked lines from which they are worth a look:
// a check that never fails is two instructions, which a wide processor often hides.
const leastChecked = 0.03

// goLoop is a loop of Go source.
type goLoop struct{ line, end int }

// checks are lines in loops where an index is checked each time. Nil checks come with
// them as evidence: alone, they are an instruction that waits for nothing.
func checks(j *joined) []judge.Found {
	type hot struct {
		cost

		file   string
		loop   goLoop
		lines  []int
		what   []string
		nils   int
		remark *remark.Remark
	}
	files := map[string]*goFile{}
	loops := map[string]*hot{}
	for in := range j.Profile.Innermosts() {
		l := in.Lines[0]
		fn := j.Profile.Function(l.Function)
		bounds, nils := j.checksAt(fn, l.Line)
		if len(bounds) == 0 {
			continue
		}
		src := files[fn.File]
		if src == nil {
			src = j.parse(fn.File)
			files[fn.File] = src
		}
		loop, ok := src.loopAt(int(l.Line))
		if !ok {
			continue
		}
		k := fmt.Sprintf("%s:%d", fn.File, loop.line)
		h := loops[k]
		if h == nil {
			h = &hot{file: fn.File, loop: loop, remark: bounds[0]}
			loops[k] = h
		}
		h.add(in.Row, in.Sample, l.Function)
		if !slices.Contains(h.lines, int(l.Line)) {
			h.lines = append(h.lines, int(l.Line))
			h.nils += nils
			for _, m := range bounds {
				if e := src.expression(m.At().Line, m.At().Column); e != "" && !slices.Contains(h.what, e) {
					h.what = append(h.what, e)
				}
			}
		}
	}
	var out []judge.Found
	for _, h := range loops {
		if !j.pays(&h.cost, leastChecked) {
			continue
		}
		slices.Sort(h.lines)
		what := "indices"
		if len(h.what) > 0 {
			what = strings.Join(h.what[:min(3, len(h.what))], ", ")
		}
		f := j.finding("go-bounds-check", "a hot loop checks the bounds of "+what+" each time", &h.cost, h.file, h.loop.line,
			files[h.file].nth(int(j.Profile.Function(h.function()).StartLine), h.loop.line))
		f.Place.EndLine = h.loop.end
		f.Share = finding.Share{Exclusive: f.Share.Inclusive, Error: f.Share.Error}
		f.Evidence = []finding.Evidence{
			{Kind: "remark", Text: fmt.Sprintf("go: bounds checks stay (%s)", atLines(h.file, h.lines))},
			j.measured("the code of these lines", h.value),
		}
		if h.nils > 0 {
			f.Evidence = append(f.Evidence, finding.Evidence{Kind: "remark", Text: fmt.Sprintf("go: %d nil checks stay there", h.nils)})
		}
		f.Gain = &finding.Gain{High: 0.25 * j.share(h.value), Basis: "the samples of these lines; two of their instructions are the check"}
		f.Fix = finding.Fix{Kind: "code", Steps: []string{
			"let the compiler see the bound: range over the slice; s = s[:n] before the loop that counts to n; for fixed offsets _ = s[7] first, or a pointer to an array, (*[8]byte)(s); a table of 256 entries as *[256]T indexed by a byte",
			"go build -gcflags=-d=ssa/check_bce lists what stays",
		}, Caveats: []string{"the answer is often nothing at all: the processor predicts the check. Try it before you keep it"}}
		out = append(out, judge.Found{Finding: f, Samples: h.rows})
	}
	slices.SortFunc(out, func(a, b judge.Found) int {
		return cmp.Or(-cmp.Compare(a.Share.Main(), b.Share.Main()), cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line))
	})
	return out
}

func (j *joined) checksAt(fn *profile.Function, line int32) (bounds []*remark.Remark, nils int) {
	for _, i := range j.remarksAt(fn.File, line) {
		switch m := &j.Remarks[i]; m.Kind {
		case remark.Bounds:
			bounds = append(bounds, m)
		case remark.NilCheck:
			nils++
		default:
		}
	}
	return bounds, nils
}

// goFile is a parsed source file; nil has no loops.
type goFile struct {
	set  *token.FileSet
	tree *ast.File
}

func (j *joined) parse(file string) *goFile {
	if j.Source == nil {
		return &goFile{}
	}
	lines, ok := j.Source(file)
	if !ok {
		return &goFile{}
	}
	g := &goFile{set: token.NewFileSet()}
	// What does not parse is still a tree, of what does.
	g.tree, _ = parser.ParseFile(g.set, file, strings.Join(lines, "\n"), parser.SkipObjectResolution)
	return g
}

// loopAt is the innermost loop around a line.
// nth is the number of a loop among those that begin in the function that begins on a line.
func (g *goFile) nth(from, line int) string {
	n := 0
	if g.tree != nil {
		ast.Inspect(g.tree, func(node ast.Node) bool {
			switch node.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				if at := g.set.Position(node.Pos()).Line; at >= from && at <= line {
					n++
				}
			}
			return true
		})
	}
	return strconv.Itoa(n)
}

func (g *goFile) loopAt(line int) (best goLoop, ok bool) {
	if g.tree == nil {
		return best, false
	}
	ast.Inspect(g.tree, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			l := goLoop{g.set.Position(n.Pos()).Line, g.set.Position(n.End()).Line}
			if line >= l.line && line <= l.end {
				best, ok = l, true // the inner ones come later
			}
		}
		return true
	})
	return best, ok
}

// expression is the index or slice expression whose bracket is there, which is where the compiler
// puts its check.
func (g *goFile) expression(line, column int) (text string) {
	if g.tree == nil {
		return ""
	}
	ast.Inspect(g.tree, func(n ast.Node) bool {
		var at token.Pos
		switch e := n.(type) {
		case *ast.IndexExpr:
			at = e.Lbrack
		case *ast.SliceExpr:
			at = e.Lbrack
		default:
			return true
		}
		if p := g.set.Position(at); p.Line == line && p.Column == column {
			var b strings.Builder
			if printer.Fprint(&b, g.set, n) == nil && b.Len() < 60 {
				text = b.String()
			}
		}
		return true
	})
	return text
}
