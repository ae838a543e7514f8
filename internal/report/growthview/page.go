package growthview

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"whyhot/internal/explain/growth"
	"whyhot/internal/finding/percent"
	"whyhot/internal/report/term"
)

//go:embed page.tmpl
var pageText string

// Page writes a result as one HTML document that needs nothing else.
func Page(w io.Writer, r *growth.Result) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"facts": Facts, "verdict": Verdict, "power": Power, "where": Where, "percent": percent.Column,
		"sentence": func(f growth.Function) string { return Sentence(&f) },
		"work":     func(f growth.Function) string { return Work(&f) },
		"callers":  func(f growth.Function) string { return Callers(&f) },
	}).Parse(pageText)
	if err != nil {
		return fmt.Errorf("the page's own template is broken: %w", err)
	}
	var picture strings.Builder
	if err := Chart(&picture, r); err != nil {
		return err
	}
	data := struct {
		*growth.Result

		Name  string
		Chart template.HTML
	}{r, term.CommandLine(r.Command), template.HTML(picture.String())} //nolint:gosec // our own, its texts are escaped
	if data.Name == "" {
		data.Name = "the program"
	}
	if err := t.Execute(w, data); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}
