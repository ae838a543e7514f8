package gate

import (
	"fmt"
	"io"
	"strings"

	"whyhot/internal/check"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/host/shellwords"
)

// Marker is the first line of a comment, by which the one of an earlier check is found
// and edited in place.
const Marker = "<!-- whyhot check -->"

// A comment is a screen: what is beyond that is in the log of the job.
const (
	mostFunctions = 3
	mostCommands  = 5
	mostDiffLines = 24
)

const hundred = 100

// Markdown writes a comment.
func Markdown(w io.Writer, r *check.Result) error {
	var b strings.Builder
	b.WriteString(Marker + "\n")
	b.WriteString("### whyhot: " + title(r) + "\n\n")
	b.WriteString(text(r.Says) + "\n")
	if r.Proof != nil {
		b.WriteString("\n" + text(r.Proof.Says) + ", repeat with " + code(shellwords.Join(r.Proof.Repeat)) + "; signed by " + code(r.Proof.Signer) + "\n")
	}
	commands(&b, r)
	outputs(&b, r)
	if r.Bump != nil {
		b.WriteString("\n" + text(r.Bump.Says) + "\n")
	}
	functions(&b, r.Functions)
	oneFinding(&b, r)
	b.WriteString("\n<details><summary>" + effort(r) + "; repeat it</summary>\n\n" + fenced("sh", shellwords.Join(r.Repeat)) + "\n</details>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// title is the verdict with its ratio.
func title(r *check.Result) string {
	out := string(r.Verdict)
	if r.Verdict == check.NotSlower && r.Bound != nil {
		out = "not slower by more than " + percent.Text(*r.Bound)
	}
	if r.Ratio > 0 {
		out += ", " + interval(r.Ratio, r.Low, r.High)
	}
	return out
}

// interval is a ratio as a change: 1.05 is +5.0%.
func interval(ratio, low, high float64) string {
	return fmt.Sprintf("%+.1f%% (%+.1f to %+.1f)", hundred*(ratio-1), hundred*(low-1), hundred*(high-1))
}

func commands(b *strings.Builder, r *check.Result) {
	if len(r.Commands) < 2 { //nolint:mnd // one is in the title
		return
	}
	b.WriteString("\n| command | verdict | change |\n|-|-|-|\n")
	for i := range r.Commands {
		if i == mostCommands {
			fmt.Fprintf(b, "| … and %d more | | |\n", len(r.Commands)-i)
			return
		}
		k := &r.Commands[i]
		change := ""
		if k.Ratio > 0 {
			change = interval(k.Ratio, k.Low, k.High)
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", cell(k.Name), k.Verdict, change)
	}
}

// outputs says which commands write something else than before.
func outputs(b *strings.Builder, r *check.Result) {
	for i := range r.Commands {
		if k := &r.Commands[i]; k.OutputDiffers != "" {
			fmt.Fprintf(b, "\n**The output differs from the base's**, %s: %s\n", code(k.Name), text(k.OutputDiffers))
		}
	}
}

func functions(b *strings.Builder, list []check.Function) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\nFunctions that take more CPU time (100% is all that the base takes):\n\n| function | before | after | change | where |\n|-|-:|-:|-:|-|\n")
	for i := range list {
		if i == mostFunctions {
			return
		}
		f := &list[i]
		edited := ""
		if f.Edited {
			edited = "edited"
		}
		if f.File != "" {
			edited = strings.TrimSpace(cell(finding.Line{File: f.File, Line: f.Line}.String()) + " " + edited)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %+.1f%% | %s |\n", cell(f.Name), percent.Text(f.Before), percent.Text(f.After), hundred*f.Delta, edited)
	}
}

// oneFinding is the first, with its patch where that is short.
func oneFinding(b *strings.Builder, r *check.Result) {
	if len(r.Findings) == 0 {
		return
	}
	f := &r.Findings[0]
	fmt.Fprintf(b, "\n**%s** at %s", text(f.Title), code(finding.Line{File: f.Place.File, Line: f.Place.Line}.String()))
	if f.Hot != "" {
		b.WriteString(", " + text(f.Hot))
	}
	b.WriteString("\n")
	diff := strings.TrimRight(f.Fix.Diff, "\n")
	switch {
	case diff != "" && strings.Count(diff, "\n") < mostDiffLines:
		b.WriteString("\n" + fenced("diff", diff))
	case len(f.Fix.Steps) > 0:
		b.WriteString("\n" + text(f.Fix.Steps[0]) + "\n")
	}
	if more := len(r.Findings) - 1; more > 0 {
		fmt.Fprintf(b, "\n%d more in the log of the job.\n", more)
	}
}

// effort is what the check has cost.
func effort(r *check.Result) string {
	const minute = 60
	out := fmt.Sprintf("%.1f CPU minutes", r.CPUSeconds/minute)
	if r.Level > 0 {
		out += fmt.Sprintf(", %.4g%% joint confidence", hundred*r.Level)
	}
	return out
}

// text keeps a text from becoming markup: names of functions and messages of tools are
// written by others.
func text(s string) string {
	var b strings.Builder
	for _, c := range strings.Join(strings.Fields(s), " ") {
		if strings.ContainsRune("\\`*_{}[]<>#|~@!$", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// code is a span of code, whatever it holds.
func code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	ticks := fence(s, 1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// cell is code in a table, where a bar would end it.
func cell(s string) string { return code(strings.ReplaceAll(s, "|", "\\|")) }

// fenced is a block of code.
func fenced(language, s string) string {
	const least = 3
	ticks := fence(s, least)
	return ticks + language + "\n" + strings.TrimRight(s, "\n") + "\n" + ticks + "\n"
}

// fence is longer than any row of backticks in a text.
func fence(s string, least int) string {
	longest, run := 0, 0
	for _, c := range s {
		if c != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", max(least, longest+1))
}

// message is a finding in one sentence.
func message(f *check.Finding) string {
	out := f.Title
	if f.Hot != "" {
		out += " (" + f.Hot + ")"
	}
	if len(f.Fix.Steps) > 0 {
		out += ". " + f.Fix.Steps[0]
	}
	return out
}

// grown is a function that takes more, in one sentence.
func grown(f *check.Function) string {
	return fmt.Sprintf("%s takes %+.1f%% of what the base took: %s before, %s now", f.Name, hundred*f.Delta, percent.Text(f.Before), percent.Text(f.After))
}

// slowFunction is the rule of a function that takes more than before.
const slowFunction = "function-takes-more"

// grownID names such a function however its lines move.
func grownID(f *check.Function) string {
	return finding.ID(slowFunction, finding.Place{Function: f.Name, File: f.File, Binary: f.Binary})
}
