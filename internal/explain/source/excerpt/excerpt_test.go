package excerpt

import (
	"fmt"
	"slices"
	"testing"

	"whyhot/internal/finding"
)

func lines(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("line %d", i+1)
	}
	return out
}

func input(n int, shares map[int]float64) Input {
	in := Input{Text: func(file string) ([]string, bool) { return lines(n), file == "a.c" }}
	if shares != nil {
		in.Shares = func(string) map[int]float64 { return shares }
	}
	return in
}

func numbers(f finding.Finding) []int {
	if f.Source == nil {
		return nil
	}
	out := make([]int, len(f.Source.Lines))
	for i, l := range f.Source.Lines {
		out[i] = l.Number
	}
	return out
}

func TestAShortLoopIsShownWhole(t *testing.T) {
	f := finding.Finding{Place: finding.Place{File: "a.c", Line: 10, EndLine: 12}, Accesses: []finding.Access{
		{Role: finding.RoleSecond, File: "a.c", Line: 10},
		{Role: finding.RoleFirst, File: "a.c", Line: 10},
		{Role: finding.RoleWrite, File: "other.h", Line: 11}, // not on this line 11
		{Role: finding.RoleWrite, File: "a.c", Line: 3},      // before the loop
	}}
	Add(&f, input(20, map[int]float64{10: 0.25, 11: 0.0001, 99: 1}))
	if got, want := numbers(f), []int{2, 3, 4, 9, 10, 11, 12}; !slices.Equal(got, want) {
		t.Fatalf("lines %v, want %v", got, want)
	}
	byNumber := map[int]finding.ExcerptLine{}
	for _, l := range f.Source.Lines {
		byNumber[l.Number] = l
	}
	if l := byNumber[10]; !l.Loop || !slices.Equal(l.Marks, []string{finding.RoleFirst, finding.RoleSecond}) || l.Share == nil || *l.Share != 0.25 {
		t.Errorf("line 10: %+v", l)
	}
	if l := byNumber[11]; !l.Loop || len(l.Marks) > 0 || l.Share != nil {
		t.Errorf("line 11: %+v", l)
	}
	if l := byNumber[9]; l.Loop || l.Text != "line 9" {
		t.Errorf("line 9: %+v", l)
	}
}

func TestALongLoopIsShownWhereItMatters(t *testing.T) {
	f := finding.Finding{Place: finding.Place{File: "a.c", Line: 1, EndLine: 200}, Accesses: []finding.Access{{Role: finding.RoleWrite, File: "a.c", Line: 150}}}
	Add(&f, input(200, map[int]float64{70: 0.5}))
	if got, want := numbers(f), []int{1, 2, 69, 70, 71, 149, 150, 151}; !slices.Equal(got, want) {
		t.Errorf("lines %v, want %v", got, want)
	}
}

func TestWhatIsNotAtHandIsLeftOut(t *testing.T) {
	for name, pl := range map[string]finding.Place{
		"no file": {Line: 1}, "no line": {File: "a.c"}, "another file": {File: "b.c", Line: 1}, "a line beyond the end": {File: "a.c", Line: 21},
	} {
		f := finding.Finding{Place: pl}
		if Add(&f, input(20, nil)); f.Source != nil {
			t.Errorf("%s: %+v", name, f.Source)
		}
	}
	f := finding.Finding{Place: finding.Place{File: "a.c", Line: 19, EndLine: 40}} // the file became shorter
	if Add(&f, input(20, nil)); !slices.Equal(numbers(f), []int{18, 19, 20}) {
		t.Errorf("lines %v", numbers(f))
	}
}
