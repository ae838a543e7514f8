package text

import (
	"path/filepath"
	"regexp"
	"strings"
)

// File is the source of a program.
type File struct {
	Path  string
	Lines []string // as they are
	code  []string // with comments and what is between quotes blanked but for names of values, as long as the lines
	depth []int    // the width of the white space before each line; -1 where nothing of it is code
	lang  *language

	listed    bool
	functions []Function
}

// language is what has to be known of one before its text can be read.
type language struct {
	name    string
	comment []string // that go to the end of the line
	open    string   // of a comment over several lines
	close   string
	quotes  string // characters around texts
	// single: ' is around one character, or is part of a name.
	single bool
	// triple: three quotes are around a text of several lines.
	triple bool
	// inside is how values stand in texts; nil where they do not.
	inside *inside
	// recursive: functions that call themselves are its loops.
	recursive bool
}

var (
	cLike  = language{name: "C", comment: []string{"//"}, open: "/*", close: "*/", quotes: `"`, single: true, inside: csharp}
	java   = language{name: "Java", comment: []string{"//"}, open: "/*", close: "*/", quotes: `"`, single: true, triple: true, inside: kotlin}
	script = language{name: "JavaScript", comment: []string{"//"}, open: "/*", close: "*/", quotes: "\"'`", inside: template}
	golang = language{name: "Go", comment: []string{"//"}, open: "/*", close: "*/", quotes: "\"`", single: true}
	rust   = language{name: "Rust", comment: []string{"//"}, open: "/*", close: "*/", quotes: `"`, single: true, inside: formatted}
	php    = language{name: "PHP", comment: []string{"//", "#"}, open: "/*", close: "*/", quotes: `"'`, inside: variables}
	python = language{name: "Python", comment: []string{"#"}, quotes: `"'`, triple: true, inside: fString}
	ruby   = language{name: "Ruby", comment: []string{"#"}, quotes: "\"'`", inside: hashBraces}
	perl   = language{name: "Perl", comment: []string{"#"}, quotes: `"'`, inside: variables}
	lua    = language{name: "Lua", comment: []string{"--"}, open: "--[[", close: "]]", quotes: `"'`}
	r      = language{name: "R", comment: []string{"#"}, quotes: `"'`}
	shell  = language{name: "shell", comment: []string{"#"}, quotes: "\"'`", inside: variables}
	awk    = language{name: "awk", comment: []string{"#"}, quotes: `"`}
	tcl    = language{name: "Tcl", comment: []string{"#"}, quotes: `"`, inside: variables}
	ocaml  = language{name: "OCaml", open: "(*", close: "*)", quotes: `"`, single: true, recursive: true}
	hs     = language{name: "Haskell", comment: []string{"--"}, open: "{-", close: "-}", quotes: `"`, single: true, recursive: true}
	erlang = language{name: "Erlang", comment: []string{"%"}, quotes: `"`, single: true, recursive: true}
	elixir = language{name: "Elixir", comment: []string{"#"}, quotes: `"`, triple: true, recursive: true, inside: hashBraces}
	julia  = language{name: "Julia", comment: []string{"#"}, quotes: `"`, single: true, triple: true, inside: dollars}
	matlab = language{name: "Octave", comment: []string{"%", "#"}, quotes: `"`, single: true}
)

var languages = map[string]*language{
	".c": &cLike, ".h": &cLike, ".cc": &cLike, ".cpp": &cLike, ".cxx": &cLike, ".hpp": &cLike, ".hh": &cLike, ".hxx": &cLike, ".m": &matlab,
	".java": &java, ".kt": &java, ".kts": &java, ".scala": &java, ".groovy": &java, ".cs": &cLike, ".swift": &java, ".dart": &script,
	".js": &script, ".mjs": &script, ".cjs": &script, ".ts": &script, ".mts": &script, ".cts": &script, ".tsx": &script, ".jsx": &script,
	".go": &golang, ".rs": &rust, ".php": &php, ".py": &python, ".rb": &ruby, ".pl": &perl, ".pm": &perl, ".lua": &lua,
	".r": &r, ".sh": &shell, ".bash": &shell, ".awk": &awk, ".tcl": &tcl, ".ml": &ocaml, ".hs": &hs, ".erl": &erlang,
	".ex": &elixir, ".exs": &elixir, ".jl": &julia,
}

// longest is the length of the lines that are read: nobody writes longer ones.
const longest = 2000

// Read reads a file; ok is false where its language is not known by the name of the file.
func Read(path string, lines []string) (f *File, ok bool) {
	lang := languages[strings.ToLower(filepath.Ext(path))]
	if lang == nil {
		return nil, false
	}
	f = &File{Path: path, Lines: lines, lang: lang}
	short := make([]string, len(lines))
	for i, l := range lines {
		if len(l) <= longest { // a longer one is data, or made by a tool
			short[i] = l
		}
	}
	f.code = lang.blank(short)
	f.depth = make([]int, len(lines))
	continued := false // a directive that goes on in the next line
	for i, l := range f.code {
		f.depth[i] = indent(l)
		if lang != &cLike {
			continue
		}
		// What a preprocessor reads and labels of goto stand at the margin, within a function.
		if continued = continued || directive.MatchString(l); continued || gotoLabel.MatchString(l) {
			f.depth[i] = -1
		}
		continued = continued && strings.HasSuffix(strings.TrimRight(l, " \r"), `\`)
	}
	return f, true
}

var (
	directive = regexp.MustCompile(`^\s*#\s*[a-z]`)
	gotoLabel = regexp.MustCompile(`^\s*[A-Za-z_]\w*\s*:\s*$`)
)

// Language is the name of the file's language, or of one that reads like it.
func (f *File) Language() string { return f.lang.name }

// Len is the number of lines.
func (f *File) Len() int { return len(f.code) }

// Code is a line (from 1) with comments and what is between quotes blanked, "" for none.
func (f *File) Code(line int) string {
	if line < 1 || line > len(f.code) {
		return ""
	}
	return f.code[line-1]
}

// indent is the width of the white space before a line of code, -1 where there is no code.
func indent(line string) int {
	const tab = 8
	width := 0
	for _, c := range line {
		switch c {
		case ' ', '\r':
			width++
		case '\t':
			width += tab - width%tab
		default:
			return width
		}
	}
	return -1
}

// blank gives the lines with comments and the insides of quotes replaced by blanks.
func (l *language) blank(lines []string) []string {
	out := make([]string, len(lines))
	until := "" // what ends the comment or text that a line begins in
	for i, line := range lines {
		b := []byte(line)
		until = l.blankLine(line, b, until)
		out[i] = string(b)
	}
	return out
}

// blankLine blanks a line that begins inside of what ends with until, "" for code, and gives
// what it ends in.
func (l *language) blankLine(line string, b []byte, until string) string {
	at := 0
	for at < len(b) {
		rest := line[at:]
		if until != "" {
			n := strings.Index(rest, until)
			if n < 0 {
				wipe(b[at:])
				return until
			}
			wipe(b[at : at+n])
			at, until = at+n+len(until), ""
			continue
		}
		if l.open != "" && strings.HasPrefix(rest, l.open) {
			wipe(b[at : at+len(l.open)])
			at, until = at+len(l.open), l.close
			continue
		}
		if l.isComment(line, at) {
			wipe(b[at:])
			return ""
		}
		at, until = l.text(line, b, at)
	}
	return until
}

// isComment says whether a comment to the end of the line begins here.
func (l *language) isComment(b string, at int) bool {
	for _, c := range l.comment {
		if strings.HasPrefix(b[at:], c) {
			// In shells, Perl and Ruby # is part of words too: $#list, #{name}.
			return c != "#" || at == 0 || b[at-1] == ' ' || b[at-1] == '\t' || b[at-1] == ';'
		}
	}
	return false
}

// character is one between quotes.
var character = regexp.MustCompile(`^'(\\.[^']{0,8}|[^'\\])'`)

// text passes what is here: a text between quotes, which is blanked, or a character of code.
// until is what ends a text that goes on in the next line.
func (l *language) text(line string, b []byte, at int) (next int, until string) {
	c := line[at]
	rest := line[at:]
	if l.single && c == '\'' {
		if m := character.FindString(rest); m != "" {
			wipe(b[at+1 : at+len(m)-1])
			return at + len(m), ""
		}
		return at + 1, ""
	}
	if !strings.ContainsRune(l.quotes, rune(c)) {
		return at + 1, ""
	}
	if three := strings.Repeat(string(c), 3); l.triple && strings.HasPrefix(rest, three) {
		return at + len(three), three
	}
	for end := at + 1; end < len(b); end++ {
		switch b[end] {
		case '\\':
			end++
		case c:
			wipe(b[at+1 : end])
			l.inside.names(line, b, at, end)
			return end + 1, ""
		}
	}
	if c == '`' {
		wipe(b[at+1:])
		return len(b), "`"
	}
	// No end on this line: the quote is something else, as in a regular expression.
	return at + 1, ""
}

func wipe(b []byte) {
	for i := range b {
		if b[i] != '\t' {
			b[i] = ' '
		}
	}
}
