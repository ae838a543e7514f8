package text

import (
	"regexp"
	"slices"
	"strings"
)

// Range is some lines of a file, from 1.
type Range struct{ First, Last int }

// Has says whether a line is among them.
func (r Range) Has(line int) bool { return r.First <= line && line <= r.Last }

// Loop is one around a line.
type Loop struct {
	Range

	Header string // its code, comments and texts blanked
	// Within: the loop is written in the line itself, as a comprehension is, or the line is
	// the condition of a loop, which runs on each pass of its body.
	Within bool
}

// Function is one around a line.
type Function struct {
	Range

	Header string
	// Name is what the header calls it, "" for one without a name.
	Name string
}

var (
	// onlyCloses is a line that ends blocks or goes on with another branch of a statement.
	onlyCloses = regexp.MustCompile(`^[\s})\];,]*(end[,;)]*|fi|done|esac|then|begin)?\s*$`)
	onlyOpens  = regexp.MustCompile(`^\s*\{\s*$`)
	// loops begin so.
	loopWord = regexp.MustCompile(`^\s*[})]*\s*('?\w+\s*:\s*)?(await\s+|async\s+)?(for|foreach|while|until|loop|repeat|do)\b`)
	// doAlone is a block and no loop, but in languages in which it begins one.
	doAlone = regexp.MustCompile(`^\s*do\s*\{?\s*$`)
	// loopCall is a function that calls a block for each element.
	loopCall = regexp.MustCompile(`(?:\.|->|\b(?:List|Array|Enum|Stream|lists|Seq|Hashtbl|Map|iter)[.:])\s*(forEach|for_each|each\w*|map\w*|flat_?[mM]ap|flat_map|filter\w*|reduce\w*|fold\w*|some|every|any|all|none|times|upto|downto|step|select|reject|collect|inject|sum\w*|count|find\w*|detect|partition|group_?[bB]y|sort_?[bB]y|min_?[bB]y|max_?[bB]y|iter\w*|foreach|zip\w*|foldl|foldr|Select|Where|ForEach|Any|All|Sum|Aggregate|par_iter)\b`)
	// block is how the function that such a call is given begins.
	block = regexp.MustCompile(`=>|\bdo\s*(\|[^|]*\|)?\s*$|\{\s*(\|[^|]*\||\w+(\s*,\s*\w+)*\s*->|\([^)]*\)\s*->|case\b)?\s*$|\{\s*\|[^|]*\||\bfn\b|\bfun\b|\bfunction\b|\|[\w\s,&()]*\||->`)
	// rLoop applies a function to each element, as R and PHP do.
	rLoop = regexp.MustCompile(`\b([lsvmt]apply|Map|Reduce|Filter|array_map|array_filter|usort|array_walk)\s*\(.*\bfunction\b`)
	// functionWord begins a function.
	functionWord = regexp.MustCompile(`\b(def|defp|fn|func|fun|function|sub|proc|procedure|method|subroutine)\b`)
	// named is the name of a function in its header.
	named = regexp.MustCompile(`\b(?:def|defp|fn|func|fun|function|sub|proc)\s+(?:\([^)]*\)\s*)?(?:self\.)?([A-Za-z_][\w.:]*[?!]?)`)
	// assignedName is that of a function which is assigned to it.
	assignedName = regexp.MustCompile(`([A-Za-z_][\w.]*)\s*(?:=|<-|:)\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]+)?=>|\w+\s*=>)`)
	// cFunction is a definition in languages without a word for it.
	cFunction = regexp.MustCompile(`^[\w:<>,*&\[\]\s~.?@]*?([~\w]+)\s*(<[^>()]*>)?\s*\([^;]*\)\s*(const|noexcept|override|final|throws\s+[\w.,\s]+|->\s*[\w:<>]+|:\s*[\w<>]+)*\s*(\{.*|)$`)
	// control are words that a definition does not begin with.
	control = regexp.MustCompile(`^\s*[})]*\s*(if|else|elif|elsif|elseif|for|foreach|while|until|switch|match|catch|return|do|try|synchronized|using|lock|case|when|with|unless|new|throw|await|yield|loop|repeat|except|finally|select|go|defer|guard|unsafe|let|const|var|my|local)\b`)
	// letRec is a definition of OCaml, clause one of Erlang or Haskell.
	letRec = regexp.MustCompile(`^\s*(?:let|and)\s+(?:rec\s+)?([a-z_][\w']*)\s+[^=]*=`)
	clause = regexp.MustCompile(`^([a-z]\w*)\s*\([^)]*\)\s*(?:when\b.*)?->|^([a-z][\w']*)(?:\s+[^=|]+)?\s*(?:=|\|)`)
)

// around are the numbers of the lines that a line is inside of, innermost first.
func (f *File) around(line int) []int {
	if line < 1 || line > len(f.code) {
		return nil
	}
	first, _ := f.statement(line)
	depth := f.depth[first-1]
	if depth < 0 {
		return nil
	}
	var out []int
	for i := first - 2; i >= 0 && depth > 0; i-- {
		if f.depth[i] < 0 || f.depth[i] >= depth || onlyOpens.MatchString(f.code[i]) || onlyCloses.MatchString(f.code[i]) {
			if onlyOpens.MatchString(f.code[i]) && f.depth[i] >= 0 && f.depth[i] < depth {
				depth = f.depth[i] + 1 // its header stands above, as far to the left
			}
			continue
		}
		depth = f.depth[i]
		out = append(out, i+1)
	}
	return out
}

// body are the lines of the block that a header begins, itself among them.
func (f *File) body(header int) Range {
	_, last := f.statement(header)
	depth := f.depth[header-1]
	for i := last; i < len(f.code); i++ {
		if f.depth[i] >= 0 && f.depth[i] <= depth && !onlyOpens.MatchString(f.code[i]) {
			break
		}
		if f.depth[i] >= 0 {
			last = i + 1
		}
	}
	return Range{header, last}
}

// Loops are the loops around a line within its function, innermost first.
func (f *File) Loops(line int) []Loop {
	var out []Loop
	if line < 1 || line > len(f.code) || f.depth[line-1] < 0 {
		return nil
	}
	first, last := f.statement(line)
	own := f.join(first, last)
	if f.isWithin(own) {
		l := Loop{Range: Range{first, last}, Header: own, Within: true}
		if condition.MatchString(own) {
			l.Range = f.body(first) // the condition is asked after each pass of it
		}
		out = append(out, l)
	}
	for _, n := range f.around(line) {
		header := f.join(f.statement(n))
		switch {
		case f.isLoop(header):
			out = append(out, Loop{Range: f.body(n), Header: header})
		case f.lang == &awk && f.depth[n-1] == 0 && !strings.HasPrefix(header, "BEGIN") && !strings.HasPrefix(header, "END") && !functionWord.MatchString(header):
			return append(out, Loop{Range: f.body(n), Header: header})
		case f.isFunction(n, header):
			if fn := f.function(n, header); f.lang.recursive && fn.Name != "" && f.calls(fn) {
				out = append(out, Loop{Range: fn.Range, Header: header})
			}
			return out
		}
	}
	return out
}

var (
	// comprehension is a loop in an expression.
	comprehension = regexp.MustCompile(`[\[({].*\bfor\s+.+\bin\b.*`)
	// condition is one that runs on each pass.
	condition = regexp.MustCompile(`^\s*[})]*\s*(while|until)\b|\bfor\s*\([^;]*;.*;`)
)

// isWithin says whether a statement has a loop in it.
func (f *File) isWithin(code string) bool {
	switch {
	case condition.MatchString(code):
		return true
	case f.lang == &python:
		return comprehension.MatchString(code) && !loopWord.MatchString(code)
	}
	return f.isCalled(code)
}

// elements are words of what has several, in languages in which map is of what may be missing,
// too.
var elements = regexp.MustCompile(`\b(iter\w*|into_iter|par_iter|stream|parallelStream|chars|lines|bytes|values|keys|entries|split\w*|windows|chunks|drain|range|asSequence|indices)\b|\.\.|\b(forEach|for_each|each)\b`)

// isCalled says whether a function is called with a block for each element.
func (f *File) isCalled(code string) bool {
	if (f.lang == &rust || f.lang == &java) && !elements.MatchString(code) {
		return false
	}
	return (loopCall.MatchString(code) || rLoop.MatchString(code)) && block.MatchString(code)
}

func (f *File) isLoop(header string) bool {
	if loopWord.MatchString(header) {
		return f.lang != &hs && (!doAlone.MatchString(header) || f.lang != &lua && f.lang != &ocaml && f.lang != &elixir)
	}
	return f.isCalled(header)
}

// Function is the innermost function around a line; ok is false where it is in none.
func (f *File) Function(line int) (fn Function, ok bool) {
	for _, n := range f.around(line) {
		if header := f.join(f.statement(n)); !f.isLoop(header) && f.isFunction(n, header) {
			return f.function(n, header), true
		}
	}
	return fn, false
}

func (f *File) function(line int, header string) Function {
	fn := Function{Range: f.body(line), Header: header}
	for _, re := range []*regexp.Regexp{named, assignedName, letRec, cFunction, clause} {
		if m := re.FindStringSubmatch(header); m != nil {
			for _, name := range m[1:] {
				if fn.Name == "" {
					fn.Name = name
				}
			}
			break
		}
	}
	return fn
}

func (f *File) isFunction(line int, header string) bool {
	switch f.lang {
	case &ocaml:
		return letRec.MatchString(header)
	case &erlang, &hs:
		return f.depth[line-1] == 0 && clause.MatchString(header)
	case &shell:
		return strings.Contains(header, "()") || functionWord.MatchString(header)
	case &awk, &tcl, &perl, &lua, &r, &ruby, &python, &elixir, &julia, &matlab:
		return functionWord.MatchString(header)
	}
	return functionWord.MatchString(header) || strings.Contains(header, "=>") || cFunction.MatchString(header) && !control.MatchString(header)
}

// calls says whether a function calls itself.
func (f *File) calls(fn Function) bool {
	re, err := regexp.Compile(`\b` + regexp.QuoteMeta(fn.Name) + `\b`)
	if err != nil {
		return false
	}
	first, last := f.statement(fn.First)
	for i := max(first, last); i < fn.Last; i++ {
		if re.MatchString(f.code[i]) {
			return true
		}
	}
	return false
}

// IsAround says whether a line is inside of the block that another one begins.
func (f *File) IsAround(header, line int) bool {
	for _, n := range f.around(line) {
		if n <= header {
			return n == header
		}
	}
	return false
}

// Begins gives the loop that a line begins.
func (f *File) Begins(line int) (l Loop, ok bool) {
	if line < 1 || line > len(f.code) || f.depth[line-1] < 0 {
		return l, false
	}
	if header := f.join(f.statement(line)); f.isLoop(header) {
		return Loop{Range: f.body(line), Header: header}, true
	}
	return l, false
}

// LoopsFrom are the loops around a line, innermost first, and before them the one that the line
// begins.
func (f *File) LoopsFrom(line int) []Loop {
	loops := f.Loops(line)
	if begun, is := f.Begins(line); is {
		loops = slices.Insert(loops, 0, begun)
	}
	return loops
}

// Own is the function's name without what it belongs to.
func (fn Function) Own() string {
	if at := strings.LastIndexAny(fn.Name, ".:"); at >= 0 {
		return fn.Name[at+1:]
	}
	return fn.Name
}

// Functions are those of a file that have names, in their order.
func (f *File) Functions() []Function {
	if !f.listed {
		f.listed = true
		for n := range f.code {
			if f.depth[n] < 0 {
				continue
			}
			first, last := f.statement(n + 1)
			if first != n+1 {
				continue
			}
			header := f.join(first, last)
			if f.isLoop(header) || !f.isFunction(n+1, header) {
				continue
			}
			if fn := f.function(n+1, header); fn.Name != "" && fn.Last > fn.First {
				f.functions = append(f.functions, fn)
			}
		}
	}
	return f.functions
}

// Defines says whether a line begins the definition of a function of some name.
func (f *File) Defines(line int, name string) bool {
	if line < 1 || line > len(f.code) {
		return false
	}
	header := f.join(f.statement(line))
	return f.isFunction(line, header) && f.function(line, header).Name == name
}

// ending is a word by which a pass or a call ends before its last line.
var ending = regexp.MustCompile(`\b(return|continue|break|goto|throw|raise|next|last|redo|exit|die)\b`)

// MayEnd says whether a pass that reaches one line may end before a later one, which then does not
// run as often.
func (f *File) MayEnd(from, before int) bool {
	for n := from; n < before; n++ {
		if ending.MatchString(f.Code(n)) {
			return true
		}
	}
	return false
}
