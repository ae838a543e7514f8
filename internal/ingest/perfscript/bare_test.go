package perfscript

import (
	"strings"
	"testing"

	"whyhot/internal/profile"
)

// Of "perf script -F comm,ip,sym" a name is all that is before a stack.
func TestNamesAlone(t *testing.T) {
	const text = "idx \n\t            1131 main\n\t           27304 __libc_start_main_impl (inlined)\n\t            11d0 _start\n\n" +
		"Web Content \n\t            1131 main\n\t            11d0 _start\n\n"
	if !Detect([]byte(text)) {
		t.Error("not detected")
	}
	p, err := Read(t.Context(), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	threads := map[string]int64{}
	for _, s := range p.Samples() {
		for _, l := range p.Labels(s.Labels) {
			if l.Key == profile.LabelThread {
				threads[l.Str] += s.Count
			} else {
				t.Errorf("label %+v", l)
			}
		}
	}
	if len(threads) != 2 || threads["idx"] != 1 || threads["Web Content"] != 1 {
		t.Errorf("threads %v", threads)
	}
	for _, other := range []string{"title\n\tdead beef\n\tno frame\n", "name\n\t1131 main\nand prose that is no stack\nmore\n"} {
		if _, err := Read(t.Context(), strings.NewReader(other)); err == nil {
			t.Errorf("%q was read", other)
		}
	}
	if Detect([]byte("a\n\tb\n")) {
		t.Error("two words are taken for a sample")
	}
}
