package term

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"whyhot/internal/finding/percent"
	"whyhot/internal/finding/price"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/quantity"
)

// Source gives the text of a file's lines; ok is false where it is not at hand.
type Source func(file string) (lines []string, ok bool)

// LinesInput is a function line by line.
type LinesInput struct {
	Profile *profile.Profile
	Name    string
	Table   *view.LineTable
	Whole   Whole
	Source  Source
	// Context is how many lines without samples are shown around those with.
	Context int
	Rate    *price.Rate // of all of Whole; nil where there are no prices
	// Rows is how many lines with samples are shown, those that cost most; 0 for all.
	Rows   int
	Script bool // the function is of an interpreted language

	whole bool // nothing is shortened
}

// Lines prints the cost of each line beside its text.
func (p *Printer) Lines(in LinesInput) {
	in.whole = p.Width >= Unlimited
	p.functionTitle(in.Name, "", false)
	facts := fmt.Sprintf("%s self · %s total", percent.Column(in.Whole.Share(in.Table.Self)), percent.Column(in.Whole.Share(in.Table.Total)))
	if in.Rate != nil {
		b := in.Rate.Of(in.Whole.Share(in.Table.Total))
		facts += " · " + strings.Join(quantity.Bill(&b), " · ")
	}
	if in.barsOfTotal() {
		p.Line(styles.dim.Render(facts + " · bars: total, with what a line calls"))
	} else {
		p.Line(styles.dim.Render(facts + " · bars: self"))
	}
	all := in.most()
	for rows := all; len(rows) > 0; {
		n := 1
		for n < len(rows) && rows[n].File == rows[0].File {
			n++
		}
		p.Line()
		p.linesOfFile(in, rows[:n])
		rows = rows[n:]
	}
	if rest := len(in.Table.Rows) - len(all); rest > 0 {
		p.Notef("%d more with samples (-n 0 shows all)", rest)
	}
}

// leastSelf is the part of a function's total that its self has at least where a bar of self
// tells its lines apart.
const leastSelf = 0.1

// barsOfTotal says whether bars show what lines cost with what they call. The self of a
// line of a script is a rest: its work is done by the interpreter's functions. So is that
// of a function that does little but call.
func (in *LinesInput) barsOfTotal() bool {
	if in.Script {
		return true
	}
	return float64(in.Table.Self) < leastSelf*float64(in.Table.Total)
}

func (in *LinesInput) barOf(r view.LineRow) int64 {
	if in.barsOfTotal() {
		return r.Total
	}
	return r.Self
}

// most are the rows to show, in source order.
func (in *LinesInput) most() []view.LineRow {
	rows := in.Table.Rows
	if in.Rows <= 0 || len(rows) <= in.Rows {
		return rows
	}
	order := slices.Clone(rows)
	slices.SortStableFunc(order, func(a, b view.LineRow) int { return cmp.Compare(in.barOf(b), in.barOf(a)) })
	chosen := order[:in.Rows]
	return slices.DeleteFunc(slices.Clone(rows), func(r view.LineRow) bool { return !slices.Contains(chosen, r) })
}

// behindTotal is where the columns of costs stand: what a line costs with what it calls.
const behindTotal = 2

func (p *Printer) linesOfFile(in LinesInput, rows []view.LineRow) {
	var text []string
	if file := rows[0].File; file != "" {
		var ok bool
		note := ""
		if text, ok = in.Source(file); !ok {
			note = "  (source not found)"
		}
		if heading, room := Clean(file), p.Width-len(note); ansi.StringWidth(heading) > room {
			p.Line(ShortenPath(heading, max(0, room)), styles.dim.Render(note))
		} else {
			p.Line(heading, styles.dim.Render(note))
		}
	}
	t := &Table{Columns: []Column{
		{Title: selfTitle, Right: true},
		{Title: "total", Right: true},
		{Title: "", Optional: 1},
		{Title: "line", Right: true},
		{Title: "", Flex: true, Min: 20},
	}}
	t.Columns = slices.Insert(t.Columns, behindTotal, billColumns(in.Rate)...)
	most := int64(0)
	for _, r := range in.Table.Rows {
		most = max(most, in.barOf(r))
	}
	for i, r := range rows {
		before := int32(0)
		if i > 0 {
			before = rows[i-1].Line
		}
		in.leadIn(t, text, before, r.Line)
		in.add(t, in.cells(r, text, most), billCells(in.Rate, in.Whole.Share(r.Total), quantity.Amount))
	}
	if last := rows[len(rows)-1].Line; last > 0 {
		in.context(t, text, last+1, last+int32(in.Context))
	}
	t.Print(p)
}

// leadIn adds the lines between two sampled ones, with a gap where they are
// many.
func (in *LinesInput) leadIn(t *Table, text []string, before, line int32) {
	if line == 0 || len(text) == 0 {
		return
	}
	around := int32(in.Context)
	if before == 0 {
		in.context(t, text, line-around, line-1)
		return
	}
	if line-before-1 <= 2*around+1 {
		in.context(t, text, before+1, line-1)
		return
	}
	in.context(t, text, before+1, before+around)
	in.add(t, []Cell{{}, {}, {}, {Text: "⋮", Style: &styles.dim}}, nil)
	in.context(t, text, line-around, line-1)
}

func (in *LinesInput) context(t *Table, text []string, from, to int32) {
	for n := max(from, 1); n <= to && int(n) <= len(text); n++ {
		in.add(t, []Cell{{}, {}, {}, {Text: strconv.Itoa(int(n)), Style: &styles.dim}, {Text: expandTabs(text[n-1]), Style: &styles.dim}}, nil)
	}
}

// add adds a row with what it costs; one without samples costs nothing.
func (in *LinesInput) add(t *Table, cells, costs []Cell) {
	if costs == nil {
		costs = make([]Cell, len(billColumns(in.Rate)))
	}
	t.Add(slices.Insert(cells, behindTotal, costs...)...)
}

func (in *LinesInput) cells(r view.LineRow, text []string, most int64) []Cell {
	self := ""
	if r.Self != 0 {
		self = percent.Column(in.Whole.Share(r.Self))
	}
	cells := []Cell{
		{Text: self},
		{Text: percent.Column(in.Whole.Share(r.Total)), Style: &styles.dim},
		{Text: Bar(float64(in.barOf(r)), float64(most), barWidth), Style: &styles.bar},
	}
	switch {
	case r.Line > 0 && int(r.Line) <= len(text):
		return append(cells, Cell{Text: strconv.Itoa(int(r.Line))}, Cell{Text: expandTabs(text[r.Line-1])})
	case r.Line > 0:
		return append(cells, Cell{Text: strconv.Itoa(int(r.Line))})
	case r.Offset > 0:
		binary := in.Profile.Mapping(r.Mapping).Path
		if !in.whole {
			const room = 40
			binary = ShortenPath(binary, room)
		}
		return append(cells, Cell{Text: fmt.Sprintf("+%#x", r.Offset)}, Cell{Text: binary, Style: &styles.dim})
	}
	return append(cells, Cell{Text: "?"}, Cell{Text: "no line known", Style: &styles.dim})
}

// expandTabs keeps the indentation of source: Clean would show tabs escaped.
func expandTabs(s string) string {
	const tab = 4
	var b strings.Builder
	column := 0
	for _, r := range strings.TrimRight(s, "\r\n") {
		if r == '\t' {
			n := tab - column%tab
			b.WriteString(strings.Repeat(" ", n))
			column += n
			continue
		}
		b.WriteRune(r)
		column++
	}
	return b.String()
}
