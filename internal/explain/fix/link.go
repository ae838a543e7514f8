package fix

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/host/allocator"
)

// Link is the kind of fix that links a program with another allocator.
const Link = "link"

// LinkOptions say what is linked with what.
type LinkOptions struct {
	Dir     string   // where the build files are, with all below
	Program string   // file name of the program
	Names   []string // allocators, the first that can be linked is taken
}

// ErrNoBuildFile says that no build file makes the program.
var ErrNoBuildFile = errors.New("no build file makes the program")

// site is a build file that makes the program, and the file with the library.
type site struct {
	path          string
	before, after []byte
	how           string
}

// ProposeLink finds the build file that makes the program and links the library
// there. The library comes in whether or not a symbol asks for it, so that
// --as-needed does not drop it.
func ProposeLink(o LinkOptions) (Proposal, error) {
	a, ok := linkable(o.Names)
	if !ok {
		var can []string
		for _, a := range allocator.Known() {
			if a.Link != "" {
				can = append(can, a.Name)
			}
		}
		return Proposal{}, fmt.Errorf("none of %s can be linked, only %s", strings.Join(o.Names, ", "), strings.Join(can, ", "))
	}
	if o.Program == "" {
		return Proposal{}, errors.New("the program to link is not known: give its target")
	}
	sites, err := linkSites(o.Dir, o.Program, "-Wl,--push-state,--no-as-needed,-l"+a.Link+",--pop-state")
	if err != nil {
		return Proposal{}, err
	}
	p := Proposal{Kind: Link, What: fmt.Sprintf("links %s with %s", o.Program, a.Name)}
	switch len(sites) {
	case 0:
		return p, fmt.Errorf("%s below %s: %w (CMakeLists.txt, meson.build, Makefile.am and Makefile were searched)", o.Program, o.Dir, ErrNoBuildFile)
	case 1:
	default:
		for _, s := range sites {
			p.Refusals = append(p.Refusals, Remark{Text: "more than one build file makes a program of this name", File: s.path, Line: 1})
		}
		return p, nil
	}
	s := sites[0]
	if strings.Contains(string(s.before), "-l"+a.Link) {
		p.Refusals = append(p.Refusals, Remark{Text: "the build file names " + a.Name + " already", File: s.path, Line: 1})
		return p, nil
	}
	if s.after == nil {
		p.Refusals = append(p.Refusals, Remark{Text: s.how, File: s.path, Line: 1})
		return p, nil
	}
	p.Changes = []Change{{Path: s.path, Before: s.before, After: s.after}}
	p.Effect = s.how
	p.Notes = []Remark{
		{Text: "the linker needs the library: apt install " + a.DevPackage},
		{Text: "memory use may grow or shrink: compare it as well as time"},
	}
	return p, nil
}

// linkable is the first of the names that the table of allocators can link.
func linkable(names []string) (allocator.Allocator, bool) {
	for _, n := range names {
		if a, ok := allocator.ByName(n); ok && a.Link != "" {
			return a, true
		}
	}
	return allocator.Allocator{}, false
}

// notSources are directories, beside hidden ones, that hold no build file of the
// user's own.
var notSources = []string{"node_modules", "CMakeFiles", "_deps"}

const maxBuildFile = 4 << 20

func linkSites(dir, program, flag string) ([]site, error) {
	var out []site
	var makefiles []site // a generated Makefile beside its source is not the source
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != dir && (strings.HasPrefix(d.Name(), ".") || slices.Contains(notSources, d.Name()) || isBuildTree(path)) {
				return filepath.SkipDir
			}
			return nil
		}
		edit := editorOf(d.Name())
		if edit == nil || !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path) //nolint:gosec // G122: the user's own tree; a swapped link shows text, nothing is written through it
		if err != nil || len(text) > maxBuildFile {
			return err
		}
		after, how := edit(string(text), program, flag)
		if how == "" {
			return nil
		}
		s := site{path: path, before: text, how: how}
		if after != "" {
			s.after = []byte(after)
		}
		if strings.HasSuffix(strings.ToLower(d.Name()), "makefile") {
			makefiles = append(makefiles, s)
		} else {
			out = append(out, s)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for build files: %w", err)
	}
	if len(out) == 0 {
		out = makefiles
	}
	return out, nil
}

// isBuildTree says whether a directory was configured by CMake or meson.
func isBuildTree(path string) bool {
	for _, mark := range []string{"CMakeCache.txt", "meson-private"} {
		if _, err := os.Stat(filepath.Join(path, mark)); err == nil {
			return true
		}
	}
	return false
}

// editor puts the flag into a build file. It gives the new text and how it was
// done; "" and why not; or "" and "" when the file does not make the program.
type editor func(text, program, flag string) (after, how string)

func editorOf(name string) editor {
	switch name {
	case "CMakeLists.txt":
		return editCMake
	case "meson.build":
		return editMeson
	case "Makefile.am":
		return editAutomake
	case "Makefile", "makefile", "GNUmakefile":
		return editMake
	}
	return nil
}
