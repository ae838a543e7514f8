package gate

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"whyhot/internal/check"
	"whyhot/internal/finding"
	"whyhot/internal/report/sarif"
)

// DefaultResults is how many results a report has where nobody says so: annotations on a
// change that nobody can read are none.
const DefaultResults = 10

// The names of a result's identity. GitHub reads the second alone; both rest on the rule,
// the function and the file and on no line, so that a result stays the same when lines
// move.
const (
	fingerprint      = "whyhotFinding/v1"
	lineFingerprint  = "primaryLocationLineHash"
	fingerprintCount = ":1"
)

// item is what SARIF and GitLab list: a finding, or a function that takes more.
type item struct {
	id, rule, title, message string
	help                     []string
	file                     string
	line, endLine            int
	function                 string
	share                    float64
	callers                  []check.Frame
	severe                   bool
}

// items are at most so many, the functions of a slower change first. What is in no file
// of the repository has no place in a change request.
func items(r *check.Result, most int) []item {
	var out []item
	callers := map[string][]check.Frame{}
	for i := range r.Functions {
		f := &r.Functions[i]
		callers[f.Name] = f.Callers
		if r.Verdict != check.Slower || !local(f.File) {
			continue
		}
		out = append(out, item{
			id: grownID(f), rule: slowFunction, title: "Function takes more CPU time than before", message: grown(f),
			help: []string{"Compare the two versions of the function, or run the command of the check with --json for the way to it."},
			file: f.File, line: f.Line, function: f.Name, share: f.Delta, callers: f.Callers, severe: true,
		})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if !local(f.Place.File) {
			continue
		}
		out = append(out, item{
			id: f.ID, rule: f.Rule, title: f.Title, message: message(f), help: f.Fix.Steps,
			file: f.Place.File, line: f.Place.Line, endLine: f.Place.EndLine, function: f.Place.Function, share: f.Share.Main(),
			callers: callers[f.Place.Function], severe: f.Certainty == finding.Proved || f.Certainty == finding.Confirmed,
		})
	}
	if most > 0 && len(out) > most {
		out = out[:most]
	}
	return out
}

// local says that a path leads into the repository.
func local(path string) bool { return path != "" && filepath.IsLocal(path) }

// SARIF writes at most so many results, 0 for all.
func SARIF(w io.Writer, version string, r *check.Result, most int) error {
	run := sarif.Run{
		Tool:       sarif.Tool{Driver: sarif.Driver{Name: "whyhot", Version: version, Rules: []sarif.Rule{}}},
		Automation: &sarif.Automation{ID: "whyhot check/"},
		Results:    []sarif.Result{},
		Properties: map[string]any{"verdict": r.Verdict, "limit": r.Limit},
	}
	if r.Ratio > 0 {
		run.Properties["ratio"], run.Properties["low"], run.Properties["high"] = r.Ratio, r.Low, r.High
	}
	rules := map[string]int{}
	for _, it := range items(r, most) {
		at, ok := rules[it.rule]
		if !ok {
			at = len(rules)
			rules[it.rule] = at
			rule := sarif.Rule{ID: it.rule, Short: &sarif.Text{Text: it.title}}
			if len(it.help) > 0 {
				rule.Help = &sarif.Text{Text: strings.Join(it.help, "\n")}
			}
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		}
		run.Results = append(run.Results, result(&it, at))
	}
	return sarif.Write(w, []sarif.Run{run})
}

func result(it *item, rule int) sarif.Result {
	out := sarif.Result{
		RuleID: it.rule, RuleIndex: rule, Level: sarif.Note, Message: sarif.Text{Text: it.message},
		Locations:    []sarif.Location{location(it.function, it.file, it.line, it.endLine)},
		Fingerprints: map[string]string{fingerprint: it.id, lineFingerprint: it.id + fingerprintCount},
	}
	if it.severe {
		out.Level = sarif.Warning
	}
	if it.share > 0 {
		rank := hundred * min(1, it.share)
		out.Rank = &rank
	}
	var way []sarif.Step
	for _, c := range it.callers {
		if local(c.File) {
			l := location(c.Function, c.File, c.Line, 0)
			l.Message = &sarif.Text{Text: c.Function}
			way = append(way, sarif.Step{Location: l})
		}
	}
	if len(way) > 0 {
		last := location(it.function, it.file, it.line, it.endLine)
		last.Message = &sarif.Text{Text: it.message}
		way = append(way, sarif.Step{Location: last})
		out.Flows = []sarif.Flow{{Threads: []sarif.Thread{{Steps: way}}}}
	}
	return out
}

func location(function, file string, line, endLine int) sarif.Location {
	u := url.URL{Path: filepath.ToSlash(file)}
	l := sarif.Location{Physical: &sarif.Physical{Artifact: sarif.Artifact{URI: u.EscapedPath(), Base: "%SRCROOT%"}}}
	// GitHub shows a result on line 1 where it has none.
	l.Physical.Region = &sarif.Region{Start: max(1, line)}
	if endLine > line {
		l.Physical.Region.End = endLine
	}
	if function != "" {
		l.Logical = []sarif.Logical{{Name: function, Kind: "function"}}
	}
	return l
}
