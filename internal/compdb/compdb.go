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

	"whyhot/internal/shellwords"
)

// Unit is one translation unit as it is compiled.
type Unit struct {
	Directory string   // absolute
	File      string   // absolute
	Arguments []string // compiler first; made fit for clang
	Notes     []string // what was dropped or changed, in words
}

// entry is one object of compile_commands.json; either Command or Arguments
// is there.
type entry struct {
	Directory string   `json:"directory"`
	File      string   `json:"file"`
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

// Load reads the database of a build directory, or the file itself.
func Load(path string) ([]Unit, error) {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, "compile_commands.json")
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file; CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, meson always, "+
			"and for make `bear -- make` records it", file)
	}
	if err != nil {
		return nil, err
	}
	var entries []entry
	if err := json.Unmarshal(data, &entries); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("%s: not JSON at byte %d: %w", file, syntax.Offset, err)
		}
		return nil, fmt.Errorf("%s: not a compilation database: %w", file, err)
	}
	base, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	units := make([]Unit, 0, len(entries))
	seen := map[string]bool{}
	for i, e := range entries {
		u, err := e.unit(base)
		if err != nil {
			return nil, fmt.Errorf("%s: entry %d: %w", file, i, err)
		}
		// A database may list a unit once per target that shares its objects.
		key := u.Directory + "\x00" + strings.Join(u.Arguments, "\x00")
		if !seen[key] {
			seen[key] = true
			units = append(units, u)
		}
	}
	return units, nil
}

func (e entry) unit(base string) (Unit, error) {
	if e.File == "" {
		return Unit{}, errors.New(`"file" is missing`)
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
	u.Arguments, u.Notes = forClang(args)
	return u, nil
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
	for _, a := range args[1:] {
		if !strings.HasPrefix(a, "-") && slices.Contains(sourceSuffixes, filepath.Ext(a)) {
			return a
		}
	}
	return ""
}

// launchers stand before the compiler and do not change what it does.
var launchers = []string{"ccache", "sccache", "distcc", "icecc", "gomacc", "env", "nice", "time"}

func dropLaunchers(args []string) []string {
	for len(args) > 1 && slices.Contains(launchers, filepath.Base(args[0])) {
		args = args[1:]
		for len(args) > 1 && (strings.HasPrefix(args[0], "-") || strings.Contains(args[0], "=")) {
			args = args[1:] // options of the launcher, variables of env
		}
	}
	return args
}
