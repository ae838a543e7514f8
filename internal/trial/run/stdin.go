package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// ownStdin names this process's standard input so that every opening starts at
// its beginning.
const ownStdin = "/proc/self/fd/0"

// Spool makes standard input repeatable: it returns a file to give to every
// run, "" when there is none to give. A terminal and /dev/null are none, a
// regular file is used where it is, and anything else is copied until its end to
// a temporary file that has no name, so that it cannot be left behind; release
// gives it up. waiting is called before reading something that may never end.
func Spool(ctx context.Context, stdin *os.File, waiting func()) (path string, release func(), err error) {
	nothing := func() {}
	info, err := stdin.Stat()
	if err != nil {
		return "", nothing, nil //nolint:nilerr // closed standard input is none
	}
	mode := info.Mode()
	if mode&os.ModeCharDevice != 0 || term.IsTerminal(int(stdin.Fd())) {
		return "", nothing, nil
	}
	if mode.IsRegular() {
		if at, err := stdin.Seek(0, io.SeekCurrent); err == nil && at == 0 && stdin == os.Stdin {
			return ownStdin, nothing, nil
		}
	} else {
		waiting()
	}
	f, err := unnamed()
	if err != nil {
		return "", nothing, fmt.Errorf("keeping standard input for every run: %w", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(f, stdin)
		done <- err
	}()
	select {
	case err = <-done:
	case <-ctx.Done(): // the read may block for ever; it dies with the process
		err = ctx.Err()
	}
	if err != nil {
		return "", nothing, fmt.Errorf("keeping standard input for every run: %w", err)
	}
	return fmt.Sprintf("/proc/self/fd/%d", f.Fd()), func() { _ = f.Close() }, nil
}

// unnamed makes a temporary file and takes its name away: it is gone with the
// last process that has it open, however that ends.
func unnamed() (*os.File, error) {
	f, err := os.CreateTemp("", "whyhot-try-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
