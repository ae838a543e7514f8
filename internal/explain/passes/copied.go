package passes

import (
	"cmp"
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

// RuleCopied is of collections that are copied to add to them.
const RuleCopied = "copied-per-pass"

// copied is a collection that each pass of a loop replaces by a copy with some elements more.
type copied struct {
	spot

	what string // the collection
	loop text.Loop
	// kept: no loop is in the function, which adds to a part of an object each time that it is
	// called.
	kept bool
}

// leastCopied is the share of the CPU from which a copy is told: a line does other work as well.
const leastCopied = 0.2

// wholeCopies are, by language, expressions that make a collection of all of another one's
// elements and some more. %s is the name of that one, which the statement assigns to.
var wholeCopies = map[string][]string{
	"PHP":        {`\barray_(?:merge|replace)(?:_recursive)?\(\s*%s\s*,`, `\[\s*\.\.\.\s*%s\s*,`, `^\s*%s\s*=\s*%s\s*\+\s*\[`},
	"JavaScript": {`%s\.concat\(`, `\bBuffer\.concat\(\s*\[\s*%s\s*,`, `[\[{]\s*\.\.\.\s*%s\s*,`, `Object\.assign\(\s*\{\s*\}\s*,\s*%s\b`},
	"Python":     {`\bnp\.(?:append|concatenate|vstack|hstack|insert)\(\s*[\[(]?\s*%s\b`, `\b(?:numpy|pd|pandas)\.(?:concat|append|concatenate)\(\s*[\[(]\s*%s\b`, `=\s*%s\s*\+\s*\[`, `\{\s*\*\*%s\b`, `[\[(]\s*\*%s\s*,`, `=\s*%s\s*\|\s*\{`},
	"Ruby":       {`%s\s*\+=\s*\[`, `=\s*%s\s*\+\s*\[`, `=\s*%s\.(?:merge|union|dup)\b[^!]`, `\[\s*\*%s\s*,`, `%s\s*\|=\s*\[`, `=\s*\(\s*%s\s*\+\s*[^()]+\)\.(?:uniq|flatten|compact|sort)\b`},
	"R":          {`\b(?:c|rbind|cbind|append|bind_rows|bind_cols|paste0?)\(\s*%s\s*,`},
	"Perl":       {`=\s*\(\s*%s\s*,`, `=\s*\[\s*@\$?\{?%s\}?\s*,`},
	"Lua":        {`=\s*%s\s*\.\.`},
	"Octave":     {`=\s*\[\s*%s\s*[,;\s]`, `=\s*(?:str|horz|vert)cat\s*\(\s*%s\s*,`},
	"Julia":      {`=\s*\[\s*%s\s*[;,]`, `\b(?:vcat|hcat|string)\(\s*%s\s*,`},
	"Go":         {`append\(\[\][\w.*\[\]]+\{[^}]*\},\s*%s\.\.\.`},
	"Java":       {`=\s*%s\s*\+\s*listOf`, `%s\s*:\+`, `%s\s*\+\+\s*[A-Za-z(]`, `\bArrays\.copyOf\(\s*%s\s*,\s*%s\.length\s*\+`, `\bArrayUtils\.(?:add|addAll)\(\s*%s\s*,`, `\bArray\.Resize\(\s*ref\s+%s\s*,\s*%s\.Length\s*\+`, `=\s*%s\.(?:Concat|Append)\([^()]*\)\.To(?:Array|List)\(`},
	"Elixir":     {`%s\s*\+\+`},
	"Erlang":     {`%s\s*\+\+`},
	"OCaml":      {`%s\s*@\s`, `\bArray\.append\s+%s\b`},
	"Haskell":    {`%s\s*\+\+`},
	"Tcl":        {`\[\s*(?:concat|linsert|lreplace)\s+\$%s\b`},
}

// assignedFirst is what a statement assigns to.
var assignedFirst = regexp.MustCompile(`^\s*(?:return\s+|set\s+|let\s+(?:rec\s+)?)?([$@]?(?:[A-Za-z_]\w*\.|\$this->|\$self->\{)?[A-Za-z_]\w*\}?)\s*(?:=|<-|\+=|\|=|\s)`)

// copies gives them, the dearest first.
func (r *reader) copies() []copied {
	var out []copied
	for line, rows := range r.innermost {
		share := r.p.Share(rows)
		if !r.isSure(share, leastCopied) {
			continue
		}
		if x, ok := r.copyIn(line); ok {
			x.rows, x.share = rows, share
			out = append(out, x)
		}
	}
	sortDearest(out)
	return out
}

// copyIn finds a copy in a line: x = f(x, more), in a loop that does not begin x anew, or in a
// function that adds to what its object keeps.
//
// Example. $items = array_merge($items, $more); in a loop over products, and
// self.samples = np.append(self.samples, frame) in a method that is called for each frame.
func (r *reader) copyIn(line profile.Line) (x copied, ok bool) {
	f := r.file(line.Function)
	if f == nil {
		return x, false
	}
	statement, lines := f.Statement(int(line.Line))
	if exact := reservesExactly.FindStringSubmatch(statement); f.Language() == "C" && exact != nil && exact[1] == exact[2] {
		return copied{spot: lineOf(line.Function, lines.First), what: exact[1], kept: true}, true
	}
	m := assignedFirst.FindStringSubmatch(statement)
	if m == nil {
		return x, false
	}
	name := m[1]
	if !slices.ContainsFunc(wholeCopies[f.Language()], func(form string) bool {
		re, err := regexp.Compile(strings.ReplaceAll(form, "%s", regexp.QuoteMeta(name)))
		return err == nil && re.MatchString(statement)
	}) {
		return x, false
	}
	for _, l := range f.Loops(lines.First) {
		if l.Within {
			continue
		}
		for _, n := range f.Assignments(name, l.Range) {
			if !lines.Has(n) {
				return x, false // begun anew
			}
		}
		x = copied{spot: lineOf(line.Function, lines.First), what: strings.TrimLeft(name, "$@"), loop: l}
		return x, true
	}
	x = copied{spot: lineOf(line.Function, lines.First), what: strings.TrimLeft(name, "$@"), kept: true}
	return x, partOfObject.MatchString(name)
}

// reservesExactly asks for so much memory as the next elements take, and no more: what is asked
// for next moves all again, where push_back would have doubled it.
var reservesExactly = regexp.MustCompile(`^\s*([\w.>-]+?)(?:\.|->)reserve\(\s*([\w.>-]+?)(?:\.|->)size\(\)\s*\+`)

// partOfObject is the name of what an object keeps from call to call.
var partOfObject = regexp.MustCompile(`^(?:@|[A-Za-z_]\w*\.|\$this->|\$self->)`)

// appends are the usual ways to add to a collection in place.
var appends = map[string]string{
	"PHP":        "Append: $a[] = …, or array_push($a, ...$more); or collect the parts, and array_merge(...$parts) once after the loop",
	"JavaScript": "push(...) into one array, or set the property of one object; of buffers, Buffer.concat(parts) once at the end",
	"Python":     "append or extend one list (update one dict), and make the array or frame once after the loop",
	"Ruby":       "<<, concat or merge! on one object; a Set where each is kept once",
	"R":          "Make the vector or list with its length first and assign by index, or collect a list and do.call(rbind, …) once",
	"Perl":       "push @list, …",
	"Lua":        "Collect the parts in a table, and table.concat it once",
	"Octave":     "Make the matrix with its size first, and assign by index",
	"Julia":      "push! or append!; of text, an IOBuffer",
	"Go":         "Append at the end and reverse once, or fill from the back",
	"C":          "Leave reserve(size() + n) out: insert and push_back double what they ask for. Or add all sizes up, and reserve once",
	"Tcl":        "lappend",
	"OCaml":      "Put in front with ::, and List.rev once; of arrays, a Buffer or a list first",
	"Elixir":     "Put in front with [x | acc], and Enum.reverse once",
	"Erlang":     "Put in front with [X | Acc], and lists:reverse once",
	"Haskell":    "Put in front with (:), and reverse once; or Data.Sequence",
	"Java":       "One mutable list (ArrayBuffer, MutableList) to which each pass adds",
}

func (r *reader) copiedFinding(s judge.Subject, x copied) judge.Found {
	place := ownline.Place(r.p, x.line)
	loopAt := at(place.File, x.loop.First)
	f := r.suspected(s, RuleCopied, place, x.rows, saving{share: x.share, least: 0.4, likely: 0.9,
		why: "is in that line, most of it in the copies"}, x.what)
	when := "pass"
	if x.kept {
		when = "call"
	}
	f.Title = fmt.Sprintf("Each %s copies all of %s to add to it (%s)", when, x.what, at(place.File, place.Line))
	f.Fix.Steps = []string{cmp.Or(appends[r.file(x.line.Function).Language()], "Add to it in place")}
	f.Fix.Caveats = []string{"What the line makes besides the copy stays", "Another name for the same collection sees what is added in place"}
	if x.kept {
		f.Evidence = []finding.Evidence{
			r.quoted(place),
			{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("each call of %s makes a new %s of the old one: all calls together copy n²/2 elements", place.Function, x.what)},
		}
		return f
	}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("the loop at %s makes a new %s of the old one on each pass: all passes together copy n²/2 elements", loopAt, x.what)},
		{Kind: "source", Text: fmt.Sprintf("%s: %s", loopAt, r.excerpt(place.File, x.loop.First))},
	}
	return f
}
