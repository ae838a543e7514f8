// Package variant says what is different about the runs that are compared.
//
// It owns the Variant, a set of changes to how a command is run, and the reading
// of the flags that name them: the environment, what is preloaded, the command
// line, and how the program is built. It takes flags and found libraries and
// gives variants; of this module it imports packages of
// internal/host only. Building is internal/trial/rebuild's.
package variant

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/host/allocator"
	"whyhot/internal/host/environ"
	"whyhot/internal/host/shellwords"
)

// Variant is one way to run the command other than as it is.
type Variant struct {
	Name    string
	Env     []string // K=V, replacing what the environment has
	Preload *allocator.Library
	Command []string // in place of the plan's command, nil to keep it
	Dir     string   // in place of the plan's directory, "" to keep it
	Build   *Build   // how the program is made, nil for as it is
	Built   *Built   // the place of that program, once it is made
	Layouts []Layout // in which its runs are placed in turn, nil for one only
}

// Environ applies the variant to an environment. A library comes before those
// that LD_PRELOAD already names, so that its functions win.
func (v Variant) Environ(base []string) []string {
	env := base
	if v.Built != nil {
		env = environ.Set(env, v.Built.Env...)
	}
	env = environ.Set(env, v.Env...)
	if v.Preload != nil {
		env = environ.Prepend(env, environ.Preload, v.Preload.Path)
	}
	return env
}

// Changes are the assignments that turn the environment into the variant's, for
// people to repeat a run by hand.
func (v Variant) Changes() []string {
	out := slices.Clone(v.Env)
	if v.Preload != nil {
		out = append(out, environ.Preload+"="+v.Preload.Path)
	}
	return out
}

// Locator finds a library by name or path.
type Locator interface {
	Find(name string) (allocator.Library, error)
}

// Preloads makes a variant of every library that can be found, in the order
// given. The errors say which could not; when no variant is left, they are the
// reason.
func Preloads(names []string, find Locator) (found []Variant, missing []error) {
	for _, name := range names {
		lib, err := find.Find(strings.TrimSpace(name))
		if err != nil {
			missing = append(missing, err)
			continue
		}
		same := func(v Variant) bool { return v.Preload.Path == lib.Path }
		if !slices.ContainsFunc(found, same) {
			found = append(found, Variant{Name: lib.Name, Preload: &lib})
		}
	}
	return found, missing
}

// Environments makes variants of K=V. Different names belong together, as
// settings that are meant to be changed at once; a name that comes again begins
// the next variant.
func Environments(assignments []string) ([]Variant, error) {
	var out []Variant
	names := map[string]bool{}
	for _, kv := range assignments {
		key, _, ok := strings.Cut(kv, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("--env %q: must be NAME=VALUE", kv)
		}
		if len(out) == 0 || names[key] {
			out = append(out, Variant{})
			clear(names)
		}
		names[key] = true
		v := &out[len(out)-1]
		v.Env = append(v.Env, kv)
		v.Name = strings.Join(v.Env, " ")
	}
	return out, nil
}

// Commands makes variants that run another command line. NAME=COMMAND LINE names
// the variant; without a name the command line is the name.
func Commands(lines []string) ([]Variant, error) {
	out := make([]Variant, 0, len(lines))
	for _, line := range lines {
		name, rest, ok := strings.Cut(line, "=")
		if !ok || name == "" || strings.ContainsAny(name, " \t/'\"") {
			name, rest = line, line
		}
		words, err := shellwords.Split(rest)
		if err != nil {
			return nil, fmt.Errorf("--versus %q: %w", line, err)
		}
		if len(words) == 0 {
			return nil, fmt.Errorf("--versus %q: not a command", line)
		}
		out = append(out, Variant{Name: name, Command: words})
	}
	return out, nil
}

// Unique refuses two variants of one name, which no table could tell apart.
func Unique(vs []Variant) error {
	names := make([]string, len(vs))
	for i, v := range vs {
		names[i] = v.Name
	}
	slices.SortFunc(names, cmp.Compare[string])
	for i := 1; i < len(names); i++ {
		if names[i] == names[i-1] {
			return fmt.Errorf("variant %q is given twice", names[i])
		}
	}
	if slices.Contains(names, "") {
		return errors.New("a variant has no name")
	}
	return nil
}
