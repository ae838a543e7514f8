package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/host/environ"
	"whyhot/internal/host/tool"
)

func TestReadLua(t *testing.T) {
	text := "version 5.4\nthread thread: 0x55d0\nfunction table.remove function: 0x7f10\nfunction _G.x function: 0x7f20\nfunction print function: builtin\n"
	if _, err := readLua(text); err == nil {
		t.Error("it is not complete")
	}
	a, err := readLua(text + "end\n")
	if err != nil || a.version != "5.4" || a.thread != 0x55d0 || a.functions[0x7f10] != "table.remove" || len(a.functions) != 2 {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := readLua("version 5.4\nend\n"); err == nil {
		t.Error("without a state")
	}
}

func FuzzReadLua(f *testing.F) {
	f.Add("version 5.1\nthread thread: 0x1\nfunction a b: 0x2\nend\n")
	f.Fuzz(func(t *testing.T, text string) {
		if a, err := readLua(text); err == nil && (a.version == "" || a.thread == 0) {
			t.Errorf("%q: %+v", text, a)
		}
	})
}

func TestNamesOfLua(t *testing.T) {
	for line, want := range map[string]string{
		"local function has(list, word)": "has", "function Report:row(o)": "Report:row", "M.parse = function (text)": "M.parse",
		"return function(x)": "", "": "",
	} {
		if got := luaName(line); got != want {
			t.Errorf("%q: %q", line, got)
		}
	}
}

func TestScriptOfACommandOfR(t *testing.T) {
	for _, c := range []struct{ words, want string }{
		{"/usr/lib/R/bin/exec/R --no-echo --no-restore --file=a.R --args 1", "a.R"},
		{"R --vanilla -f b.R", "b.R"},
		{"R --no-echo --args --file=c.R", ""},
		{"R -f", ""},
	} {
		if got := rScript(strings.Fields(c.words)); got != c.want {
			t.Errorf("%s: %q", c.words, got)
		}
	}
}

// run gives what a program prints, with an environment and without whatever another has set.
func run(t *testing.T, env []string, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env, cmd.Dir = env, dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		out = append(out, err.Error()...)
	}
	return string(out)
}

// A script computes and prints the same, and ends with the same status, whether or not it is
// recorded; what the user has set to be run before it still runs.
func TestLuaRunsAsWithout(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "look.lua")
	write(t, script, `
local names = {}
for k in pairs(_G) do names[#names + 1] = tostring(k) end
for k in pairs(package.loaded) do names[#names + 1] = "package " .. k end
table.sort(names)
print(table.concat(names, " "), arg[0], arg[1], #arg, ..., debug.gethook(), collectgarbage and 1)
print(init and "user's" or "nothing", select("#", ...))
local co = coroutine.wrap(function() error({}) end)
print(pcall(co))
error("boom", 2)
`)
	write(t, filepath.Join(dir, "init.lua"), "init = 'a file'\n")
	tried := 0
	for _, version := range []string{"5.1", "5.2", "5.3", "5.4"} {
		lua, err := exec.LookPath("lua" + version) // it has no option that tool.Find asks for
		if err != nil {
			continue
		}
		tried++
		for _, set := range []string{"", "LUA_INIT=init = 'a \"text\"'", "LUA_INIT=@init.lua", "LUA_INIT_5_4=init = 1", "LUA_INIT=error('in init')"} {
			env := environ.Unset(os.Environ(), "LUA_INIT")
			if set != "" {
				env = environ.Set(env, set)
			}
			w, add, err := Begin(env, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			changed := environ.Set(env, add...)
			args := []string{lua, script, "one", "two"}
			got, want := run(t, changed, dir, args...), run(t, env, dir, args...)
			if set == "LUA_INIT=error('in init')" { // the traceback is longer by what has run it
				got, want = firstLine(got), firstLine(want)
			}
			if clean(got) != clean(want) {
				t.Errorf("%s with %q:\n%s\nwithout:\n%s", version, set, got, want)
			}
			w.End()
		}
	}
	if tried == 0 {
		t.Skip("lua is not installed")
	}
}

func firstLine(text string) string { return strings.SplitN(text, "\n", 2)[0] }

// clean is a text without addresses.
func clean(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if strings.HasPrefix(w, "0x") {
			words[i] = "0x"
		}
	}
	return strings.Join(words, " ")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRRunsAsWithout(t *testing.T) {
	rscript, err := tool.Find("Rscript")
	if err != nil {
		t.Skip("R is not installed")
	}
	dir := t.TempDir()
	script, own := filepath.Join(dir, "look.R"), filepath.Join(dir, "own.R")
	write(t, script, `cat(search(), ls(globalenv(), all.names = TRUE), commandArgs(TRUE), exists("own_ran"), "\n"); f <- function() stop("boom"); f()`+"\n")
	write(t, own, "own_ran <- 1\n")
	for _, set := range []string{"", "R_TESTS=" + own} {
		env := environ.Unset(os.Environ(), rTests)
		if set != "" {
			env = environ.Set(env, set)
		}
		w, add, err := Begin(env, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		changed := environ.Set(env, add...)
		for _, options := range [][]string{nil, {"--vanilla"}} {
			args := slices.Concat([]string{rscript}, options, []string{script, "x"})
			if got, want := run(t, changed, dir, args...), run(t, env, dir, args...); got != want {
				t.Errorf("%v with %q:\n%s\nwithout:\n%s", options, set, got, want)
			}
		}
		if tracks, notes := w.End(); len(notes) > 1 {
			t.Errorf("%d tracks: %q", len(tracks), notes)
		}
	}
}

// What cannot be named to an interpreter is refused, not half done.
func TestDirectoryThatCannotBeQuoted(t *testing.T) {
	if _, _, err := Begin(nil, `/tmp/a"b`); err == nil {
		t.Error("no error")
	}
	if _, _, err := Begin(nil, filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a directory that is not there")
	}
}
