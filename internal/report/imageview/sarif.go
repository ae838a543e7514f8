package imageview

import (
	"fmt"
	"io"
	"net/url"
	"strings"

	"whyhot/internal/explain/inimage"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/report/sarif"
)

// fingerprint is the name of our identity of a result, with its version.
const fingerprint = "whyhotFinding/v1"

// SARIF writes a run for each image.
func SARIF(w io.Writer, version string, answers []inimage.Answer) error {
	runs := make([]sarif.Run, 0, len(answers))
	for _, a := range answers {
		runs = append(runs, run(version, a))
	}
	return sarif.Write(w, runs)
}

func run(version string, a inimage.Answer) sarif.Run {
	out := sarif.Run{
		Tool:       sarif.Tool{Driver: sarif.Driver{Name: "whyhot", Version: version, Rules: []sarif.Rule{}}},
		Automation: &sarif.Automation{ID: "whyhot images scan/" + a.Image.Name},
		Results:    []sarif.Result{},
		Properties: map[string]any{"image": a.Image},
	}
	rules := map[string]int{}
	for _, r := range a.Rows {
		at, ok := rules[r.Rule]
		if !ok {
			at = len(rules)
			rules[r.Rule] = at
			out.Tool.Driver.Rules = append(out.Tool.Driver.Rules, ruleOf(r))
		}
		out.Results = append(out.Results, result(a.Image.Name, r, at))
	}
	return out
}

func ruleOf(r inimage.Row) sarif.Rule {
	rule := sarif.Rule{ID: r.Rule, Short: &sarif.Text{Text: r.Title}, Help: &sarif.Text{Text: strings.Join(r.Steps, "\n")}}
	if r.ReplaceWith != "" {
		rule.Full = &sarif.Text{Text: r.Title + ". Replace with: " + r.ReplaceWith + "."}
	}
	return rule
}

func result(image string, r inimage.Row, rule int) sarif.Result {
	out := sarif.Result{
		RuleID: r.Rule, RuleIndex: rule, Level: sarif.Note,
		Message:      sarif.Text{Text: message(r)},
		Fingerprints: map[string]string{fingerprint: finding.ID(r.Rule, finding.Place{File: r.File}, names(image, r)...)},
		Properties:   map[string]any{},
	}
	if r.Share != nil {
		out.Level = sarif.Warning
		rank := 100 * min(1, *r.Share)
		out.Rank = &rank
		out.Properties["share"] = *r.Share
	}
	if r.Cores != nil {
		out.Properties["cores"] = *r.Cores
	}
	if r.Finding != nil {
		out.Properties["certainty"] = r.Finding.Certainty
	}
	for _, p := range r.Packages {
		l := sarif.Location{Physical: physical(p.Path), Logical: []sarif.Logical{{Name: p.String(), Kind: "package"}}}
		out.Locations = append(out.Locations, l)
	}
	if r.File != "" {
		out.Locations = append(out.Locations, sarif.Location{Physical: physical(r.File)})
	}
	return out
}

// names are what a result is of, without versions: it is the same after an update that
// changes nothing.
func names(image string, r inimage.Row) []string {
	out := make([]string, 0, 1+2*len(r.Packages))
	out = append(out, image)
	for _, p := range r.Packages {
		out = append(out, p.Kind, p.Name)
	}
	return out
}

// physical names a file by its place in the image.
func physical(path string) *sarif.Physical {
	u := url.URL{Path: strings.TrimPrefix(path, "/")}
	return &sarif.Physical{Artifact: sarif.Artifact{URI: u.EscapedPath()}}
}

func message(r inimage.Row) string {
	text := Subject(r) + ": " + r.Title + "."
	if r.Share != nil {
		text += fmt.Sprintf(" It takes %s of the CPU", percent.Column(*r.Share))
		if r.Cores != nil {
			text += fmt.Sprintf(", %.2f cores", *r.Cores)
		}
		text += "."
	}
	if r.ReplaceWith != "" {
		text += " Replace with " + r.ReplaceWith + "."
	}
	return text
}
