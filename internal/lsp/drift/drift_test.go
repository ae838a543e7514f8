package drift

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMap(t *testing.T) {
	for _, test := range []struct {
		name, before, after string
		want                []int
	}{
		{"same", "a b c", "a b c", []int{0, 1, 2}},
		{"inserted above", "a b c", "x a b c", []int{None, 2, 3}},
		{"changed line", "a b c d e f g", "a b c X e f g", []int{0, 1, None, None, None, 5, 6}},
		{"deleted", "a b c d e", "a b d e", []int{0, None, None, None, 3}},
		{"doubled", "p q a i b r s", "p q a i i b r s", []int{0, 1, 2, None, 5, 6, 7}},
		{"nothing left", "a b", "", []int{None, None}},
		{"block copied", "a b c d", "a b c a b c d", []int{None, None, None, 6}},
	} {
		got := Map(strings.Fields(test.before), strings.Fields(test.after))
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// line is a line that remembers which one it was.
type line struct {
	text string
	was  int // None for one that was typed
}

// edit does one thing that people do to a text.
func edit(lines []line, n func(int) int) []line {
	at := func() int { return n(len(lines) + 1) }
	typed := func(text string) line { return line{text, None} }
	span := func() (int, int) {
		from := at()
		return from, min(len(lines), from+1+n(6))
	}
	switch n(7) {
	case 0: // a new line
		return slices.Insert(lines, at(), typed(fmt.Sprintf("edited_%d();", n(1000))))
	case 1: // a copy of a line of the text
		if len(lines) == 0 {
			return lines
		}
		return slices.Insert(lines, at(), typed(lines[n(len(lines))].text))
	case 2: // deleted
		from, to := span()
		return slices.Delete(lines, from, to)
	case 3: // changed
		if len(lines) > 0 {
			i := n(len(lines))
			lines[i] = typed(lines[i].text + " + 1")
		}
		return lines
	case 4: // copied and pasted
		from, to := span()
		pasted := slices.Clone(lines[from:to])
		for i := range pasted {
			pasted[i].was = None
		}
		return slices.Insert(lines, at(), pasted...)
	case 5: // moved
		from, to := span()
		moved := slices.Clone(lines[from:to])
		lines = slices.Delete(lines, from, to)
		return slices.Insert(lines, n(len(lines)+1), moved...)
	default: // indented
		from, to := span()
		for i := from; i < to; i++ {
			lines[i].text = "\t" + lines[i].text
		}
		return lines
	}
}

// wrong lists lines that are named and are others. A line that was typed again where the
// text around it is what it was cannot be told from the first.
func wrong(before, after []line) []string {
	var out []string
	for i, j := range Map(texts(before), texts(after)) {
		if j == None || after[j].was == i {
			continue
		}
		if !around(before, after, i, j) {
			out = append(out, fmt.Sprintf("line %d %q is shown at %d, which was %d", i, before[i].text, j, after[j].was))
		}
	}
	return out
}

// around says whether the lines beside two lines are equal, so that nobody can tell the
// second from the first.
func around(before, after []line, i, j int) bool {
	text := func(lines []line, k int) string {
		if k < 0 || k >= len(lines) {
			return ""
		}
		return strings.TrimSpace(lines[k].text)
	}
	return text(before, i-1) == text(after, j-1) && text(before, i) == text(after, j) && text(before, i+1) == text(after, j+1)
}

func texts(lines []line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.text
	}
	return out
}

func numbered(lines []string) []line {
	out := make([]line, len(lines))
	for i, l := range lines {
		out[i] = line{l, i}
	}
	return out
}

// Texts of a few different lines have all the doubts there are.
func TestNoWrongLineInSmallTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := numbered(rapid.SliceOfN(rapid.SampledFrom([]string{"a();", "b();", "c();", "d();", "}", "", "i++;"}), 0, 12).Draw(t, "lines"))
		after := slices.Clone(before)
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			after = edit(after, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") })
		}
		if bad := wrong(before, after); len(bad) > 0 {
			t.Fatalf("%q\n%q\n%s", texts(before), texts(after), strings.Join(bad, "\n"))
		}
	})
}

// Fifty edits, one after the other, of twenty files of this program's source: no line is
// shown that is another one, after any of them.
func TestNoWrongLineInSource(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../explain/*.go", "../../profile/*.go", "../../../analyzer/*.cpp", "../../../analyzer/*/*.cpp"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	const most, edits = 20, 50
	if len(files) < most {
		t.Fatalf("%d files", len(files))
	}
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same edits every time
	step := len(files) / most
	shown, could := 0, 0
	for i := range most {
		data, err := os.ReadFile(files[i*step])
		if err != nil {
			t.Fatal(err)
		}
		before := numbered(Split(string(data)))
		after := slices.Clone(before)
		for range edits {
			after = edit(after, r.IntN)
			if bad := wrong(before, after); len(bad) > 0 {
				t.Fatalf("%s: %s", files[i*step], strings.Join(bad, "\n"))
			}
		}
		for _, j := range Map(texts(before), texts(after)) {
			if j != None {
				shown++
			}
		}
		for _, l := range after {
			if l.was != None {
				could++
			}
		}
	}
	t.Logf("%d of %d lines that are left are shown after %d edits", shown, could, edits)
	// How many that are depends on the files; a map that shows next to nothing is never wrong.
	if shown < could/10 {
		t.Errorf("only %d of %d lines that are left are shown", shown, could)
	}
}
