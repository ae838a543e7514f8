package machine

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
	"whyhot/internal/profile/symname"
)

// callee is a function of another binary that a loop calls, with the samples that were
// taken in it while the loop waited.
type callee struct {
	name, path   string
	size         uint64 // of its code, 0 where not known
	value, count int64
}

// countCallees finds, for calls through stubs and those of assertions, what the function that was called took:
// the samples in it whose caller is the call in the loop. Where stacks lack the caller
// (code without frame pointers) there are none.
func countCallees(p *profile.Profile, binaries Binaries, all []*binary, loops []Loop) {
	type call struct {
		path string
		back uint64 // where it returns to
	}
	type caller struct {
		loop   int
		checks bool // the call is an assertion's
	}
	wanted := map[call]caller{}
	for i, l := range loops {
		at := slices.IndexFunc(l.Matches, func(m analyzer.MachineMatch) bool { return m.Rule == rulePLTCall })
		for n, in := range l.Instructions[:max(len(l.Instructions)-1, 0)] {
			checks := l.isAsserted(n)
			if checks || at >= 0 && slices.Contains(l.Matches[at].At, in.Address) {
				// Readers name the return address, or the byte before it.
				back := l.Instructions[n+1].Address
				wanted[call{l.Mapping.Path, back}] = caller{i, checks}
				wanted[call{l.Mapping.Path, back - 1}] = caller{i, checks}
			}
		}
	}
	if len(wanted) == 0 {
		return
	}
	byPath := map[string]*binary{}
	for _, b := range all {
		byPath[b.mapping.Path] = b
	}
	for in := range p.Innermosts() {
		stack := p.Stack(in.Sample.Stack)
		if len(stack) < 2 || in.Location.Address == 0 {
			continue
		}
		from := p.Location(stack[1])
		above, m := p.Mapping(from.Mapping), p.Mapping(in.Location.Mapping)
		_, back, ok := binaries.Code(above, from.Address)
		if !ok {
			continue
		}
		to, ok := wanted[call{above.Path, back}]
		isStub := strings.HasSuffix(in.Code.Name, "@plt")
		switch {
		case !ok || above.Path == m.Path && !isStub:
			continue
		case isStub:
			if !to.checks {
				loops[to.loop].stub.value += in.Sample.Value
				loops[to.loop].stub.count += in.Sample.Count
			}
			continue
		}
		size := uint64(0)
		if b := byPath[m.Path]; b != nil {
			if _, vaddr, ok := binaries.Code(m, in.Location.Address); ok {
				size = b.sizeAt(vaddr)
			}
		}
		c := callee{in.Code.Name, m.Path, size, in.Sample.Value, in.Sample.Count}
		loops[to.loop].called(c)
		if to.checks && isComparison(c.name) {
			loops[to.loop].asserted.add(c)
		}
	}
}

func (b *binary) sizeAt(vaddr uint64) uint64 {
	for _, f := range b.functions {
		if vaddr >= f.low && vaddr < f.high {
			return f.high - f.low
		}
	}
	return 0
}

func (l *Loop) called(c callee) {
	at := slices.IndexFunc(l.callees, func(k callee) bool { return k.name == c.name && k.path == c.path })
	if at < 0 {
		l.callees = append(l.callees, c)
		return
	}
	l.callees[at].value += c.value
	l.callees[at].count += c.count
	l.callees[at].size = max(l.callees[at].size, c.size)
}

// shortest is the size of code from which a call is no longer a good part of what it
// costs.
const shortest = 256

// short is the short function of another binary that a loop spends most in; without
// samples where there is none.
func (l *Loop) short() (c callee) {
	for _, k := range l.callees {
		if isMathematics(k) {
			continue
		}
		if k.size > 0 && k.size <= shortest && k.value > c.value {
			c = k
		}
	}
	return c
}

// rounding are the functions of the mathematics library that compilers have instructions for.
var rounding = regexp.MustCompile(`^_*(floor|ceil|rint|nearbyint|trunc|round|lrint|lround|sqrt|fabs|fmin|fmax|copysign|fma)`)

// isMathematics: exp and its like have no form that is inlined, and the stub is nothing beside
// what they compute.
func isMathematics(c callee) bool {
	base := filepath.Base(c.path)
	return (strings.HasPrefix(base, "libm.so") || strings.HasPrefix(base, "libm-2")) && !rounding.MatchString(c.name)
}

// withoutStub is how a short function of another library is called for less. The C
// library's have forms that compilers inline; of others only their headers know.
func withoutStub(l *Loop, _ analyzer.MachineMatch) []string {
	c := l.short()
	if isLibc(c.path) {
		return []string{
			"have the compiler do it without a call: a form that is inlined (getc_unlocked, isalpha by a table of one's own), or for floor, rint and sqrt -O2 -msse4.1 -fno-math-errno",
			"or call it once for many: fread instead of getc, a function over an array instead of one over an element",
			"or link that library statically, with -flto; -fno-plt saves the stub alone",
		}
	}
	return []string{
		fmt.Sprintf("use the library's inline form of %s, where its headers have one (often a macro asks for it), or read the data that it hands out by a pointer taken before the loop", symname.Shorten(c.name, nameWidth)),
		"or call a function of the library that does all elements",
		"or link that library statically, with -flto; -fno-plt saves the stub alone",
	}
}

// ownCalled costs what the loop takes but for the instruction that it waits longest for,
// which no way of calling makes faster, where the function that it calls through the stub
// has a twentieth of that somewhere, whoever called it: compilers inline what is called
// often, and leave the stub for a branch that is seldom taken. Stacks that lack callers do
// not matter here.
func ownCalled(l *Loop, m analyzer.MachineMatch) (value, events int64) {
	const least = 0.05
	if l.binary == nil {
		return 0, 0
	}
	var longest Instruction
	for _, in := range l.Instructions {
		if in.For != 0 && in.Self > longest.Self {
			longest = in
		}
	}
	value, events = l.Self-longest.Self, l.Count-longest.Count
	name := codename.Display(m.Facts["function"])
	var ran int64
	for at, h := range l.binary.at {
		if l.binary.names[at] == name {
			ran += h.value
		}
	}
	if float64(ran) < least*float64(value) {
		return 0, 0
	}
	return value, events
}
