package known

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is written is read again, whatever words come with it.
func TestKnownFindingsAreReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "known.txt")
	if ids, err := Read(path); err != nil || len(ids) != 0 {
		t.Fatalf("%v %v", ids, err)
	}
	if err := Write(path, []Entry{{"slow-loop-2", "src/b.c\n# split"}, {"copy-1", ""}, {"slow-loop-2", "again"}}); err != nil {
		t.Fatal(err)
	}
	ids, err := Read(path)
	if err != nil || len(ids) != 2 || ids["slow-loop-2"] != "src/b.c # split" {
		t.Errorf("%v %v", ids, err)
	}
}

func TestWhatIsNoIdentityIsTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "known.txt")
	if err := os.WriteFile(path, []byte("# words\n\nnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("slow-loop-1a2b3c4d  src/a.c\n#\n")
	f.Fuzz(func(t *testing.T, text string) {
		ids, err := parse(strings.NewReader(text))
		for id := range ids {
			if err == nil && (!strings.Contains(id, "-") || strings.ContainsAny(id, " \n")) {
				t.Errorf("%q", id)
			}
		}
	})
}
