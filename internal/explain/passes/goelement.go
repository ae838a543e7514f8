package passes

import (
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/elfinfo/instruction"
)

var (
	// goRange is the header of a loop of Go over the values of a collection.
	goRange = regexp.MustCompile(`\bfor\s+\w+\s*,\s*(\w+)\s*:?=\s*range\s+(.+?)\s*\{\s*$`)
	// goMoves are functions of Go's runtime that copy a value.
	goMoves = regexp.MustCompile(`^(runtime\.)?(duffcopy|memmove|typedmemmove|bulkBarrierPreWrite|wbMove)$`)
	// moveOps are instructions by which compilers copy what fits no register.
	moveOps = regexp.MustCompile(`^(mov[ua]ps|movdq[ua]|v?movdqu\w*|(rep )?movs[bwlq]|FLDPQ|FSTPQ)\b`)
)

// mostlyMoves is the part of a line's samples in copies, from which on the line is one: a loop
// over small elements loads them into registers.
const mostlyMoves = 0.5

// goElements are the loops of Go that copy each element of more than a few words: the range
// clause gives a copy, which is made by the line of the loop itself.
//
// Example. for _, r := range readings, where a reading has 400 bytes and the loop asks for two
// of its fields.
func (r *reader) goElements() []element {
	var out []element
	for line, rows := range r.innermost {
		share := r.shareOf(rows)
		f := r.file(line.Function)
		if !r.isSure(share, leastShare) || f == nil || f.Language() != "Go" {
			continue
		}
		m := goRange.FindStringSubmatch(f.Code(int(line.Line)))
		if m == nil || m[1] == "_" {
			continue
		}
		copies := slices.DeleteFunc(slices.Clone(rows), func(row int32) bool { return !r.moves(row) })
		if r.shareOf(copies) >= mostlyMoves*share {
			out = append(out, element{spot: spot{line: line, rows: rows, share: share}, language: "Go", declared: m[1], over: m[2]})
		}
	}
	sortDearest(out)
	return out
}

// moves says whether a sample is in the copy of a value.
func (r *reader) moves(row int32) bool {
	stack := r.p.Stack(r.p.Samples()[row].Stack)
	if len(stack) == 0 {
		return false
	}
	leaf := r.p.Location(stack[0])
	if lines := r.p.Lines(stack[0]); len(lines) > 0 && goMoves.MatchString(r.p.Function(lines[0].Function).Name) {
		return true
	}
	file, vaddr, ok := r.facts.Code(r.p.Mapping(leaf.Mapping), leaf.Address)
	if !ok {
		return false
	}
	in, ok := instruction.At(file, vaddr)
	return ok && moveOps.MatchString(strings.TrimSpace(in.Text))
}
