// Package userdir says where a user's whyhot keeps its files.
//
// It owns the directories for what can be made again (Cache) and for what cannot (State),
// by the XDG Base Directory Specification 0.8. It takes an environment and gives a path,
// which need not exist. It must never make a directory.
package userdir

import (
	"fmt"
	"path/filepath"
)

const program = "whyhot"

// Cache is a path below the user's cache: $XDG_CACHE_HOME/whyhot/…, else ~/.cache/whyhot/….
func Cache(getenv func(string) string, below ...string) (string, error) {
	return in(getenv, "XDG_CACHE_HOME", ".cache", below)
}

// State is a path below the user's state: $XDG_STATE_HOME/whyhot/…, else
// ~/.local/state/whyhot/….
func State(getenv func(string) string, below ...string) (string, error) {
	return in(getenv, "XDG_STATE_HOME", ".local/state", below)
}

func in(getenv func(string) string, variable, atHome string, below []string) (string, error) {
	dir := getenv(variable)
	if !filepath.IsAbs(dir) { // the specification ignores others
		home := getenv("HOME")
		if home == "" {
			return "", fmt.Errorf("neither %s nor HOME is set", variable)
		}
		dir = filepath.Join(home, filepath.FromSlash(atHome))
	}
	return filepath.Join(append([]string{dir, program}, below...)...), nil
}
