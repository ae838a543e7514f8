package view

import (
	"testing"

	"whyhot/internal/profile"
)

// A stack of one function of machine code, with or without the kernel's below it, has lost its
// callers, unless a program begins with the function.
func TestCutStacks(t *testing.T) {
	b := profile.NewBuilder()
	app := b.Mapping(profile.Mapping{Path: "/usr/bin/app"})
	at := func(m profile.MappingID, name string, kind profile.Kind) profile.LocationID {
		if name == "" {
			return b.Location(m, 0x10, kind)
		}
		return b.Location(m, 0, kind, profile.Line{Function: b.Function(profile.Function{Name: name, Mapping: m, Kind: kind})})
	}
	native := func(name string) profile.LocationID { return at(app, name, profile.KindNative) }
	work, mainFn := native("work"), native("main")
	kernel := at(b.Mapping(profile.Mapping{Path: "[kernel.kallsyms]"}), "page_fault", profile.KindKernel)
	for i, stack := range [][]profile.LocationID{
		{work, mainFn},
		{mainFn},
		{native("_start")},
		{work},
		{kernel, work},
		{native("")},
		{kernel},
		{at(0, "walk", profile.KindPython)},
		{work, at(0, "", profile.KindUnknown)},
		{work, at(0, profile.TruncatedStack, profile.KindUnknown)},
		nil,
	} {
		b.Sample(profile.Sample{Stack: b.Stack(stack), Count: 1, Value: 1 << i})
	}
	p := b.Build(profile.Meta{})
	const want, single = 1<<3 | 1<<4 | 1<<5 | 1<<8 | 1<<9, 1<<3 | 1<<4 | 1<<5
	if got := CutStacks(p); got.Value != want || got.Single != single {
		t.Errorf("cut %b, single %b; want %b and %b", got.Value, got.Single, want, single)
	}
	work2 := Find(p, func(s string) bool { return s == "work" })
	if s := Callgraph(p, work2, CallgraphOptions{}); s.Entry != 1<<3|1<<4 || s.Cut != s.Entry {
		t.Errorf("outermost %b, of that cut %b", s.Entry, s.Cut)
	}
}
