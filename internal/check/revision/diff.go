package revision

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Diff is what differs between two trees.
type Diff struct{ Files []File }

// File is one that differs.
type File struct {
	Path string // after the change, or before it where it is gone
	Was  string // before it, "" where it is new
	Gone bool
	// Lines are those of the new file that the change adds or touches. Where lines are
	// gone, it touches the two around them.
	Lines []Span
}

// Span are lines from First to Last, from 1.
type Span struct {
	First, Last int
	// Within is the line above them that git takes for the head of a function, "" without one.
	Within string
}

// Diff compares two commits or trees.
func (r *Repo) Diff(ctx context.Context, before, after string) (*Diff, error) {
	text, err := r.git(ctx, nil, "diff-tree", "-r", "-p", "-U0", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", before, after)
	if err != nil {
		return nil, err
	}
	return parse(text)
}

// parse reads a patch of git with no lines of context.
func parse(text string) (*Diff, error) {
	d := &Diff{}
	var f *File
	left := 0 // lines of the hunk's body that are still to come
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case left > 0:
			left--
			if strings.HasPrefix(line, `\`) {
				left++ // "\ No newline at end of file" is no line
			}
		case strings.HasPrefix(line, "diff --git "):
			d.Files = append(d.Files, File{})
			f = &d.Files[len(d.Files)-1]
			f.Was, f.Path = namesOf(strings.TrimPrefix(line, "diff --git "))
		case f == nil:
		case strings.HasPrefix(line, "deleted file"):
			f.Gone = true
		case strings.HasPrefix(line, "new file"):
			f.Was = ""
		case strings.HasPrefix(line, "rename from "):
			f.Was = unquoted(strings.TrimPrefix(line, "rename from "))
		case strings.HasPrefix(line, "rename to "):
			f.Path = unquoted(strings.TrimPrefix(line, "rename to "))
		case strings.HasPrefix(line, "--- a/"), strings.HasPrefix(line, `--- "a/`):
			f.Was = sideName(strings.TrimPrefix(line, "--- "))
		case strings.HasPrefix(line, "+++ b/"), strings.HasPrefix(line, `+++ "b/`):
			f.Path = sideName(strings.TrimPrefix(line, "+++ "))
		case strings.HasPrefix(line, "@@ "):
			span, n, err := hunkOf(line)
			if err != nil {
				return nil, err
			}
			f.Lines, left = append(f.Lines, span), n
		}
	}
	for i := range d.Files {
		if d.Files[i].Gone {
			d.Files[i].Path, d.Files[i].Lines = d.Files[i].Was, nil
		}
	}
	return d, nil
}

var hunk = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$`)

// hunkOf gives the lines of the new file, and how many lines the hunk's body has.
func hunkOf(line string) (s Span, body int, err error) {
	m := hunk.FindStringSubmatch(line)
	if m == nil {
		return s, 0, fmt.Errorf("git wrote a hunk that cannot be read: %q", line)
	}
	first, err := strconv.Atoi(m[2])
	if err != nil {
		return s, 0, fmt.Errorf("git wrote a hunk that cannot be read: %q", line)
	}
	size := func(text string) int {
		n, err := strconv.Atoi(text)
		if text == "" || err != nil {
			return 1
		}
		return n
	}
	gone, come := size(m[1]), size(m[3])
	s = Span{first, first + come - 1, m[4]}
	if come == 0 {
		s.First, s.Last = max(1, first), first+1 // first is the line before
	}
	return s, gone + come, nil
}

// namesOf reads "a/PATH b/PATH" where both are the same, as for files without a patch.
func namesOf(text string) (was, is string) {
	if strings.HasPrefix(text, `"`) {
		if end := strings.Index(text[1:], `" `); end >= 0 {
			return sideName(text[:end+2]), sideName(text[end+3:])
		}
		return "", ""
	}
	half := len(text) / 2 //nolint:mnd // the two are equally long
	if len(text)%2 == 1 && text[half] == ' ' {
		return sideName(text[:half]), sideName(text[half+1:])
	}
	return "", ""
}

// sideName is the path of one side, without its prefix. A tab follows names with spaces.
func sideName(text string) string {
	name := unquoted(strings.TrimSuffix(text, "\t"))
	if len(name) < 2 {
		return name
	}
	return name[2:]
}

func unquoted(text string) string {
	if strings.HasPrefix(text, `"`) {
		if name, err := strconv.Unquote(text); err == nil {
			return name
		}
	}
	return text
}

// Touches says whether the change adds or touches a line of a file.
func (d *Diff) Touches(path string, line int) bool { return d.TouchesAny(path, line, line) }

// TouchesAny says whether the change adds or touches one of the lines from first to last.
func (d *Diff) TouchesAny(path string, first, last int) bool {
	for _, f := range d.Files {
		if f.Path != path || f.Gone {
			continue
		}
		for _, s := range f.Lines {
			if s.First <= last && first <= s.Last {
				return true
			}
		}
	}
	return false
}

// Of is the first place that the change touches in a function, as far as the heads that git
// gives tell: a profile without line numbers has no better place. The name is a symbol's.
// For example: of "md_collect_marks.constprop.0", src/md4c.c:3210 below the head
// "md_collect_marks(MD_CTX* ctx, int table_mode)".
func (d *Diff) Of(function string) (path string, line int, ok bool) {
	name := endOfName.Split(function, 2)[0] //nolint:mnd // up to the first
	if at := strings.LastIndex(name, "::"); at >= 0 {
		name = name[at+len("::"):]
	}
	if name == "" {
		return "", 0, false
	}
	head := regexp.MustCompile(`(^|[^\w])` + regexp.QuoteMeta(name) + `\s*\(`)
	for _, f := range d.Files {
		for _, s := range f.Lines {
			if head.MatchString(s.Within) {
				return f.Path, s.First, true
			}
		}
	}
	return "", 0, false
}

// endOfName are arguments, template arguments, and what a compiler appends to a clone.
var endOfName = regexp.MustCompile(`[(<.]`)

// Paths are those of the files, those that are gone included.
func (d *Diff) Paths() []string {
	out := make([]string, len(d.Files))
	for i, f := range d.Files {
		out[i] = f.Path
	}
	return out
}
