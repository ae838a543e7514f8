package view

import (
	"fmt"

	"pgregory.net/rapid"

	"whyhot/internal/profile"
)

// randomProfile draws a small profile with everything that makes views hard:
// recursion, inlined frames, empty stacks, unknown frames, the same function
// under several IDs, rows that share a stack, labels.
func randomProfile(t *rapid.T) *profile.Profile {
	b := profile.NewBuilder()
	var mappings []profile.MappingID
	for _, path := range []string{"", "/usr/bin/app", "/usr/lib/libz.so.1.2.13"} {
		mappings = append(mappings, b.Mapping(profile.Mapping{Path: path}))
	}
	// A second mapping of the same file: its functions must merge with the first's.
	mappings = append(mappings, b.Mapping(profile.Mapping{Path: "/usr/bin/app", Start: 0x1000, Limit: 0x2000}))
	names := []string{"", "main", "f", "g", "h"}
	location := rapid.Custom(func(t *rapid.T) profile.LocationID {
		m := rapid.SampledFrom(mappings).Draw(t, "mapping")
		var lines []profile.Line
		for range rapid.IntRange(0, 3).Draw(t, "inlined") {
			f := b.Function(profile.Function{
				Name:      rapid.SampledFrom(names).Draw(t, "name"),
				File:      rapid.SampledFrom([]string{"", "a.c"}).Draw(t, "file"),
				StartLine: int32(rapid.IntRange(0, 1).Draw(t, "start")),
				Mapping:   m,
				Kind:      rapid.SampledFrom([]profile.Kind{profile.KindNative, profile.KindPython}).Draw(t, "kind"),
			})
			lines = append(lines, profile.Line{Function: f, Line: int32(rapid.IntRange(0, 2).Draw(t, "line"))})
		}
		return b.Location(m, uint64(rapid.IntRange(0, 4).Draw(t, "address")), profile.KindNative, lines...)
	})
	locations := rapid.SliceOfN(location, 1, 8).Draw(t, "locations")
	for range rapid.IntRange(0, 12).Draw(t, "samples") {
		stack := b.Stack(rapid.SliceOfN(rapid.SampledFrom(locations), 0, 6).Draw(t, "stack"))
		var labels []profile.Label
		if rapid.Bool().Draw(t, "labelled") {
			labels = append(labels, profile.Label{
				Key: profile.LabelProcess,
				Str: fmt.Sprintf("p%d", rapid.IntRange(0, 2).Draw(t, "process")),
			})
		}
		count := int64(rapid.IntRange(0, 5).Draw(t, "count"))
		b.Sample(profile.Sample{Stack: stack, Labels: b.Labels(labels), Count: count, Value: 3 * count})
	}
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
}

// stackFunctions is the plain reading of a stack, leaf first, that the fast code
// is checked against.
func stackFunctions(p *profile.Profile, id profile.StackID) []profile.FunctionID {
	same := Identity(p)
	var fns []profile.FunctionID
	for _, loc := range p.Stack(id) {
		for _, l := range p.Lines(loc) {
			fns = append(fns, same[l.Function])
		}
	}
	if len(fns) == 0 {
		fns = []profile.FunctionID{0}
	}
	return fns
}
