package docs

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain"
	"whyhot/internal/explain/rulepage"
	"whyhot/internal/fetch"
	"whyhot/internal/finding"
)

// recorded is the profile of the pictures: of jq, as the demo records it.
const recorded = "pictures/jq.pb.gz"

// demonstrated are the findings of the recorded profile, and the first of them that can
// be tried without a change to jq, which the demo tries.
func demonstrated(t *testing.T) (all []finding.Finding, tried finding.Finding) {
	t.Helper()
	p, err := fetch.Profile(t.Context(), recorded, fetch.Options{NoSymbols: true})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := explain.LoadRules()
	if err != nil {
		t.Fatal(err)
	}
	// What is installed here is no evidence: the answer is the same on every machine.
	report, err := explain.Explain(t.Context(), explain.Request{Profile: p.Profile, Rules: rules, ByBuildID: true})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(report.Findings, func(f finding.Finding) bool { return len(f.Fix.Preload) > 0 || len(f.Fix.Env) > 0 })
	if i < 0 {
		t.Fatalf("of the demo's jq nothing can be tried: %+v", report.Findings)
	}
	return report.Findings, report.Findings[i]
}

var (
	drawn     = regexp.MustCompile(`(?s)<text[^>]*>(.*?)</text>`)
	tags      = regexp.MustCompile(`<[^>]+>`)
	findingID = regexp.MustCompile(`\b[a-z][a-z0-9]*(?:-[a-z0-9]+)*-[0-9a-f]{8}\b`)
	quoted    = regexp.MustCompile(`\d+\.\d+% ± \d+\.\d+|\d+ samples|\d\.\d+× \(|\b\d\.\d{3}\b`)
)

// inPicture is the text of a picture, a run of it a line.
func inPicture(t *testing.T, name string) string {
	t.Helper()
	svg := textOf(t, "pictures/"+name+".svg")
	var out strings.Builder
	for _, m := range drawn.FindAllStringSubmatch(svg, -1) {
		out.WriteString(html.UnescapeString(tags.ReplaceAllString(m[1], "")) + "\n")
	}
	return out.String()
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const remake = "`make demo && make pictures` records and draws anew; architecture.md quotes the pictures"

// The pictures of the README show what the demo does: the finding that it tries, under
// the title and ID that explain gives it.
func TestPicturesShowWhatTheDemoShows(t *testing.T) {
	all, tried := demonstrated(t)
	explained := inPicture(t, "explain")
	if !strings.Contains(explained, "\n"+tried.Title+"\n") || !strings.Contains(explained, "\n"+tried.ID+"\n") {
		t.Errorf("explain.svg does not show %q, %s: %s", tried.Title, tried.ID, remake)
	}
	for _, id := range findingID.FindAllString(explained, -1) {
		if !slices.ContainsFunc(all, func(f finding.Finding) bool { return f.ID == id }) {
			t.Errorf("explain.svg shows %s, which is no finding of %s: %s", id, recorded, remake)
		}
	}
	for _, id := range findingID.FindAllString(inPicture(t, "try"), -1) {
		if id != tried.ID {
			t.Errorf("try.svg tries %s, the demo %s: %s", id, tried.ID, remake)
		}
	}
}

// architecture.md follows the same finding, with the numbers of the pictures.
func TestTheWalkthroughIsOfThePictures(t *testing.T) {
	_, tried := demonstrated(t)
	_, walk, ok := strings.Cut(textOf(t, "architecture.md"), "## One finding, from sample to proof\n")
	if !ok {
		t.Fatal("architecture.md has no such section")
	}
	walk, _, _ = strings.Cut(walk, "\n## ")
	for _, id := range findingID.FindAllString(walk, -1) {
		if id != tried.ID {
			t.Errorf("architecture.md follows %s, the demo tries %s", id, tried.ID)
		}
	}
	if !strings.Contains(walk, tried.ID) || !strings.Contains(walk, "`"+tried.Rule+"`") {
		t.Errorf("architecture.md does not name %s of the rule %s", tried.ID, tried.Rule)
	}
	pictures := inPicture(t, "explain") + inPicture(t, "try")
	numbers := quoted.FindAllString(walk, -1)
	if len(numbers) < 4 {
		t.Errorf("of the pictures' numbers architecture.md quotes %q", numbers)
	}
	for _, n := range numbers {
		if !strings.Contains(pictures, strings.TrimSuffix(n, " (")) {
			t.Errorf("architecture.md quotes %s, which no picture shows: %s", n, remake)
		}
	}
	// The last step of the walk is the certainty that explain shows afterwards.
	for _, certainty := range []finding.Certainty{finding.Suspected, finding.Confirmed, finding.Proved, finding.Refuted} {
		if regexp.MustCompile(`(?m)^`+string(certainty)+`\s*$`).MatchString(pictures) && !strings.HasSuffix(strings.TrimSpace(walk), "*"+string(certainty)+"*.") {
			t.Errorf("explain.svg shows the finding as %s, architecture.md ends otherwise", certainty)
		}
	}
}

// IDs that pages quote are of rules that there are.
func TestQuotedFindingsHaveRules(t *testing.T) {
	rules, err := explain.LoadRules()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("guide/*.md")
	if err != nil {
		t.Fatal(err)
	}
	quotes := 0
	for _, page := range append(pages, "../README.md", "architecture.md") {
		for _, id := range findingID.FindAllString(textOf(t, page), -1) {
			rule := id[:len(id)-len("-01234567")]
			_, known, err := rulepage.Of(rules.Catalog, rule)
			quotes++
			if !known || err != nil {
				t.Errorf("%s quotes %s: there is no rule %s", page, id, rule)
			}
		}
	}
	if quotes == 0 {
		t.Error("no page quotes a finding")
	}
}
