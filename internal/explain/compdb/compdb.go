package compdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"whyhot/internal/host/shellwords"
)

// Unit is one translation unit as it is compiled.
type Unit struct {
	Directory string   // absolute
	File      string   // absolute
	Arguments []string // compiler first; made fit for clang
	Written   []string // as the build has it, compiler first; what names files to write left out
	Notes     []string // what was dropped or changed, in words
	Foreign   []string // flags that clang refuses, as they are written; a build with clang has to do without them
	// Problem says why the entry cannot be compiled at all; it costs this unit
	// only. Arguments are empty then.
	Problem string
}

// entry is one object of compile_commands.json; either Command or Arguments
// is there.
type entry struct {
	Directory string   `json:"directory"`
	File      string   `json:"file"`
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

// Load reads the database of a build directory, or the file itself. An entry
// that is wrong becomes a unit with a Problem; when no entry is right, that of
// the first is the error.
func Load(path string) ([]Unit, error) {
	file, entries, err := read(path)
	if err != nil {
		return nil, err
	}
	base, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	var units []Unit
	var first error
	good := 0
	seen := map[string]bool{}
	for i, e := range entries {
		if isOtherLanguage(e.File) {
			continue
		}
		u, err := e.unit(base)
		if err != nil {
			err = fmt.Errorf("%s: entry %d: %w", file, i, err)
			if first == nil {
				first = err
			}
			u = Unit{Directory: absolute(base, e.Directory), File: e.File, Problem: err.Error()}
			units = append(units, u)
			continue
		}
		// A database may list a unit once per target that shares its objects.
		key := u.Directory + "\x00" + strings.Join(u.Arguments, "\x00")
		if !seen[key] {
			seen[key] = true
			good++
			units = append(units, u)
		}
	}
	switch {
	case len(units) == 0:
		return nil, fmt.Errorf("%s lists no C or C++ unit (%d entries); was the build configured, and for make: did `bear -- make` compile anything?", file, len(entries))
	case good == 0:
		return nil, first
	}
	return units, nil
}

func read(path string) (file string, entries []entry, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil, fmt.Errorf("%s does not exist: -p takes the build directory, where compile_commands.json is", path)
	}
	if err != nil {
		return path, nil, err
	}
	file = path
	if info.IsDir() {
		file = filepath.Join(path, "compile_commands.json")
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil, fmt.Errorf("%s does not exist; CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, meson always, "+
			"and for make `bear -- make` records it", file)
	}
	if err != nil {
		return file, nil, err
	}
	if err := json.Unmarshal(data, &entries); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return file, nil, fmt.Errorf("%s: not JSON at byte %d: %w", file, syntax.Offset, err)
		}
		return file, nil, fmt.Errorf("%s: not a compilation database: %w", file, err)
	}
	return file, entries, nil
}

// otherLanguages are sources that build systems list beside C and C++.
var otherLanguages = []string{".s", ".S", ".sx", ".asm", ".f", ".F", ".for", ".f77", ".f90", ".F90", ".f95", ".f03", ".f08",
	".cu", ".hip", ".cl", ".rc", ".swift", ".rs", ".d", ".java", ".go", ".ispc", ".vala"}

// IsC says whether the unit is compiled as C: by -x, else by the compiler's name and
// the file's.
func (u Unit) IsC() bool {
	for i, a := range u.Arguments {
		language, ok := strings.CutPrefix(a, "-x")
		if !ok {
			continue
		}
		if language == "" && i+1 < len(u.Arguments) {
			language = u.Arguments[i+1]
		}
		return language == "c" || language == "cpp-output"
	}
	plusPlus := len(u.Arguments) > 0 && strings.Contains(filepath.Base(u.Arguments[0]), "++")
	return !plusPlus && (filepath.Ext(u.File) == ".c" || filepath.Ext(u.File) == ".i")
}

func isOtherLanguage(file string) bool { return slices.Contains(otherLanguages, filepath.Ext(file)) }

func (e entry) unit(base string) (Unit, error) {
	if e.File == "" {
		return Unit{}, errors.New(`"file" is missing`)
	}
	// JSON has no other text than UTF-8; its reader put this sign where a byte
	// was none, and no file has that name.
	if strings.ContainsRune(e.File+e.Directory, utf8.RuneError) {
		return Unit{}, fmt.Errorf("%s: the path is not UTF-8 and cannot be found from JSON; build in a path that is", e.File)
	}
	args := e.Arguments
	if len(args) == 0 {
		var err error
		if args, err = shellwords.Split(e.Command); err != nil {
			return Unit{}, fmt.Errorf("%s: its command: %w", e.File, err)
		}
	}
	if len(args) == 0 {
		return Unit{}, fmt.Errorf(`%s: neither "command" nor "arguments"`, e.File)
	}
	return FromCommand(absolute(base, e.Directory), e.File, args)
}

// FromCommand makes a unit of one command line. file may be empty: then the
// source is looked for among the arguments.
func FromCommand(directory, file string, args []string) (Unit, error) {
	args, err := expandResponseFiles(directory, slices.Clone(args), 0)
	if err != nil {
		return Unit{}, err
	}
	args = dropLaunchers(args)
	if len(args) == 0 {
		return Unit{}, errors.New("the command line names no compiler")
	}
	if file == "" {
		if file = sourceOf(args); file == "" {
			return Unit{}, errors.New("no C or C++ source file on the command line")
		}
	}
	u := Unit{Directory: directory, File: absolute(directory, file)}
	args = onlySource(directory, u.File, args)
	u.Written = withoutOutputs(args)
	u.Arguments, u.Notes, u.Foreign = forClang(args)
	return u, nil
}

// onlySource takes the other sources off a command line that compiles several.
func onlySource(directory, file string, args []string) []string {
	isFile := func(a string) bool { return isSource(a) && absolute(directory, a) == file }
	if !slices.ContainsFunc(args, isFile) {
		return args
	}
	out := args[:1:1]
	for i, a := range args[1:] {
		if isSource(a) && !isFile(a) && !takesValue(args[i]) {
			continue
		}
		out = append(out, a)
	}
	return out
}

// takesValue says whether the next argument belongs to this one, so that what
// looks like a source there is none.
func takesValue(flag string) bool {
	return slices.Contains(outputFlagsValue, flag) ||
		slices.Contains([]string{"-include", "-imacros", "-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-x", forFrontEnd, "-mllvm"}, flag)
}

func absolute(base, path string) string {
	if path == "" {
		return base
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// sourceSuffixes are the C-family sources a driver compiles by their name.
var sourceSuffixes = []string{".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".cp", ".m", ".mm", ".i", ".ii"}

func sourceOf(args []string) string {
	for i, a := range args[1:] {
		if isSource(a) && !takesValue(args[i]) {
			return a
		}
	}
	return ""
}

func isSource(arg string) bool {
	return !strings.HasPrefix(arg, "-") && slices.Contains(sourceSuffixes, filepath.Ext(arg))
}

// launchers stand before the compiler and do not change what it does.
var launchers = []string{"ccache", "sccache", "distcc", "icecc", "gomacc", "buildcache", "rewrapper", "libtool", "env", "nice", "time"}

func dropLaunchers(args []string) []string {
	for len(args) > 1 && slices.Contains(launchers, filepath.Base(args[0])) {
		args = args[1:]
		for len(args) > 1 && (strings.HasPrefix(args[0], "-") || strings.Contains(args[0], "=")) {
			args = args[1:] // options of the launcher, variables of env
		}
	}
	return args
}
