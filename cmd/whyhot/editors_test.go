package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
)

const edited = `struct table {
  unsigned char *data;
  int size;
};

void fill(struct table *t, int seed) {
  for (int i = 0; i < t->size; i++)
    t->data[i] = (unsigned char)(i + seed);
}

int main(int argc, char **argv) {
  static unsigned char data[1 << 16];
  struct table t = {data, argc << 15};
  for (int i = 0; i < 1000; i++) fill(&t, i);
  return data[argc];
}
`

// What an editor's script writes of what it saw.
type seen struct {
	Diagnostics []struct {
		Line int // from 0
		Text string
	}
	Hover   string
	Actions []string
	Text    string // of the buffer, once the fix is applied
}

// inEditor is a directory as a user has it: a program, the profile of it, and its build.
func inEditor(t *testing.T) string {
	t.Helper()
	clang := tooltest.Find(t, "clang-19")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("bench.c", edited)
	put(".whyhot.yaml", "try:\n  build_dir: .\n")
	commands, err := json.Marshal([]map[string]any{{"directory": dir, "file": "bench.c", "arguments": []string{clang, "-O2", "-g", "-c", "bench.c"}}})
	if err != nil {
		t.Fatal(err)
	}
	put("compile_commands.json", string(commands))
	path := filepath.Join(dir, "bench")
	tooltest.Run(t, "clang-19", "-O2", "-g", "-Wl,--build-id", "-o", path, filepath.Join(dir, "bench.c"))
	bin, err := elffile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer bin.Close() //nolint:errcheck // only read from

	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: path, BuildID: bin.BuildID()})
	fill := b.Function(profile.Function{Name: "fill", File: filepath.Join(dir, "bench.c"), StartLine: 6, Mapping: m, Kind: profile.KindNative})
	for line, count := range map[int32]int64{7: 700, 8: 300} {
		loc := b.Location(m, 0, profile.KindNative, profile.Line{Function: fill, Line: line})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: count, Value: count})
	}
	file, err := os.Create(filepath.Join(dir, "whyhot-bench.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	p := b.Build(profile.Meta{ValueType: profile.ValueType{Type: "samples", Unit: "count"}})
	if err := pprof.Write(file, p); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// configuration is the block of the guide that follows a line which begins with a title.
func configuration(t *testing.T, title, language string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/guide/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(page), "\n"+title)
	_, after, opened := strings.Cut(after, "\n```"+language+"\n")
	block, _, closed := strings.Cut(after, "\n```")
	if !found || !opened || !closed {
		t.Fatalf("docs/guide/editors.md has no block of %s after %q", language, title)
	}
	return block + "\n"
}

// edit runs an editor on the program and gives what its script saw.
func edit(t *testing.T, dir string, words ...string) seen {
	t.Helper()
	analyzer, err := filepath.Abs("../../bin/whyhot-analyzer")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(analyzer); err != nil {
		tooltest.Missingf(t, "needs bin/whyhot-analyzer: make analyzer")
	}
	home, out := t.TempDir(), filepath.Join(t.TempDir(), "seen.json")
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+home,
		"XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_DATA_HOME="+home, "WHYHOT_ANALYZER="+analyzer, "WHYHOT_TEST_SEEN="+out)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var s seen
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return s
}

// check holds what was seen against what the profile and the analyser say.
func (s *seen) check(t *testing.T) {
	t.Helper()
	at := map[int]string{}
	for _, d := range s.Diagnostics {
		at[d.Line] += d.Text + "\n"
	}
	if len(at) != 2 || !strings.Contains(at[6], "70.0% ±") || !strings.Contains(at[7], "30.0% ±") || !strings.Contains(at[6], "Byte-wide stores") {
		t.Errorf("diagnostics by line: %v", at)
	}
	for _, want := range []string{"70.0% ±", "1000 samples", "Byte-wide stores", "→"} {
		if !strings.Contains(s.Hover, want) {
			t.Errorf("no %q on hover: %q", want, s.Hover)
		}
	}
	if all := strings.Join(s.Actions, "\n"); !strings.Contains(all, "what would it bring?") || !strings.Contains(all, "prove it") || !strings.Contains(all, "write the fix") {
		t.Errorf("actions: %q", all)
	}
	if !strings.Contains(s.Text, "= t->size;") || strings.Contains(s.Text, "i < t->size") {
		t.Errorf("the fix is not in the buffer:\n%s", s.Text)
	}
}

// The configuration for Neovim works as the guide has it.
func TestNeovim(t *testing.T) {
	nvim := tooltest.Find(t, "nvim")
	version, err := exec.CommandContext(t.Context(), nvim, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	title := "**Neovim**"
	if regexp.MustCompile(`^NVIM v0\.([0-9]|10)\.`).Match(version) {
		title = "Before 0.11"
	}
	dir := inEditor(t)
	init := filepath.Join(t.TempDir(), "init.lua")
	if err := os.WriteFile(init, []byte(configuration(t, title, "lua")), 0o600); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("testdata/editors/neovim.lua")
	if err != nil {
		t.Fatal(err)
	}
	s := edit(t, dir, nvim, "--headless", "-u", init, "-i", "NONE", "bench.c", "-c", "luafile "+script)
	s.check(t)
}

// That for Emacs does, too. Emacs has eglot from version 29 on; before, it is a package.
func TestEglot(t *testing.T) {
	emacs := tooltest.Find(t, "emacs")
	if err := exec.CommandContext(t.Context(), emacs, "--batch", "--eval", "(require 'eglot)").Run(); err != nil {
		tooltest.Missingf(t, "this Emacs has no eglot: install elpa-eglot")
	}
	dir := inEditor(t)
	init := filepath.Join(t.TempDir(), "init.el")
	if err := os.WriteFile(init, []byte(configuration(t, "With eglot", "elisp")), 0o600); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("testdata/editors/eglot.el")
	if err != nil {
		t.Fatal(err)
	}
	s := edit(t, dir, emacs, "--batch", "--load", init, "bench.c", "--load", script)
	s.check(t)
}

// That for Helix is as Helix documents its files, and the server that it starts answers
// what Helix asks. No package of Debian has the editor.
func TestHelixConfiguration(t *testing.T) {
	python := tooltest.Find(t, "python3")
	if err := exec.CommandContext(t.Context(), python, "-c", "import tomllib").Run(); err != nil {
		tooltest.Missingf(t, "this Python has no tomllib: 3.11 has it")
	}
	dir := inEditor(t)
	languages := filepath.Join(t.TempDir(), "languages.toml")
	if err := os.WriteFile(languages, []byte(configuration(t, "**Helix**", "toml")), 0o600); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("testdata/editors/helix.py")
	if err != nil {
		t.Fatal(err)
	}
	s := edit(t, dir, python, script, languages, "bench.c", "c")
	s.check(t)
}
