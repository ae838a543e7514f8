package html

import (
	"errors"
	"io"

	"whyhot/internal/finding/price"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

// FlameInput is what the interactive part of a page shows.
type FlameInput struct {
	Title   string           // what was profiled: a command or a file's name
	Profile *profile.Profile // names and facts
	// Tree is the call tree from the outermost callers down. The page derives
	// the reverse tree, the callers and callees of a function and the table
	// from it.
	Tree      *view.Tree
	FromLeaf  bool     // open the reverse view first
	RootBelow bool     // draw the root at the bottom until the reader turns it
	Notes     []string // things to know that the picture does not tell
	// Rate bills shares of Profile; nil where there are no prices.
	Rate *price.Rate
}

func (in *FlameInput) check() error {
	switch {
	case in.Profile == nil || in.Tree == nil:
		return errors.New("a page needs a profile and its call tree")
	case len(in.Tree.Nodes) == 0:
		return errors.New("the call tree has no root: there is nothing to show")
	}
	return nil
}

// Flame writes a self-contained page with the flame graph, its reverse, the
// callers and callees of any function and the table of functions.
func Flame(w io.Writer, in FlameInput) error {
	if err := in.check(); err != nil {
		return err
	}
	return writePage(w, &in, "flame", struct {
		Header header
		Static staticTable
	}{newHeader(&in), newStaticTable(&in)})
}
