// Package ldso knows where the dynamic loader looks for shared libraries (ld.so(8)).
//
// It owns the reading of ld.so.conf, the built-in directories, and the choice
// among files of one name by the machine that they are for. It takes names and
// gives paths. What a program says itself (RUNPATH) is its caller's to put in
// front. It must never import another package of this module.
package ldso

import (
	"bufio"
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Environment are the directories of LD_LIBRARY_PATH, which the loader searches
// before those of Dirs.
func Environment() []string { return filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")) }

// Find is the first library of that name in the directories that is built for a
// machine.
func Find(name string, dirs []string, machine elf.Machine) (path string, ok bool) {
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		f, err := elf.Open(path)
		if err != nil {
			continue
		}
		fits := f.Machine == machine
		_ = f.Close() // opened for reading: nothing can be lost
		if fits {
			return path, true
		}
	}
	return "", false
}

// Dirs are the directories below a root, "/" on a real machine, that the loader
// searches: those of
// /etc/ld.so.conf first, then the built-in ones, with the multi-arch ones of
// Debian.
func Dirs(root string) []string {
	dirs := confDirs(root, "/etc/ld.so.conf", 0)
	for _, d := range []string{
		"/usr/local/lib64", "/usr/local/lib", "/lib64", "/usr/lib64",
		"/lib/*-linux-*", "/usr/lib/*-linux-*", "/lib", "/usr/lib", "/home/linuxbrew/.linuxbrew/lib",
	} {
		found, _ := filepath.Glob(filepath.Join(root, d))
		dirs = append(dirs, found...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(dirs, func(d string) bool {
		dup := seen[d]
		seen[d] = true
		return dup
	})
}

// confDirs reads an ld.so.conf: a directory or an include per line.
func confDirs(root, path string, depth int) []string {
	const deepest = 8 // an include cycle ends here
	f, err := os.Open(filepath.Join(root, path))
	if err != nil || depth > deepest {
		return nil
	}
	defer func() { _ = f.Close() }()
	var dirs []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		text, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t:,", r) })
		if len(fields) == 0 {
			continue
		}
		if fields[0] != "include" {
			for _, d := range fields {
				dirs = append(dirs, filepath.Join(root, d))
			}
			continue
		}
		for _, pattern := range fields[1:] {
			if !filepath.IsAbs(pattern) {
				pattern = filepath.Join(filepath.Dir(path), pattern)
			}
			files, _ := filepath.Glob(filepath.Join(root, pattern))
			for _, file := range files {
				rel, err := filepath.Rel(root, file)
				if err == nil {
					dirs = append(dirs, confDirs(root, rel, depth+1)...)
				}
			}
		}
	}
	return dirs
}
