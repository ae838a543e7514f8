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

// recorded compiles with a record of optimisation in a form, and gives the record.
func recorded(t *testing.T, form string) string {
	t.Helper()
	dir := t.TempDir()
	source, out := filepath.Join(dir, "a.c"), filepath.Join(dir, "a.record")
	if err := os.WriteFile(source, []byte(remarked), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // that both forms name the file alike
	tooltest.Run(t, "clang-19", "-O2", "-g", "-c", "a.c", "-o", "a.o", "-fsave-optimization-record="+form, "-foptimization-record-file="+out)
	return out
}

func TestBothFormsOfARecordSayTheSame(t *testing.T) {
	analyzertest.Use(t)
	read := func(form string) []remark.Remark {
		out, err := ReadReports(t.Context(), recorded(t, form))
		if err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		return out
	}
	yaml, bits := read("yaml"), read("bitstream")
	if len(yaml) < 5 || len(yaml) != len(bits) {
		t.Fatalf("%d remarks in YAML, %d in the bitstream", len(yaml), len(bits))
	}
	calls := 0
	for i := range yaml {
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

func TestABitstreamInADirectoryOfReports(t *testing.T) {
	analyzertest.Use(t)
	out, err := ReadReports(t.Context(), filepath.Dir(recorded(t, "bitstream")))
	if err != nil || len(out) == 0 {
		t.Fatalf("%d remarks, %v", len(out), err)
	}
}

func TestBitstreamsThatCannotBeRead(t *testing.T) {
	analyzertest.Use(t)
	whole, err := os.ReadFile(recorded(t, "bitstream"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"cut.bitstream":      whole[:len(whole)*2/3],
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
