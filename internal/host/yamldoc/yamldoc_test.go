package yamldoc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMistakesAreToldWithFileAndLine(t *testing.T) {
	type form struct {
		Name string `yaml:"name"`
		Size int    `yaml:"size"`
	}
	for text, want := range map[string]string{
		"name: a\nsize: 3\n":            "",
		"name: a\nsizes: 3\n":           `f.yaml:2: unknown field "sizes"`,
		"name: a\nsize: many\n":         "f.yaml:2: ",
		"name: a\nname: b\n":            "f.yaml:2: ",
		"":                              "f.yaml: empty file",
		"name: a\n---\nname: b\n":       "f.yaml: more than one YAML document",
		"name: [a\n":                    "f.yaml:",
		"name: a\nsize: 3\nmore: [1]\n": `f.yaml:3: unknown field "more"`,
	} {
		var got form
		err := Decode("f.yaml", []byte(text), &got)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", text, err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%q: got %v, want one line that begins with %q", text, err, want)
		}
	}
}

func TestLargeFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(path, []byte("name: "+strings.Repeat("x", MaxFile)), 0o600); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Name string `yaml:"name"`
	}
	if err := Read(path, &got); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("got %v", err)
	}
}
