package run

import (
	"slices"
	"testing"
)

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"./bench input":        {"./bench", "input"},
		`./bench 'a $b' "c|d"`: {"./bench", "a $b", "c|d"},
		`./bench a\ b \$HOME`:  {"./bench", "a b", "$HOME"},
		"./bench <input":       {"/bin/sh", "-c", "exec ./bench <input"},
		`./bench "$HOME"`:      {"/bin/sh", "-c", `exec ./bench "$HOME"`},
		"./bench | sort":       {"/bin/sh", "-c", "./bench | sort"},
		"cd x; ./bench":        {"/bin/sh", "-c", "cd x; ./bench"},
		`'a\' *`:               {"/bin/sh", "-c", `exec 'a\' *`},
	} {
		if got, err := Words(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
	if _, err := Words("./bench 'open"); err == nil {
		t.Error("an open quote is taken")
	}
}
