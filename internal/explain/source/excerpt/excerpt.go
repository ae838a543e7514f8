// Package excerpt cuts out the source that a finding is about.
//
// It owns which lines are shown. It takes a finding with its accesses, the text
// of its file and, where a profile is there, the share of each line, and gives
// the finding's excerpt. It must never read a file itself.
package excerpt

import (
	"slices"

	"whyhot/internal/finding"
)

// Input is what an excerpt is cut from.
type Input struct {
	// Text gives the lines of a file; ok is false where it is not at hand.
	Text func(file string) (lines []string, ok bool)
	// Shares gives the share of all samples of each line of a file; nil where no
	// profile is there.
	Shares func(file string) map[int]float64
}

const (
	around = 1  // lines of context
	most   = 30 // lines of a loop that are shown whole
	worth  = 0.001
)

// Add gives a finding in the source its excerpt. A finding without a line or
// whose file is not at hand stays as it is.
func Add(f *finding.Finding, in Input) {
	pl := f.Place
	if pl.File == "" || pl.Line < 1 {
		return
	}
	text, ok := in.Text(pl.File)
	if !ok || pl.Line > len(text) {
		return
	}
	end := min(max(pl.Line, pl.EndLine), len(text))
	marks := marksOf(f, len(text))
	var shares map[int]float64
	if in.Shares != nil {
		shares = in.Shares(pl.File)
	}
	ex := &finding.Excerpt{File: pl.File}
	for _, n := range chosen(pl.Line, end, len(text), marks, shares) {
		line := finding.ExcerptLine{Number: n, Text: text[n-1], Loop: n >= pl.Line && n <= end, Marks: marks[n]}
		if s := shares[n]; s >= worth {
			line.Share = &s
		}
		ex.Lines = append(ex.Lines, line)
	}
	f.Source = ex
}

// marksOf collects the roles of the accesses on each line, in the order first,
// write, second.
func marksOf(f *finding.Finding, lines int) map[int][]string {
	marks := map[int][]string{}
	for _, role := range []string{finding.RoleFirst, finding.RoleWrite, finding.RoleSecond} {
		for _, a := range f.Accesses {
			if a.Role == role && a.File == f.Place.File && a.Line >= 1 && a.Line <= lines && !slices.Contains(marks[a.Line], role) {
				marks[a.Line] = append(marks[a.Line], role)
			}
		}
	}
	return marks
}

// chosen lists the lines to show. A long loop is shown around its head, its
// accesses and what is hot in it.
func chosen(start, end, lines int, marks map[int][]string, shares map[int]float64) []int {
	keep := map[int]bool{}
	near := func(n int) {
		for i := max(1, n-around); i <= min(lines, n+around); i++ {
			keep[i] = true
		}
	}
	if end-start < most {
		for n := max(1, start-around); n <= end; n++ {
			keep[n] = true
		}
	} else {
		near(start)
		for _, n := range hottest(start, end, shares) {
			near(n)
		}
	}
	for n := range marks {
		near(n)
	}
	out := make([]int, 0, len(keep))
	for n := range keep {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// hottest are the few lines of a loop where most of its samples are.
func hottest(start, end int, shares map[int]float64) []int {
	const few = 5
	var hot []int
	for n, s := range shares {
		if n >= start && n <= end && s >= worth {
			hot = append(hot, n)
		}
	}
	slices.SortFunc(hot, func(a, b int) int {
		switch {
		case shares[a] > shares[b]:
			return -1
		case shares[a] < shares[b]:
			return 1
		}
		return a - b
	})
	return hot[:min(few, len(hot))]
}
