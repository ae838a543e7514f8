package machineview

import (
	"fmt"
	"path/filepath"

	"whyhot/internal/explain/machine"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile/symname"
	"whyhot/internal/report/term"
)

// Cycles prints a row for each loop: what an iteration takes on each processor.
func Cycles(p *term.Printer, in Input) {
	loops := in.Answer.Loops
	if in.Rows > 0 && len(loops) > in.Rows {
		loops = loops[:in.Rows]
	}
	processors := machine.Processors(loops)
	t := &term.Table{Columns: []term.Column{{Title: "self", Right: true}}}
	for _, c := range processors {
		t.Columns = append(t.Columns, term.Column{Title: c, Right: true})
	}
	t.Columns = append(t.Columns, term.Column{Title: "instructions", Right: true}, term.Column{Title: "loop", Flex: true, Min: 20}, term.Column{Title: "", Optional: 1})
	for i := range loops {
		l := &loops[i]
		row := []term.Cell{{Text: percent.Column(in.share(l.Self))}}
		for _, c := range processors {
			text := "-"
			if n, ok := l.Cycles[c]; ok {
				text = fmt.Sprintf("%.1f", n)
			}
			row = append(row, term.Cell{Text: text})
		}
		name := symname.Shorten(l.Function, nameWidth)
		if name == "" {
			name = fmt.Sprintf("0x%x", l.Start)
		}
		where := filepath.Base(l.Mapping.Path) + fmt.Sprintf(" 0x%x", l.Header)
		if l.File != "" {
			where = finding.Line{File: filepath.Base(l.File), Line: l.Line}.String()
		}
		note := ""
		switch {
		case len(l.Cycles) == 0:
			note = "calls, locks or copies"
		case l.Blocks() > 1:
			note = fmt.Sprintf("all of %d blocks", l.Blocks())
		}
		row = append(row, term.Cell{Text: fmt.Sprint(len(l.Instructions))}, term.Cell{Text: name + " " + where}, term.Cell{Text: note})
		t.Add(row...)
	}
	t.Print(p)
}
