package passes

import (
	"regexp"
	"slices"
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

// cutsApart are calls that take a text apart at a separator.
const cutsApart = `\b(?:explode|r?split\w*|partition|strtok|strstr|substringBefore|Cut|SplitN?)\b`

// isKeyed says whether a function takes the name of its file from the first part of what it is
// given for a parameter, and the caller writes that part down: what stands behind it chooses
// within the file.
//
// Example. [$file, $rest] = explode('.', $path, 2), called as config("tax.rates.$country").
func isKeyed(f *text.File, fn text.Function, name string, of []string, cf *text.File, caller int) bool {
	bare := regexp.QuoteMeta(strings.TrimLeft(name, "$@"))
	cuts := regexp.MustCompile(`^\s*(?:(?:const|let|var|my|local|auto)\b)?\s*(?:list)?[\[(]?\s*[$@]?(\w+)[^=]*:?=\s*.*(?:` + cutsApart + `.*\b` + bare + `\b|\b` + bare + `\s*\.\s*` + cutsApart + `)`)
	isPart := false
	for n := fn.First; n <= fn.Last; n++ {
		statement, lines := f.Statement(n)
		if m := cuts.FindStringSubmatch(statement); m != nil {
			isPart = isPart || slices.ContainsFunc(of, func(n string) bool { return strings.TrimLeft(n, "$@") == m[1] })
		}
		n = max(n, lines.Last)
	}
	if !isPart || fn.Name == "" {
		return false
	}
	_, lines := cf.Statement(caller)
	written := cf.Written(lines)
	begun := regexp.MustCompile(`^\s*[fF]?["'` + "`" + `][\w-]+[./:|]`)
	calls := regexp.MustCompile(`(?:^|[^\w$])`+regexp.QuoteMeta(fn.Own())+`\(`).FindAllStringIndex(written, -1)
	for _, at := range calls {
		if !begun.MatchString(written[at[1]:]) {
			return false
		}
	}
	return len(calls) > 0
}
