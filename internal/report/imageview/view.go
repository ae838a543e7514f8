// Package imageview shows what of a container image the catalogue knows: as a table, or
// as SARIF for what collects the findings of scanners.
//
// It takes an answer of internal/explain/inimage and gives text. It must never decide
// what is worth telling.
package imageview

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/explain/inimage"
	"whyhot/internal/finding/percent"
	"whyhot/internal/image/inventory"
	"whyhot/internal/report/term"
)

// Table prints a row for each thing to change.
func Table(p *term.Printer, a inimage.Answer) {
	p.Line(term.Clean(head(a.Image)))
	if s := a.Profile; s != nil {
		p.Line(term.Clean(profileLine(s)))
	}
	p.Line()
	if len(a.Rows) == 0 {
		p.Line(none(a))
	} else {
		rows(a).Print(p)
	}
	if a.Profile == nil && len(a.Rows) > 0 {
		p.Line()
		p.Line("No profile says that any of it is hot: give --profile FILE, or --from URL with --service.")
	}
	for _, n := range a.Notes {
		p.Notef("note: %s", n)
	}
}

func head(i inimage.Image) string {
	parts := []string{i.Name, i.Kind}
	if i.System != "" {
		parts = append(parts, i.System)
	}
	if i.Platform != "" {
		parts = append(parts, i.Platform)
	}
	if n := len(i.Layers); n > 0 {
		parts = append(parts, count(n, "layer"))
	}
	kinds := slices.Sorted(maps.Keys(i.Packages))
	sum := 0
	for k, kind := range kinds {
		sum += i.Packages[kind]
		kinds[k] = fmt.Sprintf("%d %s", i.Packages[kind], kind)
	}
	text := count(sum, "package")
	if sum > 0 {
		text += " (" + strings.Join(kinds, ", ") + ")"
	}
	return strings.Join(append(parts, text), " · ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func profileLine(s *inimage.Profile) string {
	parts := []string{"profile " + s.Path, count(int(s.Samples), "sample")}
	if s.Cores > 0 {
		parts = append(parts, fmt.Sprintf("%.2g cores busy", s.Cores))
	}
	if s.Covered != nil {
		parts = append(parts, percent.Column(*s.Covered)+" in binaries of this image")
	}
	if s.Elsewhere > 0 {
		parts = append(parts, count(s.Elsewhere, "finding")+" about what is not in it (whyhot explain lists them)")
	}
	return strings.Join(parts, " · ")
}

func none(a inimage.Answer) string {
	if a.Profile != nil {
		return "Nothing in this image that the profile shows to be hot has a known faster replacement."
	}
	return "The catalogue knows no faster replacement for a package of this image."
}

func rows(a inimage.Answer) *term.Table {
	t := &term.Table{}
	cores := slices.ContainsFunc(a.Rows, func(r inimage.Row) bool { return r.Cores != nil })
	if cores {
		t.Columns = append(t.Columns, term.Column{Title: "cores", Right: true})
	}
	if a.Profile != nil {
		t.Columns = append(t.Columns, term.Column{Title: "share", Right: true})
	}
	layers := len(a.Image.Layers) > 0
	t.Columns = append(t.Columns, term.Column{Title: "package", Flex: true, Min: 40})
	if layers {
		t.Columns = append(t.Columns, term.Column{Title: "layer", Right: true, Optional: 3})
	}
	t.Columns = append(t.Columns,
		term.Column{Title: "what is slow", Flex: true, Min: 44, Optional: 2},
		term.Column{Title: "replace with", Flex: true, Min: 24, Optional: 1},
		term.Column{Title: "rule"})
	for _, r := range a.Rows {
		var cells []term.Cell
		if cores {
			text := "-"
			if r.Cores != nil {
				text = fmt.Sprintf("%.2f", *r.Cores)
			}
			cells = append(cells, term.Cell{Text: text})
		}
		if r.Share != nil {
			cells = append(cells, term.Cell{Text: percent.Column(*r.Share)})
		}
		cells = append(cells, term.Cell{Text: Subject(r)})
		if layers {
			cells = append(cells, term.Cell{Text: layer(r.Packages)})
		}
		t.Add(append(cells, term.Cell{Text: r.Title}, term.Cell{Text: r.ReplaceWith}, term.Cell{Text: r.Rule})...)
	}
	return t
}

// Subject is what a row is about: packages with their versions, or a file.
func Subject(r inimage.Row) string {
	var out []string
	for _, p := range r.Packages {
		if text := p.String(); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if len(out) == 0 {
		out = []string{r.File}
	}
	text := strings.Join(out, ", ")
	if r.OtherBuild {
		text += " [another build than the profile's]"
	}
	return text
}

func layer(ps []inventory.Package) string {
	var out []string
	for _, p := range ps {
		if text := strconv.Itoa(p.Layer); p.Layer > 0 && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}
