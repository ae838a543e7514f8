package run

import (
	"context"
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
// regular file is used where it is, and anything else is copied to dir until
// its end. waiting is called before reading something that may never end.
func Spool(ctx context.Context, stdin *os.File, dir string, waiting func()) (path string, err error) {
	info, err := stdin.Stat()
	if err != nil {
		return "", nil // closed standard input is none
	}
	mode := info.Mode()
	if mode&os.ModeCharDevice != 0 || term.IsTerminal(int(stdin.Fd())) {
		return "", nil
	}
	if mode.IsRegular() {
		if at, err := stdin.Seek(0, io.SeekCurrent); err == nil && at == 0 && stdin == os.Stdin {
			return ownStdin, nil
		}
	} else {
		waiting()
	}
	f, err := os.CreateTemp(dir, "stdin-")
	if err != nil {
		return "", fmt.Errorf("keeping standard input for every run: %w", err)
	}
	defer func() { _ = f.Close() }()
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
		return "", fmt.Errorf("keeping standard input for every run: %w", err)
	}
	return f.Name(), nil
}
