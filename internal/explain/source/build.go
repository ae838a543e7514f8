package source

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/source/heat"
)

// Build is the source of a program as a build compiles it.
type Build struct {
	dir   string // "" for one command line
	units []compdb.Unit
}

// ErrNoBuild says that nobody named a build.
var ErrNoBuild = errors.New("say where the build is: -p BUILD_DIR (with its compile_commands.json), or give one command line after --")

// Open reads the compile_commands.json of a build directory.
func Open(dir string) (*Build, error) {
	if dir == "" {
		return nil, ErrNoBuild
	}
	units, err := compdb.Load(dir)
	return &Build{dir: dir, units: units}, err
}

// OfCommand is the build of one compiler command line that runs in the current
// directory.
func OfCommand(args []string) (*Build, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	u, err := compdb.FromCommand(dir, "", args)
	return &Build{units: []compdb.Unit{u}}, err
}

const database = "compile_commands.json"

// Dir is the build directory, "" for one command line.
func (b *Build) Dir() string { return b.dir }

// Len is how many translation units the build has.
func (b *Build) Len() int { return len(b.units) }

// Only is the build with the units of some files alone: named by path, or by the
// end of one.
func (b *Build) Only(files ...string) (*Build, error) {
	chosen := slices.DeleteFunc(slices.Clone(b.units), func(u compdb.Unit) bool {
		return !slices.ContainsFunc(files, func(f string) bool { return Names(f, u.File) })
	})
	if len(chosen) == 0 {
		return nil, fmt.Errorf("none of %s is in %s", strings.Join(files, ", "), filepath.Join(b.dir, database))
	}
	return &Build{dir: b.dir, units: chosen}, nil
}

// Touching is the build with the units alone that the files are part of, as their source or
// as a header; nil where there are none. Files are absolute.
func (b *Build) Touching(files []string) *Build {
	var chosen []compdb.Unit
	for _, i := range heat.NewTree(b.units).Using(files...) {
		chosen = append(chosen, b.units[i])
	}
	if len(chosen) == 0 {
		return nil
	}
	return &Build{dir: b.dir, units: chosen}
}

// Names says whether what a person wrote means the file: its path, or the end of
// it.
func Names(written, file string) bool {
	if abs, err := filepath.Abs(written); err == nil && abs == file {
		return true
	}
	return strings.HasSuffix(file, string(filepath.Separator)+filepath.Clean(written))
}

// Foreign lists the flags of the build that clang refuses.
func (b *Build) Foreign() []string {
	var out []string
	for _, u := range b.units {
		for _, flag := range u.Foreign {
			if !slices.Contains(out, flag) {
				out = append(out, flag)
			}
		}
	}
	return out
}

// LTO says whether the build optimises while it links.
func (b *Build) LTO() bool {
	return slices.ContainsFunc(b.units, func(u compdb.Unit) bool {
		return slices.ContainsFunc(u.Arguments, func(a string) bool { return strings.HasPrefix(a, "-flto") })
	})
}

// Units are the translation units, for package fix.
func (b *Build) Units() []compdb.Unit { return b.units }

func unitKey(u compdb.Unit) string { return u.File + "\x00" + strings.Join(u.Arguments, "\x00") }

// shortFile is a file's name with the directory it is in.
func shortFile(path string) string {
	return filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
}
