package html

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"whyhot/internal/explain/machine"
	"whyhot/internal/finding"
	"whyhot/internal/finding/price"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

const hostile = `</script></style></title><img src=x onerror="hacked()">`

func hostileProfile() *profile.Profile {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/opt/" + hostile})
	f := b.Function(profile.Function{Name: hostile, File: hostile, Mapping: m, Kind: profile.KindNative})
	s := b.Stack([]profile.LocationID{b.Location(m, 0, profile.KindNative, profile.Line{Function: f})})
	b.Sample(profile.Sample{Stack: s, Count: 10, Value: 10})
	return b.Build(profile.Meta{Source: "folded", Command: []string{hostile}, Warnings: []string{hostile}})
}

func hostileReport() ReportInput {
	p := hostileProfile()
	share := 0.5
	return ReportInput{
		Flame: FlameInput{Title: hostile, Profile: p, Tree: view.BuildTree(p, view.TreeOptions{}), Notes: []string{hostile}},
		Report: finding.Report{
			Notes: []string{hostile},
			Unexplained: []finding.Unexplained{{
				Place: finding.Place{Function: hostile, Binary: hostile, File: hostile}, Share: finding.Share{Exclusive: &share}, Looked: hostile,
				Lines:   []finding.HotLine{{File: hostile, Line: 3, Text: hostile, Function: hostile, Share: share, Instructions: []finding.HotInstruction{{Text: hostile, Share: share}}}},
				Machine: []finding.Activity{{What: hostile, Share: share}}, See: []finding.Command{{Verb: hostile, Args: []string{hostile}}},
			}},
			Findings: []finding.Finding{{
				ID: hostile, Title: hostile, Certainty: finding.Suspected,
				Place:    finding.Place{Function: hostile, Binary: hostile, File: hostile},
				Share:    finding.Share{Exclusive: &share},
				Gain:     &finding.Gain{Low: 0.1, High: 0.2, Basis: hostile},
				Accesses: []finding.Access{{Role: finding.RoleWrite, File: hostile, Line: 1, Text: hostile}},
				Worlds:   []finding.World{{Name: hostile, Fate: finding.FateScalar, Cycles: map[string]float64{hostile: 1}}},
				Source: &finding.Excerpt{File: hostile, Lines: []finding.ExcerptLine{
					{Number: 1, Text: hostile, Marks: []string{finding.RoleWrite}, Share: &share}, {Number: 9, Text: hostile, Loop: true},
				}},
				Evidence: []finding.Evidence{{Kind: hostile, Text: hostile, Share: &share}},
				Fix:      finding.Fix{Steps: []string{hostile}, Diff: "+" + hostile, Caveats: []string{hostile}, Licence: hostile},
				Next:     finding.Command{Verb: hostile, Args: []string{hostile}, Program: []string{hostile}},
				Links:    []string{"javascript:hacked()", "https://example.org/?a=1&b=" + hostile},
				Trials:   []finding.Trial{{Variant: hostile, SpeedUp: finding.Interval{Estimate: 1.2, Low: 1.1, High: 1.3}, Verdict: hostile}},
			}},
		},
		Checked: []string{hostile},
		Loops: []machine.Loop{{
			Function: hostile, Mapping: &profile.Mapping{Path: hostile}, File: hostile, Line: 1, Inlined: hostile, Self: 10,
			Instructions: []machine.Instruction{{Address: 1, Text: hostile, Self: 10, Lines: []profile.Frame{{Function: profile.Function{File: hostile}, Line: 1}}}},
		}},
	}
}

func page(t *testing.T, in ReportInput) string {
	t.Helper()
	var b bytes.Buffer
	if err := Report(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whatever a profile or a finding says, no markup comes of it.
func TestHostileTextStaysText(t *testing.T) {
	in := hostileReport()
	var flame bytes.Buffer
	if err := Flame(&flame, in.Flame); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"report": page(t, in), "flame": flame.String()} {
		if strings.Contains(text, "<img") {
			t.Errorf("%s: a name became an element", name)
		}
		for tag, want := range map[string]int{"<script": 2, "</script": 2, "<style": 1, "</style": 1, "<title": -1} {
			got := strings.Count(text, tag)
			if want >= 0 && got != want {
				t.Errorf("%s: %d × %q, want %d", name, got, tag, want)
			}
		}
		if strings.Contains(text, `href="javascript:`) {
			t.Errorf("%s: a link runs a script", name)
		}
		if strings.Contains(text, `="hacked()"`) {
			t.Errorf("%s: a name became an attribute", name)
		}
	}
}

// The page asks nobody for anything: nothing in it loads from an address.
func TestPageIsSelfContained(t *testing.T) {
	text := page(t, hostileReport())
	if m := regexp.MustCompile(`(?i)<(link|iframe|object|embed|base|script [^>]*src|img)\b`).FindString(text); m != "" {
		t.Errorf("the page has %s", m)
	}
	if m := regexp.MustCompile(`@import|url\(`).FindString(style); m != "" {
		t.Errorf("the style has %s", m)
	}
}

func TestPolicyNamesTheScriptAndTheStyle(t *testing.T) {
	text := page(t, hostileReport())
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)
	if policy == nil {
		t.Fatal("no content security policy")
	}
	unescape := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace
	for _, want := range []string{"default-src 'none'", contentHash(script), contentHash(style)} {
		if !strings.Contains(unescape(policy[1]), want) {
			t.Errorf("policy %s lacks %s", policy[1], want)
		}
	}
	if !strings.Contains(text, "<script>"+script+"</script>") || !strings.Contains(text, "<style>"+style+"</style>") {
		t.Error("script or style is not in the page byte for byte, so its hash does not hold")
	}
}

// Without scripts the findings and a table of functions are still there.
func TestPageReadsWithoutScript(t *testing.T) {
	in := hostileReport()
	in.Report.Findings[0].Title = "Replace the allocator"
	text := page(t, in)
	for _, want := range []string{"Replace the allocator", "50.0%", "10.0 – 20.0%", "1.11× to 1.25×", "suspected", "<table class=\"static\">", "100.0%"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestSilenceIsSaid(t *testing.T) {
	in := hostileReport()
	in.Report.Findings, in.Report.Unexplained = nil, nil
	in.Checked = []string{"74 rules"}
	text := page(t, in)
	for _, want := range []string{"Nothing to change", "74 rules"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, `class="card`) {
		t.Error("a card without a finding")
	}
}

// Much of the CPU in one function without a finding is no reason to say that all is
// well.
func TestHotLinesStandWhereNoFindingIs(t *testing.T) {
	in := hostileReport()
	in.Report.Findings = nil
	in.Report.Unexplained[0].Lines[0].Text = "sum of w[c]"
	in.Report.Unexplained[0].Machine[0].What = "divisions"
	in.Report.Unexplained[0].Statements = []finding.HotStatement{{Text: "SELECT a FROM t WHERE b < ?", Share: 0.3}}
	in.Report.Unexplained[0].Callers = []finding.HotLine{{File: "/src/lexer.c", Line: 4, Function: "statement", Share: 0.5}, {File: "/src/main.c", Line: 9, Function: "main", Share: 0.5}}
	text := page(t, in)
	for _, want := range []string{"Unexplained hot code", "SELECT a FROM t WHERE b &lt; ?", "sum of w[c]", "divisions 50.0%", "<b>Called at:</b> <code>lexer.c:4</code> (statement) ← <code>main.c:9</code> (main)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "Nothing to change") {
		t.Error("the page says that there is nothing to change")
	}
}

// What was refuted and what can give little back is folded, as in the text.
func TestFindingsThatAreFolded(t *testing.T) {
	for title, change := range map[string]func(*finding.Finding){
		"1 refuted":                        func(f *finding.Finding) { f.Certainty = finding.Refuted },
		"1 more that can give little back": func(f *finding.Finding) { f.Minor = "it has less than 3% of the CPU" },
	} {
		in := hostileReport()
		in.Report.Findings = in.Report.Findings[:1]
		change(&in.Report.Findings[0])
		in.Report.Unexplained = nil
		text := page(t, in)
		folded := strings.Index(text, `<details class="folded">`)
		if card := strings.Index(text, `class="card`); folded < 0 || card < folded || !strings.Contains(text[folded:], title) || !strings.Contains(text, in.Report.Findings[0].Minor) {
			t.Errorf("%s: the finding is not inside the folded part, or without its reason", title)
		}
		if !strings.Contains(text, "Nothing to change") {
			t.Errorf("%s: there is something to change", title)
		}
	}
}

// Of a long loop the first, the last and the hot instructions are shown; a bracket
// begins and ends with the loop; cold loops are left out.
func TestHotLoops(t *testing.T) {
	in := hostileReport()
	hot := machine.Loop{Function: "parse", Mapping: &profile.Mapping{Path: "/bin/app"}, File: "/src/parse.c", Line: 3, EndLine: 7, Innermost: true, Self: 9}
	for n := range uint64(20) {
		hot.Instructions = append(hot.Instructions, machine.Instruction{Address: 0x100 + n, Text: "nop"})
	}
	hot.Instructions[10] = machine.Instruction{Address: 0x10a, Text: "mulss", Self: 9, For: 0x102}
	cold := hot
	cold.Function, cold.Self = "cold", 0
	in.Loops = []machine.Loop{hot, cold}
	text := page(t, in)
	for _, want := range []string{"0x100", "⋮ 1 more", "⋮ 7 more", "⋮ 8 more", "0x113", "mulss", "↑ for 0x102", "parse.c:3-7", "90.0%"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(text, "0x107<") || strings.Contains(text, "<code>cold</code>") {
		t.Error("what is cold is shown")
	}
}

// With prices the page says what all of it costs, and has what a frame's cost is from.
func TestCosts(t *testing.T) {
	in := hostileReport()
	in.Flame.Rate = &price.Rate{Prices: price.Prices{Currency: "EUR", CoreHour: 0.1}, Cores: 2}
	if text := page(t, in); !strings.Contains(text, "2.00 cores, 1,752 EUR a year") {
		t.Error("the header does not say what it costs")
	}
}

func TestInputWithoutProfileOrRoot(t *testing.T) {
	p := hostileProfile()
	for name, in := range map[string]FlameInput{
		"nothing": {},
		"no tree": {Profile: p},
		"no root": {Profile: p, Tree: &view.Tree{}},
	} {
		if err := Flame(&bytes.Buffer{}, in); err == nil {
			t.Errorf("%s: no error", name)
		}
		if err := Report(&bytes.Buffer{}, ReportInput{Flame: in}); err == nil {
			t.Errorf("%s: no error from Report", name)
		}
	}
}

type brokenWriter struct{ room int }

var errFull = errors.New("full")

func (w *brokenWriter) Write(b []byte) (int, error) {
	if w.room -= len(b); w.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriteErrorsComeThrough(t *testing.T) {
	in := hostileReport()
	whole := len(page(t, in))
	for _, room := range []int{0, 500, whole / 2, whole - 1} {
		if err := Report(&brokenWriter{room}, in); !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: got %v", room, err)
		}
	}
}
