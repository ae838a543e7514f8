package term

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Column is one column of a table.
type Column struct {
	Title string
	Right bool // numbers
	// Flex columns share the width that the others leave, but keep Min. Others
	// take what their cells need, at most Max where that is not 0.
	Flex bool
	Min  int
	Max  int
	// Optional columns go when a flexible one would fall below its Min, the
	// highest number first. 0 stays.
	Optional int
	// Shorten makes a text fit; nil cuts the end off.
	Shorten func(text string, width int) string
	// Whole texts are never made to fit; all are that go to a pipe or file.
	Whole bool
}

// titleWhere is that of the column that says where a row's code is.
const titleWhere = "where"

// Cell is one text and how it looks.
type Cell struct {
	Text  string
	Style *lipgloss.Style // nil is plain

	heading bool
}

// Table is a table to print.
type Table struct {
	Columns []Column
	rows    [][]Cell
}

// Add appends a row; cells missing at the end are empty.
func (t *Table) Add(cells ...Cell) { t.rows = append(t.rows, cells) }

const gap = 2

// alignedTo is how wide a column of whole texts is at most: those that are longer stand
// out to the right, as one name of a thousand letters is no reason to pad all others.
const alignedTo = 48

// Print lays the table out for the printer's width.
func (t *Table) Print(p *Printer) {
	for _, row := range t.rows {
		for i := range row {
			row[i].Text = Clean(row[i].Text)
		}
	}
	whole, fits := p.Width >= Unlimited, true
	for i := range t.Columns {
		t.Columns[i].Whole = t.Columns[i].Whole || whole
		fits = fits && !t.Columns[i].Whole
	}
	shown, widths := t.layout(p.Width)
	head := make([]Cell, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = Cell{Text: c.Title, heading: true}
	}
	for _, row := range append([][]Cell{head}, t.rows...) {
		line := t.line(row, shown, widths)
		if fits {
			line = ansi.Truncate(line, p.Width, "…") // where not even the columns' least widths fit
		}
		p.Line(line)
	}
}

// line is one row. What a cell takes beyond its column's width is taken from the space of
// the next ones.
func (t *Table) line(row []Cell, shown, widths []int) string {
	var b strings.Builder
	over := 0
	for n, i := range shown {
		if n > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		cell := Cell{}
		if i < len(row) {
			cell = row[i]
		}
		text, width := t.Columns[i].render(cell, max(0, widths[i]-over), n == len(shown)-1)
		b.WriteString(text)
		over = max(0, over+width-widths[i])
	}
	return b.String()
}

// fit makes a text fit the width.
func (c *Column) fit(text string, width int) string {
	if c.Whole || ansi.StringWidth(text) <= width {
		return text
	}
	if c.Shorten != nil {
		text = c.Shorten(text, width)
	}
	return ansi.Truncate(text, width, "…") // also where wide characters made the short text too wide
}

// render gives a cell and how wide it is.
func (c *Column) render(cell Cell, width int, last bool) (text string, takes int) {
	text = c.fit(cell.Text, width)
	takes = ansi.StringWidth(text)
	pad := strings.Repeat(" ", max(0, width-takes))
	switch {
	case text == "":
	case cell.heading:
		text = Heading(text)
	case cell.Style != nil:
		text = cell.Style.Render(text)
	}
	switch {
	case c.Right:
		text = pad + text
	case !last:
		text += pad
	}
	return text, max(takes, width)
}

// layout chooses the columns to show and their widths.
func (t *Table) layout(width int) (shown, widths []int) {
	natural := t.natural()
	for i := range t.Columns {
		if natural[i] > 0 {
			shown = append(shown, i)
		}
	}
	for {
		fixed, flexible, least := 0, 0, 0
		for n, i := range shown {
			if n > 0 {
				fixed += gap
			}
			if c := t.Columns[i]; c.Flex {
				flexible += natural[i]
				least += min(natural[i], c.Min)
			} else {
				fixed += natural[i]
			}
		}
		if fixed+flexible <= width {
			return shown, natural
		}
		drop := t.droppable(shown)
		if fixed+least <= width || drop < 0 {
			return shown, t.squeeze(shown, natural, max(width-fixed, least))
		}
		shown = append(shown[:drop:drop], shown[drop+1:]...)
	}
}

// squeeze shares space among the flexible columns by what they would need; each
// gets its Min at least. What a column does not use once its texts are short is
// there for the next.
func (t *Table) squeeze(shown, natural []int, space int) []int {
	widths := append([]int(nil), natural...)
	need, least := 0, 0
	for _, i := range shown {
		if c := t.Columns[i]; c.Flex {
			need += natural[i]
			least += min(natural[i], c.Min)
		}
	}
	for _, i := range shown {
		c := t.Columns[i]
		if !c.Flex {
			continue
		}
		own := min(natural[i], c.Min)
		least -= own
		widths[i] = t.used(i, min(max(own, space*natural[i]/need), natural[i], space-least))
		need -= natural[i]
		space -= widths[i]
	}
	return widths
}

// used is what of the width the texts of a column take, shortened to it.
func (t *Table) used(column, width int) int {
	c := &t.Columns[column]
	most := min(width, ansi.StringWidth(c.Title))
	for _, row := range t.rows {
		if column < len(row) {
			most = max(most, ansi.StringWidth(c.fit(row[column].Text, width)))
		}
	}
	return most
}

// natural is the width each column would like; 0 when it has nothing to show.
func (t *Table) natural() []int {
	natural := make([]int, len(t.Columns))
	for _, row := range t.rows {
		for i, cell := range row {
			natural[i] = max(natural[i], ansi.StringWidth(cell.Text))
		}
	}
	for i, c := range t.Columns {
		if natural[i] == 0 && len(t.rows) > 0 {
			continue
		}
		natural[i] = max(natural[i], ansi.StringWidth(c.Title))
		switch {
		case c.Whole && !c.Right:
			natural[i] = min(natural[i], alignedTo)
		case !c.Whole && c.Max > 0:
			natural[i] = min(natural[i], c.Max)
		}
	}
	return natural
}

func (t *Table) droppable(shown []int) int {
	best := -1
	for n, i := range shown {
		if o := t.Columns[i].Optional; o > 0 && (best < 0 || o > t.Columns[shown[best]].Optional) {
			best = n
		}
	}
	return best
}

// Bar draws a share of full as a bar of at most width characters, in eighths of
// a character. Anything above nothing shows.
func Bar(value, full float64, width int) string {
	if value <= 0 || full <= 0 {
		return ""
	}
	eighths := int(value/full*float64(width)*8 + 0.5)
	eighths = min(max(eighths, 1), 8*width)
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return bar
}

// ShortenPath drops leading directories until a path fits.
func ShortenPath(path string, width int) string {
	for rest := path; ; {
		i := strings.IndexByte(rest[min(1, len(rest)):], '/')
		if i < 0 {
			return ansi.TruncateLeft(path, max(0, ansi.StringWidth(path)-width+1), "…")
		}
		rest = rest[i+1:]
		if ansi.StringWidth(rest)+1 <= width {
			return "…" + rest
		}
	}
}
