package passes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleParsed is of files that are read and parsed on each call.
const RuleParsed = "file-parsed-per-call"

// parsed is a file that a function reads and parses each time it is called.
type parsed struct {
	spot

	path  string // the file, as it is written
	turns int    // how often it begins anew, at least
}

// parsesFile are, by language, statements that read a file and make something of it; a group is
// the file.
var parsesFile = map[string]*regexp.Regexp{
	"PHP":        regexp.MustCompile(`\b(?:json_decode|unserialize|yaml_parse|simplexml_load_string|parse_ini_string|Yaml::parse)\(\s*(?:\\?file_get_contents)\(\s*([^(),]+)|\b(?:yaml_parse_file|simplexml_load_file|parse_ini_file|Yaml::parseFile)\(\s*([^(),]+)`),
	"JavaScript": regexp.MustCompile(`\b(?:JSON\.parse|ya?ml\.(?:load|parse)|toml\.parse|parse\w*)\(\s*(?:await\s+)?(?:fs\.)?(?:promises\.)?readFile(?:Sync)?\(\s*([^(),]+)`),
	"Python":     regexp.MustCompile(`\b(?:json|pickle|yaml|toml|tomllib|csv|marshal)\.(?:load|safe_load|full_load|reader|DictReader)\(\s*(?:open\(\s*([^(),]+)|([\w.]+)\.open\()|\b(?:json\.loads|yaml\.safe_load|tomllib\.loads|ET\.fromstring)\(\s*(?:(?:pathlib\.)?Path\(\s*([^(),]+)\)|([\w.]+))\.read_(?:text|bytes)\(|\bpd\.read_\w+\(\s*([^(),]+)|\bET\.parse\(\s*([^(),]+)`),
	"Ruby":       regexp.MustCompile(`\b(?:YAML\.(?:load_file|safe_load_file|unsafe_load_file)|JSON\.load_file|CSV\.(?:read|table))\(\s*([^(),]+)|\b(?:JSON\.parse|YAML\.(?:safe_)?load|Marshal\.load)\(\s*File\.(?:read|binread|open)\(\s*([^(),]+)`),
	"Perl":       regexp.MustCompile(`\b(?:decode_json|Load|LoadFile|retrieve|from_json)\(\s*(?:read_file|slurp|path)\(\s*([^(),]+)|\b(?:LoadFile|retrieve)\(\s*([^(),]+)`),
	"Java":       regexp.MustCompile(`\.(?:readValue|readTree|parse|load|fromJson)\(\s*new\s+(?:java\.io\.)?(?:File|FileReader|FileInputStream)\(\s*([^(),]+)|\b(?:JsonSerializer\.Deserialize(?:<[^>]*>)?|JsonConvert\.DeserializeObject(?:<[^>]*>)?|JObject\.Parse)\(\s*File\.ReadAllText\(\s*([^(),]+)`),
	"Lua":        regexp.MustCompile(`\b(?:dofile|loadfile)\(\s*([^(),]+)`),
}

// oftenParsed is how often a call has to begin anew: a start reads a few files.
const oftenParsed = 20

// parsedFiles gives them, the dearest first.
//
// Example. messages($locale) is json_decode(file_get_contents($this->dir . "/$locale.json")),
// for each text of a page.
func (r *reader) parsedFiles() []parsed {
	known := map[profile.Line]*parsed{}
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || parsesFile[f.Language()] == nil && readByName[f.Language()].parses == nil {
			continue
		}
		path, at, ok := parsedAt(f, h.line)
		if !ok {
			continue
		}
		x := known[at.line]
		if x == nil {
			caller, called := h.caller()
			if !called || !r.isSameFile(f, h.line, path, caller) {
				continue
			}
			x = &parsed{spot: at.spot, path: path}
			if at.read > 0 {
				x.rows = r.innermost[lineOf(h.line.Function, at.read).line]
			}
			known[at.line] = x
		}
		x.rows = joinRows(x.rows, h.rows)
	}
	var out []parsed
	for _, x := range enough(r, known) {
		var timed bool
		if x.turns, timed = turns(r.p, x.rows); timed && x.turns >= oftenParsed {
			out = append(out, x)
		}
	}
	return out
}

// parsing is a line that parses a file, and where another statement reads it, 0 where it does so
// itself.
type parsing struct {
	spot

	read int
}

// parsedAt is the file that a line parses, as it is written.
func parsedAt(f *text.File, line profile.Line) (path string, at parsing, ok bool) {
	statement, lines := f.Statement(int(line.Line))
	at.spot = lineOf(line.Function, lines.First)
	if form := parsesFile[f.Language()]; form != nil {
		if m := form.FindStringSubmatch(statement); m != nil {
			return strings.TrimSpace(strings.Join(m[1:], "")), at, true
		}
	}
	path, at.read, ok = parsedName(f, statement, lines)
	return path, at, ok
}

// isSameFile says whether a function reads the same file, or one of a few, each time: its path
// is made of constants, of members, and of parameters for which the caller gives such.
func (r *reader) isSameFile(f *text.File, line profile.Line, path string, caller profile.Line) bool {
	fn, in := f.Function(int(line.Line))
	if !in {
		return false
	}
	_, statement := f.Statement(int(line.Line))
	for _, l := range f.Loops(int(line.Line)) {
		if !l.Within && r.varies(f, l, path, statement) {
			return false
		}
	}
	given := withoutReceiver(f, fn)
	cf := r.file(caller.Function)
	all := namesIn(f, fn, path)
	for _, name := range all {
		if !slices.ContainsFunc(given, func(p string) bool { return strings.TrimLeft(p, "$@") == strings.TrimLeft(name, "$@") }) {
			continue
		}
		if cf == nil {
			return false
		}
		if len(given) > 0 && strings.TrimLeft(given[0], "$@") == strings.TrimLeft(name, "$@") && isKeyed(f, fn, name, all, cf, int(caller.Line)) {
			continue
		}
		value, _, ok := r.argument(f, fn, name, caller)
		if !ok || slices.ContainsFunc(text.Names(value), func(n string) bool { return !isLasting(n) }) {
			return false
		}
	}
	return true
}

// isLasting says whether a name is that of the object, or of a constant.
func isLasting(name string) bool {
	name = strings.TrimLeft(name, "$@")
	return name == "this" || name == "self" || strings.ToUpper(name) == name
}

// namesIn are the names that an expression is made of, with those that the function gives its own
// names.
func namesIn(f *text.File, fn text.Function, expression string) []string {
	out := text.Names(expression)
	for i := 0; i < len(out); i++ {
		for _, n := range f.Assignments(out[i], fn.Range) {
			statement, _ := f.Statement(n)
			value, ok := cutAssignment(statement)
			if !ok {
				continue
			}
			for _, more := range text.Names(value) {
				if !slices.Contains(out, more) {
					out = append(out, more)
				}
			}
		}
	}
	return out
}

func (r *reader) parsedFinding(s judge.Subject, x parsed) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleParsed, place, x.rows, saving{share: x.share, least: 0.7, likely: 0.97, why: "reads the file and parses it"})
	f.Title = fmt.Sprintf("Each call reads and parses a file; keep it (%s)", at(place.File, place.Line))
	f.Fix.Steps = []string{
		"Read it once and keep what it gave: in a member, or in a map by its path where there are several",
		"Where it may change while the program runs, ask for its time (stat) first",
	}
	f.Fix.Caveats = []string{"What is kept needs memory, and must not be changed by those who get it"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("the calls begin at least %d times while the program runs, and nothing that their caller gives makes %s another file", x.turns, x.path)},
	}
	return f
}
