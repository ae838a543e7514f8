// Package debugfile finds the separate files that hold a binary's symbols and
// debug information.
//
// It knows the places (the .build-id trees of distributions, .gnu_debuglink as
// GDB searches it, the dwz files that .gnu_debugaltlink names, the caches of
// perf and of debuginfod's clients) and checks that what it found belongs to the
// binary. It opens files through elffile and reads no symbol of them. It never
// uses the network.
//
// It looks where the user of this machine has such files, follows links anywhere
// and may map a file to take its checksum. internal/elfinfo/locate looks where a
// process has them, for an agent that must not be led astray by that process:
// other places, another way of opening, other checks.
package debugfile

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"whyhot/internal/elfinfo/elffile"
)

// Finder holds where to look.
type Finder struct {
	// Root stands for the root directory: "" or the root of another system.
	Root string
	// Dirs are searched before the system's own places. Each may be laid out as
	// /usr/lib/debug is, as a flat store BUILDID[.debug], or as the cache of a
	// debuginfod client, BUILDID/debuginfo.
	Dirs []string
	// Home is where perf and debuginfod keep their caches, "" for neither.
	Home string
}

// ErrNone says that there is no such file, and that this is nothing to worry
// about.
var ErrNone = errors.New("no separate file")

// minBuildID is the shortest build ID (two bytes) that can be split into the
// directory and the file name of a .build-id tree.
const minBuildID = 4

// trees are the directories laid out as /usr/lib/debug is.
func (f Finder) trees() []string {
	return append(append([]string(nil), f.Dirs...), filepath.Join(f.Root, "/usr/lib/debug"))
}

// Debug opens the separate debug file of a binary: by build ID, then by debug
// link. The error says what was found and why it was refused; with nothing found
// it is ErrNone.
func (f Finder) Debug(bin *elffile.File) (*elffile.File, error) {
	id := bin.BuildID()
	if file := f.DebugByBuildID(id); file != nil {
		return file, nil
	}
	name, crc, ok := bin.DebugLink()
	if !ok {
		return nil, ErrNone
	}
	refused := ErrNone
	for _, path := range f.linkPlaces(bin.Path(), name) {
		if path == bin.Path() {
			continue
		}
		file, err := elffile.Open(path)
		if err != nil {
			continue
		}
		if err = belongs(file, path, id, crc); err == nil {
			return file, nil
		}
		refused = err
		_ = file.Close()
	}
	return nil, refused
}

// linkPlaces are the places where a debug link may point, in GDB's order.
func (f Finder) linkPlaces(binary, name string) []string {
	if target, err := filepath.EvalSymlinks(binary); err == nil {
		binary = target
	}
	dir := filepath.Dir(binary)
	trees := f.trees()
	places := make([]string, 0, 2+2*len(trees))
	places = append(places, filepath.Join(dir, name), filepath.Join(dir, ".debug", name))
	inside, err := filepath.Rel(filepath.Join("/", f.Root), dir)
	if err != nil {
		inside = dir
	}
	for _, tree := range trees {
		places = append(places, filepath.Join(tree, inside, name), filepath.Join(tree, name))
	}
	return places
}

func belongs(file *elffile.File, path, id string, crc uint32) error {
	if got := file.BuildID(); got != "" && id != "" {
		if got != id {
			return fmt.Errorf("%s: build ID %s is not the binary's, %s", path, got, id)
		}
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if got := crc32.ChecksumIEEE(data); got != crc {
		return fmt.Errorf("%s: checksum %08x is not the one the binary names, %08x", path, got, crc)
	}
	return nil
}

// DebugByBuildID opens the debug file of that build ID, nil when there is none.
func (f Finder) DebugByBuildID(id string) *elffile.File {
	if len(id) < minBuildID {
		return nil
	}
	var places []string
	for _, tree := range f.trees() {
		places = append(places, filepath.Join(tree, ".build-id", id[:2], id[2:]+".debug"))
	}
	for _, dir := range f.Dirs {
		places = append(places,
			filepath.Join(dir, id[:2], id[2:]+".debug"),
			filepath.Join(dir, id+".debug"),
			filepath.Join(dir, id, "debuginfo"))
	}
	for _, cache := range f.caches() {
		places = append(places, filepath.Join(cache, id, "debuginfo"))
	}
	return open(places, id)
}

// BinaryByBuildID opens a copy of the binary itself that somebody kept: perf's
// build-id cache, a debuginfod cache, a directory given by the user.
func (f Finder) BinaryByBuildID(id string) *elffile.File {
	if len(id) < minBuildID {
		return nil
	}
	var places []string
	for _, dir := range f.Dirs {
		places = append(places,
			filepath.Join(dir, ".build-id", id[:2], id[2:]),
			filepath.Join(dir, ".build-id", id[:2], id[2:], "elf"),
			filepath.Join(dir, id, "executable"),
			filepath.Join(dir, id))
	}
	if f.Home != "" {
		places = append(places, filepath.Join(f.Home, ".debug", ".build-id", id[:2], id[2:], "elf"))
	}
	for _, cache := range f.caches() {
		places = append(places, filepath.Join(cache, id, "executable"))
	}
	places = append(places, filepath.Join(f.Root, "/usr/lib/debug/.build-id", id[:2], id[2:]))
	return open(places, id)
}

// Alt opens the file that dwz moved the shared part of debug's information to.
// Without .gnu_debugaltlink the error is ErrNone.
func (f Finder) Alt(debug *elffile.File) (*elffile.File, error) {
	name, id, ok := debug.AltLink()
	if !ok {
		return nil, ErrNone
	}
	var places []string
	if filepath.IsAbs(name) {
		places = append(places, filepath.Join(f.Root, name))
	} else {
		dir := filepath.Dir(debug.Path())
		if target, err := filepath.EvalSymlinks(debug.Path()); err == nil {
			dir = filepath.Dir(target)
		}
		places = append(places, filepath.Join(dir, name))
	}
	for _, tree := range f.trees() {
		places = append(places, filepath.Join(tree, ".dwz", filepath.Base(name)))
	}
	if file := open(places, id); file != nil {
		return file, nil
	}
	if file := f.DebugByBuildID(id); file != nil {
		return file, nil
	}
	return nil, fmt.Errorf("%s: the shared debug information %s (build ID %s) is missing", debug.Path(), name, id)
}

// caches are the places where debuginfod's clients keep what they fetched.
func (f Finder) caches() []string {
	if f.Home == "" {
		return nil
	}
	return []string{filepath.Join(f.Home, ".cache", "debuginfod_client"), filepath.Join(f.Home, ".debuginfod_client_cache")}
}

// open returns the first file of that build ID.
func open(places []string, id string) *elffile.File {
	for _, path := range places {
		file, err := elffile.Open(path)
		if err != nil {
			continue
		}
		if file.BuildID() == id {
			return file
		}
		_ = file.Close()
	}
	return nil
}
