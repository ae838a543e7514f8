package environ

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTheLastAssignmentCounts(t *testing.T) {
	env := []string{"A=1", "AB=2", "A=3=x", "E="}
	if got := Get(env, "A"); got != "3=x" {
		t.Errorf("A is %q", got)
	}
	if v, set := Lookup(env, "E"); v != "" || !set {
		t.Errorf("E is %q, set %v", v, set)
	}
	if _, set := Lookup(env, "B"); set {
		t.Error("B is set")
	}
	before := slices.Clone(env)
	for name, c := range map[string]struct{ got, want []string }{
		"set":          {Set(env, "A=4", "N=", "A=5"), []string{"AB=2", "E=", "N=", "A=5"}},
		"nothing set":  {Set(env), env},
		"unset":        {Unset(env, "A", "X"), []string{"AB=2", "E="}},
		"unset some":   {UnsetFunc(env, func(n string) bool { return strings.HasPrefix(n, "A") }), []string{"E="}},
		"prepend":      {Prepend(env, "AB", "0"), []string{"A=1", "A=3=x", "E=", "AB=0:2"}},
		"append":       {Append(env, "AB", "9"), []string{"A=1", "A=3=x", "E=", "AB=2:9"}},
		"prepend none": {Prepend(env, "E", "0"), []string{"A=1", "AB=2", "A=3=x", "E=0"}},
		"append none":  {Append(env, "L", "0"), append(slices.Clone(env), "L=0")},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
	if !slices.Equal(env, before) {
		t.Errorf("the list that was given is now %q", env)
	}
}

func file(t *testing.T, mode os.FileMode, text string, parts ...string) string {
	t.Helper()
	path := filepath.Join(parts...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLookPath(t *testing.T) {
	dir := t.TempDir()
	first := file(t, 0o755, "", dir, "first", "prog")
	file(t, 0o755, "", dir, "second", "prog")
	file(t, 0o755, "", dir, "prog")
	file(t, 0o644, "", dir, "denied", "prog")
	file(t, 0o755, "", dir, "folder", "prog", "inner")
	abs := filepath.Join(dir, "first")
	for _, c := range []struct {
		path, name, want string
		err              error
	}{
		{abs, "prog", first, nil},
		{"second:" + abs, "prog", "second/prog", nil},
		{"nowhere:denied:folder:second", "prog", "second/prog", nil},
		{"", "prog", "./prog", nil}, // set, and its only entry is empty
		{"nowhere:", "prog", "./prog", nil},
		{":" + abs, "prog", "./prog", nil},
		{abs, "second/prog", "second/prog", nil},
		{abs, "./second/../prog", "./second/../prog", nil},
		{abs, first, first, nil},
		{"denied:nowhere", "prog", "", fs.ErrPermission},
		{"folder", "prog", "", fs.ErrPermission},
		{abs, "other", "", exec.ErrNotFound},
		{abs, "", "", exec.ErrNotFound},
		{abs, "./denied/prog", "", fs.ErrPermission},
		{abs, "./folder/prog", "", fs.ErrPermission},
		{abs, "./other", "", fs.ErrNotExist},
	} {
		got, err := LookPath([]string{"PATH=" + c.path}, dir, c.name)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("PATH=%s, %q: got %q, %v; want %q, %v", c.path, c.name, got, err, c.want, c.err)
		}
	}
	if got, err := LookPath([]string{}, dir, "sh"); err != nil || got != "/bin/sh" && got != "/usr/bin/sh" {
		t.Errorf("without a PATH: %q, %v", got, err)
	}
	t.Setenv("PATH", abs)
	if got, err := LookPath(nil, "", "prog"); err != nil || got != first {
		t.Errorf("in this process's PATH: %q, %v", got, err)
	}
}

// env(1) searches by execvp(3), which is what LookPath is to agree with.
func TestLookPathAgreesWithExecvp(t *testing.T) {
	env, err := exec.LookPath("env")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for _, sub := range []string{"a", "b", "."} {
		file(t, 0o755, "#!/bin/sh\necho "+sub+"\n", dir, sub, "prog")
	}
	file(t, 0o600, "", dir, "denied", "prog")
	for _, path := range []string{"a", "b:a", ":a", "a:", "x::b", "", "denied:b", "denied", "x", filepath.Join(dir, "b")} {
		environment := []string{"PATH=" + path}
		cmd := exec.CommandContext(t.Context(), env, "prog")
		cmd.Dir, cmd.Env = dir, environment
		out, runErr := cmd.Output()
		found, err := LookPath(environment, dir, "prog")
		if err != nil {
			const denied, missing = 126, 127
			want := missing
			if errors.Is(err, fs.ErrPermission) {
				want = denied
			}
			if cmd.ProcessState.ExitCode() != want {
				t.Errorf("PATH=%s: %v; env ended with %v", path, err, runErr)
			}
			continue
		}
		text, err := os.ReadFile(From(dir, found))
		if err != nil || !strings.Contains(string(text), "echo "+strings.TrimSpace(string(out))+"\n") {
			t.Errorf("PATH=%s: found %s, %v; env ran %q", path, found, err, out)
		}
	}
}

func TestProgramsFollowScripts(t *testing.T) {
	dir := t.TempDir()
	interp := file(t, 0o755, "\x7fELF", dir, "interp")
	env := file(t, 0o755, "\x7fELF", dir, "env")
	environment := []string{"PATH=" + dir}
	for name, c := range map[string]struct {
		script string
		want   []string
	}{
		"direct":   {"#!" + interp + " -x\n", []string{interp}},
		"tab":      {"#!\t" + interp + "\t-x\n", []string{interp}},
		"by env":   {"#!" + env + " interp\n", []string{env, interp}},
		"env -S":   {"#! " + env + " -S A=1 interp -u\n", []string{env, interp}},
		"no line":  {"#!" + interp, []string{interp}},
		"nested":   {"#!" + file(t, 0o755, "#!"+interp+"\n", dir, "inner") + "\n", []string{interp}},
		"env only": {"#!" + env + "\n", []string{env}},
		"relative": {"#!./interp\n", []string{interp}},
		"none":     {"#!\n", nil},
		"missing":  {"#!/no/such\n", nil},
	} {
		file(t, 0o755, c.script, dir, "script")
		if got, err := Programs(environment, dir, "script"); !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	loop := filepath.Join(dir, "loop")
	file(t, 0o755, "#!"+loop+"\n", loop)
	if _, err := Programs(nil, "", loop); err == nil || !strings.Contains(err.Error(), "#!") {
		t.Errorf("a script that is its own interpreter: %v", err)
	}
	if _, err := Programs(nil, "", "no-such-program"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a missing program: %v", err)
	}
}

func FuzzPrograms(f *testing.F) {
	f.Add([]byte("#!/bin/sh\n"))
	f.Add([]byte("#! /usr/bin/env -S A=1 sh -e\n"))
	path := filepath.Join(f.TempDir(), "program")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o700); err != nil {
			t.Fatal(err)
		}
		if chain, err := Programs(nil, "", path); err == nil && len(chain) == 0 {
			t.Error("no program and no error")
		}
	})
}
