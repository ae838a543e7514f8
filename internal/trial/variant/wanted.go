package variant

import (
	"errors"
	"slices"
)

// Wanted are variants as somebody names them.
type Wanted struct {
	Preload []string // libraries, a variant each
	Env     []string // NAME=VALUE, as Environments reads them
	Versus  []string // NAME=COMMAND LINE
	Builds  Choices
}

// Any says whether a variant is named at all.
func (w *Wanted) Any() bool {
	return len(w.Preload)+len(w.Env)+len(w.Versus) > 0 || w.Builds.Any()
}

var errNoBuild = errors.New("--cflags, --ldflags, --rustflags, --lto, --pgo, --bolt, --patch, --variant and --matrix change how a program is built: say how with --build, for example --build 'make -j2' --run './bench input'")

// Variants makes the variants; built says that there is a build command. A
// library that is not installed is in missing, with the reason.
func (w *Wanted) Variants(built bool, find Locator) (found []Variant, missing []error, err error) {
	preloads, missing := Preloads(w.Preload, find)
	environments, err := Environments(w.Env)
	if err != nil {
		return nil, nil, err
	}
	commands, err := Commands(w.Versus)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case built:
		found, err = w.Builds.Combine(preloads, environments, find)
	case w.Builds.onlyNamed():
		// Parts such as preload=…+env=… need no build.
		found, err = w.Builds.Combine(preloads, environments, find)
		if err == nil && slices.ContainsFunc(found, func(v Variant) bool { return v.Build != nil }) {
			err = errNoBuild
		}
	case w.Builds.Any() || w.Builds.Matrix:
		err = errNoBuild
	default:
		found = slices.Concat(preloads, environments)
	}
	if err != nil {
		return nil, nil, err
	}
	return slices.Concat(found, commands), missing, nil
}
