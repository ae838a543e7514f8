// Package environ reads and changes environments, and finds programs in the PATH
// of one.
//
// It owns what an environment is here: a list of NAME=VALUE in which the last
// assignment of a name counts, as os/exec takes it. It takes such lists, never
// changes the one it was given, and gives new ones and paths of programs. It must
// never import another package of this module.
package environ

import (
	"slices"
	"strings"
)

// Preload is the variable that names the libraries which the dynamic loader puts
// before all others (ld.so(8)).
const Preload = "LD_PRELOAD"

// Get is the value of a variable, "" when it is not set.
func Get(env []string, name string) string {
	value, _ := Lookup(env, name)
	return value
}

// Lookup is the value of a variable and whether it is set.
func Lookup(env []string, name string) (value string, set bool) {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// Name is the variable that an assignment is about.
func Name(assignment string) string {
	name, _, _ := strings.Cut(assignment, "=")
	return name
}

// Set makes assignments, NAME=VALUE each, in the order given. Each stands at the
// end afterwards, and nothing else says anything of its name.
func Set(env []string, assignments ...string) []string {
	out := slices.Clone(env)
	for _, kv := range assignments {
		name := Name(kv)
		out = append(slices.DeleteFunc(out, func(e string) bool { return Name(e) == name }), kv)
	}
	return out
}

// Unset removes variables.
func Unset(env []string, names ...string) []string {
	return UnsetFunc(env, func(name string) bool { return slices.Contains(names, name) })
}

// UnsetFunc removes the variables that are to go.
func UnsetFunc(env []string, gone func(name string) bool) []string {
	return slices.DeleteFunc(slices.Clone(env), func(e string) bool { return gone(Name(e)) })
}

// Prepend puts an item before those of a list with colons, such as PATH or
// LD_PRELOAD.
func Prepend(env []string, name, item string) []string {
	if old := Get(env, name); old != "" {
		item += ":" + old
	}
	return Set(env, name+"="+item)
}

// Append puts an item behind those of a list with colons.
func Append(env []string, name, item string) []string {
	if old := Get(env, name); old != "" {
		item = old + ":" + item
	}
	return Set(env, name+"="+item)
}
