package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// ID derives the stable identity of a finding. All identities of the project are made
// here; what goes into one follows from what has to leave it as it is:
//
//   - sampling: no share, no rank, and no line, caller or library that only has the most
//     samples. Who calls it passes what is true of the code whether it is hot or not.
//   - edits elsewhere: no line number, no address, no text.
//   - another checkout or machine: of the binary and of the file the base name alone, and
//     no build ID.
//
// extra tells apart what the place does not: the program of a catalogue entry, a loop's
// number in its function.
func ID(rule string, p Place, extra ...string) string {
	h := sha256.New()
	for _, s := range append([]string{rule, baseName(p.Binary), p.Function, baseName(p.File)}, extra...) {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return rule + "-" + hex.EncodeToString(h.Sum(nil))[:8]
}

// CauseID is the identity of a finding that is one for the whole program, however
// many places it has.
func CauseID(rule string) string { return ID(rule, Place{}) }

func baseName(path string) string {
	path = strings.TrimSuffix(path, " (deleted)")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// Separate gives findings that share an id ids of their own, the first by file and line
// keeping it: what an id may rest on does not tell them apart, as the two branches of an
// #if where units of one build take different ones.
func Separate(findings []Finding) {
	each := make([]*Finding, len(findings))
	for i := range findings {
		each[i] = &findings[i]
	}
	SeparateEach(each)
}

// SeparateEach is Separate for findings that are parts of something else. It sorts the list.
func SeparateEach(byPlace []*Finding) {
	slices.SortStableFunc(byPlace, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line))
	})
	taken := map[string]bool{}
	for _, f := range byPlace {
		for n := 2; taken[f.ID]; n++ {
			f.ID = ID(f.Rule, Place{Function: f.ID}, strconv.Itoa(n))
		}
		taken[f.ID] = true
	}
}
