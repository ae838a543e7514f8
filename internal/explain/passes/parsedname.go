package passes

import (
	"regexp"
	"strings"

	"whyhot/internal/explain/text"
)

// readByName is, by language, what makes something of a name that stands for what was read, and what
// reads a file into NAME; a group is the name, and the file.
var readByName = map[string]struct {
	parses *regexp.Regexp
	reads  string
}{
	"Python": {
		regexp.MustCompile(`\b(?:json|pickle|yaml|toml|tomllib|csv|marshal)\.(?:loads?|safe_load|full_load|reader|DictReader)\(\s*(\w+)(?:\.read\(\s*\))?\s*[,)]`),
		`\bopen\(\s*([^(),]+)[^()]*\)\s*as\s+NAME\b|\bNAME\s*=\s*(?:open|(?:pathlib\.)?Path)\(\s*([^(),]+)`,
	},
	"JavaScript": {
		regexp.MustCompile(`\b(?:JSON\.parse|ya?ml\.(?:load|parse)|toml\.parse)\(\s*(\w+)\s*[,)]`),
		`\bNAME\s*=\s*(?:await\s+)?(?:\w+\.)?(?:promises\.)?readFile(?:Sync)?\(\s*([^(),]+)`,
	},
	"PHP": {
		regexp.MustCompile(`\b(?:json_decode|unserialize|yaml_parse|simplexml_load_string|parse_ini_string)\(\s*\$(\w+)\s*[,)]`),
		`\$NAME\s*=\s*\\?file_get_contents\(\s*([^(),]+)`,
	},
	"Ruby": {
		regexp.MustCompile(`\b(?:JSON\.(?:parse|load)|YAML\.(?:safe_)?load|Marshal\.load)\(\s*(\w+)(?:\.read)?\s*[,)]`),
		`\bNAME\s*=\s*File\.(?:read|binread|open)\(\s*([^(),]+)|\bFile\.open\(\s*([^(),]+)[^()]*\)\s*(?:do|\{)\s*\|\s*NAME\s*\|`,
	},
	"Go": {
		regexp.MustCompile(`\b(?:json|yaml|toml|xml)\.Unmarshal\(\s*(\w+)\s*,`),
		`\bNAME\s*,\s*\w+\s*:?=\s*os\.ReadFile\(\s*([^(),]+)`,
	},
}

// parsedName finds, for a statement that parses what a name stands for, the statement of its function
// that reads a file into that name: the file, and the first line of the statement.
//
// Example. with open(path) as f: / return json.load(f)
func parsedName(f *text.File, statement string, lines text.Range) (path string, readAt int, ok bool) {
	form, known := readByName[f.Language()]
	if !known {
		return "", 0, false
	}
	m := form.parses.FindStringSubmatch(statement)
	if m == nil {
		return "", 0, false
	}
	fn, in := f.Function(lines.First)
	if !in {
		return "", 0, false
	}
	reads := regexp.MustCompile(strings.ReplaceAll(form.reads, "NAME", regexp.QuoteMeta(m[1])))
	for n := lines.Last; n >= fn.First; n-- {
		code, of := f.Statement(n)
		if found := reads.FindStringSubmatch(code); found != nil {
			return strings.TrimSpace(strings.Join(found[1:], "")), of.First, true
		}
		n = min(n, of.First)
	}
	return "", 0, false
}
