package machine

import (
	"fmt"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// ruleDenormals is the rule of loops whose time is nowhere but at floating-point operations.
// A denormal operand has a processor leave its normal way, for a hundred cycles and more,
// while all else in the loop is done in passing; so the samples stand at a few operations.
// A chain of operations that wait for each other looks alike in a short loop, and its other
// instructions have samples in a longer one, or it stores nothing that decays: with normal
// numbers, filters and recurrences had 23% to 90% at their operations where this asks for
// nearly all (bench/machine.md).
const ruleDenormals = "machine-denormals"

const (
	leastAtFloats   = 0.95 // of the samples of a loop
	longForDenormal = 12   // instructions
	mostPlaces      = 0.25 // of the instructions have these samples
	fewestDenormal  = 200  // events
	leastDenormal   = 0.2  // of all samples
)

// withDenormals adds a match to the loops whose samples look so.
func withDenormals(p *profile.Profile, loops []Loop) {
	for i := range loops {
		l := &loops[i]
		if l.Count >= fewestDenormal && float64(l.Self) >= leastDenormal*float64(p.Total()) && l.waitsForFloats() {
			l.Matches = append(l.Matches, analyzer.MachineMatch{Rule: ruleDenormals, At: l.floats()})
		}
	}
}

// waitsForFloats says whether nearly all samples are behind additions and multiplications,
// in a loop that keeps a product for the next round.
func (l *Loop) waitsForFloats() bool {
	var at int64
	places, multiplies, stores := 0, false, false
	for n, in := range l.Instructions {
		multiplies = multiplies || isFloat(in.Text, "mul", "fmadd", "fmsub", "fnmadd", "fnmsub")
		stores = stores || storesFloat(in.Text)
		if n > 0 && in.Self > 0 && isFloat(l.Instructions[n-1].Text, "add", "sub", "mul", "fmadd", "fmsub", "fnmadd", "fnmsub") {
			at += in.Self
			if l.IsHot(in.Self) {
				places++
			}
		}
	}
	return l.Innermost && multiplies && stores && len(l.Instructions) >= longForDenormal &&
		float64(at) >= leastAtFloats*float64(l.Self) && float64(places) <= mostPlaces*float64(len(l.Instructions))
}

// floats are the operations that the hottest samples wait for.
func (l *Loop) floats() []uint64 {
	var out []uint64
	for n, in := range l.Instructions[:max(len(l.Instructions)-1, 0)] {
		if l.IsHot(l.Instructions[n+1].Self) {
			out = append(out, in.Address)
		}
	}
	return out
}

// isFloat says whether an instruction is one of these operations on floating-point numbers.
func isFloat(text string, operations ...string) bool {
	op, _, _ := strings.Cut(text, " ")
	op = strings.TrimPrefix(op, "v")
	for _, o := range operations {
		rest, ok := strings.CutPrefix(op, o)
		rest = strings.TrimLeft(rest, "0123456789") // vfmadd213ss
		switch {
		case !ok:
		case rest == "ss" || rest == "sd" || rest == "ps" || rest == "pd":
			return true
		}
	}
	return false
}

// storesFloat says whether an instruction moves a floating-point register to memory.
func storesFloat(text string) bool {
	op, operands, _ := strings.Cut(text, " ")
	if op = strings.TrimPrefix(op, "v"); !strings.HasPrefix(op, "movs") && !strings.HasPrefix(op, "mova") && !strings.HasPrefix(op, "movu") {
		return false
	}
	from, to, ok := strings.Cut(operands, ", ")
	return ok && (strings.HasPrefix(from, "%xmm") || strings.HasPrefix(from, "%ymm") || strings.HasPrefix(from, "%zmm")) && strings.HasSuffix(to, ")") && !strings.Contains(to, "%rsp")
}

// atFloats says how much of the loop the samples at its operations are.
func atFloats(p *profile.Profile, l *Loop, _ analyzer.MachineMatch) []finding.Evidence {
	return []finding.Evidence{{Kind: evidenceKind, Text: fmt.Sprintf("of its %d instructions, the few behind floating-point operations have nearly all samples: each takes long, as with denormal numbers", len(l.Instructions))}}
}
