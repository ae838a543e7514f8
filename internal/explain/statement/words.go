package statement

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// line says whether a few lines of the program execute nearly all of it: one that executes and
// one that fetches. Of what waits for a server there are few samples.
func (v *view) line() bool {
	const nearly, lines = 0.8, 2
	sum := int64(0)
	for i, one := range v.paid {
		if i < lines && one.Line > 0 {
			sum += one.Value
		}
	}
	return sum > 0 && float64(sum) >= nearly*float64(v.paying) && (v.System != sqlite || 2*v.paying >= v.value)
}

// numbered says whether a column that the statement compares was given a number.
func (v *view) numbered() bool {
	return slices.ContainsFunc(append(plainAll(v.q.Equal), plainAll(v.q.Range)...), func(column string) bool {
		return slices.Contains(plainAll(v.Facts.Numbers), column)
	})
}

func (v *view) table() string {
	if len(v.q.Tables) == 0 {
		return "the table"
	}
	return v.q.Tables[0]
}

// evidence says how much of the samples is some work, and what one execution takes.
func (v *view) evidence(kinds ...work) string {
	var parts []string
	for _, w := range kinds {
		if p := v.part(w); p >= 0.01 {
			parts = append(parts, fmt.Sprintf("%.0f%% of its samples are in %s", 100*p, w))
		}
	}
	if v.System == sqlite && v.perStep() >= dearStep {
		parts = append(parts, fmt.Sprintf("%s of CPU for each row that comes out, where one by its key takes some microseconds", duration(v.perStep())))
	}
	if len(parts) == 0 {
		return fmt.Sprintf("%s of CPU for each execution", duration(v.each()))
	}
	return strings.Join(parts, ", ")
}

func duration(d time.Duration) string {
	switch {
	case d < 10*time.Microsecond:
		return d.Round(time.Microsecond / 10).String()
	case d < 10*time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

func list(names []string) string {
	if len(names) == 0 {
		return "its columns"
	}
	return strings.Join(names, ", ")
}

// plainAll are expressions without tables' names, each once.
func plainAll(all []string) []string {
	var out []string
	for _, e := range all {
		if e = plain(e); !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// plain is an expression without the table's name, as an index has it.
func plain(e string) string {
	at := strings.LastIndexByte(e, '(')
	name, rest, qualified := strings.Cut(e[at+1:], ".")
	if qualified && !strings.ContainsAny(name, " ,+-*/") {
		return e[:at+1] + rest
	}
	return e
}
