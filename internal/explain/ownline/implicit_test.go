package ownline

import (
	"testing"

	"whyhot/internal/profile"
)

// What a compiler makes for a class has the line of the class: who copies is further out.
func TestWhatACompilerMakesIsNobodysLine(t *testing.T) {
	text := []string{
		"#include <string>", "", "struct Order { std::string id; };", "class Rule {", "  public:", "    Rule(const Rule &other) : id(other.id) {}", "};",
		"bool applies(Rule rule, Order order) {", "    return rule.matches(order);", "}",
	}
	source := func(path string) ([]string, bool) { return text, path == "/src/engine.cpp" }
	for _, c := range []struct {
		name string
		line int32
		want int32
	}{
		{"Order::Order", 3, 9},
		{"Order::~Order", 3, 9},
		{"shop::Order::operator=", 3, 9},
		{"shop::Box<int>::Box(shop::Box<int> const&)", 3, 9},
		{"Rule::Rule", 6, 6}, // somebody wrote it
		{"Order::total", 3, 3},
		{"make_order", 3, 3},
	} {
		b := profile.NewBuilder()
		m := b.Mapping(profile.Mapping{Path: "/home/me/engine"})
		line := func(name string, n int32) profile.LocationID {
			fn := b.Function(profile.Function{Name: name, File: "/src/engine.cpp", Kind: profile.KindNative, Mapping: m})
			return b.Location(m, uint64(n)*16, profile.KindNative, profile.Line{Function: fn, Line: n})
		}
		stack := b.Stack([]profile.LocationID{line(c.name, c.line), line("applies", 9)})
		b.Sample(profile.Sample{Stack: stack, Count: 1, Value: 1})
		p := b.Build(profile.Meta{})
		got, _, ok := Reading(p, source).Innermost(0)
		if !ok || got.Line != c.want {
			t.Errorf("%s: line %d, not %d", c.name, got.Line, c.want)
		}
		if got, _, ok := Of(p).Innermost(0); !ok || got.Line != c.line {
			t.Errorf("%s, without the text: line %d", c.name, got.Line)
		}
	}
}
