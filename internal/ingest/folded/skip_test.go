package folded

import (
	"strings"
	"testing"

	"whyhot/internal/profile"
)

// A line that is no stack among some that are is skipped, and said; a text in which lines happen
// to end in numbers is no folded file.
func TestLinesThatAreNoStacks(t *testing.T) {
	for text, ok := range map[string]bool{
		"a;b;c 10\nnot folded\na;b 5\n":                    true,
		"main;foo 3\nmain;b az 10\nmain;x -4\n":            true,
		"not folded\na;b 5\n":                              false,
		"took 10\nwhat it did\nended at 5\nand no more\n":  false,
		"main 10\nwork 3\nnot folded\nmain 4\nother 100\n": false,
	} {
		detected, _, _ := Detect([]byte(text))
		p, err := Read(t.Context(), strings.NewReader(text))
		if detected != ok || (err == nil) != ok {
			t.Errorf("%q: detected %v, %v", text, detected, err)
			continue
		}
		if ok && (len(p.Meta.Warnings) != 1 || !strings.Contains(p.Meta.Warnings[0], "1 of 3 lines are no stacks and were skipped")) {
			t.Errorf("%q: %q", text, p.Meta.Warnings)
		}
	}
}

// async-profiler's option for lines puts them behind the method.
func TestMethodsWithLines(t *testing.T) {
	p, err := Read(t.Context(), strings.NewReader("java/lang/Thread.run:840_[0];com.corp.Svc.handle:42_[j];com.corp.Svc.<init>:7_[j] 5\njava/lang/Thread.run:840_[0];com.corp.Svc.handle:43_[j] 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]int32{}
	for i := range p.NumLocations() {
		for _, l := range p.Lines(profile.LocationID(i)) {
			f := p.Function(l.Function)
			lines[f.Name] = append(lines[f.Name], l.Line)
			if f.Kind.String() != "java" {
				t.Errorf("%s is of %s", f.Name, f.Kind)
			}
		}
	}
	for name, want := range map[string]int{"com.corp.Svc.handle": 2, "com.corp.Svc.<init>": 1, "java/lang/Thread.run": 1} {
		if len(lines[name]) != want || lines[name][0] == 0 {
			t.Errorf("%s: lines %v; all %v", name, lines[name], lines)
		}
	}
	if p, err = Read(t.Context(), strings.NewReader("a.b:1;main.work;lib.run;x.y 5\n")); err != nil || p.Function(p.Lines(p.Stack(p.Samples()[0].Stack)[3])[0].Function).Name != "a.b:1" {
		t.Errorf("a name like that among others: %v", err)
	}
}
