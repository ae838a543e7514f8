// Package namemap has a command's runtime write down the names of the code that it
// generates, and keep frame pointers in it.
//
// It owns which runtimes can, by which environment variables, and how to tell that a
// command is one of theirs. It takes a command line and its environment and gives
// assignments. It must never import a sampler, start a program, or change a variable that
// other programs read.
//
// A setting is made only where the installed runtime has it: one that does not know it
// refuses to start. And only where the command line names the runtime, or a script that
// does: who started something else has not asked for it.
package namemap

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/host/environ"
)

// Setting is what is set for one runtime.
type Setting struct {
	Runtime string
	Env     []string // assignments, NAME=VALUE
}

// runtime is one that can write such a map.
type runtime struct {
	name string
	// words are the programs by which a command line says that it is one of these.
	words *regexp.Regexp
	// program leads to the runtime, and machines to what runs the code, from there.
	program  string
	machines func(program string) []string
	// knows are texts of a machine that has the settings.
	knows []string
	set   func(command, env []string) []string
}

var runtimes = []runtime{
	{
		name: "Mono", words: regexp.MustCompile(`^(mono(-sgen|-boehm)?|mcs|csharp|xbuild|nuget)$|\.exe$`),
		program: "mono", machines: itself, knows: []string{"--jitmap", "disable_omit_fp"}, set: mono,
	},
	{
		name: "Erlang", words: regexp.MustCompile(`^(erl|erlc|escript|elixir|elixirc|iex|mix|rebar3)$`),
		program: "erl", machines: emulators, knows: []string{"JPperf"}, set: erlang,
	},
}

// For says what to set for a command, given its directory and its environment.
func For(command []string, dir string, env []string) []Setting {
	words := wordsOf(command, dir, env)
	var out []Setting
	for i := range runtimes {
		r := &runtimes[i]
		if !slices.ContainsFunc(words, r.words.MatchString) || !r.installed(dir, env) {
			continue
		}
		if set := r.set(command, env); len(set) > 0 {
			out = append(out, Setting{Runtime: r.name, Env: set})
		}
	}
	return out
}

// mono adds to the options that its environment has already. They have no quotes that
// could be open.
func mono(_, env []string) []string {
	var out []string
	if options := environ.Get(env, "MONO_ENV_OPTIONS"); !strings.Contains(options, "--jitmap") {
		out = append(out, "MONO_ENV_OPTIONS="+strings.TrimSpace(options+" --jitmap"))
	}
	if debug := environ.Get(env, "MONO_DEBUG"); !strings.Contains(debug, "disable_omit_fp") {
		out = append(out, "MONO_DEBUG="+strings.TrimPrefix(debug+",disable_omit_fp", ","))
	}
	return out
}

// erlang asks for the map alone: with true, the emulator writes each function's code down
// as well. Frame pointers come with both.
func erlang(command, env []string) []string {
	const flag = "+JPperf"
	flags := environ.Get(env, "ERL_FLAGS")
	for _, text := range append([]string{flags, environ.Get(env, "ERL_AFLAGS"), environ.Get(env, "ERL_ZFLAGS")}, command...) {
		if strings.Contains(text, flag) {
			return nil
		}
	}
	return []string{"ERL_FLAGS=" + strings.TrimSpace(flags+" "+flag+" map")}
}

// itself is for a program that is the runtime.
func itself(program string) []string { return []string{program} }

// emulators are those of the installation whose script erl is: more than one where two
// versions share a directory.
func emulators(erl string) []string {
	root := filepath.Dir(filepath.Dir(erl))
	found, err := filepath.Glob(filepath.Join(root, "erts-*", "bin", "beam*.smp"))
	if err != nil || len(found) == 0 {
		return nil
	}
	return found
}

// installed says whether the runtime that would run has the settings.
func (r *runtime) installed(dir string, env []string) bool {
	found, err := environ.LookPath(env, dir, r.program)
	if err != nil {
		return false
	}
	program, err := filepath.EvalSymlinks(environ.From(dir, found))
	if err != nil {
		return false
	}
	machines := r.machines(program)
	return len(machines) > 0 && !slices.ContainsFunc(machines, func(path string) bool { return !contains(path, r.knows) })
}

// contains tells whether a file has all the texts.
func contains(path string, texts []string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing can be lost
	const piece, overlap = 1 << 20, 64
	left := slices.Clone(texts)
	b := make([]byte, 0, piece+overlap)
	for len(left) > 0 {
		n, err := io.ReadFull(f, b[len(b):len(b)+piece])
		b = b[:len(b)+n]
		left = slices.DeleteFunc(left, func(text string) bool { return bytes.Contains(b, []byte(text)) })
		if err != nil {
			break
		}
		b = append(b[:0], b[len(b)-overlap:]...)
	}
	return len(left) == 0
}

// longestScript bounds what is read of a script.
const longestScript = 64 << 10

var (
	shells = regexp.MustCompile(`^(ba|da|k|z)?sh$`)
	// separators are between the words of a command line of a shell, as far as it matters
	// here: a name of a program is between two of them.
	separators = regexp.MustCompile(`[\s;|&()"'` + "`" + `$={}]+`)
)

// wordsOf are the names of programs that a command line has, with those of a script that it
// runs.
func wordsOf(command []string, dir string, env []string) []string {
	if len(command) == 0 {
		return nil
	}
	texts := slices.Clone(command)
	if found, err := environ.LookPath(env, dir, command[0]); err == nil {
		texts = append(texts, script(environ.From(dir, found), "#!"))
	}
	if len(command) > 1 && shells.MatchString(filepath.Base(command[0])) {
		texts = append(texts, script(environ.From(dir, command[1]), ""))
	}
	var out []string
	for _, text := range texts {
		for _, word := range separators.Split(text, -1) {
			if word != "" {
				out = append(out, filepath.Base(word))
			}
		}
	}
	return out
}

// script is the text of a file that begins like that, "" of another one.
func script(path, begin string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing can be lost
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(f, longestScript))
	if err != nil || !bytes.HasPrefix(text, []byte(begin)) || bytes.IndexByte(text, 0) >= 0 {
		return ""
	}
	return string(text)
}
