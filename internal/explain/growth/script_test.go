package growth

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"whyhot/internal/explain/growth/primitive"
	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
)

// A script is found through the shell script that starts it, as in `record -- bash run.sh`.
func TestTheScriptOfACommand(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return at
	}
	lua := write("src/queue.lua", "table.remove(items, 1)\n")
	shell := write("run.sh", "#!/bin/bash\n# as in other.lua\ncd \"$(dirname \"$0\")\" && exec lua5.4 src/queue.lua 270\n")
	bare := write("start", "#!/bin/sh\nexec true\n")
	for _, c := range []struct {
		command []string
		want    string
	}{
		{[]string{"lua5.4", lua, "270"}, lua},
		{[]string{"bash", shell}, lua},
		{[]string{shell}, lua},
		{[]string{"bash", bare}, ""},
		{[]string{"lua5.4", "missing.lua"}, ""},
	} {
		p := profile.NewBuilder().Build(profile.Meta{Command: c.command})
		if got, _ := scriptOf(judge.Subject{Facts: scripts{}, Profile: p}); got != c.want {
			t.Errorf("%q: %q, want %q", c.command, got, c.want)
		}
	}
}

// What a script loads is of the program.
func TestTheFilesOfAProgram(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"digest.lua": "local Page = require(\"lib.page\")\nrequire 'gone'\n", "lib/page.lua": "self.text = self.text .. s\n", "other.lua": "x = x .. s\n",
	} {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := profile.NewBuilder().Build(profile.Meta{Command: []string{"lua5.4", filepath.Join(dir, "digest.lua")}})
	got := sourcesOf(judge.Subject{Facts: scripts{}, Profile: p})
	if len(got.paths) != 2 || got.paths[1] != filepath.Join(dir, "lib", "page.lua") || len(got.texts[1]) == 0 {
		t.Errorf("%q", got.paths)
	}
}

// What an operation of R costs, it costs in a loop: that of the line, or of a caller.
func TestOperationsInLoops(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "a.R")
	text := "f <- function(n) {\n  for (i in 1:n) s <- paste0(s, i)\n  t <- paste0(t, n)\n  for (i in 1:n) key <- paste0(\"k\", i)\n}\nfor (k in 1:3) {\n  f(k)\n}\nf(4)\n"
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := primitive.Load()
	if err != nil {
		t.Fatal(err)
	}
	at := func(line int32) Place { return Place{Function: "f", File: script, Line: line} }
	for i := range table.Rows {
		r := &table.Rows[i]
		if r.Operation != "paste or paste0" {
			continue
		}
		for _, c := range []struct {
			line, caller int32
			want         bool
		}{{2, 9, true}, {3, 9, false}, {3, 7, true}, {4, 9, false}, {99, 7, false}} {
			w := Through{Row: r, Place: at(c.line), Callers: []Place{at(c.caller)}}
			if got := w.placed(sources{facts: scripts{}}); got != c.want {
				t.Errorf("line %d, called from line %d: %v", c.line, c.caller, got)
			}
		}
		return
	}
	t.Error("no such row")
}

// Of code that a JIT has optimised only the function and its file are known.
func TestTheLineIsInTheFunctionsOwnFile(t *testing.T) {
	table, err := primitive.Load()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(table.Rows, func(r primitive.Row) bool { return r.Operation == "slice + text + slice" })
	if at < 0 {
		t.Fatal("no such row")
	}
	for code, want := range map[string]int32{"str.slice(0, index) + ch + str.slice(index + 1)": 2, "str.replace(ch, '')": 0} {
		script := filepath.Join(t.TempDir(), "a.mjs")
		if err := os.WriteFile(script, []byte("function replaceAt (str, index, ch) {\n  return "+code+"\n}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		w := Through{Row: &table.Rows[at], Place: Place{Function: "replaceAt", File: script}}
		if !w.placed(sources{facts: scripts{}}) || w.Line != want {
			t.Errorf("%s: line %d, want %d", code, w.Line, want)
		}
	}
}

// The rest of a buffer is moved to its front for each line: other moves and copies are not.
func TestMovesToTheFront(t *testing.T) {
	table, err := primitive.Load()
	if err != nil {
		t.Fatal(err)
	}
	rows := slices.DeleteFunc(slices.Clone(table.Rows), func(r primitive.Row) bool { return r.Operation != "memmove to the front" })
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	for code, want := range map[string]bool{
		"memmove(t->buf, nl + 1, t->used);":               true,
		"memmove(buf, buf + n, len - n);":                 true,
		"memmove(&q->at[0], &q->at[1], n);":               false, // an element of a queue
		"memmove(q, &q[1], (n - 1) * sizeof *q);":         true,
		"memmove(conn->rbuf, conn->rpos, conn->pending);": true,
		"memmove(p + 1, p, n);":                           false, // room for one more
		"memcpy(t->buf, nl + 1, t->used);":                false,
		"memmove(out, in, sizeof *out);":                  false,
	} {
		script := filepath.Join(t.TempDir(), "a.c")
		text := "int next(struct tail *t) {\n    " + code + "\n}\nint main(void) {\n    while (next(&t))\n        n += next(&t);\n    next(&t);\n}\n"
		if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for caller, inLoop := range map[int32]bool{5: true, 6: true, 7: false} {
			w := Through{Row: &rows[0], Place: Place{Function: "next", File: script, Line: 2}, Callers: []Place{{Function: "main", File: script, Line: caller}}}
			if got := w.placed(sources{facts: scripts{}}); got != (want && inLoop) {
				t.Errorf("%s, called from line %d: %v", code, caller, got)
			}
		}
	}
}

// Of a compiled program of Haskell no stack has callers: its source says where lists are searched.
func TestListsOfHaskell(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		at := filepath.Join(dir, name)
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return at
	}
	main := write("Main.hs", "import Data.List (union)\nimport qualified Data.Set as Set\nimport Grants\nmain = print (Set.union a b)\n")
	write("Grants.hs", "module Grants where\nimport Data.List (nub, union)\n-- the union of both\njoin a b = a `union` b\n")
	searching := func(search, compare float64) *profile.Profile {
		b := profile.NewBuilder()
		for name, n := range map[string]float64{"base_DataziOldList_elemzuby_info": search, "base_GHCziBase_eqString_info": compare, "Main_go_info": 1000 - search - compare} {
			fn := profile.Function{Name: name, Kind: profile.KindNative}
			if name == "Main_go_info" {
				fn.File = main
			}
			stack := b.Stack([]profile.LocationID{b.Location(0, 0, profile.KindNative, profile.Line{Function: b.Function(fn), Line: 4})})
			b.Sample(profile.Sample{Stack: stack, Count: int64(n), Value: int64(n)})
		}
		return b.Build(profile.Meta{Command: []string{"./app"}})
	}
	for name, x := range map[string]struct {
		search, compare float64
		want            string
	}{
		"a union":               {200, 600, "Grants.hs:4"},
		"texts that are equal":  {20, 600, ""},
		"hardly any comparison": {20, 20, ""},
	} {
		answer, err := Judge(t.Context(), judge.Subject{Facts: scripts{}, Profile: searching(x.search, x.compare)})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range answer.Found {
			if f.Rule == RuleListSearch {
				got = filepath.Base(f.Place.File) + ":" + strconv.Itoa(f.Place.Line)
			}
		}
		if got != x.want {
			t.Errorf("%s: %q, not %q", name, got, x.want)
		}
	}
}
