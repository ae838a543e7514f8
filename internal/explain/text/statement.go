package text

import "strings"

// mostLines are those of a statement: more are a list of data, or brackets that were misread.
const mostLines = 20

// Statement is the code of the statement that a line is of, joined to one line, with comments
// and texts blanked.
func (f *File) Statement(line int) (code string, lines Range) {
	if line < 1 || line > len(f.code) {
		return "", Range{}
	}
	first, last := f.statement(line)
	return f.join(first, last), Range{first, last}
}

// statement are the first and the last line of the statement that a line is of: brackets that
// a line leaves open are closed on a later one.
func (f *File) statement(line int) (first, last int) {
	first = f.begin(line)
	open := 0
	for last = first; last <= len(f.code); last++ {
		if open += balance(f.code[last-1]); last >= line && open <= 0 {
			break
		}
		if last-first >= mostLines {
			return line, line
		}
	}
	last = min(last, len(f.code))
	for last < len(f.code) && last-first < mostLines && continues(f.code[last-1], f.code[last], f.depth[first-1], f.depth[last]) {
		last++
	}
	return first, last
}

// begin is the first line of the statement that a line is of: the one that opened a bracket
// which is open where the line begins, or that it continues.
func (f *File) begin(line int) int {
	for at := line; at > 1 && line-at < mostLines; at-- {
		if f.depth[at-2] < 0 || f.depth[at-2] < f.depth[line-1] {
			if continues(f.code[at-2], f.code[line-1], f.depth[at-2], f.depth[line-1]) {
				return f.begin(at - 1)
			}
			break
		}
		if !continues(f.code[at-2], f.code[at-1], 0, 1) {
			break
		}
	}
	closed := 0 // brackets that are closed below and not opened yet
	for i := line - 2; i >= 0 && line-2-i < mostLines; i-- {
		code := strings.TrimRight(f.code[i], " \t\r")
		if opensBlock(code) || closed == 0 && (strings.HasSuffix(code, ";") || strings.HasSuffix(code, "}")) {
			break
		}
		opens := false
		for at := len(code) - 1; at >= 0; at-- {
			switch b := bracket(rune(code[at])); {
			case b < 0:
				closed++
			case b > 0 && closed > 0:
				closed--
			case b > 0:
				opens = true
			}
		}
		if opens {
			return f.begin(i + 1)
		}
	}
	return line
}

// continues says whether a line goes on with the expression of the one above: it begins with
// an operator, further to the right.
func continues(above, line string, aboveDepth, depth int) bool {
	t := strings.TrimSpace(line)
	if t == "" || aboveDepth < 0 || depth <= aboveDepth {
		return false
	}
	for _, op := range []string{".", "?.", "->", "&&", "||", "|>", "+ ", "? ", ": ", "and ", "or "} {
		if strings.HasPrefix(t, op) {
			return true
		}
	}
	return strings.HasSuffix(strings.TrimSpace(above), "\\") || strings.HasSuffix(strings.TrimSpace(above), " =")
}

// opensBlock says whether a line ends with what begins a block: its bracket is closed by the
// end of the block, and not by the statement.
func opensBlock(code string) bool {
	t := strings.TrimRight(code, " \t\r")
	return strings.HasSuffix(t, "{") || strings.HasSuffix(t, " do") || t == "do" || strings.HasSuffix(t, "|") && !strings.HasSuffix(t, "||")
}

// balance is how many brackets a line leaves open, without the one that begins a block.
func balance(code string) int {
	if opensBlock(code) {
		code = strings.TrimRight(code, " \t\r{")
		n := 0
		for _, c := range code {
			n += bracket(c)
		}
		return min(n, 0)
	}
	n := 0
	for _, c := range code {
		n += bracket(c)
	}
	return n
}

func bracket(c rune) int {
	switch c {
	case '(', '[':
		return 1
	case ')', ']':
		return -1
	}
	return 0
}

// Written are some lines as one, as they are: with what is in texts and comments; "" of none.
func (f *File) Written(of Range) string {
	if of.First < 1 {
		return ""
	}
	parts := make([]string, 0, of.Last-of.First+1)
	for _, l := range f.Lines[of.First-1 : of.Last] {
		parts = append(parts, strings.TrimSpace(l))
	}
	return strings.Join(parts, " ")
}

// join is the code of some lines as one.
func (f *File) join(first, last int) string {
	parts := make([]string, 0, last-first+1)
	for _, l := range f.code[first-1 : last] {
		parts = append(parts, strings.TrimSpace(l))
	}
	return strings.Join(parts, " ")
}
