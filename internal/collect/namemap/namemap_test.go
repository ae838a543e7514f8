package namemap

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// install makes a directory with programs and gives an environment that finds them.
func install(t *testing.T, files map[string]string) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // they are programs
			t.Fatal(err)
		}
	}
	return dir, []string{"PATH=" + filepath.Join(dir, "bin"), "HOME=/"}
}

// both has Mono and Erlang as they are installed: what knows the settings is a binary.
func both(t *testing.T) (string, []string) {
	return install(t, map[string]string{
		"bin/mono":             "\x7fELF\x00" + strings.Repeat("x", 1<<20-10) + "--jitmap\x00disable_omit_fp\x00",
		"bin/erl":              "#!/bin/sh\nROOTDIR=/\n",
		"erts-13/bin/beam.smp": "\x7fELF\x00bad +JPperf support flag\x00",
		"bin/elixir":           "#!/bin/sh\nexec erl \"$@\"\n",
		"bin/serve":            "#!/bin/sh\nexec \"$ROOT/bin/erl\" -noshell\n",
		"bin/wrapped":          "#!/bin/sh\nexec mono /usr/lib/wrapped.exe \"$@\"\n",
		"bin/other":            "#!/bin/sh\nexec monotone\n",
		"bin/sh":               "\x7fELF",
		"loads.sh":             "cd /tmp && mono big.exe\n",
		"bin/binary":           "\x7fELF erl mono",
	})
}

func TestFor(t *testing.T) {
	dir, env := both(t)
	const names, frames, flags = "MONO_ENV_OPTIONS=--jitmap", "MONO_DEBUG=disable_omit_fp", "ERL_FLAGS=+JPperf map"
	for _, c := range []struct {
		command string
		more    []string
		want    []string
	}{
		{"mono a.exe", nil, []string{names, frames}},
		{"./a.exe", nil, []string{names, frames}},
		{"wrapped x", nil, []string{names, frames}},
		{"sh loads.sh", nil, []string{names, frames}},
		{"mono a.exe", []string{"MONO_ENV_OPTIONS=--gc=sgen", "MONO_DEBUG=gdb"}, []string{"MONO_ENV_OPTIONS=--gc=sgen --jitmap", "MONO_DEBUG=gdb,disable_omit_fp"}},
		{"mono a.exe", []string{names, frames}, nil},
		{"erl -noshell", nil, []string{flags}},
		{"elixir a.exs", nil, []string{flags}},
		{"serve", nil, []string{flags}},
		{"erl +JPperf true", nil, nil},
		{"erl", []string{"ERL_AFLAGS=+JPperf false"}, nil},
		{"erl", []string{"ERL_FLAGS=+S 1"}, []string{"ERL_FLAGS=+S 1 +JPperf map"}},
		{"other", nil, nil},
		{"binary", nil, nil},
		{"monotone erlang", nil, nil},
		{"", nil, nil},
	} {
		var got []string
		for _, s := range For(strings.Fields(c.command), dir, append(slices.Clone(env), c.more...)) {
			got = append(got, s.Env...)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s with %v: %q, want %q", c.command, c.more, got, c.want)
		}
	}
}

// A runtime that does not know a setting refuses to start with it.
func TestOldRuntimes(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no Erlang":               {"bin/elixir": "x"},
		"an emulator without":     {"bin/erl": "#!/bin/sh\n", "erts-9/bin/beam.smp": "\x7fELF"},
		"one of two without":      {"bin/erl": "#!/bin/sh\n", "erts-9/bin/beam.smp": "\x7fELF", "erts-13/bin/beam.smp": "JPperf"},
		"Mono without the map":    {"bin/mono": "disable_omit_fp"},
		"an emulator not in here": {"bin/erl": "#!/bin/sh\n"},
	} {
		dir, env := install(t, files)
		for _, command := range []string{"elixir", "erl", "mono"} {
			if got := For([]string{command}, dir, env); len(got) > 0 {
				t.Errorf("%s: %s gets %v", name, command, got)
			}
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("sh -c 'erl; mono x.exe'", "#!/bin/sh\nmono\n")
	dir := f.TempDir()
	f.Fuzz(func(_ *testing.T, command, script string) {
		_ = os.WriteFile(filepath.Join(dir, "run.sh"), []byte(script), 0o600)
		wordsOf(append(strings.Fields(command), "sh", "run.sh"), dir, []string{"PATH=" + dir})
		wordsOf([]string{"sh", "run.sh"}, dir, nil)
	})
}
