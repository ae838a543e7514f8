package wrapper

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzReadLog: whatever names a build has given its files, reading the log of its
// compiler calls neither fails nor counts more calls than there are lines.
func FuzzReadLog(f *testing.F) {
	for _, s := range []string{"compile\tgcc\t/b\ta.c\n", "link\tcc\t/\t\n", "outside\tx\t\n", "\n\t\t\t\t", "host\trustc\t/\tbuild.rs\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := ReadLog(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := 1
		for _, b := range data {
			if b == '\n' {
				lines++
			}
		}
		if n := l.Compiles + l.Outside + l.Probes + l.Links; n > lines {
			t.Errorf("%d calls in %d lines", n, lines)
		}
	})
}
