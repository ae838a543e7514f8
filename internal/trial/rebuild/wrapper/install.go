package wrapper

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"whyhot/internal/host/environ"
	"whyhot/internal/host/shellwords"
)

// Flags are added behind those of the build, so that they win.
type Flags struct {
	Compile []string // to every call that compiles or links
	Link    []string // to calls that link, behind Compile
	// Archive are programs by the plain names ar, ranlib and nm that take the
	// place of the build's own.
	Archive map[string]string
}

// Setup is what the scripts do.
type Setup struct {
	Dir   string // of the scripts, made by Install
	Log   string
	Only  string // directory whose sources alone get the flags, "" for all
	Every map[Family][]string
	Flags map[Family]Flags

	path string // of the build without the scripts
}

const rustName = "rustc"

// Install writes the scripts.
func (b *Toolbox) Install(s Setup) error {
	if strings.ContainsAny(s.Dir, ":\n") {
		return fmt.Errorf("the directory %s has a colon or a line break in its name, which no PATH can hold: name another with --work", s.Dir)
	}
	s.path = strings.Join(environ.Path(b.env), ":")
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return fmt.Errorf("compiler wrappers: %w", err)
	}
	for _, t := range b.tools {
		text, err := s.script(t)
		if err == nil {
			err = os.WriteFile(filepath.Join(s.Dir, t.name), []byte(text), 0o755)
		}
		if err != nil {
			return fmt.Errorf("compiler wrapper %s: %w", t.name, err)
		}
	}
	if b.goCmd != nil {
		text, err := fill(goScript, s.values(tool{name: goName, path: b.goCmd.Path, compiler: b.goCmd}))
		if err == nil {
			err = os.WriteFile(filepath.Join(s.Dir, goName), []byte(text), 0o755)
		}
		if err != nil {
			return fmt.Errorf("compiler wrapper go: %w", err)
		}
	}
	if b.rustc == nil {
		return nil
	}
	text, err := fill(rustScript, s.values(tool{name: rustName, compiler: b.rustc}))
	if err == nil {
		err = os.WriteFile(filepath.Join(s.Dir, rustWrapper), []byte(text), 0o755)
	}
	if err != nil {
		return fmt.Errorf("compiler wrapper rustc: %w", err)
	}
	return nil
}

const rustWrapper = "whyhot-rustc"

const goName = "go"

const realTool = "Real" // in the templates

func (s *Setup) script(t tool) (string, error) {
	switch t.kind {
	case launches:
		return fill(launchScript, map[string]string{realTool: shellwords.Quote(t.path)})
	case archives:
		return fill(passScript, map[string]string{realTool: shellwords.Quote(s.archiver(t)), "Path": shellwords.Quote(s.path)})
	case compiles:
	}
	return fill(compileScript, s.values(t))
}

// archiver is what a name stands for. A name with a maker or a version in it
// (llvm-ar, gcc-ranlib) is replaced by that maker's tool only: a build that found
// LLVM's archiver may have found one that is older than the compiler.
func (s *Setup) archiver(t tool) string {
	parts := archiverName.FindStringSubmatch(t.name)
	for _, f := range []Family{Clang, GCC} {
		maker := map[Family]string{Clang: "llvm-", GCC: "gcc-"}[f]
		other := strings.Contains(t.name, "llvm-") || strings.Contains(t.name, "gcc-")
		if p := s.Flags[f].Archive[parts[2]]; p != "" && parts[3] == "" && (!other || strings.Contains(t.name, maker)) {
			return p
		}
	}
	return t.path
}

func (s *Setup) values(t tool) map[string]string {
	f := t.compiler.Family
	flags := s.Flags[f]
	return map[string]string{
		realTool:  shellwords.Quote(t.path),
		"Name":    shellwords.Quote(t.name),
		"Log":     shellwords.Quote(s.Log),
		"Only":    shellwords.Quote(s.Only),
		"HasOnly": s.Only,
		"Every":   quoteAll(s.Every[f]),
		"Compile": quoteAll(flags.Compile),
		"Link":    quoteAll(flags.Link),
	}
}

// compileScript passes on questions (--version) as they are, tells compiling
// from linking, and writes one line for each call that has a source or makes a
// program. A line is written with one system call, so that lines of a parallel
// build do not mix.
var compileScript = template.Must(template.New("compile").Parse(`#!/bin/sh
link=1 source= header= inside= input= question= level= native= lto=
{{- if .HasOnly}}
look() {
  d=${1%/*}; [ "$d" = "$1" ] && d=.
  d=$(cd "$d" 2>/dev/null && pwd -P)/
  case $d in {{.Only}}/*) inside=1 ;; esac
}
{{- end}}
found() {
  case $2 in /*|*..*) printf '%s\t%s\t%s\t%s\n' "$1" {{.Name}} "$PWD" "$2" >>{{.Log}} ;; esac
}
want=
for a do
  [ -n "$want" ] && found "$want" "$a"
  want=
  case $a in
    -I|-isystem|-iquote|-idirafter) want=include ;;
    -L) want=library ;;
    -I*) found include "${a#-I}" ;;
    -L*) found library "${a#-L}" ;;
    -isystem*) found include "${a#-isystem}" ;;
  esac
  case $a in
    -c|-S|-E|-M|-MM|-fsyntax-only|--compile|--assemble|--preprocess|-r|-Wl,-r|--precompile) link= ;;
    --version|-v|-V|--help*|-dump*|-print-*|--print-*|-\#\#\#) question=1 ;;
    -) source=$a input=1 ;;
    -O|-O[0-9sgz]|-Ofast) level=$a ;;
    -march=native) native=:native ;;
    -march=*) native= ;;
    -flto|-flto=*) lto=:lto ;;
    -fno-lto) lto= ;;
    -*) ;;
    *.c|*.cc|*.cp|*.cxx|*.cpp|*.CPP|*.c++|*.C|*.i|*.ii|*.m|*.mm|*.S|*.s|*.sx|*.ixx|*.cppm|*.cu)
      source=$a input=1{{if .HasOnly}}; look "$a"{{end}} ;;
    *.h|*.hh|*.hpp|*.hxx|*.H|*.h++) header=$a input=1 ;;
    *) input=1 ;;
  esac
done
[ -n "$question" ] && [ -z "$source" ] && input=
[ -z "$input" ] && exec {{.Real}} "$@"
tag=compile
if [ -z "$source" ] && [ -z "$link" ] && [ -n "$header" ]; then
  source=$header{{if .HasOnly}}; look "$header"{{end}}
elif [ -z "$source" ]; then
  tag=link
fi
{{- if .HasOnly}}
[ -z "$inside" ] && [ "$tag" = compile ] && tag=outside
{{- end}}
printf '%s\t%s\t%s\t%s\n' "$tag${level:+:$level}$native$lto" {{.Name}} "$PWD" "$source" >>{{.Log}}
{{- if .HasOnly}}
if [ "$tag" = outside ]; then
  [ -z "$link" ] && exec {{.Real}} "$@"{{.Every}}
  exec {{.Real}} "$@"{{.Every}}{{.Link}}
fi
{{- end}}
[ -z "$link" ] && exec {{.Real}} "$@"{{.Every}}{{.Compile}}
exec {{.Real}} "$@"{{.Every}}{{.Compile}}{{.Link}}
`))

// rustScript is called by cargo as: whyhot-rustc RUSTC ARGUMENT... Build scripts
// and macros run during the build and are no part of the program.
var rustScript = template.Must(template.New("rust").Parse(`#!/bin/sh
source= host= want= inside=
for a do
  case $want$a in
    crate-name:build_script_*|crate-type:proc-macro) host=1 ;;
  esac
  want=
  case $a in
    --crate-name) want=crate-name: ;;
    --crate-type) want=crate-type: ;;
    --crate-name=build_script_*|--crate-type=proc-macro) host=1 ;;
    -*) ;;
    *.rs) source=$a
{{- if .HasOnly}}
      d=${a%/*}; [ "$d" = "$a" ] && d=.
      d=$(cd "$d" 2>/dev/null && pwd -P)/
      case $d in {{.Only}}/*) inside=1 ;; esac
{{- end}} ;;
  esac
done
[ -z "$source" ] && exec "$@"
tag=compile
{{- if .HasOnly}}
[ -z "$inside" ] && tag=outside
{{- end}}
[ -n "$host" ] && tag=host
printf '%s\t%s\t%s\t%s\n' "$tag" {{.Name}} "$PWD" "$source" >>{{.Log}}
[ "$tag" = host ] && exec "$@"
{{- if .HasOnly}}
[ "$tag" = outside ] && exec "$@"{{.Every}}
{{- end}}
exec "$@"{{.Every}}{{.Compile}}
`))

// goScript hands flags to the commands that compile. They go before the build's own,
// which win, and behind -C, which has to be the first.
var goScript = template.Must(template.New("go").Parse(`#!/bin/sh
case $1 in
  build|install|run|test) ;;
  *) exec {{.Real}} "$@" ;;
esac
command=$1
shift
printf 'compile\t%s\t%s\t%s\n' {{.Name}} "$PWD" "$command" >>{{.Log}}
case $1 in
  -C|--C)
    dir=$2
    shift 2
    exec {{.Real}} "$command" -C "$dir"{{.Every}}{{.Compile}} "$@" ;;
  -C=*|--C=*)
    dir=$1
    shift
    exec {{.Real}} "$command" "$dir"{{.Every}}{{.Compile}} "$@" ;;
esac
exec {{.Real}} "$command"{{.Every}}{{.Compile}} "$@"
`))

// passScript restores PATH: gcc-ar looks there for ar, and would find this
// script for ever.
var passScript = template.Must(template.New("pass").Parse(`#!/bin/sh
PATH={{.Path}} exec {{.Real}} "$@"
`))

// launchScript leaves the cache out: a copied tree has other paths, and what the
// flags make is not worth keeping.
var launchScript = template.Must(template.New("launch").Parse(`#!/bin/sh
case $1 in
  ''|-*) exec {{.Real}} "$@" ;;
esac
exec "$@"
`))

func fill(t *template.Template, values map[string]string) (string, error) {
	var b strings.Builder
	if err := t.Execute(&b, values); err != nil {
		return "", fmt.Errorf("script: %w", err)
	}
	return b.String(), nil
}

func quoteAll(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(" " + shellwords.Quote(w))
	}
	return b.String()
}

// Tools are the paths of the real tools and of the scripts in dir that stand in
// for them, for build files that hold a path.
func (b *Toolbox) Tools(dir string) map[string]string {
	out := map[string]string{}
	for _, t := range b.tools {
		if t.kind == launches {
			continue
		}
		out[t.path] = filepath.Join(dir, t.name)
		// Where a compiler is taken for all, other paths lead to it as well.
		if p := b.lookPath(t.name); p != "" {
			out[p] = filepath.Join(dir, t.name)
		}
	}
	if b.goCmd != nil {
		out[b.goCmd.Path] = filepath.Join(dir, goName)
	}
	return out
}

// Environ makes a build use the scripts in dir.
func (b *Toolbox) Environ(dir string, env []string) []string {
	env = environ.Set(env, "PATH="+strings.Join(append([]string{dir}, environ.Path(env)...), ":"))
	for _, key := range []string{"CC", "CXX", "AR", "RANLIB", "NM"} {
		if value := environ.Get(env, key); value != "" {
			env = environ.Set(env, key+"="+b.redirect(dir, value))
		}
	}
	env = environ.Set(env, "CCACHE_DISABLE=1")
	env = environ.Unset(env, "CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER")
	// cargo would build outside of the copy.
	env = environ.Unset(env, "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR")
	if environ.Get(env, "MAKELEVEL") != "" {
		// Started by a make, whose job slots are not ours to give away.
		env = environ.Unset(env, "MAKEFLAGS", "MFLAGS", "MAKELEVEL")
	}
	if b.rustc != nil {
		env = environ.Set(env, "RUSTC_WRAPPER="+filepath.Join(dir, rustWrapper))
	}
	return env
}

// redirect replaces the program that a variable such as CC names.
func (b *Toolbox) redirect(dir, value string) string {
	word, after := splitCompiler(value)
	for _, t := range b.tools {
		if t.name == filepath.Base(word) {
			return filepath.Join(dir, t.name) + after
		}
	}
	return value
}

// splitCompiler finds the compiler in a value such as "ccache gcc -m32", without
// the cache, and what stands behind it.
func splitCompiler(value string) (word, after string) {
	words, err := shellwords.Split(value)
	if err != nil || len(words) == 0 {
		return "", ""
	}
	for len(words) > 1 && slices.Contains(launchers, filepath.Base(words[0])) {
		words = words[1:]
	}
	if i := strings.Index(value, words[0]+" "); i >= 0 {
		after = value[i+len(words[0]):]
	}
	return words[0], after
}
