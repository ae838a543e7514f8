package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// all are the commands that do something, with their full names.
func all(cmd *cobra.Command) map[string]*cobra.Command {
	out := map[string]*cobra.Command{}
	for _, c := range cmd.Commands() {
		if c.Name() == "help" || c.Name() == "completion" || c.Hidden {
			continue
		}
		if c.Runnable() {
			out[strings.TrimPrefix(c.CommandPath(), "whyhot ")] = c
		}
		maps.Copy(out, all(c))
	}
	return out
}

// What answers writes JSON on demand. The others write or remove files, a picture, a text
// that is a format itself, or run until they are stopped.
func TestWhatAnswersWritesJSON(t *testing.T) {
	others := []string{"record", "agent", "receive", "serve", "mcp", "open", "flame", "fold", "try clean", "store backup", "store restore", "store verify", "store export", "store import", "rules schema", "rules pages", "profile", "profile export", "lsp"}
	for name, c := range all(newRoot()) {
		has := c.Flags().Lookup("json") != nil
		switch {
		case !has && !slices.Contains(others, name):
			t.Errorf("%s has no --json", name)
		case has && slices.Contains(others, name):
			t.Errorf("%s has --json, and the list of those without names it", name)
		}
	}
}

// -p is the build directory in every command, as in clang's own tools.
func TestOneLetterIsOneThing(t *testing.T) {
	names := map[string]map[string][]string{} // shorthand → flag → commands
	for name, c := range all(newRoot()) {
		for _, letter := range "abcdefghijklmnopqrstuvwxyz" {
			f := c.Flags().ShorthandLookup(string(letter))
			if f == nil {
				continue
			}
			if names[string(letter)] == nil {
				names[string(letter)] = map[string][]string{}
			}
			names[string(letter)][f.Name] = append(names[string(letter)][f.Name], name)
		}
	}
	if len(names["p"]) != 1 || names["p"]["build-dir"] == nil {
		t.Errorf("-p is %v", names["p"])
	}
	for letter, flags := range names {
		if len(flags) > 1 {
			t.Errorf("-%s is %v", letter, flags)
		}
	}
}
