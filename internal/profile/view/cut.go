package view

import (
	"regexp"
	"strings"

	"whyhot/internal/profile"
)

// starts are functions that are outermost in whole stacks of machine code: those a program or
// a thread begins with.
var starts = regexp.MustCompile(`^(_?_?start|main|_dl_\w+|_?_?libc_start\w*|start_thread|_?_?clone3?|thread_start|_init|_fini)\b`)

// Cut is the value of stacks whose callers are missing, and Single that of those among them
// that have one frame outside of the kernel.
type Cut struct{ Value, Single int64 }

// CutStacks adds up the stacks that IsCut.
func CutStacks(p *profile.Profile) (sum Cut) {
	for _, w := range stackWeights(p) {
		cut, single := cutStack(p, p.Stack(w.stack))
		if cut {
			sum.Value += w.value
		}
		if single {
			sum.Single += w.value
		}
	}
	return sum
}

// IsCut says whether the callers of a stack's outermost frame are missing: its recorder said so,
// it leads into code that belongs to no binary, or all it has of the program is one function of
// machine code that nothing begins with. The latter two happen where a recorder follows frame
// pointers and a program keeps none: the register has anything, or what the caller left there.
func IsCut(p *profile.Profile, stack []profile.LocationID) bool {
	cut, _ := cutStack(p, stack)
	return cut
}

func cutStack(p *profile.Profile, stack []profile.LocationID) (cut, single bool) {
	if len(stack) == 0 {
		return false, false
	}
	root := stack[len(stack)-1]
	name, kind := outermost(p, root)
	if name == profile.TruncatedStack || name == "" && p.Location(root).Mapping == 0 {
		return true, false
	}
	if kind != profile.KindNative || starts.MatchString(name) || strings.HasPrefix(name, "[") {
		return false, false
	}
	for _, loc := range stack[:len(stack)-1] {
		if _, kind := outermost(p, loc); kind != profile.KindKernel {
			return false, false
		}
	}
	return true, true
}

// outermost is the function of a location that others are inlined into.
func outermost(p *profile.Profile, loc profile.LocationID) (name string, kind profile.Kind) {
	lines := p.Lines(loc)
	fn := p.Function(lines[len(lines)-1].Function)
	return fn.Name, fn.Kind
}
