package rulepage

import (
	"fmt"
	"strings"

	"whyhot/internal/explain/catalog"
)

// ofEntry is an entry as a person reads it.
func ofEntry(e *catalog.Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", e.Title, e.Why)
	fmt.Fprintf(&b, "`%s` · %s · %s · %s\n\n", e.ID, e.Type, e.Ecosystem, e.Family)
	section(&b, "When it is reported", reported(e))
	section(&b, "When it is not reported", exceptions(e))
	section(&b, "What confirms it", conditions(e))
	if e.ReplaceWith != "" {
		section(&b, "Replacement", []string{e.ReplaceWith})
	}
	section(&b, "What to do", e.Swap.Steps)
	for _, c := range e.Swap.Cases {
		section(&b, "What to do where "+c.Why, c.Steps)
	}
	section(&b, "What the fix may save", saves(e))
	section(&b, "What we measured", e.Measured())
	section(&b, "What others say", shown(e))
	section(&b, "Caveats", cautions(e))
	if e.Licence != "" {
		section(&b, "Licence", []string{e.Licence})
	}
	section(&b, "See also", e.Links)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// saves says what an estimate of the entry is, or why there is none.
func saves(e *catalog.Entry) []string {
	r := e.Reduction
	const half = 0.5
	x := e.Expected(catalog.HeldOut, half, 0)
	switch {
	case r.Change == "":
		return []string{fmt.Sprintf("%.0f%% to %.0f%% of the matched share. %s", 100*r.Low, 100*r.High, r.Basis)}
	case x.Why != "":
		return []string{"No estimate: " + x.Why + ". The share is what is known; `whyhot try` measures"}
	}
	rests := "trials of other fixes that take work away"
	switch {
	case x.Workloads == 1:
		rests = "one of our workloads"
	case x.Workloads > 1:
		rests = fmt.Sprintf("%d of our workloads", x.Workloads)
	}
	return []string{fmt.Sprintf("Where half of the CPU is its share and what goes along with it: %.0f%% to %.0f%% of the CPU, by %s and how much such trials differ", 100*x.Low, 100*x.High, rests)}
}

func section(b *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "## %s\n\n", title)
	for _, it := range items {
		text := strings.TrimLeft(it, " ")
		fmt.Fprintf(b, "%s- %s\n", it[:len(it)-len(text)], text)
	}
	b.WriteByte('\n')
}

func reported(e *catalog.Entry) []string {
	m := &e.Match
	var out []string
	how := "some frame of the stack matches (each sample counts once)"
	if m.Measure == catalog.Exclusive {
		how = "the leaf function matches"
	}
	out = append(out, fmt.Sprintf("At least %.3g%% of a program's samples (lower end of the 95%% interval) in which %s:", 100*m.MinShare, how))
	for i := range m.Any {
		out = append(out, "  "+describe(&m.Any[i]))
	}
	for i := range m.Inside {
		out = append(out, "and nearer the root: "+describe(&m.Inside[i]))
	}
	if m.Innermost {
		out = append(out, "and calls no other function of that kind")
	}
	for i := range m.Leaf {
		out = append(out, "and the leaf function: "+describe(&m.Leaf[i]))
	}
	for i := range m.Seen {
		out = append(out, "and somewhere in the program's samples: "+describe(&m.Seen[i]))
	}
	if m.Source.Line != nil {
		out = append(out, "where the source is available and the line that runs looks like "+patterns([]catalog.Pattern{*m.Source.Line}))
	}
	if m.Source.Has != "" {
		out = append(out, "and some line of the file like `"+m.Source.Has+"`")
	}
	if m.Source.Defined != "" {
		out = append(out, "and the nearest line above like `"+m.Source.Defined+"` also matches `"+m.Source.As+"`")
	}
	if len(m.Runtime) > 0 {
		out = append(out, "in a program that runs on "+strings.Join(m.Runtime, ", "))
	}
	if len(m.Program) > 0 {
		out = append(out, "in a program named "+patterns(m.Program))
	}
	if e.SourceRule != "" {
		out = append(out, "with `-p BUILD_DIR` also samples on the lines that the source rule "+e.SourceRule+" finds: it is one finding")
	}
	if e.Versions != "" {
		out = append(out, "applies to "+e.Versions)
	}
	switch {
	case e.Fallback:
		out = append(out, "only with --all: it applies to nearly every program")
	case e.IsAside():
		out = append(out, "as an aside, after all other findings: it names the program itself")
	}
	return out
}

func exceptions(e *catalog.Entry) []string {
	var out []string
	for i := range e.Match.Outside {
		out = append(out, "samples do not count with "+describe(&e.Match.Outside[i]))
	}
	for i := range e.Match.Stays {
		out = append(out, "samples do not count where the matched frame calls, and the change leaves, "+describe(&e.Match.Stays[i]))
	}
	if e.LeavesOutput() {
		out = append(out, "samples do not count where the matched frame has the kernel write or send: another implementation does so too")
	}
	if len(e.Unless.MappedLibrary) > 0 {
		out = append(out, "a library is mapped: "+patterns(e.Unless.MappedLibrary))
	}
	for i := range e.Unless.Frames {
		out = append(out, "the program's samples have "+describe(&e.Unless.Frames[i]))
	}
	if len(e.Unless.Runtime) > 0 {
		out = append(out, "the program runs on "+strings.Join(e.Unless.Runtime, ", "))
	}
	if len(e.Unless.Program) > 0 {
		out = append(out, "the program is "+patterns(e.Unless.Program))
	}
	return out
}

func conditions(e *catalog.Entry) []string {
	out := make([]string, 0, len(e.Confirm))
	for i := range e.Confirm {
		out = append(out, strings.NewReplacer("{binary}", "the binary", "{version}", "…", "{package}", "…").Replace(e.Confirm[i].Text))
	}
	return out
}

func shown(e *catalog.Entry) []string {
	var out []string
	add := func(who string, cs []catalog.Claim) {
		for _, c := range cs {
			if c.Evidence != catalog.EvidenceRecall {
				out = append(out, fmt.Sprintf("%s%s (%s)", who, c.Text, c.Source))
			}
		}
	}
	add("", e.Claims)
	for i := range e.Candidates {
		add(e.Candidates[i].Name+": ", e.Candidates[i].Claims)
	}
	return out
}

func cautions(e *catalog.Entry) []string {
	out := append([]string(nil), e.Caveats...)
	for i := range e.Candidates {
		for _, c := range e.Candidates[i].Caveats {
			out = append(out, e.Candidates[i].Name+": "+c)
		}
	}
	return out
}

func describe(f *catalog.Frame) string {
	var parts []string
	add := func(label string, ps []catalog.Pattern) {
		if len(ps) > 0 {
			parts = append(parts, label+" "+patterns(ps))
		}
	}
	add("function", f.Name)
	add("not function", f.NotName)
	add("file", f.File)
	add("binary", f.Library)
	add("not binary", f.NotLibrary)
	if f.NoLibrary {
		parts = append(parts, "binary not known")
	}
	if f.Unnamed {
		parts = append(parts, "without a name")
	}
	if len(f.Kind) > 0 {
		parts = append(parts, "kind "+strings.Join(f.Kind, " or "))
	}
	return strings.Join(parts, ", ")
}

func patterns(ps []catalog.Pattern) string {
	out := make([]string, len(ps))
	for i, p := range ps {
		out[i] = "`" + p.String() + "`"
	}
	return strings.Join(out, " or ")
}
