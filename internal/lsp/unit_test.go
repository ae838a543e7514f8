package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/explain/analyzer/analyzertest"
)

const filler = `#include <string.h>

int before(void) { return 1; }

void fill(unsigned char *p, int *n) {
  for (int i = 0; i < *n; i++)
    p[i] = (unsigned char)i;
}
`

// The findings of a saved file go along with its lines, those of a text that does not
// compile stay those of the text before it, and a repaired one has its own again.
func TestFindingsOfSavedTexts(t *testing.T) {
	t.Setenv("WHYHOT_ANALYZER", analyzertest.Path(t))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root, file := written(t, "fill.c", filler)
	database, err := json.Marshal([]map[string]any{{"directory": root, "file": file, "arguments": []string{"cc", "-O2", "-c", file}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "compile_commands.json"), database, 0o600); err != nil {
		t.Fatal(err)
	}
	o := recorded(t, file, time.Now().Add(time.Hour))
	o.BuildDir = root
	e := start(t, root, o)
	save := func(text string) {
		t.Helper()
		e.change(file, text)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		e.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": uriOf(file)}})
	}
	on := func(wanted ...int) func([]diagnostic) bool {
		return func(ds []diagnostic) bool {
			var got []int
			for _, d := range ds {
				if strings.HasPrefix(d.Message, "Byte-wide stores") {
					got = append(got, d.Range.Start.Line)
				}
			}
			if len(got) != len(wanted) {
				return false
			}
			for i := range got {
				if got[i] != wanted[i] {
					return false
				}
			}
			return true
		}
	}
	e.open(file, filler)
	e.until("the first text", on(5))
	lower := strings.Replace(filler, "\n\n", "\n\n\n\n", 1)
	save(lower)
	e.until("the lines below", on(7))
	// An error above, while the loop moves once more.
	broken := strings.Replace(lower, "int before", "\nint int before", 1)
	save(broken)
	e.until("a text that does not compile", on(8))
	e.s.analyse(t.Context(), uriOf(file)) // to its end
	if text := e.hover(file, 8); !strings.Contains(text, "Byte-wide stores") {
		t.Errorf("after the analysis of a text that does not compile, its loop has %q", text)
	}
	save(lower + strings.NewReplacer("fill", "again", "#include <string.h>\n", "", "before", "behind").Replace(filler))
	e.until("the repaired text, with one more loop", on(7, 14))
}
