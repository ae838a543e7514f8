package symbol

import (
	"fmt"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/ianlancetaylor/demangle"

	"whyhot/internal/host/tooltest"
	"whyhot/internal/profile"
)

// reference is one frame as llvm-symbolizer gives it.
type reference struct {
	function, file string
	line           int
}

var demangledNames = map[string]string{}

// demangled is a name as it is read; the same few come for each address.
func demangled(name string) string {
	if _, known := demangledNames[name]; !known {
		demangledNames[name] = demangle.Filter(name)
	}
	return demangledNames[name]
}

// symbolizer asks llvm-symbolizer about addresses of a binary.
func symbolizer(t *testing.T, binary string, addrs []uint64, args ...string) [][]reference {
	t.Helper()
	var in strings.Builder
	for _, a := range addrs {
		fmt.Fprintf(&in, "%#x\n", a)
	}
	args = append([]string{"--inlines", "--no-demangle", "--obj=" + binary}, args...)
	cmd := exec.CommandContext(t.Context(), tooltest.Find(t, "llvm-symbolizer-19"), args...)
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all [][]reference
	for block := range strings.SplitSeq(strings.TrimSuffix(string(out), "\n\n"), "\n\n") {
		lines := strings.Split(strings.TrimPrefix(block, "\n"), "\n")
		var frames []reference
		for i := 0; i+1 < len(lines); i += 2 {
			parts := strings.Split(lines[i+1], ":")
			line, _ := strconv.Atoi(parts[len(parts)-2])
			file := strings.Join(parts[:len(parts)-2], ":")
			if file != "??" {
				file = path.Clean(file)
			}
			frames = append(frames, reference{demangled(lines[i]), file, line})
		}
		all = append(all, frames)
	}
	if len(all) != len(addrs) {
		t.Fatalf("%d answers for %d addresses", len(all), len(addrs))
	}
	return all
}

// same compares our frames with the reference. An outermost function may have
// another of its names: which alias is best is a matter of taste.
func same(ours []profile.Frame, ref []reference, aliases bool) bool {
	if len(ours) == 0 {
		return len(ref) == 1 && ref[0].function == "??" && ref[0].line == 0
	}
	if len(ours) != len(ref) {
		return false
	}
	for i, f := range ours {
		symbol := f.Function.SystemName
		if symbol == "" {
			symbol = f.Function.Name
		}
		if symbol == "" {
			symbol = "??"
		}
		file := f.Function.File
		if file == "" {
			file = "??"
		}
		outermost := i == len(ours)-1
		if demangled(symbol) != ref[i].function && (!outermost || !aliases) {
			return false
		}
		// Without DWARF, the reference guesses a file from STT_FILE symbols.
		if int(f.Line) != ref[i].line || file != ref[i].file && (f.Line != 0 || file != "??") {
			return false
		}
	}
	return true
}

// TestAgainstLLVM asks about every single address of programs built in many ways.
func TestAgainstLLVM(t *testing.T) {
	for _, c := range []struct {
		compiler string
		flags    string
		aliases  bool // code that shares an address goes by different names
	}{
		{"g++", "-gdwarf-5", false},
		{"g++", "-gdwarf-4 -no-pie", false},
		{"g++", "-gdwarf-4 -fdebug-types-section", false},
		{"g++", "-gdwarf-5 -fdebug-types-section -gz=zlib", false},
		{"g++", "-gdwarf-5 -gz=zstd", false},
		{"g++", "-gdwarf-3 -gstrict-dwarf", false},
		{"g++", "-gdwarf-2 -gstrict-dwarf", false},
		{"g++", "-gdwarf64 -gdwarf-5", false},
		{"g++", "-g -shared -fPIC", false},
		{"g++", "-g -static", true},
		{"g++", "-g -flto", false},
		{"g++", "-g -ffunction-sections -Wl,--gc-sections", false},
		{"g++", "-g1", false},
		{"g++", "-g -O0", false},
		{"clang++-19", "-gdwarf-5", false},
		{"clang++-19", "-gdwarf-4", false},
		{"clang++-19", "-gdwarf-5 -fdebug-types-section -ffunction-sections -Wl,--gc-sections", false},
		{"clang++-19", "-gdwarf-5 -fuse-ld=lld -Wl,--icf=all", true},
		{"clang++-19", "-gline-tables-only", false},
		{"clang++-19", "-g -gdwarf64", false},
	} {
		t.Run(c.compiler+" "+c.flags, func(t *testing.T) {
			binary := compile(t, c.compiler, strings.Fields(c.flags)...)
			addrs := everyAddress(t, binary)
			ref := symbolizer(t, binary, addrs)
			f, err := Open(binary, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if len(f.Notes()) > 0 {
				t.Errorf("a sound file gave notes: %q", f.Notes())
			}
			got, err := f.LookupAll(t.Context(), addrs)
			if err != nil {
				t.Fatal(err)
			}
			wrong, inlined := 0, 0
			for i := range addrs {
				if len(got[i]) > 1 {
					inlined++
				}
				if !same(got[i], ref[i], c.aliases) {
					if wrong++; wrong <= 5 {
						t.Errorf("%#x:\n ours %+v\n llvm %+v", addrs[i], got[i], ref[i])
					}
				}
			}
			if wrong > 0 {
				t.Errorf("%d of %d addresses differ", wrong, len(addrs))
			}
			if inlined == 0 && !strings.Contains(c.flags, "-O0") {
				t.Error("no address has inlined calls: the program tests nothing")
			}
		})
	}
}
