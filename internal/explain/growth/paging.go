package growth

import (
	"fmt"
	"path/filepath"
	"regexp"
)

// queries are functions of database libraries that execute a statement, and paged is a
// statement that leaves out what earlier pages had.
var (
	queries = onUse(`^(sqlite3_step|sqlite3VdbeExec|PQ(exec\w*|sendQuery\w*|getResult)|mysql_(real_)?query|mysql_stmt_execute|duckdb_execute\w*)$`)
	paged   = regexp.MustCompile(`(?i)\bOFFSET\s+(\?|:\w|@\w|\$\w|%|\{|"|'|\d)|\.offset\(|\bLIMIT\s+(\?|:\w+|%\w|\{\w*\})\s*,`)
)

// paging is what to change where rows of a growing cost execute statements, and a file of
// the program on their stacks has one that pages by number: each page reads all pages before it.
func paging(f *frames, rows []int32, lines func(path string) ([]string, bool)) string {
	p := f.p
	var asked, all int64
	files := map[string]bool{}
	for _, row := range rows {
		s := &p.Samples()[row]
		all += s.Count
		found := false
		for _, loc := range p.Stack(s.Stack) {
			for _, l := range p.Lines(loc) {
				found = found || queries().MatchString(p.Function(l.Function).Name)
				if f.isOwn(l.Function) && l.Line > 0 {
					files[p.Function(l.Function).File] = true
				}
			}
		}
		if found {
			asked += s.Count
		}
	}
	if 2*asked < all {
		return ""
	}
	for _, path := range sortedKeys(files) {
		text, ok := lines(path)
		if !ok {
			continue
		}
		for i, line := range text {
			if paged.MatchString(line) {
				return fmt.Sprintf("Page by key (WHERE id > the last one ORDER BY id LIMIT n): with OFFSET, in %s:%d, each page reads all pages before it", filepath.Base(path), i+1)
			}
		}
	}
	return ""
}
