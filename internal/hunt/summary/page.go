package summary

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"whyhot/internal/hunt"
	"whyhot/internal/report/term"
)

//go:embed page.tmpl
var pageText string

// Page writes a result as one HTML file that needs nothing else: no script, no
// request.
func Page(w io.Writer, r *hunt.Result) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"ratio": Ratio, "how": How, "against": Against, "nothing": func(r *hunt.Result) string {
			text := nothing(r)
			return strings.ToUpper(text[:1]) + text[1:] + "."
		}, "onward": onward, "join": strings.Join,
		"title": func(id string) string {
			for _, f := range r.Findings {
				if f.ID == id {
					return f.Title
				}
			}
			return id
		},
	}).Parse(pageText)
	if err != nil {
		return fmt.Errorf("the page's own template is broken: %w", err)
	}
	data := struct {
		*hunt.Result

		Name, Heading, Date string
	}{r, term.CommandLine(r.Command), Heading(r), r.Started.Format(time.DateOnly)}
	if err := t.Execute(w, data); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}
