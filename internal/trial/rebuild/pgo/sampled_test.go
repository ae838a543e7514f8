package pgo

import (
	"os"
	"path/filepath"
	"testing"

	"whyhot/internal/trial/rebuild/wrapper"
)

func TestWhoseSamplesAFileHas(t *testing.T) {
	for text, want := range map[string]wrapper.Family{
		"\x1f\x8b\x08":                  wrapper.Go,
		"GO PREPROFILE V1\n":            wrapper.Go,
		"main:3000:10\n 1: 20\n":        wrapper.Clang,
		"\xff42\x00 an encoded profile": wrapper.Clang,
	} {
		path := filepath.Join(t.TempDir(), "profile")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := FamilyOf(path); err != nil || got != want {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
	if _, err := FamilyOf(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there has samples")
	}
}
