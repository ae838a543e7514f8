package main

import (
	"testing"

	"whyhot/internal/collect/count/inside"
	"whyhot/internal/explain/repetition"
	"whyhot/internal/profile"
)

// What explain proposes to count is what can be counted: two packages know it that must not import
// each other.
func TestLanguagesThatAreCounted(t *testing.T) {
	for k := profile.KindUnknown; k <= profile.KindR; k++ {
		b := profile.NewBuilder()
		b.Function(profile.Function{Name: "f", File: "/home/me/f", Kind: k})
		if asked := repetition.HasCountable(b.Build(profile.Meta{})); asked != inside.Counts(k) {
			t.Errorf("%s: proposed %v, counted %v", k, asked, inside.Counts(k))
		}
	}
}
