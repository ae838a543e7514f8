package term

import (
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/quantity"
)

// Whole is what shares are taken of and what decides their sampling error: all
// of the profile, also where only a part is shown.
type Whole struct {
	Total  int64
	Events int64 // see view.Events
}

// WholeOf measures p.
func WholeOf(p *profile.Profile) Whole { return Whole{Total: p.Total(), Events: view.Events(p)} }

// Share of a value; 0 of an empty whole.
func (w Whole) Share(value int64) float64 {
	if w.Total == 0 {
		return 0
	}
	return float64(value) / float64(w.Total)
}

// Header says what was profiled and how much of it was seen.
func (p *Printer) Header(path string, prof *profile.Profile) {
	name := filepath.Base(path)
	if path == "-" {
		name = "standard input"
	}
	title := styles.title.Render(Clean(name))
	if command := Clean(strings.Join(prof.Meta.Command, " ")); command != "" {
		title += "  " + ansi.Truncate(command, max(0, p.Width-ansi.StringWidth(name)-gap), "…")
	}
	p.Line(title)
	p.facts(facts(prof))
}

// facts prints short texts side by side, on as many lines as they need.
func (p *Printer) facts(facts []string) {
	const between = " · "
	line := ""
	for _, f := range facts {
		if line != "" && ansi.StringWidth(line+between+f) > p.Width {
			p.Line(styles.dim.Render(line))
			line = ""
		}
		if line != "" {
			line += between
		}
		line += f
	}
	if line != "" {
		p.Line(styles.dim.Render(line))
	}
}

func facts(prof *profile.Profile) []string {
	meta := &prof.Meta
	list := []string{quantity.Count(prof.Count()) + plural(prof.Count(), " sample")}
	if value := quantity.Value(prof.Total(), meta.ValueType); meta.ValueType.Unit != "count" && meta.ValueType.Unit != "" {
		if kind := meta.ValueType.Type; kind != "" {
			value += " of " + kind
		}
		list = append(list, Clean(value))
	}
	list = append(list, recorded(meta)...)
	if meta.Lost > 0 {
		lost := quantity.Count(int64(meta.Lost)) + " lost"
		if all := float64(meta.Lost) + float64(prof.Count()); all > 0 {
			lost += " (" + percent.Column(float64(meta.Lost)/all) + ")"
		}
		list = append(list, lost)
	}
	if unnamed := view.Unnamed(prof); unnamed > 0 {
		list = append(list, percent.Column(WholeOf(prof).Share(unnamed))+" in code without a name")
	}
	return list
}

// recorded says of what time a profile is. A server's has samples of a range, and its cores are
// of the time that anything recorded in it: "recorded for" would be said of this service, which
// somebody may have pushed ten seconds of.
func recorded(meta *profile.Meta) (list []string) {
	if r := meta.Range; !r.From.IsZero() {
		list = append(list, quantity.Range(r.From, r.Until))
		if meta.Duration > 0 {
			list = append(list, "all services recorded for "+quantity.Duration(meta.Duration)+" of it")
		}
		return list
	}
	if meta.Duration > 0 {
		list = append(list, "recorded for "+quantity.Duration(meta.Duration))
	}
	return list
}

func plural(n int64, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
