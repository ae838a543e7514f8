package term

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"whyhot/internal/profile/symname"
)

func printed(width int, show func(*Printer)) []string {
	var out bytes.Buffer
	p := New(&out, nil)
	p.Width = width
	show(p)
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// TestTableFits: whatever the texts, no line is wider than the printer allows
// and no control character gets through.
func TestTableFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := &Table{Columns: []Column{
			{Title: "self", Right: true, Max: 7},
			{Title: "bar", Max: 10, Optional: 2},
			{Title: "name", Flex: true, Min: 10, Shorten: symname.Shorten},
			{Title: "library", Max: 12, Shorten: ShortenPath, Optional: 1},
			{Title: "source", Flex: true, Min: 6, Optional: 3},
		}}
		cell := rapid.Custom(func(t *rapid.T) Cell {
			return Cell{Text: rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z:<>/.()\x1b、]{0,60}`)).Draw(t, "text")}
		})
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			table.Add(rapid.SliceOfN(cell, 0, 5).Draw(t, "row")...)
		}
		width := rapid.IntRange(21, 120).Draw(t, "width")
		for _, line := range printed(width, table.Print) {
			text := ansi.Strip(line)
			if w := ansi.StringWidth(text); w > width {
				t.Fatalf("%q is %d wide, limit %d", text, w, width)
			}
			if strings.ContainsFunc(text, unicode.IsControl) {
				t.Fatalf("%q holds control characters", text)
			}
		}
	})
}

func TestTableDropsTheLeastImportantFirst(t *testing.T) {
	table := &Table{Columns: []Column{
		{Title: "self", Right: true},
		{Title: "±", Optional: 1},
		{Title: "name", Flex: true, Min: 10},
		{Title: "source", Optional: 2},
	}}
	table.Add(Cell{Text: "99.9%"}, Cell{Text: "0.1"}, Cell{Text: "a_rather_long_name"}, Cell{Text: "file.c:12"})
	for width, want := range map[int]string{
		80: "99.9%  0.1  a_rather_long_name  file.c:12",
		30: "99.9%  0.1  a_rather_long_name",
		24: "99.9%  0.1  a_rather_lo…",
		19: "99.9%  a_rather_lo…",
	} {
		if got := printed(width, table.Print)[1]; got != want {
			t.Errorf("width %d:\n got %q\nwant %q", width, got, want)
		}
	}
}

func TestEmptyColumnsAreLeftOut(t *testing.T) {
	table := &Table{Columns: []Column{{Title: "a"}, {Title: "nothing here"}, {Title: "c"}}}
	table.Add(Cell{Text: "1"}, Cell{}, Cell{Text: "3"})
	if got := printed(80, table.Print)[0]; got != "a  c" {
		t.Errorf("got %q", got)
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"std::vector<int>": "std::vector<int>",
		"a\x1b[31mb\a\n":   `a\x1b[31mb\a\n`,
		"x\u202egnp.exe":   `x\u202egnp.exe`,
		"bad\xffutf8":      `bad\ufffdutf8`,
		"Grüße_、":          "Grüße_、",
	} {
		if got := Clean(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"cpu.pb.gz":          "cpu.pb.gz",
		"std::sort":          "std::sort",
		"operator new":       "'operator new'",
		"it's":               `'it'\''s'`,
		"":                   "''",
		"$(reboot)":          "'$(reboot)'",
		"f<int>":             "'f<int>'",
		"-rf":                "-rf",
		"/usr/bin/a+b=c,d@e": "/usr/bin/a+b=c,d@e",
	} {
		if got := Quote(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func TestBar(t *testing.T) {
	for _, test := range []struct {
		value, full float64
		want        string
	}{{0, 1, ""}, {1, 1, "████"}, {0.5, 1, "██"}, {1e-9, 1, "▏"}, {2, 1, "████"}, {1, 0, ""}, {0.28, 1, "█▏"}} {
		if got := Bar(test.value, test.full, 4); got != test.want {
			t.Errorf("%g of %g: got %q, want %q", test.value, test.full, got, test.want)
		}
	}
}

func TestShortenPath(t *testing.T) {
	for _, test := range []struct {
		path  string
		width int
		want  string
	}{
		{"/usr/include/c++/12/bits/stl_algo.h:1945", 30, "…/c++/12/bits/stl_algo.h:1945"},
		{"/usr/include/c++/12/bits/stl_algo.h:1945", 20, "…/stl_algo.h:1945"},
		{"a_very_long_file_name.cc:10", 12, "…_name.cc:10"},
	} {
		if got := ShortenPath(test.path, test.width); got != test.want {
			t.Errorf("%s in %d: got %q, want %q", test.path, test.width, got, test.want)
		}
	}
}

func TestNewHonoursColumnsAndNoColor(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, []string{"COLUMNS=33", "TERM=xterm-256color"})
	if p.Width != 33 || p.TTY {
		t.Errorf("width %d, TTY %v", p.Width, p.TTY)
	}
	p.Line(styles.bar.Render("x"))
	if out.String() != "x\n" {
		t.Errorf("colours in a pipe: %q", out.String())
	}
	out.Reset()
	p = New(&out, []string{"CLICOLOR_FORCE=1", "TERM=xterm-256color"})
	p.Line(styles.bar.Render("x"))
	if !strings.Contains(out.String(), "\x1b[") {
		t.Errorf("no colours though forced: %q", out.String())
	}
	out.Reset()
	p.Hint("next", "whyhot", "top")
	if out.String() != "" {
		t.Errorf("a hint in a pipe: %q", out.String())
	}
	p.TTY = true
	p.Hint("next", "whyhot", "graph", "operator new")
	if got := ansi.Strip(out.String()); got != "\nnext: whyhot graph 'operator new'\n" {
		t.Errorf("got %q", got)
	}
}
