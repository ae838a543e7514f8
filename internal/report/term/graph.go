package term

import (
	"cmp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"whyhot/internal/finding/percent"
	"whyhot/internal/finding/price"
	"whyhot/internal/profile"
	"whyhot/internal/profile/symname"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/quantity"
)

// GraphInput is a function between its callers and callees.
type GraphInput struct {
	Profile   *profile.Profile
	Name      string
	Sandwich  *view.Sandwich
	Whole     Whole
	Least     int64 // leftovers of branches below this are not mentioned
	FullNames bool
	Rate      *price.Rate // of all of Whole; nil where there are no prices
}

// Graph prints both trees of a call graph.
func (p *Printer) Graph(in GraphInput) {
	s := in.Sandwich
	p.functionTitle(in.Name, where(in.Profile, s.Function), in.FullNames)
	facts := []string{
		percent.Column(in.Whole.Share(s.Total)) + " total",
		percent.Column(in.Whole.Share(s.Self)) + " self",
	}
	if s.Recursive > 0 {
		facts = append(facts, percent.Column(share(s.Recursive, s.Total))+" of it in recursive calls, which are folded")
	}
	if in.Rate != nil {
		b := in.Rate.Of(in.Whole.Share(s.Total))
		facts = append(facts, quantity.Bill(&b)...)
	}
	p.facts(facts)
	p.Line()
	p.branch(in, "called by", s.CallerTree, []ownPart{{s.Entry - s.Cut, "(nothing: it is outermost)"}, {s.Cut, "(not recorded: the stack is cut)"}})
	p.Line()
	p.branch(in, "calls", s.CalleeTree, []ownPart{{s.Self, "(its own code)"}})
}

// where is the binary, or the source file of code that runs from none.
func where(p *profile.Profile, fn profile.FunctionID) string {
	return cmp.Or(library(p, fn), source(p.Function(fn), 0))
}

// functionTitle prints a function's name and place on one line.
func (p *Printer) functionTitle(name, place string, full bool) {
	name, place = Clean(name), Clean(place)
	if !full && p.Width < Unlimited {
		const least = 20
		if room := max(least, p.Width/2); ansi.StringWidth(place) > room {
			place = ShortenPath(place, room)
		}
		room := max(least, p.Width-gap-ansi.StringWidth(place))
		name = ansi.Truncate(symname.Shorten(name, room), room, "…")
	}
	title := styles.title.Render(name)
	if place != "" {
		title += strings.Repeat(" ", gap) + styles.dim.Render(place)
	}
	p.Line(title)
}

func share(part, whole int64) float64 {
	return Whole{Total: whole}.Share(part)
}

// ownPart is a part of what stays in the function itself.
type ownPart struct {
	value int64
	name  string
}

// branch prints one tree below the function, with what stays in the function itself.
func (p *Printer) branch(in GraphInput, title string, tree *view.Tree, own []ownPart) {
	t := &Table{Columns: []Column{
		{Title: "of all", Right: true},
		{Title: "of it", Right: true},
		{Title: "", Optional: 1},
		{Title: title, Flex: !in.FullNames, Whole: in.FullNames, Min: 28, Shorten: shortenBranch},
		{Title: titleWhere, Max: libraryWidth, Shorten: ShortenPath, Optional: 2},
	}}
	const behindShares = 2
	t.Columns = slices.Insert(t.Columns, behindShares, billColumns(in.Rate)...)
	add := func(value int64, indent, name, lib string, style bool) {
		cell := Cell{Text: indent + name}
		if style {
			cell.Style = &styles.dim
		}
		of := share(value, in.Sandwich.Total)
		cells := []Cell{
			{Text: percent.Column(in.Whole.Share(value)), Style: &styles.dim},
			{Text: percent.Column(of)},
			{Text: Bar(of, 1, barWidth), Style: &styles.bar},
			cell,
			{Text: lib, Style: &styles.dim},
		}
		t.Add(slices.Insert(cells, behindShares, billCells(in.Rate, in.Whole.Share(value), quantity.Amount)...)...)
	}
	own = slices.DeleteFunc(own, func(o ownPart) bool { return o.value <= 0 })
	slices.SortStableFunc(own, func(a, b ownPart) int { return cmp.Compare(b.value, a.value) })
	shown := in.worthShowing(tree)
	for i, n := range shown {
		for n.Parent == 1 && len(own) > 0 && n.Total < own[0].value {
			add(own[0].value, "", own[0].name, "", true)
			own = own[1:]
		}
		unnamed := in.Profile.Function(n.Function).Name == ""
		lib := ""
		if n.Label == "" {
			lib = where(in.Profile, n.Function)
		}
		add(n.Total, indent(shown, i), branchName(in.Profile, n), lib, unnamed)
	}
	for _, o := range own {
		add(o.value, "", o.name, "", true)
	}
	if len(t.rows) > 0 {
		t.Print(p)
	}
}

// worthShowing leaves out the function itself and small leftovers.
func (in *GraphInput) worthShowing(tree *view.Tree) []view.Node {
	var shown []view.Node
	for _, n := range tree.Nodes {
		if n.Depth > 1 && (n.Label == "" || n.Total >= in.Least) {
			shown = append(shown, n)
		}
	}
	return shown
}

func branchName(p *profile.Profile, n view.Node) string {
	return cmp.Or(n.Label, view.Name(p, n.Function))
}

// indent draws the lines of the tree in front of node i of a preorder.
func indent(nodes []view.Node, i int) string {
	depth := nodes[i].Depth
	if depth <= 2 {
		return ""
	}
	marks := make([]string, depth-2)
	for level := depth; level > 2; level-- {
		mark := "  "
		switch follows := follows(nodes, i, level); {
		case level == depth && follows:
			mark = "├ "
		case level == depth:
			mark = "└ "
		case follows:
			mark = "│ "
		}
		marks[level-3] = mark
	}
	return strings.Join(marks, "")
}

// follows says whether a node of the level comes after node i before the
// level's branch ends.
func follows(nodes []view.Node, i int, level int32) bool {
	for _, n := range nodes[i+1:] {
		if n.Depth <= level {
			return n.Depth == level
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
