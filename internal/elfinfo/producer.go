package elfinfo

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/elfinfo/dwarf"
)

// Producer is one compiler and set of switches that units of a binary were
// compiled with.
type Producer struct {
	Text     string   // as in DW_AT_producer
	Compiler string   // "gcc", "clang", "rustc", "go", "" when not known
	Version  string   // "12.2.0"
	Language string   // "C", "C++", "Rust", …
	Flags    []string // switches that the text tells: gcc always, clang with -grecord-command-line
	Units    int      // how many compilation units
}

var compilers = []struct {
	name string
	re   *regexp.Regexp
}{
	{"rustc", regexp.MustCompile(`rustc version (\d+\.\d+\.\d+\S*)`)},
	{"clang", regexp.MustCompile(`clang(?: version)? (\d+\.\d+\.\d+\S*)`)},
	{"gcc", regexp.MustCompile(`^GNU \S+(?: \S+)*? (\d+\.\d+\.\d+)`)},
	{"go", regexp.MustCompile(`^Go cmd/compile go(\S+?);?(?:\s|$)`)},
	{"icx", regexp.MustCompile(`Intel.*?(\d{4}\.\d+\.\d+)`)},
}

func producers(units []dwarf.Producer) []Producer {
	out := make([]Producer, 0, len(units))
	for _, u := range units {
		p := Producer{Text: u.Text, Language: u.Language, Units: u.Units}
		for _, c := range compilers {
			if m := c.re.FindStringSubmatch(u.Text); m != nil {
				p.Compiler, p.Version = c.name, m[1]
				break
			}
		}
		for word := range strings.FieldsSeq(u.Text) {
			if strings.HasPrefix(word, "-") && len(word) > 1 {
				p.Flags = append(p.Flags, word)
			}
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b Producer) int { return cmp.Compare(b.Units, a.Units) })
	return out
}

// OptLevel is the last -O switch without the letter: "0", "2", "fast"; ok is
// false when the compiler does not tell. gcc tells all its switches, of which it always
// has some (-mtune=generic): no -O among them means "0". Where it has none it was told to
// keep them to itself (-gno-record-gcc-switches, as cgo does).
func (p Producer) OptLevel() (level string, ok bool) {
	for _, flag := range slices.Backward(p.Flags) {
		if rest, isOpt := strings.CutPrefix(flag, "-O"); isOpt {
			if rest == "" {
				rest = "1"
			}
			return rest, true
		}
	}
	// Assembler units have no optimiser.
	if p.Compiler == "gcc" && len(p.Flags) > 0 && !strings.HasPrefix(p.Text, "GNU AS") {
		return "0", true
	}
	return "", false
}

// SeesWhole reports whether units were optimised together when they were linked (LTO).
func (p Producer) SeesWhole() bool { return strings.Contains(p.Text, "GIMPLE") || p.Has("-flto") }

// Has reports whether one of the switches begins with prefix.
func (p Producer) Has(prefix string) bool {
	return slices.ContainsFunc(p.Flags, func(f string) bool { return strings.HasPrefix(f, prefix) })
}
