package profile

import "slices"

// StacksWith says of stacks whether a function whose name is such stands in them. Each name and
// each stack is asked for once.
func (p *Profile) StacksWith(is func(name string) bool) func(StackID) bool {
	const yes, no = 1, 2
	functions, stacks := make([]uint8, p.NumFunctions()), make([]uint8, p.NumStacks())
	known := func(at *uint8, holds func() bool) bool {
		if *at == 0 {
			*at = no
			if holds() {
				*at = yes
			}
		}
		return *at == yes
	}
	return func(id StackID) bool {
		return known(&stacks[id], func() bool {
			return slices.ContainsFunc(p.Stack(id), func(loc LocationID) bool {
				return slices.ContainsFunc(p.Lines(loc), func(l Line) bool {
					return known(&functions[l.Function], func() bool { return is(p.Function(l.Function).Name) })
				})
			})
		})
	}
}
