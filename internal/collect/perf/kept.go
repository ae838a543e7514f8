package perf

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/profile"
)

// kept are binaries that are not at their paths: of processes that see other files
// than this one does, as those in containers, and those that were replaced while they
// ran. They are held open, because there may be no way to them when the recording is
// read.
type kept struct {
	root, mounts string // of this process
	read         map[int]bool
	files        map[string]*os.File // by device, inode and path, nil for those that need not be kept
	most         int
}

// maxKept bounds how many files are held open, beside a quarter of what this process
// may open at all.
const maxKept = 1024

func newKept() *kept {
	k := &kept{read: map[int]bool{}, files: map[string]*os.File{}, most: maxKept}
	k.root, k.mounts = viewOf("self")
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err == nil {
		k.most = int(min(limit.Cur/4, maxKept))
	}
	return k
}

// viewOf is where a process's paths begin: its root and its mount name space.
func viewOf(pid string) (root, mounts string) {
	root, _ = os.Readlink("/proc/" + pid + "/root") // not to be read: as if it were ours
	mounts, _ = os.Readlink("/proc/" + pid + "/ns/mnt")
	return root, mounts
}

// look holds what a process runs that is not at its path.
func (k *kept) look(pid int, l looking) {
	if k.read[pid] && l != wholeLook {
		return
	}
	root, mounts := viewOf(strconv.Itoa(pid))
	foreign := root != k.root || mounts != k.mounts
	if mounts == "" || !foreign && l != wholeLook {
		return
	}
	k.read[pid] = true
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return // it is gone
	}
	defer func() { _ = f.Close() }() // only read from
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if line, deleted := strings.CutSuffix(lines.Text(), " (deleted)"); foreign || deleted {
			k.mapping(pid, line)
		}
	}
}

// mapping takes one line of a maps file: range, rights, offset, device, inode, path.
func (k *kept) mapping(pid int, line string) {
	const fields = 6
	field := strings.Fields(line)
	if len(field) < fields || !strings.Contains(field[1], "x") || !strings.HasPrefix(field[5], "/") {
		return
	}
	path := line[strings.IndexByte(line, '/'):]
	key := field[3] + " " + field[4] + " " + path
	if _, known := k.files[key]; known || len(k.files) >= k.most {
		return
	}
	k.files[key] = openForeign(pid, field[0], path)
}

// openForeign opens a file that a process has mapped, nil where that is the one at
// its path, or cannot be.
func openForeign(pid int, addresses, path string) *os.File {
	for _, candidate := range []string{
		fmt.Sprintf("/proc/%d/map_files/%s", pid, addresses), // needs a capability
		fmt.Sprintf("/proc/%d/root%s", pid, path),
	} {
		f, err := os.OpenFile(candidate, os.O_RDONLY|unix.O_NONBLOCK, 0) // it may be a device
		if err != nil {
			continue
		}
		mine, err := f.Stat()
		if err == nil && mine.Mode().IsRegular() {
			if there, err := os.Stat(path); err != nil || !os.SameFile(there, mine) {
				return f
			}
		}
		_ = f.Close() // only read from
	}
	return nil
}

// link makes the files to be found by their build IDs below dir, for as long as they
// are held.
func (k *kept) link(dir string) error {
	var errs []error
	for _, f := range k.files {
		if f == nil {
			continue
		}
		held := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
		bin, err := elffile.Open(held)
		if err != nil {
			continue // no program
		}
		id := bin.BuildID()
		_ = bin.Close() // only read from
		if len(id) <= 2 {
			continue
		}
		path := byBuildID(dir, id)
		err = os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.Symlink(held, path)
		}
		if err != nil && !errors.Is(err, os.ErrExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// byBuildID is the place of a binary in a directory laid out as debuggers have it.
func byBuildID(dir, id string) string { return filepath.Join(dir, ".build-id", id[:2], id[2:]) }

// settle puts copies in the place of links to those binaries that have samples, and
// lets all files go.
func (k *kept) settle(dir string, p *profile.Profile) error {
	defer k.close()
	var errs []error
	for i := range p.NumMappings() {
		id := p.Mapping(profile.MappingID(i)).BuildID
		if len(id) <= 2 {
			continue
		}
		held, err := os.Readlink(byBuildID(dir, id))
		if err != nil {
			continue // it was not kept, or is a copy already
		}
		if err := replaceByCopy(byBuildID(dir, id), held); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func replaceByCopy(link, held string) (err error) {
	from, err := os.Open(held)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // only read from
	temp := link + ".part"
	to, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return os.Rename(temp, link)
}

func (k *kept) close() {
	for key, f := range k.files {
		if f != nil {
			_ = f.Close() // only read from
		}
		k.files[key] = nil
	}
}
