package upload

import (
	"context"
	"errors"
	"fmt"

	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/elfinfo/locate"
	"whyhot/internal/fleet/send"
)

var (
	errOtherFile = errors.New("the file was replaced since it was loaded")
	errGone      = errors.New("the file cannot be opened")
)

// deliver gives the server what it lacks of one binary: its own file and, where dwz
// moved part of its debug information to a file that several share, that one.
func (u *Uploader) deliver(ctx context.Context, next *item) error {
	if err := next.open(); err != nil {
		return err
	}
	info, err := next.file.Stat()
	if err != nil {
		return fmt.Errorf("reading %s: %w", next.Path, err)
	}
	bin, err := extract.Open(next.file, info.Size())
	if err != nil {
		return err
	}
	if bin.BuildID() != next.BuildID {
		return errOtherFile
	}
	root, path := locate.Root(next.PID, next.Path)
	roots := []string{root, "/"} // a process may have ended
	var debug *locate.File
	if u.opts.Kind == extract.Full && !bin.HasDWARF() || !bin.HasSymbols() {
		if debug = locate.Debug(roots, path, bin); debug != nil {
			defer func() { _ = debug.Close() }() // only read from
		}
	}
	next.grade, err = u.deliverOne(ctx, u.opts.Kind, bin, debug)
	if errors.Is(err, send.ErrTooLarge) && u.opts.Kind == extract.Full {
		next.grade, err = u.deliverOne(ctx, extract.Symbols, bin, debug)
	}
	if err != nil {
		return err
	}
	if u.opts.Kind != extract.Full {
		return nil
	}
	described, at := bin, path
	if debug != nil {
		described, at = debug.File, debug.Path
	}
	alt := locate.Alt(roots, at, described)
	if alt == nil {
		return nil
	}
	defer func() { _ = alt.Close() }() // only read from
	_, err = u.deliverOne(ctx, extract.Full, alt.File, nil)
	return err
}

// deliverOne gives the server one file, if it wants it, and says how much that names.
func (u *Uploader) deliverOne(ctx context.Context, kind extract.Kind, bin *extract.File, debug *locate.File) (extract.Grade, error) {
	var separate *extract.File
	if debug != nil {
		separate = debug.File
	}
	e, err := extract.New(kind, bin, separate)
	if err != nil {
		return extract.NoGrade, err
	}
	wanted, err := u.client.should(ctx, e)
	if err != nil {
		return e.Grade(), err
	}
	if wanted {
		wanted, err = u.client.give(ctx, e)
	}
	switch {
	case err != nil:
		return e.Grade(), err
	case !wanted:
		u.counts.known.Add(1)
	default:
		u.counts.uploaded.Add(1)
		u.counts.bytes.Add(e.Size())
	}
	return e.Grade(), nil
}
