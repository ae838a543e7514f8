package explain

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/ingest/remark"
)

// What clang has remarks of each kind about: a call that it cannot see into, a sum whose
// order counts, a load that a store may change, a loop that it does vectorise.
const remarked = `extern int outside(int);
double sum(const double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
void twice(int *restrict a, int n) { for (int i = 0; i < n; i++) a[i] *= 2; }
int each(char *to, const int *n) { int t = 0; for (int i = 0; i < *n; i++) { to[i] = 1; t += outside(i); } return t; }
`

// recorded gives the record of a compilation, in YAML as clang writes it, and in the
// bitstream that LLVM's tool makes of it.
func recorded(t *testing.T) (yaml, bits string) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "a.c", remarked)
	t.Chdir(dir)
	yaml, bits = filepath.Join(dir, "a.opt.yaml"), filepath.Join(t.TempDir(), "a.opt.bitstream")
	tooltest.Run(t, "clang-19", "-O2", "-g", "-c", "a.c", "-o", "a.o", "-fsave-optimization-record", "-foptimization-record-file="+yaml)
	tooltest.Run(t, "llvm-remarkutil-19", "yaml2bitstream", yaml, "-o", bits)
	return yaml, bits
}

func TestBothFormsOfARecordSayTheSame(t *testing.T) {
	analyzertest.Use(t)
	read := func(path string) []remark.Remark {
		out, err := ReadReports(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	inYAML, inBits := recorded(t)
	yaml, bits := read(inYAML), read(inBits)
	if len(yaml) < 5 || len(yaml) != len(bits) {
		t.Fatalf("%d remarks in YAML, %d in the bitstream", len(yaml), len(bits))
	}
	calls := 0
	for i := range yaml {
		bare(&yaml[i])
		bare(&bits[i])
		if !reflect.DeepEqual(yaml[i], bits[i]) {
			t.Errorf("remark %d: YAML has\n%+v, the bitstream\n%+v", i, yaml[i], bits[i])
		}
		if bits[i].Callee == "outside" {
			calls++
		}
	}
	if calls == 0 {
		t.Error("no remark is about the call")
	}
}

// bare takes the quotes and ends of lines out of a message: LLVM's tool copies YAML's
// into the bitstream.
func bare(m *remark.Remark) {
	m.Message = strings.NewReplacer("'", "", `"`, "", `\n`, "", "\n", "").Replace(m.Message)
}

func TestABitstreamInADirectoryOfReports(t *testing.T) {
	analyzertest.Use(t)
	_, bits := recorded(t)
	out, err := ReadReports(t.Context(), filepath.Dir(bits))
	if err != nil || len(out) == 0 {
		t.Fatalf("%d remarks, %v", len(out), err)
	}
}

func TestBitstreamsThatCannotBeRead(t *testing.T) {
	analyzertest.Use(t)
	_, bits := recorded(t)
	whole, err := os.ReadFile(bits)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"cut.bitstream":      whole[:len(whole)*2/3|1],
		"only its beginning": whole[:4],
		"noise":              append([]byte("RMRK"), strings.Repeat("noise", 100)...),
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := ReadReports(t.Context(), path); err == nil || !strings.Contains(err.Error(), name+": LLVM's bitstream of remarks: ") {
			t.Errorf("%s: %d remarks, %v", name, len(out), err)
		}
	}
	// clang keeps the strings of its own for the object file, and ELF has no place there.
	apart := filepath.Join(t.TempDir(), "apart")
	write(t, filepath.Dir(apart), "a.c", remarked)
	tooltest.Run(t, "clang-19", "-O2", "-c", filepath.Join(filepath.Dir(apart), "a.c"), "-o", "a.o", "-fsave-optimization-record=bitstream", "-foptimization-record-file="+apart, "-mllvm", "-remarks-section=false")
	if _, err := ReadReports(t.Context(), apart); err == nil || !strings.Contains(err.Error(), "-fsave-optimization-record=yaml") {
		t.Errorf("a bitstream without its strings: %v", err)
	}
	t.Setenv("WHYHOT_ANALYZER", "")
	t.Setenv("PATH", t.TempDir())
	path := filepath.Join(t.TempDir(), "a.bitstream")
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadReports(t.Context(), path); err == nil || !strings.Contains(err.Error(), "make analyzer") || !strings.Contains(err.Error(), "llvm-remarkutil") {
		t.Errorf("without an analyser: %v", err)
	}
}
