package fix

import (
	"fmt"
	"regexp"
	"strings"
)

func eolOf(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func insert(text string, at int, what string) string { return text[:at] + what + text[at:] }

// indentAt is the white space that begins the line.
func indentAt(text string, at int) string {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line := text[start:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// closing is the place of the parenthesis that ends what open begins; comments
// and strings do not count. -1 where it has no end.
func closing(text string, open int, quote byte) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '#':
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				i += n
			} else {
				return -1
			}
		case quote:
			for i++; i < len(text) && text[i] != quote; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// inComment says whether the place stands behind a # of its line.
func inComment(text string, at int) bool {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	return strings.Contains(text[start:at], "#")
}

func editCMake(text, program, flag string) (string, string) {
	target := program
	// Another name for the file than for the target.
	named := regexp.MustCompile(`(?is)set_target_properties\s*\(\s*([\w.+-]+)\s[^)]*\bOUTPUT_NAME\s+"?` + regexp.QuoteMeta(program) + `"?[\s)]`)
	if m := named.FindStringSubmatch(text); m != nil {
		target = m[1]
	}
	adds := regexp.MustCompile(`(?i)\badd_executable\s*\(\s*"?`+regexp.QuoteMeta(target)+`"?[\s)]`).FindAllStringIndex(text, -1)
	var places []int
	for _, a := range adds {
		if !inComment(text, a[0]) {
			places = append(places, a[0])
		}
	}
	switch len(places) {
	case 0:
		return "", ""
	case 1:
	default:
		return "", fmt.Sprintf("add_executable(%s …) occurs %d times", target, len(places))
	}
	end := closing(text, places[0]+strings.IndexByte(text[places[0]:], '('), '"')
	if end < 0 {
		return "", "add_executable(" + target + " …) has no end"
	}
	// CMake wants one signature for all calls of a target.
	keyword := "PRIVATE "
	if m := regexp.MustCompile(`(?i)\btarget_link_libraries\s*\(\s*` + regexp.QuoteMeta(target) + `\s+(\S+)`).FindStringSubmatch(text); m != nil {
		if k := strings.ToUpper(m[1]); k != "PRIVATE" && k != "PUBLIC" && k != "INTERFACE" {
			keyword = ""
		}
	}
	line := end + 1
	if n := strings.IndexByte(text[line:], '\n'); n >= 0 {
		line += n + 1
	} else {
		text += eolOf(text)
		line = len(text)
	}
	call := indentAt(text, places[0]) + "target_link_libraries(" + target + " " + keyword + flag + ")" + eolOf(text)
	return insert(text, line, call), "target_link_libraries of the target " + target
}

func editMeson(text, program, flag string) (string, string) {
	m := regexp.MustCompile(`\bexecutable\s*\(\s*'`+regexp.QuoteMeta(program)+`'`).FindAllStringIndex(text, -1)
	switch {
	case len(m) == 0 || inComment(text, m[0][0]):
		return "", ""
	case len(m) > 1:
		return "", fmt.Sprintf("executable('%s', …) occurs %d times", program, len(m))
	}
	open := m[0][0] + strings.IndexByte(text[m[0][0]:], '(')
	end := closing(text, open, '\'')
	if end < 0 {
		return "", "executable('" + program + "', …) has no end"
	}
	if args := regexp.MustCompile(`\blink_args\s*:\s*\[`).FindStringIndex(text[open:end]); args != nil {
		return insert(text, open+args[1], "'"+flag+"', "), "link_args of the executable"
	}
	if strings.Contains(text[open:end], "link_args") {
		return "", "its link_args are computed elsewhere"
	}
	last := len(strings.TrimRight(text[:end], " \t\r\n"))
	comma := ", "
	if text[last-1] == ',' {
		comma = " "
	}
	return insert(text, last, comma+"link_args: ['"+flag+"']"), "link_args of the executable"
}

func editAutomake(text, program, flag string) (string, string) {
	canonical := regexp.MustCompile(`[^A-Za-z0-9_@]`).ReplaceAllString(program, "_")
	made := regexp.MustCompile(`(?m)^[a-z_]+_PROGRAMS\s*\+?=((?:[^\n]*\\\r?\n)*[^\n]*)\r?\n`).FindAllStringSubmatchIndex(text, -1)
	line := -1
	for _, m := range made {
		for w := range strings.FieldsSeq(strings.ReplaceAll(text[m[2]:m[3]], "\\", " ")) {
			if w == program || strings.HasSuffix(w, "/"+program) {
				canonical = regexp.MustCompile(`[^A-Za-z0-9_@]`).ReplaceAllString(w, "_")
				line = m[1]
			}
		}
	}
	if line < 0 {
		return "", ""
	}
	add := regexp.MustCompile(`(?m)^[ \t]*`+regexp.QuoteMeta(canonical)+`_LDADD\s*=`).FindAllStringIndex(text, -1)
	switch len(add) {
	case 0:
		return insert(text, line, canonical+"_LDADD = "+flag+" $(LDADD)"+eolOf(text)), canonical + "_LDADD of Makefile.am"
	case 1:
		return insert(text, add[0][1], " "+flag), canonical + "_LDADD of Makefile.am"
	}
	return "", fmt.Sprintf("%s_LDADD is set %d times", canonical, len(add))
}

func editMake(text, program, flag string) (string, string) {
	rules := regexp.MustCompile(`(?m)^((?:[\w./$(){}-]*/)?`+regexp.QuoteMeta(program)+`(?:\$\(EXEEXT\)|\$\(EXE\))?)[ \t]*:([^=:][^\n]*)?\r?\n((?:\t[^\n]*(?:\n|$))*)`).FindAllStringSubmatchIndex(text, -1)
	if len(rules) == 0 {
		return "", ""
	}
	if len(rules) > 1 {
		return "", fmt.Sprintf("%d rules make %s", len(rules), program)
	}
	m := rules[0]
	target, recipe := text[m[2]:m[3]], text[m[6]:m[7]]
	for _, variable := range []string{"LDLIBS", "LIBS", "LOADLIBES"} {
		if strings.Contains(recipe, "$("+variable+")") || strings.Contains(recipe, "${"+variable+"}") || (recipe == "" && variable == "LDLIBS") {
			return insert(text, m[0], target+": "+variable+" += "+flag+eolOf(text)), variable + " of the target " + target
		}
	}
	// No variable for libraries: the end of the line that links.
	at := m[6]
	for line := range strings.Lines(recipe) {
		if strings.Contains(line, "-o ") && !strings.Contains(line, " -c ") && !strings.HasSuffix(strings.TrimRight(line, "\r\n"), "\\") {
			return insert(text, at+len(strings.TrimRight(line, " \t\r\n")), " "+flag), "the line that links " + target
		}
		at += len(line)
	}
	return "", "the rule of " + target + " does not show how it is linked"
}
