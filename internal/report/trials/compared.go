package trials

import (
	"fmt"

	"whyhot/internal/report/term"
	"whyhot/internal/trial"
	"whyhot/internal/trial/suite"
)

// The signs behind a verdict that does not rest on whole outputs.
const (
	notComparedSign = "!"
	inPartSign      = "~"
)

// signed is a verdict with its sign.
func signed(v trial.Verdict, c trial.Compared) string {
	if s := signOf(v, c); s != "" {
		return string(v) + " " + s
	}
	return string(v)
}

// signOf is "" where the verdict does not say that the work was the same.
func signOf(v trial.Verdict, c trial.Compared) string {
	if v == trial.Different || v == trial.Failed || v == trial.NoEffect {
		return ""
	}
	switch c {
	case trial.NotCompared:
		return notComparedSign
	case trial.ComparedPart:
		return inPartSign
	case trial.ComparedWhole:
	}
	return ""
}

// worded is a verdict with what was not compared in words.
func worded(v trial.Verdict, c trial.Compared) string {
	if signOf(v, c) == "" {
		return string(v)
	}
	return string(v) + ", " + c.Mark()
}

// caveats are the benchmarks that were not compared, a line each, with why.
// Variants for which the same holds share a line.
func caveats(r *suite.Result) []string {
	var out []string
	said := map[string]bool{}
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		for k := range b.Variants {
			v := &b.Variants[k]
			sign := signOf(v.Verdict, v.Compared)
			if sign == "" || v.Ratio == nil {
				continue
			}
			text := sign + " " + b.Name + ": " + v.Compared.Mark()
			if v.ComparedWhy != "" {
				text += ": " + v.ComparedWhy
			}
			if !said[text] {
				said[text] = true
				out = append(out, text)
			}
		}
	}
	return out
}

// printCaveats writes what was not compared: the benchmarks, then the means that
// rest on them.
func printCaveats(p *term.Printer, r *suite.Result) {
	const most = 8
	lines := caveats(r)
	if len(lines) > 0 {
		p.Line()
	}
	for _, l := range lines[:min(most, len(lines))] {
		wrapped(p, term.Clean(l[:1])+" ", l[2:], slower)
	}
	if len(lines) > most {
		p.Line(slower.Render(fmt.Sprintf("  and %d more", len(lines)-most)))
	}
	for i, name := range titles(r) {
		if c := r.Summary[i].Caveat(); c != "" && r.Summary[i].GeoMean != nil {
			wrapped(p, notComparedSign+" ", name+": geometric mean "+c, slower)
		}
	}
}
