package term

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

// hardNames are long, wide, or would drive a terminal.
func hardNames() []string {
	return []string{
		"boost::spirit::" + strings.Repeat("qi::sequence<fusion::cons<int, ", 80) + "nil" + strings.Repeat(">>", 80) + "::parse(char const*) const",
		"日本語の" + strings.Repeat("関数名", 60),
		"🔥" + strings.Repeat("👩‍💻::", 50) + "run",
		"a\x1b[31mred\a\r\nb",
		"main.firstClass[go.shape.string]",
		"x",
	}
}

func hardProfile(suffix string) *profile.Profile {
	b := profile.NewBuilder()
	var stack []profile.LocationID
	for i, name := range hardNames() {
		path := fmt.Sprintf("/opt/%s/lib%d.so", strings.Repeat("長い/", 20*(i%2)), i)
		m := b.Mapping(profile.Mapping{Path: path + suffix, Start: 0x1000, Limit: 0x9000})
		fn := b.Function(profile.Function{Name: name, File: strings.Repeat("source/", 30*(i%3)) + "file.cc", StartLine: 7, Mapping: m, Kind: profile.KindNative})
		stack = append([]profile.LocationID{b.Location(m, 0x2000, profile.KindNative, profile.Line{Function: fn, Line: 9})}, stack...)
		b.Sample(profile.Sample{Stack: b.Stack(stack), Count: int64(i + 1), Value: int64(i+1) * 1e7})
	}
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Command: []string{"app", strings.Repeat("界", 200)}})
}

// tables are all that prints names, each with a whole table of them.
func tables(full bool) map[string]func(*Printer) {
	p, after := hardProfile(""), hardProfile(".2")
	whole := WholeOf(p)
	hard := profile.FunctionID(0)
	for _, r := range view.Top(p, view.TopOptions{}).Rows {
		if view.Name(p, r.Function) == hardNames()[1] {
			hard = r.Function
		}
	}
	return map[string]func(*Printer){
		"header": func(out *Printer) { out.Header("/tmp/日本.pb.gz", p) },
		"top": func(out *Printer) {
			out.Top(TopInput{Profile: p, Table: view.Top(p, view.TopOptions{}), Whole: whole, FullNames: full})
		},
		"top by line": func(out *Printer) {
			out.Top(TopInput{Profile: p, Table: view.Top(p, view.TopOptions{By: view.ByLine}), Whole: whole, FullNames: full})
		},
		"top by library": func(out *Printer) {
			out.Top(TopInput{Profile: p, Table: view.Top(p, view.TopOptions{By: view.ByLibrary}), Whole: whole, FullNames: full})
		},
		"diff": func(out *Printer) {
			out.Diff(DiffInput{A: p, B: after, Table: view.Diff(p, after, view.DiffOptions{Sort: view.SortSelf}), Sort: view.SortSelf, All: true, FullNames: full})
		},
		"graph": func(out *Printer) {
			out.Graph(GraphInput{Profile: p, Name: hardNames()[1], Sandwich: view.Callgraph(p, []profile.FunctionID{hard}, view.CallgraphOptions{}), Whole: whole, FullNames: full})
		},
		"lines": func(out *Printer) {
			out.Lines(LinesInput{
				Profile: p, Name: hardNames()[1], Table: view.Lines(p, []profile.FunctionID{hard}), Whole: whole,
				Source: func(string) ([]string, bool) { return nil, false },
			})
		},
	}
}

func TestATerminalIsNeverTooNarrow(t *testing.T) {
	for _, width := range []int{40, 80, 120, 200} {
		for name, show := range tables(false) {
			for _, line := range printed(width, show) {
				text := ansi.Strip(line)
				if w := ansi.StringWidth(text); w > width {
					t.Errorf("%s at %d: %d wide: %q", name, width, w, text)
				}
				if strings.ContainsFunc(text, unicode.IsControl) {
					t.Errorf("%s: control characters in %q", name, text)
				}
			}
		}
	}
}

// What goes to a file or pipe is whole, and one long name does not pad the others.
func TestNothingIsCutInAPipe(t *testing.T) {
	for _, full := range []bool{false, true} {
		for name, show := range tables(full) {
			text := strings.Join(printed(Unlimited, show), "\n")
			if strings.Contains(text, "…") {
				t.Errorf("%s is cut: %s", name, text)
			}
			if strings.Contains(text, strings.Repeat(" ", alignedTo+2*gap)) {
				t.Errorf("%s is padded: %s", name, text)
			}
			if !strings.HasPrefix(name, "top") && name != "diff" {
				continue
			}
			if name == "top by library" {
				continue
			}
			for _, n := range hardNames() {
				if !strings.Contains(text, Clean(n)) {
					t.Errorf("%s: %q is missing", name, n)
				}
			}
		}
	}
}

// Names that are wanted whole do not pad the others either.
func TestFullNamesAreWholeOnATerminal(t *testing.T) {
	text := strings.Join(printed(100, tables(true)["top"]), "\n")
	if !strings.Contains(text, hardNames()[0]) || strings.Contains(text, strings.Repeat(" ", 100)) {
		t.Error(text)
	}
}
