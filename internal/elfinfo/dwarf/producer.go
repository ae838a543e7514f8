package dwarf

// Producer is one compiler, language and set of switches, and how many units it
// made.
type Producer struct {
	Text     string // DW_AT_producer
	Language string // "" when not known
	Units    int
}

const (
	ada     = "Ada"
	cpp     = "C++"
	fortran = "Fortran"
)

// languages are the codes of §7.12 and of the registry of DWARF languages.
var languages = map[uint64]string{
	0x01: "C", 0x02: "C", 0x0c: "C", 0x1d: "C", 0x2c: "C", 0x3e: "C",
	langCpp: cpp, langCpp03: cpp, langCpp11: cpp, langCpp14: cpp, langCpp17: cpp, langCpp20: cpp, langCpp23: cpp,
	0x07: fortran, 0x08: fortran, langFortran: fortran, 0x22: fortran, 0x23: fortran, 0x2d: fortran,
	0x03: ada, 0x0d: ada, 0x2e: ada, 0x2f: ada,
	0x0b: "Java", 0x10: "Objective-C", 0x11: "Objective-C++", langD: "D", 0x16: "Go", 0x18: "Haskell",
	0x1b: "OCaml", 0x1c: "Rust", 0x1e: "Swift", 0x1f: "Julia", 0x26: "Kotlin", 0x27: "Zig", 0x28: "Crystal",
	0x31: "Assembly", 0x8001: "Assembly",
}

// Producers tells what made the units of the file, each combination once, in the
// order of the file.
func (d *Info) Producers() []Producer {
	type key struct {
		text     string
		language uint64
	}
	at := map[key]int{}
	var out []Producer
	for _, u := range d.units {
		if !u.hasCode() {
			continue
		}
		k := key{u.text(u.root.producer), u.root.language}
		if k.text == "" {
			continue
		}
		i, seen := at[k]
		if !seen {
			i = len(out)
			at[k] = i
			out = append(out, Producer{Text: k.text, Language: languages[k.language]})
		}
		out[i].Units++
	}
	return out
}
