package profile

import "iter"

// Innermost is where a sample was taken.
type Innermost struct {
	Row      int // of Samples
	Sample   *Sample
	Location *Location
	Lines    []Line    // of the location, what was inlined deepest first
	Code     *Function // whose machine code it is: what was inlined there left out
}

// Innermosts gives where each sample was taken, in the order of Samples. Those without
// a stack are left out.
func (p *Profile) Innermosts() iter.Seq[Innermost] {
	return func(yield func(Innermost) bool) {
		for i := range p.samples {
			stack := p.Stack(p.samples[i].Stack)
			if len(stack) == 0 {
				continue
			}
			lines := p.Lines(stack[0])
			in := Innermost{Row: i, Sample: &p.samples[i], Location: p.Location(stack[0]), Lines: lines, Code: p.Function(lines[len(lines)-1].Function)}
			if !yield(in) {
				return
			}
		}
	}
}
