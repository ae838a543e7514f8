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

// RuleRecursion is of functions that solve the same parts of a problem again.
const RuleRecursion = "recursion-again"

// recursion is a function that calls itself several times for parts of one problem, and meets
// the same parts by many ways.
//
// The text shows it: each call changes the parameters by steps that do not depend on the way,
// such as n - 1 and n - 2, so that two steps in either order come to the same. The function
// keeps nothing of what it computed, since it only gives a value. Example: fib(n - 1) +
// fib(n - 2); change(rest - coin) for each coin.
type recursion struct {
	spot

	fn    text.Function
	calls []text.Call // that step, each as it is written
}

const (
	// leastDepth is how often a function is in a stack of its recursion, at least.
	leastDepth = 3
	// leastRecursive is the share of a function's samples that such stacks have.
	leastRecursive = 0.6
)

// recursions finds them, the dearest first.
func (r *reader) recursions() []recursion {
	of := map[profile.FunctionID][]int32{}
	for line, rows := range r.innermost {
		of[line.Function] = append(of[line.Function], rows...)
	}
	var out []recursion
	for id, rows := range of {
		share := r.p.Share(rows)
		if !r.isSure(share, leastNested) || !r.isRecursive(id, rows) {
			continue
		}
		f := r.file(id)
		if f == nil {
			continue
		}
		fn, ok := r.definition(f, id)
		if !ok || !isPureText(f, fn) || keeps.MatchString(body(f, fn)) || isRemembering(f, fn) {
			continue
		}
		if calls, line := steppingCalls(f, fn); calls != nil {
			slices.Sort(rows)
			x := recursion{spot: lineOf(id, line), fn: fn, calls: calls}
			x.rows, x.share = rows, share
			out = append(out, x)
		}
	}
	sortDearest(out)
	return out
}

// remembers is a line above a function that keeps what it gave.
var remembers = regexp.MustCompile(`(?i)cache|memo`)

func isRemembering(f *text.File, fn text.Function) bool {
	return remembers.MatchString(f.Code(fn.First-1)) || remembers.MatchString(f.Code(fn.First-2)) || remembers.MatchString(fn.Header)
}

// isRecursive says whether a function is several times in most of the stacks of some rows.
func (r *reader) isRecursive(id profile.FunctionID, rows []int32) bool {
	var deep, all int64
	for _, row := range rows {
		s := &r.p.Samples()[row]
		times := 0
		for _, loc := range r.p.Stack(s.Stack) {
			for _, l := range r.p.Lines(loc) {
				if l.Function == id {
					times++
				}
			}
		}
		all += s.Value
		if times >= leastDepth {
			deep += s.Value
		}
	}
	return all > 0 && float64(deep) >= leastRecursive*float64(all)
}

// steppingCalls are the calls of a function to itself where each changes parameters by steps,
// and the line of the first; nil where it does anything else with them, or where no two ways
// come to the same.
func steppingCalls(f *text.File, fn text.Function) (calls []text.Call, line int) {
	parameters := withoutReceiver(f, fn)
	_, header := f.Statement(fn.First)
	ways := map[string]bool{}
	looped, together := false, false
	var before []int // lines of calls after which the function goes on
	for n := header.Last + 1; n <= fn.Last; {
		statement, lines := f.Statement(n)
		last := -1 // where the last call of the statement ends
		for _, c := range f.Calls(statement) {
			if c.Last() != fn.Own() || c.On != "" && c.On != "self" && c.On != "this" && c.On != "$this" && c.On != "Self" && c.On != "cls" {
				continue
			}
			loops := slices.DeleteFunc(f.Loops(n), func(l text.Loop) bool { return l.First <= fn.First })
			way := wayOf(f, fn, c, parameters, loops)
			if way == "" || !isValue(statement, c) {
				return nil, 0
			}
			if line == 0 {
				line = n
			}
			if !ways[way] {
				ways[way] = true
				calls = append(calls, c)
			}
			looped = looped || len(loops) > 0
			together = together || last >= 0 && !alternative.MatchString(statement[last:max(last, c.At)]) || goesOnTo(f, fn, before, n)
			last = c.At + len(c.Name) + len(c.Args)
			if !returning.MatchString(statement) {
				before = append(before, n)
			}
		}
		n = max(n, lines.Last) + 1
	}
	if len(ways) < 2 && !looped || !looped && !together {
		return nil, 0
	}
	return calls, line
}

var (
	// alternative is what stands between two calls of which one is made: c ? f(a) : f(b).
	alternative = regexp.MustCompile(`[^:]:[^:]|\belse\b`)
	// returning is a statement that ends a function.
	returning = regexp.MustCompile(`\breturn\b`)
)

// goesOnTo says whether a pass of a function may make a call in one of some lines and then one
// in a later line: the first is not in a block that the later one is outside of, as the branches
// of an if are.
func goesOnTo(f *text.File, fn text.Function, before []int, line int) bool {
	return slices.ContainsFunc(before, func(b int) bool {
		for n := b - 1; n > fn.First; n-- {
			if f.IsAround(n, b) && !f.IsAround(n, line) {
				return false
			}
		}
		return b < line
	})
}

var (
	// numberStep is a number that is added to a parameter or taken from it.
	numberStep = regexp.MustCompile(`^[-+]\s*[\w$.]+(\[[\w$ .+-]+\]|->\w+)*$`)
	// cutStep is a parameter without some of its elements.
	cutStep = regexp.MustCompile(`^(\[[^\],]*(:|\.\.)[^\],]*\]|\.(slice|substring|substr|Substring|drop|subList|Skip)\(\s*-?\d*\s*\))$`)
	// built are parameters that collect something, which makes each way another one.
	built = regexp.MustCompile(`(?i)^[$@]?(acc\w*|pre(fix)?|path|so_?far|cur(rent)?|built?|chosen|taken|word|out|res(ult)?|list|partial|soln?|solution|str(ing)?|text|s)$`)
	// textType is a parameter whose type says that it is a text.
	textType = regexp.MustCompile(`(?i)\b(str|string|char|&str|list|vector)\b`)
)

// wayOf describes how a call of a function to itself changes its parameters, "" where it is not
// by steps: then the parts of two ways are others, as the halves of a list or the branches of a
// tree are. Of a call in a loop the loop's name makes many ways.
func wayOf(f *text.File, fn text.Function, c text.Call, parameters []string, loops []text.Loop) string {
	arguments := text.Arguments(c.Args)
	if len(arguments) == 0 || len(arguments) > len(parameters) {
		return ""
	}
	var bound []string // by the loops around the call
	for _, l := range loops {
		bound = append(bound, boundIn(f, l)...)
	}
	var way []string
	for i, a := range arguments {
		p := parameters[i]
		a = strings.TrimLeft(a, "&*")
		bare := strings.TrimLeft(p, "&*")
		switch rest, is := strings.CutPrefix(a, bare); {
		case a == bare:
		case is && cutStep.MatchString(strings.TrimSpace(rest)):
			way = append(way, a)
		case is && numberStep.MatchString(strings.TrimSpace(rest)):
			if strings.HasPrefix(strings.TrimSpace(rest), "+") && (built.MatchString(bare) || isText(f, fn, bare)) && !isNumber(rest) {
				return ""
			}
			way = append(way, a)
		case slices.Contains(bound, a) && slices.ContainsFunc(loops, func(l text.Loop) bool { return slices.Contains(text.Names(l.Header), bare) }):
			way = append(way, a)
		default:
			return ""
		}
	}
	return strings.Join(way, ", ")
}

// isNumber says whether a step is by a number that is written out.
func isNumber(step string) bool {
	return strings.Trim(step, "+- 0123456789") == ""
}

// isText says whether the header of a function gives a parameter the type of a text or list.
func isText(f *text.File, fn text.Function, parameter string) bool {
	for _, a := range text.Arguments(f.ParameterList(fn)) {
		if slices.Contains(text.Names(a), parameter) && textType.MatchString(a) {
			return true
		}
	}
	return false
}

// memoCures are the usual ways to keep what a function gave, by its arguments.
var memoCures = map[string]string{
	"Python":     "@functools.lru_cache(maxsize=None) above it, where its arguments can be hashed (a tuple for a list)",
	"JavaScript": "A Map by its arguments, or an array of arrays where they are small numbers",
	"Java":       "An array (or HashMap) by its arguments, filled with -1 for what is not known yet",
	"Ruby":       "@known[[arguments]] ||= …",
	"PHP":        "static $known = []; by a key of the arguments",
	"Perl":       "use Memoize; memoize('NAME'), or a hash by join($;, @arguments)",
	"Go":         "A slice of slices (or a map with a struct as the key) by its arguments",
	"Rust":       "A Vec<Option<T>> (or a HashMap) by its arguments, handed on as &mut",
	"C":          "An array by its arguments, with a value that says “not known yet”",
	"OCaml":      "A Hashtbl by its arguments",
	"R":          "memoise::memoise, or a matrix by its arguments",
	"Lua":        "A table by its arguments",
}

func (r *reader) recursionFinding(s judge.Subject, x recursion) judge.Found {
	place := ownline.Place(r.p, x.line)
	name := x.fn.Own()
	f := r.suspected(s, RuleRecursion, place, x.rows, saving{share: x.share, least: 0.5, likely: 0.95,
		why: "is in the function; each part of the problem has to be solved once"}, name)
	f.Title = fmt.Sprintf("Recursive %s solves the same parts again; keep results (%s)", name, at(place.File, place.Line))
	f.Fix.Steps = []string{"Keep what it gave by its arguments (memoisation), or fill a table from the smallest part on"}
	if cure := memoCures[r.file(x.line.Function).Language()]; cure != "" {
		f.Fix.Steps = append(f.Fix.Steps, cure)
	}
	f.Fix.Caveats = []string{"It pays where arguments come again: count calls and different arguments first"}
	calls := make([]string, 0, len(x.calls))
	for _, c := range x.calls {
		calls = append(calls, c.Name+"("+c.Args+")")
	}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("%s calls itself by %s: steps in another order come to the same arguments, and nothing keeps what it gave", name, strings.Join(calls, " and "))},
	}
	return f
}
