// Package object compiles a source file to an object file as a build does, so that its
// machine code can be looked at.
//
// It owns the choice of the command line and the run of the user's compiler. It takes
// units of package compdb and gives an object file. It must never read machine code.
package object

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/compdb"
)

// UnitOf is the unit of a build whose file is meant. A file that is in no unit, as a
// changed copy is, is compiled like its model, another file that may be "".
func UnitOf(units []compdb.Unit, file, model string) (compdb.Unit, error) {
	for _, f := range []string{file, model} {
		if f == "" {
			continue
		}
		abs, err := filepath.Abs(f)
		if err != nil {
			return compdb.Unit{}, err
		}
		at := slices.IndexFunc(units, func(u compdb.Unit) bool { return u.File == abs })
		if at < 0 || f != file && filepath.Ext(f) != filepath.Ext(file) {
			continue
		}
		if p := units[at].Problem; p != "" {
			return compdb.Unit{}, fmt.Errorf("%s: %s", f, p)
		}
		return units[at], nil
	}
	return compdb.Unit{}, fmt.Errorf("%s is not a unit of the build", file)
}

// Compile has the unit's compiler make an object file of a source file. Link-time
// optimisation is switched off: its object files hold no machine code.
func Compile(ctx context.Context, u compdb.Unit, file, out string) error {
	abs, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	if len(u.Written) == 0 {
		return errors.New(u.Problem)
	}
	words := make([]string, 0, len(u.Written)+len(ends)+4)
	for _, a := range u.Written[1:] {
		is := a
		if !filepath.IsAbs(is) {
			is = filepath.Join(u.Directory, is)
		}
		if a != "-c" && filepath.Clean(is) != u.File {
			words = append(words, a)
		}
	}
	words = append(append(words, ends...), "-c", abs, "-o", out)
	cmd := exec.CommandContext(ctx, u.Written[0], words...)
	cmd.Dir = u.Directory
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: the compiler says: %s", file, firstLines(string(text), err))
	}
	return nil
}

// ends are put behind the flags of the build.
var ends = []string{"-fno-lto", "-w"}

func firstLines(text string, err error) string {
	const most = 3
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if text == "" {
		return err.Error()
	}
	return strings.Join(lines[:min(most, len(lines))], "\n")
}
