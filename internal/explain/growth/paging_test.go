package growth

import (
	"strings"
	"testing"

	"whyhot/internal/profile"
)

func TestPagesByNumber(t *testing.T) {
	step := frame{name: "sqlite3_step", binary: "/usr/lib/libsqlite3.so.0", kind: profile.KindNative}
	begin := []frame{native("Py_BytesMain"), py("pages", 14)}
	for name, x := range map[string]struct {
		stack []frame
		text  string
		want  string
	}{
		"a parameter":             {append(begin[:2:2], step), "SELECT a\n  LIMIT :size OFFSET :skip", "report.py:2"},
		"a builder of statements": {append(begin[:2:2], step), "q.limit(20).offset(page * 20)", "report.py:1"},
		"two numbers":             {append(begin[:2:2], step), "LIMIT ?, ?", "report.py:1"},
		"by key":                  {append(begin[:2:2], step), "WHERE id > ? ORDER BY id LIMIT ?", ""},
		"another offset":          {append(begin[:2:2], step), "offset = 3 # OFFSET of the header", ""},
		"no statement":            {begin, "LIMIT :size OFFSET :skip", ""},
	} {
		got := paging(newFrames(one(cost{0, 100, 0, x.stack})), []int32{0}, func(path string) ([]string, bool) {
			return strings.Split(x.text, "\n"), path == "report.py"
		})
		if (x.want == "") != (got == "") || !strings.Contains(got, x.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
