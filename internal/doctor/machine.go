package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"whyhot/internal/collect"
	"whyhot/internal/collect/session"
	"whyhot/internal/explain/source"
	"whyhot/internal/host/allocator"
	"whyhot/internal/host/tool"
	"whyhot/internal/image/inventory"
	"whyhot/internal/trial/noise"
	"whyhot/internal/trial/rebuild/bolt"
)

// Here is the machine that this process runs on. Find gives the path of a program that
// is beside whyhot or on PATH.
func Here(find func(program string) (string, error)) Machine {
	return &here{find: find, allocators: allocator.NewFinder()}
}

type here struct {
	find       func(string) (string, error)
	allocators *allocator.Finder
}

// enough is how much of a file is read: the start of a list of symbols says whether it
// shows addresses.
const enough = 4 << 20

func (*here) Read(name string) (string, error) {
	f, err := os.Open("/" + name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read from
	out, err := io.ReadAll(io.LimitReader(f, enough))
	return string(out), err
}

func (*here) Sampler(ctx context.Context, name string, system bool) error {
	target := collect.Target{System: system}
	if !system {
		target.Command = []string{"cat"} // written in C, and on every system
	}
	all := session.Samplers()
	i := slices.IndexFunc(all, func(s collect.Sampler) bool { return s.Name() == name })
	if i < 0 {
		return fmt.Errorf("there is no sampler %q", name)
	}
	return all[i].Available(ctx, target)
}

func (*here) Counter() error {
	attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_HARDWARE, Config: unix.PERF_COUNT_HW_INSTRUCTIONS, Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv | unix.PerfBitDisabled, Size: unix.PERF_ATTR_SIZE_VER0}
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("perf_event_open: %w", err)
	}
	return unix.Close(fd)
}

// Trace attaches to a child as recording a command does. The child waits for its input
// to end, and is killed.
func (*here) Trace(ctx context.Context) error {
	runtime.LockOSThread() // the tracer is a thread
	defer runtime.UnlockOSThread()
	child := exec.CommandContext(ctx, "cat")
	in, err := child.StdinPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(child.Process.Pid), 0, 0, 0, 0)
	_ = child.Process.Kill() // it may have ended
	_ = in.Close()
	_ = child.Wait() // killed
	if errno != 0 {
		return fmt.Errorf("ptrace: %w", errno)
	}
	return nil
}

func (*here) Program(names ...string) (string, error) { return tool.Find(names...) }

// Own starts a part of whyhot and has it do the least of its work.
func (h *here) Own(ctx context.Context, p Part) (string, error) {
	var path string
	var err error
	if p == Analyser {
		path, err = source.Analyser()
	} else {
		path, err = h.find(string(p))
	}
	if err != nil {
		return "", err
	}
	switch p {
	case Server:
		return tool.Find(path)
	case Images:
		return path, emptyImage(ctx, path)
	case Analyser:
		_, err = ask(ctx, path, nil)
	}
	return path, err
}

// emptyImage asks for the packages of an empty directory.
func emptyImage(ctx context.Context, path string) error {
	dir, err := os.MkdirTemp("", "whyhot-doctor-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(dir) }() // empty
	question, err := json.Marshal(inventory.Question{Version: inventory.Version, Image: dir})
	if err != nil {
		return err
	}
	answer, err := ask(ctx, path, question)
	if err != nil {
		return err
	}
	_, err = inventory.ReadInventory(bytes.NewReader(answer), nil)
	return err
}

func ask(ctx context.Context, path string, question []byte) ([]byte, error) {
	run := exec.CommandContext(ctx, path)
	run.Stdin = bytes.NewReader(question)
	var said bytes.Buffer
	run.Stderr = &said
	out, err := run.Output()
	if err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return nil, fmt.Errorf("%s does not start: %w: %s", path, err, line)
	}
	return out, nil
}

func (h *here) Allocator(name string) (string, error) {
	lib, err := h.allocators.Find(name)
	return lib.Path, err
}

func (*here) Bolt() error {
	_, err := bolt.Find()
	return err
}

func (*here) Debug() []string {
	places := []string{"/usr/lib/debug/.build-id"}
	if home, err := os.UserHomeDir(); err == nil {
		places = append(places, filepath.Join(home, ".cache", "debuginfod_client"), filepath.Join(home, ".debuginfod_client_cache"), filepath.Join(home, ".debug"))
	}
	return slices.DeleteFunc(places, func(dir string) bool {
		info, err := os.Stat(dir)
		return err != nil || !info.IsDir()
	})
}

func (*here) Noise() []string { return noise.Settings() }

// Room writes a file, since a directory may be read-only with room enough.
func (*here) Room() (string, uint64, error) {
	dir := os.TempDir()
	f, err := os.CreateTemp("", "whyhot-doctor-")
	if err != nil {
		return dir, 0, err
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return dir, 0, err
	}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return dir, 0, fmt.Errorf("%s: %w", dir, err)
	}
	return dir, st.Bavail * uint64(st.Bsize), nil //nolint:gosec // a block size is positive
}
