package api

import (
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
	"whyhot/internal/store"
)

// originOf says whose code a function is.
func originOf(f *store.Function) origin.Origin { return origin.OfFunction(asProfile(f), f.Binary) }

// asProfile is a function as those who judge one take it.
func asProfile(f *store.Function) *profile.Function {
	return &profile.Function{Name: f.Name, SystemName: f.System, File: f.File, StartLine: f.StartLine, Kind: f.Kind}
}
