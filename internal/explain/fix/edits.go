package fix

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"slices"

	"whyhot/internal/explain/analyzer"
)

// changesOf applies edits to the files as they are now.
func changesOf(edits []analyzer.FixEdit) ([]Change, error) {
	byFile := map[string][]analyzer.FixEdit{}
	for _, e := range edits {
		byFile[e.File] = append(byFile[e.File], e)
	}
	out := make([]Change, 0, len(byFile))
	for file, list := range byFile {
		before, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		after, err := applyEdits(before, list)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, Change{Path: file, Before: before, After: after, edits: list})
	}
	slices.SortFunc(out, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return out, nil
}

// applyEdits makes all replacements at once. Insertions at one place keep their
// order, and come before what is replaced there.
func applyEdits(text []byte, edits []analyzer.FixEdit) ([]byte, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b analyzer.FixEdit) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(min(1, a.Length), min(1, b.Length)))
	})
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.Offset < at || e.Length < 0 || e.Offset+e.Length > len(text) {
			return nil, fmt.Errorf("the edits do not fit the file at byte %d: it changed while the fix was written, or two edits touch the same text", e.Offset)
		}
		out.Write(text[at:e.Offset])
		out.WriteString(e.Text)
		at = e.Offset + e.Length
	}
	out.Write(text[at:])
	return out.Bytes(), nil
}

// edits are those that the changes are made of.
func (p *Proposal) edits() []analyzer.FixEdit {
	var out []analyzer.FixEdit
	for _, c := range p.Changes {
		out = append(out, c.edits...)
	}
	return out
}
