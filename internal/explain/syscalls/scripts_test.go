package syscalls

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// texts are files by name.
type texts struct {
	judge.Facts

	of map[string]string
}

func (t texts) Source(path string) ([]string, bool) {
	text, ok := t.of[filepath.Clean(path)]
	return strings.Split(text, "\n"), ok
}

func (texts) Code(*profile.Mapping, uint64) (file *elffile.File, vaddr uint64, ok bool) {
	return nil, 0, false
}

func TestLinesThatStartProcesses(t *testing.T) {
	for name, x := range map[string]struct {
		command  string
		files    map[string]string
		programs []string
		want     string
	}{
		"a function that a loop calls": {"./run.sh", map[string]string{
			"run.sh": "#!/bin/sh\nexec bash report.sh",
			"report.sh": "make_sample() {\n    awk 'BEGIN {\n        for (i = 1; i < 9; i++)\n            print i\n    }' > a\n}\n. ./lib.sh\nmake_sample\nwhile read -r a b; do\n    tally \"$a\"\ndone < a\n" +
				"tally() {\n    local d=$(department \"$1\")\n}\nfor d in $(awk 1 a); do\n    echo $d\ndone",
			"lib.sh": "field() {\n    awk -v b=\"$1\" '$1 == b' staff\n}\ndepartment() { field \"$1\" 3; }",
		}, []string{"awk"}, "lib.sh:2"},
		"in a loop": {"./run.sh", map[string]string{
			"run.sh": "#!/bin/sh\nfor f in *.txt; do\n    n=$(sed -n 1p $f)\n    echo $n\ndone\nsed 1d a",
		}, []string{"sed"}, "run.sh:3"},
		"once": {"./run.sh", map[string]string{"run.sh": "#!/bin/sh\nsort a | sed 1d"}, []string{"sed"}, ""},
		"variables of a makefile": {"make", map[string]string{
			"Makefile": "include vars.mk\nout: $(HOSTS)\n\tsed s/@R@/$(REV)$(OF)/ a > $@",
			"vars.mk":  "REV = $(shell cat a | sha1sum)\nHOSTS = $(shell awk 1 a)\nONCE := $(shell awk 2 a)\nNAME = x\nOF = $(shell awk 4 $@)\nUNUSED = $(shell awk 3 a)",
		}, []string{"awk", "cat"}, "vars.mk:1 vars.mk:2"},
		"a make that a script runs": {"./run.sh", map[string]string{
			"run.sh":   "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nexec make -s all",
			"Makefile": "REV = $(shell git describe)\nall:\n\techo $(REV)",
		}, []string{"git"}, "Makefile:1"},
	} {
		p := profile.NewBuilder().Build(profile.Meta{Command: []string{x.command}})
		paths, all := scripts(judge.Subject{Facts: texts{of: x.files}, Profile: p})
		var got []string
		for _, at := range startedIn(paths, all, x.programs) {
			got = append(got, fmt.Sprintf("%s:%d", filepath.Base(at.file), at.line))
		}
		if strings.Join(got, " ") != x.want {
			t.Errorf("%s: %q, not %q", name, got, x.want)
		}
	}
}

// A tool that reads a file for each line is one kind, one that is given a part of the line another.
func TestWhatIsDoneForEachLine(t *testing.T) {
	for text, first := range map[string]string{
		"awk -v b=\"$1\" '$1 == b' staff":   lookedUp,
		"x=$(echo \"$line\" | cut -d: -f1)": "read splits",
		"x=$(awk '{print $2}' <<< \"$l\")":  "read splits",
	} {
		f := finding.Finding{Fix: finding.Fix{Steps: []string{"read splits", lookedUp}}}
		setLines(&f, []startedAt{{"/a.sh", 3, text, ""}})
		if f.Fix.Steps[0] != first || len(f.Fix.Steps) != 2 || f.Place.Line != 3 {
			t.Errorf("%s: %+v", text, f)
		}
	}
}
