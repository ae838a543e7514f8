package peers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/server/peers"
)

func TestReadSecret(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	for text, want := range map[string]bool{
		strings.Repeat("a", 32) + "\n": true, strings.Repeat("a", 31): false, strings.Repeat("a", 20) + " " + strings.Repeat("a", 20): false, "": false,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := peers.ReadSecret(file)
		if (err == nil) != want || want && got != strings.TrimSpace(text) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func TestCheckURL(t *testing.T) {
	for text, want := range map[string]bool{
		"http://10.0.0.7:7878": true, "https://whyhot-0.whyhot:7878/": true, "10.0.0.7:7878": false, "ftp://x": false, "http://u:p@x": false, "http://x/path": false, "http://": false,
	} {
		if err := peers.CheckURL(text); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
