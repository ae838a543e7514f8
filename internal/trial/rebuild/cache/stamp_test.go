package cache

import (
	"os"
	"path/filepath"
	"testing"
)

// A library that is only loaded is nothing to a build; one that is linked is.
func TestLinkedDirectories(t *testing.T) {
	dir := t.TempDir()
	stamp := func() string {
		s, err := stampOf(t.Context(), []string{Linked(dir)})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	add := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first := stamp()
	add("libmimalloc.so.2")
	add("a tool")
	if stamp() != first {
		t.Error("a library without a development file changes the build")
	}
	add("libz.a")
	if stamp() == first {
		t.Error("a library that can be linked does not")
	}
}
