package passes

import (
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/elfinfo/instruction"
	"whyhot/internal/profile"
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
	copies := map[profile.LocationID]bool{}
	for line, rows := range r.innermost {
		share := r.p.Share(rows)
		f := r.file(line.Function)
		if !r.isSure(share, leastShare) || f == nil || f.Language() != "Go" {
			continue
		}
		m := goRange.FindStringSubmatch(f.Code(int(line.Line)))
		if m == nil || m[1] == "_" {
			continue
		}
		inCopies := slices.DeleteFunc(slices.Clone(rows), func(row int32) bool {
			stack := r.p.Stack(r.p.Samples()[row].Stack)
			if len(stack) == 0 {
				return true
			}
			is, known := copies[stack[0]]
			if !known {
				is = r.moves(stack[0])
				copies[stack[0]] = is
			}
			return !is
		})
		if r.p.Share(inCopies) >= mostlyMoves*share {
			out = append(out, element{spot: spot{line: line, rows: rows, share: share}, declared: m[1], over: m[2]})
		}
	}
	sortDearest(out)
	return out
}

// moves says whether the code at a location copies a value.
func (r *reader) moves(at profile.LocationID) bool {
	if lines := r.p.Lines(at); len(lines) > 0 && goMoves.MatchString(r.p.Function(lines[0].Function).Name) {
		return true
	}
	leaf := r.p.Location(at)
	file, vaddr, ok := r.facts.Code(r.p.Mapping(leaf.Mapping), leaf.Address)
	if !ok {
		return false
	}
	in, ok := instruction.At(file, vaddr)
	return ok && moveOps.MatchString(strings.TrimSpace(in.Text))
}
