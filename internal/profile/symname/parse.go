package symname

import "strings"

// parsed is a name with its brackets matched.
type parsed struct {
	name     string
	depth    []int  // by byte: how many collapsible brackets are open around it; a bracket itself counts outside
	enclosed []bool // by byte: whether any bracket is open around it
	match    []int  // by byte of an opening bracket: where it closes; -1 elsewhere
	operator [][2]int
	deepest  int
	balanced bool
}

// parse matches the brackets of a name. Brackets that are part of an operator's
// name do not count, and those that begin a path component ("<T as Trait>::f",
// "(anonymous namespace)::f", "(*T).Method", "{lambda()#1}") hold part of the
// path itself, so their content is as deep as what is around them.
func parse(name string) *parsed {
	p := &parsed{name: name, depth: make([]int, len(name)), match: make([]int, len(name)), enclosed: make([]bool, len(name))}
	type bracket struct {
		at     int
		counts bool
	}
	var open []bracket
	depth := 0
	for i := 0; i < len(name); i++ {
		p.match[i] = -1
		p.depth[i], p.enclosed[i] = depth, len(open) > 0
		if n := operatorLength(name, i); n > 0 {
			p.operator = append(p.operator, [2]int{i, i + n})
			for ; n > 1; n-- {
				i++
				p.match[i], p.depth[i], p.enclosed[i] = -1, depth, len(open) > 0
			}
			continue
		}
		switch c := name[i]; c {
		case '<', '(', '[', '{':
			counts := !startsComponent(name, i)
			open = append(open, bracket{i, counts})
			if counts {
				depth++
				p.deepest = max(p.deepest, depth)
			}
		case '>', ')', ']', '}':
			if c == '>' && i > 0 && name[i-1] == '-' {
				continue
			}
			if len(open) == 0 || name[open[len(open)-1].at] != opening(c) {
				return p
			}
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if last.counts {
				depth--
			}
			p.depth[i] = depth
			p.match[last.at] = i
		}
	}
	p.balanced = len(open) == 0
	return p
}

func opening(c byte) byte {
	switch c {
	case '>':
		return '<'
	case ')':
		return '('
	case ']':
		return '['
	}
	return '{'
}

// startsComponent says that a bracket stands where a path component begins.
func startsComponent(name string, i int) bool {
	if i == 0 {
		return true
	}
	switch name[i-1] {
	case ':', '.', '/', ' ', '&', '*', '<', '(', '\'':
		return true
	}
	return false
}

// operatorLength is the length of an operator's name that begins at i, with the
// symbols that could be taken for brackets; 0 when there is none.
func operatorLength(name string, i int) int {
	const word = "operator"
	if !strings.HasPrefix(name[i:], word) || (i > 0 && isWord(name[i-1])) {
		return 0
	}
	rest := name[i+len(word):]
	for _, symbols := range []string{"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"} {
		if strings.HasPrefix(rest, symbols) {
			return len(word) + len(symbols)
		}
	}
	return 0
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}

func (p *parsed) inOperator(i int) bool {
	for _, o := range p.operator {
		if i >= o[0] && i < o[1] {
			return true
		}
	}
	return false
}

// collapse empties the brackets that more than depth others surround.
func (p *parsed) collapse(depth int) string {
	var b strings.Builder
	for i := 0; i < len(p.name); i++ {
		b.WriteByte(p.name[i])
		end := p.match[i]
		if end < 0 || p.depth[i] < depth || startsComponent(p.name, i) {
			continue
		}
		if end > i+1 {
			b.WriteString(ellipsis)
		}
		b.WriteByte(p.name[end])
		i = end
	}
	return b.String()
}

// withoutSignature drops what surrounds the name proper: compiler clone and ABI
// marks, qualifiers, the parameter list and the return type.
func (p *parsed) withoutSignature() string {
	name := p.name
	if i := strings.Index(name, " [clone "); i > 0 {
		name = name[:i]
	}
	for again := true; again; {
		again = false
		for _, suffix := range []string{" const", " volatile", " &", " &&", " noexcept", "[abi:cxx11]"} {
			if s, ok := strings.CutSuffix(name, suffix); ok {
				name, again = s, true
			}
		}
	}
	open := p.parameters(len(name))
	if open < 0 {
		return name
	}
	name = name[:open]
	return strings.TrimSuffix(name[p.afterReturnType(open):], "[abi:cxx11]")
}

// parameters finds where the parameter list that ends at end opens; -1 when
// there is none.
func (p *parsed) parameters(end int) int {
	for i := range end {
		if p.name[i] == '(' && p.match[i] == end-1 && p.depth[i] == 0 && !startsComponent(p.name, i) {
			return i
		}
	}
	return -1
}

// afterReturnType finds where the name proper begins: behind the last space
// that no bracket encloses, unless the space is part of the name, as in
// "operator new" or "operator unsigned int".
func (p *parsed) afterReturnType(end int) int {
	start := 0
	for i := range end {
		if p.name[i] == ' ' && !p.enclosed[i] && !strings.Contains(p.name[start:i], "operator") {
			start = i + 1
		}
	}
	return start
}
