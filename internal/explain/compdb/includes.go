package compdb

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Includes says which files of a project a unit may read, from the text of the files
// alone: in a moment where a compiler takes seconds a unit. It counts every #include,
// whatever the conditions around it, and looks for it where the unit's options say, so
// it names too many files rather than too few. Headers of the system are left out. It may
// be used by several goroutines.
//
// Example. Of 56 units, 12 may include SPIRV/doc.h: what changes there concerns them
// alone.
type Includes struct {
	mu    sync.Mutex
	files map[string]*scanned
}

// scanned is a file of source as text.
type scanned struct {
	text    string
	names   []included
	unknown bool // an #include names its file by a macro
}

type included struct {
	name   string
	quoted bool
}

// NewIncludes has read nothing yet.
func NewIncludes() *Includes { return &Includes{files: map[string]*scanned{}} }

// Reads says whether a unit may read a file that is meant; known is false where the text
// does not tell.
func (in *Includes) Reads(u Unit, meant func(file string) bool) (reads, known bool) {
	known = true
	in.walk(u, func(file string, s *scanned) bool {
		reads = reads || meant(file)
		known = known && !s.unknown
		return !reads
	})
	return reads, known || reads
}

// Mentions says whether a unit may read a file in which an identifier stands.
func (in *Includes) Mentions(u Unit, identifier string) bool {
	found := false
	in.walk(u, func(_ string, s *scanned) bool {
		found = found || s.unknown || strings.Contains(s.text, identifier)
		return !found
	})
	return found
}

// walk visits the files of a unit, each once, until visit says no.
func (in *Includes) walk(u Unit, visit func(file string, s *scanned) bool) {
	quoted, angled, first := searched(u)
	seen := map[string]bool{}
	work := append([]string{u.File}, first...)
	for len(work) > 0 {
		file := work[0]
		work = work[1:]
		if seen[file] {
			continue
		}
		seen[file] = true
		s := in.scan(file)
		if s == nil {
			continue
		}
		if !visit(file, s) {
			return
		}
		for _, i := range s.names {
			dirs := angled
			if i.quoted {
				dirs = slices.Concat([]string{filepath.Dir(file)}, quoted, angled)
			}
			for _, d := range dirs {
				path := filepath.Join(d, i.name)
				if filepath.IsAbs(i.name) {
					path = filepath.Clean(i.name)
				}
				if in.scan(path) != nil { // all that there are: #include_next, and -I of another order
					work = append(work, path)
				}
			}
		}
	}
}

var includeLine = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(?:include|include_next|import)\b[ \t]*(?:(["<])([^">\n]+)[">])?`)

// scan reads a file once; nil where there is none.
func (in *Includes) scan(path string) *scanned {
	in.mu.Lock()
	defer in.mu.Unlock()
	if s, known := in.files[path]; known {
		return s
	}
	in.files[path] = nil
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	s := &scanned{text: string(data)}
	for _, m := range includeLine.FindAllStringSubmatch(s.text, -1) {
		if m[2] == "" {
			s.unknown = true
			continue
		}
		s.names = append(s.names, included{m[2], m[1] == `"`})
	}
	in.files[path] = s
	return s
}

// searched are the directories in which a unit looks for headers, without the system's,
// and the files that it reads before its own.
func searched(u Unit) (quoted, angled, first []string) {
	at := func(p string) string { return absolute(u.Directory, p) }
	for i := 0; i < len(u.Arguments); i++ {
		for _, option := range []string{"-iquote", "-isystem", "-idirafter", "-include", "-imacros", "-I"} {
			value, ok := strings.CutPrefix(u.Arguments[i], option)
			if !ok {
				continue
			}
			if value == "" && i+1 < len(u.Arguments) {
				i++
				value = u.Arguments[i]
			}
			switch dir := at(strings.TrimPrefix(value, "=")); {
			case option == "-include" || option == "-imacros":
				first = append(first, dir, at(filepath.Join(filepath.Dir(u.File), value)))
			case strings.HasPrefix(dir, "/usr/include") || strings.HasPrefix(dir, "/usr/lib"):
			case option == "-iquote":
				quoted = append(quoted, dir)
			default:
				angled = append(angled, dir)
			}
			break
		}
	}
	return quoted, angled, first
}
