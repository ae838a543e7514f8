package statement

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// rowByRow is the rule of statements that a function of the database executes for each row: all
// of those within one statement that a client sends have one cause.
const rowByRow = "statement-row-by-row"

// programming are the functions through which a function written in PL/pgSQL and the like has
// PostgreSQL execute a statement.
var programming = regexp.MustCompile(`^_?SPI_(execute|cursor|pquery)\w*\b`)

// lookWithin finds what the execution of statements within each other one takes, for those that
// are executed often. Where there are too many to follow each, most of their samples have the
// name of what they are within: there, frames tell.
func lookWithin(p *profile.Profile, views []*view) {
	within := map[string][]*view{}
	for _, v := range views {
		if v.Inner >= eachRow && v.Inner >= manyRows*v.Outer && v.Within != "" {
			within[v.System+v.Within] = append(within[v.System+v.Within], v)
		}
	}
	if len(within) == 0 {
		return
	}
	asks := p.StacksWith(programming.MatchString)
	for key, inner := range within {
		var rows []int32
		for _, v := range inner {
			rows = append(rows, v.rows...)
		}
		if i := slices.IndexFunc(views, func(v *view) bool { return v.System+v.Text == key }); i >= 0 {
			for _, row := range views[i].rows {
				if asks(p.Samples()[row].Stack) {
					rows = append(rows, row)
				}
			}
		}
		slices.Sort(rows)
		rows = slices.Compact(rows)
		var count int64
		for _, row := range rows {
			count += p.Samples()[row].Count
		}
		for _, v := range inner {
			v.below, v.belowShare, v.belowCount = rows, p.Share(rows), float64(count)
		}
	}
}

// outer is a statement within which others are executed for each row.
type outer struct {
	text  string
	views []*view // the dearest first
}

func outersOf(inner []*view) (out []outer) {
	for _, v := range inner {
		i := slices.IndexFunc(out, func(o outer) bool { return o.text == v.Within && o.views[0].System == v.System })
		if i < 0 {
			i = len(out)
			out = append(out, outer{text: v.Within})
		}
		out[i].views = append(out[i].views, v)
	}
	for _, o := range out {
		slices.SortStableFunc(o.views, func(a, b *view) int { return cmp.Compare(b.value, a.value) })
	}
	return out
}

// finding is one about all statements of an outer one.
func (o *outer) finding(s judge.Subject, r *rule) judge.Found {
	first := o.views[0]
	out := first.finding(s, r)
	kind := outerOf(o.text)
	out.Title = kind.title
	out.ID = finding.ID(r.id, finding.Place{}, first.System, o.text)
	var evidence []finding.Evidence
	for _, v := range o.views {
		own := float64(v.value) / float64(max(s.Profile.Total(), 1))
		evidence = append(evidence, finding.Evidence{Kind: "statement", Share: &own, Text: fmt.Sprintf("%s; %s", short(v.Text), v.executions())})
	}
	out.Evidence = append(evidence, finding.Evidence{Kind: "executor", Text: r.why(first)})
	out.Next = s.Versus(out.ID)
	return out
}

// kindOfOuter is what executes statements within one, and how to do without.
type kindOfOuter struct {
	title string
	steps []string
}

func outerOf(text string) kindOfOuter {
	verb, _, _ := strings.Cut(text, " ")
	switch strings.ToUpper(verb) {
	case "INSERT", "UPDATE", "DELETE", "MERGE", "COPY":
		return kindOfOuter{"Trigger executes statements for each row", []string{
			"Make it one trigger for the statement that does the same for all rows at once: FOR EACH STATEMENT, with REFERENCING NEW TABLE AS changed",
			"Or leave the trigger out while rows are loaded, and do its work with one statement afterwards",
		}}
	case "CALL", "DO":
		return kindOfOuter{"Procedure executes statements for each row", []string{
			"Write one statement for all rows where the loop has one for each: INSERT … SELECT, UPDATE … FROM, DELETE … USING; a window function gives what a row needs of those before it",
		}}
	}
	return kindOfOuter{"Function executes statements for each row", []string{
		"Join the tables that the function asks, or aggregate them once: the statement that calls it then has their columns",
		"A loop within the function: one statement for all rows (INSERT … SELECT, UPDATE … FROM)",
	}}
}
