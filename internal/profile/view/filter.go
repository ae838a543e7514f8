package view

import (
	"regexp"

	"whyhot/internal/profile"
	"whyhot/internal/profile/label"
	"whyhot/internal/profile/where"
)

// Filter chooses samples; a sample must pass every condition that is set. The
// zero value keeps all.
type Filter struct {
	// Process matches the name of the sample's process, Thread that of its
	// thread. A pattern that spells a process or thread ID matches that too.
	Process *regexp.Regexp
	Thread  *regexp.Regexp
	// Focus keeps samples with a matching function anywhere in the stack,
	// Ignore drops them, Leaf looks at the innermost frame only. Functions
	// match by the name that Name gives or by their symbol.
	Focus  *regexp.Regexp
	Ignore *regexp.Regexp
	Leaf   *regexp.Regexp
	// Where keeps samples whose labels meet a condition; nil keeps all.
	Where *where.Expr
}

// IsZero says that the filter keeps everything.
func (f Filter) IsZero() bool { return f == Filter{} }

// Apply returns the profile of the samples that pass.
func (f Filter) Apply(p *profile.Profile) *profile.Profile {
	if f.IsZero() {
		return p
	}
	keepSet := f.labelSets(p)
	keepStack := f.stacks(p)
	return p.Filtered(func(s *profile.Sample) bool {
		return keepSet[s.Labels] && keepStack[s.Stack]
	})
}

func (f Filter) labelSets(p *profile.Profile) []bool {
	keep := make([]bool, p.NumLabelSets())
	meets := func(func(string) string) bool { return true }
	if f.Where != nil {
		meets = f.Where.Judge()
	}
	for i := range keep {
		set := profile.LabelSetID(i)
		keep[i] = matchesLabel(p, set, f.Process, profile.LabelProcess, profile.LabelPID) &&
			matchesLabel(p, set, f.Thread, profile.LabelThread, profile.LabelTID) &&
			meets(func(key string) string { return label.In(p, set, key) })
	}
	return keep
}

func matchesLabel(p *profile.Profile, set profile.LabelSetID, re *regexp.Regexp, nameKey, idKey string) bool {
	if re == nil {
		return true
	}
	if name := LabelText(p, set, nameKey); name != "" && re.MatchString(name) {
		return true
	}
	return LabelText(p, set, idKey) == re.String()
}

func (f Filter) stacks(p *profile.Profile) []bool {
	focus, ignore, leaf := matchFunctions(p, f.Focus), matchFunctions(p, f.Ignore), matchFunctions(p, f.Leaf)
	keep := make([]bool, p.NumStacks())
	for i := range keep {
		stack := p.Stack(profile.StackID(i))
		keep[i] = (focus == nil || holds(p, stack, focus)) &&
			(ignore == nil || !holds(p, stack, ignore)) &&
			(leaf == nil || leaf[leafFunction(p, stack)])
	}
	return keep
}

// matchFunctions says of every function whether its name matches; nil without a
// pattern.
func matchFunctions(p *profile.Profile, re *regexp.Regexp) []bool {
	if re == nil {
		return nil
	}
	match := make([]bool, p.NumFunctions())
	for i := range match {
		id := profile.FunctionID(i)
		match[i] = re.MatchString(Name(p, id)) || (p.Function(id).SystemName != "" && re.MatchString(p.Function(id).SystemName))
	}
	return match
}

func holds(p *profile.Profile, stack []profile.LocationID, match []bool) bool {
	if len(stack) == 0 {
		return match[0]
	}
	for _, loc := range stack {
		for _, l := range p.Lines(loc) {
			if match[l.Function] {
				return true
			}
		}
	}
	return false
}

// leafFunction is the function a sample's self value goes to.
func leafFunction(p *profile.Profile, stack []profile.LocationID) profile.FunctionID {
	for _, loc := range stack {
		if lines := p.Lines(loc); len(lines) > 0 {
			return lines[0].Function
		}
	}
	return 0
}
