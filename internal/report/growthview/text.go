// Package growthview shows how the costs of a program grow: in a terminal, as a page and as
// a chart.
//
// It owns the words and the layout. It takes a growth.Result and gives text, HTML or SVG.
// It must never fit or judge.
package growthview

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"whyhot/internal/explain/growth"
	"whyhot/internal/finding/percent"
	"whyhot/internal/report/quantity"
	"whyhot/internal/report/term"
)

// Power is an exponent with its interval.
func Power(c growth.Cost) string {
	return fmt.Sprintf("n^%.2f (%.2f to %.2f)", c.Exponent, c.Low, c.High)
}

// Where names a place: "render at report.lua:41".
func Where(p growth.Place) string {
	if p.File == "" {
		return p.Function
	}
	if p.Line == 0 {
		return p.Function + " in " + filepath.Base(p.File)
	}
	return fmt.Sprintf("%s at %s:%d", p.Function, filepath.Base(p.File), p.Line)
}

// Sentence is the whole of what a function costs.
func Sentence(f *growth.Function) string {
	return fmt.Sprintf("%s is %s: %s today, %s at %d×", Where(f.Place), Power(f.Cost), percent.Text(f.Share), percent.Text(f.At10x), growth.Factor)
}

// Work says what grows below a line, "" where nothing is known of it.
func Work(f *growth.Function) string {
	op := f.Operation
	switch {
	case op == nil:
		return ""
	case op.Kind == "" && op.Name == "":
		return "grows: " + op.Kind.Text()
	case op.Kind == "":
		return fmt.Sprintf("grows: %s of it in %s", percent.Text(op.Share), op.Name)
	}
	return fmt.Sprintf("grows: %s, %s of it (%s)", op.Kind.Text(), percent.Text(op.Share), op.Name)
}

// mostCallers bounds the list of callers.
const mostCallers = 3

// Callers says from where a function is called, "" for the outermost.
func Callers(f *growth.Function) string {
	if len(f.Callers) == 0 {
		return ""
	}
	var names []string
	for i, c := range f.Callers {
		if i == mostCallers {
			names = append(names, "…")
			break
		}
		names = append(names, Where(c))
	}
	return "called from " + strings.Join(names, ", from ")
}

// Sizes lists the sizes with the unit.
func Sizes(r *growth.Result) string {
	var list []string
	for _, s := range r.Sizes {
		list = append(list, quantity.Count(int64(s.N)))
	}
	text := strings.Join(list, ", ")
	if r.Unit == "n" || r.Unit == "" {
		return "n = " + text
	}
	return text + " " + r.Unit
}

// Facts say what was measured.
func Facts(r *growth.Result) string {
	samples := int64(0)
	for _, s := range r.Sizes {
		samples += s.Samples
	}
	return fmt.Sprintf("%s · %d runs each · %s", Sizes(r), r.Sizes[0].Runs, quantity.Samples(samples))
}

// Verdict is the sentence about the whole program. What is not listed is foretold to grow in
// proportion; where the whole grows faster than that allows, both numbers are given.
func Verdict(r *growth.Result) string {
	far := times(r.Times10x) + "× the CPU time"
	if math.Pow(growth.Factor, r.Total.Low) > r.Times10x && len(r.Functions) > 0 {
		far += " if only what is listed grows faster, " + times(math.Pow(growth.Factor, r.Total.Exponent)) + "× if all of it does"
	}
	whole := fmt.Sprintf("Over these sizes the whole program is %s; %d× the input costs about %s.", Power(r.Total), growth.Factor, far)
	if len(r.Functions) == 0 {
		return "Nothing grows faster than the input. " + whole
	}
	return whole
}

func times(x float64) string {
	const many = 20
	if x >= many {
		return quantity.Count(int64(x + 0.5))
	}
	return fmt.Sprintf("%.1f", x)
}

// Text prints a result.
func Text(p *term.Printer, r *growth.Result) {
	p.Notef("%s", Facts(r))
	for i := range r.Functions {
		f := &r.Functions[i]
		p.Line()
		p.Line(fmt.Sprintf("%2d  %s", i+1, term.Clean(Sentence(f))))
		for _, text := range []string{Work(f), Callers(f), f.Cure} {
			if text != "" {
				p.Line("    ", term.Clean(text))
			}
		}
	}
	p.Line()
	p.Line(term.Clean(Verdict(r)))
	for _, n := range r.Notes {
		p.Notef("%s", n)
	}
}
