package main

import (
	"path/filepath"
	"slices"
	"testing"
)

// A data directory has one mark for as long as it lives, from the first start on.
func TestMarkOfADataDirectory(t *testing.T) {
	data := filepath.Join(t.TempDir(), "none", "yet")
	var f serveFlags
	marks := func(data string) []string {
		t.Helper()
		of, err := f.marks(data, false)
		if err != nil {
			t.Fatal(err)
		}
		list, err := of(t.Context())
		if err != nil || len(list) != 1 || list[0] == "" {
			t.Fatal(list, err)
		}
		return list
	}
	first := marks(data)
	if again := marks(data); !slices.Equal(again, first) {
		t.Errorf("%v, then %v", first, again)
	}
	if other := marks(t.TempDir()); slices.Equal(other, first) {
		t.Error("two directories have one mark")
	}
}
