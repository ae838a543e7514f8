package html

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"whyhot/internal/finding/percent"
)

//go:embed dist/page.js
var script string

//go:embed dist/page.css
var style string

//go:embed templates/*.tmpl
var templateFiles embed.FS

func parseTemplates() (*template.Template, error) {
	t, err := template.New("").Funcs(template.FuncMap{
		"percent": percent.Column, "add": func(a, b int) int { return a + b },
	}).ParseFS(templateFiles, "templates/*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("the page's own template is broken: %w", err)
	}
	return t, nil
}

// contentHash is how a content security policy names an inline script or style.
func contentHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// writePage writes head, body, data and script. The body is the named template;
// script and style are written as they are, outside any template, because the
// policy's hashes are of their exact bytes.
func writePage(w io.Writer, in *FlameInput, body string, data any) error {
	t, err := parseTemplates()
	if err != nil {
		return err
	}
	head := struct{ Title, Policy, Body string }{
		in.Title,
		fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; form-action 'none'",
			contentHash(script), contentHash(style)),
		body,
	}
	text := func(s string) func() error {
		return func() error { _, err := io.WriteString(w, s); return err }
	}
	for _, part := range []func() error{
		func() error { return t.ExecuteTemplate(w, "head.tmpl", head) },
		text("<style>" + style + "</style>\n"),
		func() error { return t.ExecuteTemplate(w, body+".tmpl", data) },
		text("<script type=\"application/octet-stream\" id=\"profile\">"),
		func() error { return writePayload(w, in) },
		text("</script>\n<script>" + script + "</script>\n</body>\n</html>\n"),
	} {
		if err := part(); err != nil {
			return fmt.Errorf("writing the page: %w", err)
		}
	}
	return nil
}
