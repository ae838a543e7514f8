package command

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// IO is what processes read and wrote by system calls: files, pipes and terminals, and
// sockets where they are used like files.
type IO struct {
	Reads, ReadBytes   uint64
	Writes, WriteBytes uint64
}

// ReadIO gives what a process has read and written so far, with those of its children that
// it has waited for. ok is false where the kernel does not tell.
func ReadIO(pid int) (out IO, ok bool) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return IO{}, false
	}
	defer func() { _ = f.Close() }() // it was only read
	fields := map[string]*uint64{"syscr": &out.Reads, "rchar": &out.ReadBytes, "syscw": &out.Writes, "wchar": &out.WriteBytes}
	found := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		field := fields[name]
		n, err := strconv.ParseUint(value, 10, 64)
		if field == nil || err != nil {
			continue
		}
		*field = n
		found++
	}
	return out, found == len(fields)
}

// untilEnded waits for the end of a process and leaves it to be reaped, so that the kernel
// still tells what it did.
func untilEnded(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR { //nolint:errorlint // system calls give plain numbers
			return err //nolint:wrapcheck // nobody reads it
		}
	}
}
