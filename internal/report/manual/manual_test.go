package manual

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/host/version"
)

func tree() *cobra.Command {
	root := &cobra.Command{Use: "tool", Short: "Say why"}
	child := &cobra.Command{Use: "explain FILE", Short: "Explain a profile", Run: func(*cobra.Command, []string) {}}
	child.Flags().String("top", "", "`N` of them")
	root.AddCommand(child, Command(root))
	return root
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man", "man1")
	build := version.Build{Version: "v1.2.0", Time: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)}
	if err := Write(tree(), build, dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	// The command that writes them is hidden, here, too.
	if got := strings.Join(names, " "); got != "tool-explain.1 tool.1" {
		t.Errorf("written: %s", got)
	}
	page, err := os.ReadFile(filepath.Join(dir, "tool-explain.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Feb 2026", "tool v1.2.0", "Explain a profile", "--top", "tool(1)"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	again := filepath.Join(t.TempDir(), "again")
	if err := Write(tree(), build, again); err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(filepath.Join(again, "tool-explain.1"))
	if err != nil {
		t.Fatal(err)
	}
	if string(second) != string(page) {
		t.Error("written twice, it differs")
	}
}
