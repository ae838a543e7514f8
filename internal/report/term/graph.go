package term

import (
	"cmp"
	"strings"

	"whyhot/internal/profile"
	"whyhot/internal/report/quantity"
	"whyhot/internal/symname"
	"whyhot/internal/view"
)

// GraphInput is a function between its callers and callees.
type GraphInput struct {
	Profile   *profile.Profile
	Name      string
	Sandwich  *view.Sandwich
	Whole     Whole
	Depth     int     // levels of each tree
	MinShare  float64 // of the function: smaller branches are not shown
	FullNames bool
}

// Graph prints both trees of a call graph.
func (p *Printer) Graph(in GraphInput) {
	s := in.Sandwich
	title := styles.title.Render(Clean(in.Name))
	if lib := where(in.Profile, s.Function); lib != "" {
		title += "  " + styles.dim.Render(Clean(lib))
	}
	p.Line(title)
	facts := []string{
		quantity.Percent(in.Whole.Share(s.Total)) + " total",
		quantity.Percent(in.Whole.Share(s.Self)) + " self",
	}
	if s.Recursive > 0 {
		facts = append(facts, quantity.Percent(share(s.Recursive, s.Total))+" of it in recursive calls, which are folded")
	}
	p.facts(facts)
	p.Line()
	p.branch(in, "called by", s.CallerTree, s.Entry, "(nothing: it is outermost)")
	p.Line()
	p.branch(in, "calls", s.CalleeTree, s.Self, "(its own code)")
}

// where is the binary, or the source file of code that runs from none.
func where(p *profile.Profile, fn profile.FunctionID) string {
	return cmp.Or(library(p, fn), source(p.Function(fn), 0))
}

func share(part, whole int64) float64 {
	return Whole{Total: whole}.Share(part)
}

// branch prints one tree below the function; own is what stays in the function
// itself.
func (p *Printer) branch(in GraphInput, title string, tree *view.Tree, own int64, ownName string) {
	t := &Table{Columns: []Column{
		{Title: "of all", Right: true},
		{Title: "of it", Right: true},
		{Title: "", Optional: 1},
		{Title: title, Flex: !in.FullNames, Min: 28, Shorten: shortenBranch},
		{Title: "where", Max: libraryWidth, Shorten: ShortenPath, Optional: 2},
	}}
	add := func(value int64, indent, name, lib string, style bool) {
		cell := Cell{Text: indent + name}
		if style {
			cell.Style = &styles.dim
		}
		of := share(value, in.Sandwich.Total)
		t.Add(
			Cell{Text: quantity.Percent(in.Whole.Share(value)), Style: &styles.dim},
			Cell{Text: quantity.Percent(of)},
			Cell{Text: Bar(of, 1, barWidth), Style: &styles.bar},
			cell,
			Cell{Text: lib, Style: &styles.dim},
		)
	}
	ownShown := own <= 0
	shown := visible(tree, in)
	for i, n := range shown {
		node := tree.Nodes[n]
		if node.Parent == 1 && !ownShown && node.Total < own {
			add(own, "", ownName, "", true)
			ownShown = true
		}
		add(node.Total, indent(tree, shown, i), branchName(in.Profile, node), where(in.Profile, node.Function),
			in.Profile.Function(node.Function).Name == "")
	}
	if !ownShown {
		add(own, "", ownName, "", true)
	}
	if len(t.rows) == 0 {
		p.Line(title + " nothing")
		return
	}
	t.Print(p)
	if hidden := in.Sandwich.Total - own - sumOfDirect(tree, shown); hidden > 0 {
		p.Note("%s of it in branches too small to show (--min)", quantity.Percent(share(hidden, in.Sandwich.Total)))
	}
}

func branchName(p *profile.Profile, n view.Node) string {
	return cmp.Or(n.Label, view.Name(p, n.Function))
}

// visible lists the nodes to print: deep and heavy enough, with everything
// between them and the function.
func visible(tree *view.Tree, in GraphInput) []int {
	least := in.MinShare * float64(in.Sandwich.Total)
	var shown []int
	for i := 2; i < len(tree.Nodes); i++ {
		n := tree.Nodes[i]
		if int(n.Depth) <= in.Depth+1 && float64(n.Total) >= least {
			shown = append(shown, i)
		}
	}
	return shown
}

func sumOfDirect(tree *view.Tree, shown []int) int64 {
	var sum int64
	for _, i := range shown {
		if tree.Nodes[i].Parent == 1 {
			sum += tree.Nodes[i].Total
		}
	}
	return sum
}

// indent draws the lines of the tree in front of the i-th shown node.
func indent(tree *view.Tree, shown []int, i int) string {
	depth := tree.Nodes[shown[i]].Depth
	if depth <= 2 {
		return ""
	}
	marks := make([]string, depth-2)
	for level := depth; level > 2; level-- {
		mark := "  "
		if follows(tree, shown, i, level) {
			mark = "│ "
		}
		if level == depth {
			mark = map[string]string{"  ": "└ ", "│ ": "├ "}[mark]
		}
		marks[level-3] = mark
	}
	return strings.Join(marks, "")
}

// follows says whether a shown node of the level comes after the i-th before
// the level's branch ends.
func follows(tree *view.Tree, shown []int, i int, level int32) bool {
	for _, n := range shown[i+1:] {
		switch d := tree.Nodes[n].Depth; {
		case d == level:
			return true
		case d < level:
			return false
		}
	}
	return false
}

// shortenBranch shortens a name behind the lines of the tree.
func shortenBranch(text string, width int) string {
	name := strings.TrimLeft(text, "│├└ ")
	lines := text[:len(text)-len(name)]
	return lines + symname.Shorten(name, max(8, width-len([]rune(lines))))
}
