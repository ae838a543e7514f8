package catalog

import (
	"slices"
	"strings"
)

// Unwritten begins a text of a draft that somebody has yet to write.
const Unwritten = "(to write)"

// Unwritten are the keys whose text is still a draft's.
func (e *Entry) Unwritten() []string {
	var keys []string
	for _, k := range []struct {
		key   string
		texts []string
	}{
		{"title", []string{e.Title}}, {"why", []string{e.Why}}, {"swap.steps", e.Swap.Steps}, {"reduction.basis", []string{e.Reduction.Basis}},
	} {
		if slices.ContainsFunc(k.texts, func(t string) bool { return strings.HasPrefix(t, Unwritten) }) {
			keys = append(keys, k.key)
		}
	}
	return keys
}
