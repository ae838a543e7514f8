package shrink

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repeated is a text of n lines.
func repeated(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}

func halved(t *testing.T, name, text string) ([]Input, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Halves(path, t.TempDir(), 2)
}

func TestEachFormatIsCutByItsRecords(t *testing.T) {
	line := func(i int) string { return fmt.Sprintf("line %d\n", i) }
	numbers := strings.TrimSuffix(repeated(64, func(i int) string { return fmt.Sprintf(`{"a": [%d, "]"]},`, i) }), ",")
	for _, c := range []struct {
		name, text, unit string
		records          int
		half             func(text string) bool // of the second part, which has half of the records
	}{
		{"a.txt", repeated(64, line), "lines", 64, func(s string) bool { return s == repeated(32, line) }},
		{"no-end.log", repeated(63, line) + "end", "lines", 64, func(s string) bool { return s == repeated(32, line) }},
		{"a.csv", "head,er\n" + repeated(64, func(i int) string { return fmt.Sprintf("%d,\"a\nb\"\n", i) }), "rows", 64, func(s string) bool {
			return strings.HasPrefix(s, "head,er\n") && strings.HasSuffix(s, "31,\"a\nb\"\n")
		}},
		{"a.tsv", "x\ty\n" + repeated(64, func(i int) string { return fmt.Sprintf("%d\t1\n", i) }), "rows", 64, func(s string) bool { return strings.HasSuffix(s, "31\t1\n") }},
		{"a.jsonl", repeated(64, func(i int) string { return fmt.Sprintf("{\"a\":%d}\n", i) }), "lines", 64, func(s string) bool { return strings.HasSuffix(s, "{\"a\":31}\n") }},
		{"a.json", "[" + numbers + "]\n", "elements", 64, arrayOf(32, "")},
		{"b.json", `{"version": 1, "short": [1], "items" : [` + numbers + `], "end": {}}`, "elements", 64, arrayOf(32, "items")},
		{"a.fa", repeated(64, func(i int) string { return fmt.Sprintf(">s%d\nACGT\nAC\n", i) }), "sequences", 64, func(s string) bool { return strings.HasSuffix(s, ">s31\nACGT\nAC\n") }},
		{"a.fq", repeated(64, func(i int) string { return fmt.Sprintf("@s%d\nACGT\n+\n!!!!\n", i) }), "sequences", 64, func(s string) bool { return strings.HasSuffix(s, "@s31\nACGT\n+\n!!!!\n") }},
	} {
		parts, err := halved(t, c.name, c.text)
		if err != nil || len(parts) != 3 {
			t.Errorf("%s: %v, %v", c.name, parts, err)
			continue
		}
		if parts[0].Records != c.records/4 || parts[1].Records != c.records/2 || parts[2].Records != c.records || parts[0].Unit != c.unit {
			t.Errorf("%s: %+v", c.name, parts)
		}
		if filepath.Ext(parts[0].Path) != filepath.Ext(c.name) {
			t.Errorf("%s became %s", c.name, parts[0].Path)
		}
		text, err := os.ReadFile(parts[1].Path)
		if err != nil || !c.half(string(text)) {
			t.Errorf("%s: half is\n%s, %v", c.name, text, err)
		}
	}
}

// arrayOf tells whether a text is JSON with so many elements.
func arrayOf(n int, key string) func(string) bool {
	return func(text string) bool {
		var list []any
		if key == "" {
			return json.Unmarshal([]byte(text), &list) == nil && len(list) == n
		}
		var object map[string]any
		if json.Unmarshal([]byte(text), &object) != nil || len(object) != 4 {
			return false
		}
		list, _ = object[key].([]any)
		return len(list) == n
	}
}

func TestWhatCannotBeCutIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, why string }{
		"a.png": {"\x89PNG\x00\x01", "binary"},
		"a.xml": {"<a>" + strings.Repeat("<b/>\n", 100) + "</a>", "XML"},
		"a.txt": {"one\ntwo\n", "only 2 lines"},
		"b.txt": {"", "empty"},
		"a.csv": {"a,b\n", "no rows"},
	} {
		if _, err := halved(t, name, c.text); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Halves(t.TempDir(), t.TempDir(), 2); err == nil {
		t.Error("a directory is halved")
	}
}
