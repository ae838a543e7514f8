package passes

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// cached is a function whose results a cache of fixed size keeps, and which runs all the same.
type cached struct {
	spot

	name string
	size string // as it is written
	most int    // results that it keeps; 0 where that is not known
	at   int    // the line that says so
	file *text.File
	fn   text.Function
	// cycle: by the text, the same arguments come again in each pass of an outer loop.
	cycle bool
}

var (
	// keepsResults is a decorator of Python that keeps so many results; group 1 is what it is given.
	keepsResults = regexp.MustCompile(`^\s*@(?:functools\.)?(?:async_)?a?lru_cache\b\s*(?:\((.*)\))?\s*$|^\s*@(?:cachetools\.)?(?:func\.)?(?:cached\s*\(\s*(?:cache\s*=\s*)?(?:cachetools\.)?)?(?:LRU|LFU|FIFO|TTL|RR)Cache\(([^)]*)\)|^\s*@(?:cachetools\.)?(?:func\.)?(?:lru|lfu|fifo|ttl|rr)_cache\((.*)\)\s*$`)
	// sizeGiven is how many, in those.
	sizeGiven = regexp.MustCompile(`^(?:\s*\w+\s*=[^,]*,)*?\s*(?:maxsize\s*=\s*)?([\w.]+)\s*(?:,|$)`)
)

const (
	leastCached = 0.2    // of the CPU, in such a function
	usualSize   = 128    // of lru_cache, where none is given
	largeSize   = 10_000 // a cache of so many seldom is too small
	mostAbove   = 6      // lines above a function, in which its decorators stand
)

// cachedFunctions gives them, the dearest first. A cache that is too small for what is asked for in
// a cycle has dropped each result before it is asked for again: the function runs each time. It
// has to run throughout, in a loop that is repeated; a function that calls itself fills its cache.
//
// Example. @lru_cache(maxsize=256) above def requirements(name), called for each of 420 packages in
// each of 90 builds.
func (r *reader) cachedFunctions() []cached {
	type key struct {
		file  string
		first int
	}
	known := map[key]*cached{}
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || f.Language() != "Python" {
			continue
		}
		fn, in := f.Function(int(h.line.Line))
		if !in || int(h.line.Line) == fn.First {
			continue
		}
		k := key{f.Path, fn.First}
		if known[k] == nil {
			x, ok := r.keptResults(f, fn)
			if !ok || callsItself(f, fn) {
				continue
			}
			x.spot = lineOf(h.line.Function, x.at)
			known[k] = &x
		}
		known[k].rows = joinRows(known[k].rows, h.rows)
	}
	var out []cached
	for _, x := range known {
		x.share = r.p.Share(x.rows)
		n, timed := turns(r.p, x.rows)
		if r.isSure(x.share, leastCached) && (!timed || n >= leastTurns && r.isSteady(x.rows)) && r.isRepeated(x) {
			x.cycle = r.comesAgain(x)
			out = append(out, *x)
		}
	}
	slices.SortFunc(out, func(a, b cached) int { return strings.Compare(a.name, b.name) })
	sortDearest(out)
	return out
}

// keptResults reads the decorators of a function.
func (r *reader) keptResults(f *text.File, fn text.Function) (x cached, ok bool) {
	for n := fn.First - 1; n >= max(1, fn.First-mostAbove) && !strings.HasPrefix(strings.TrimSpace(f.Code(n)), "def "); n-- {
		m := keepsResults.FindStringSubmatch(f.Code(n))
		if m == nil {
			continue
		}
		x = cached{name: fn.Own(), at: n, file: f, fn: fn, most: usualSize, size: strconv.Itoa(usualSize)}
		if given := strings.TrimSpace(m[1] + m[2] + m[3]); given != "" {
			size := sizeGiven.FindStringSubmatch(given)
			if size == nil || size[1] == "None" {
				return x, false
			}
			x.size = size[1]
			x.most = r.number(f, size[1])
		}
		return x, x.most < largeSize
	}
	return x, false
}

// number is the value of a whole number, or of a constant of the file or of a module beside it; 0
// where it is not known.
func (r *reader) number(f *text.File, written string) int {
	if n, err := strconv.Atoi(strings.ReplaceAll(written, "_", "")); err == nil {
		return n
	}
	file, name := f, written
	if module, of, is := strings.Cut(written, "."); is {
		if file, name = r.fileAt(filepath.Join(filepath.Dir(f.Path), module+".py")), of; file == nil {
			return 0
		}
	}
	re := regexp.MustCompile(`^\s*` + regexp.QuoteMeta(name) + `\s*(?::\s*\w+\s*)?=\s*([\d_]+)\s*$`)
	for n := 1; n <= file.Len(); n++ {
		if m := re.FindStringSubmatch(file.Code(n)); m != nil {
			value, _ := strconv.Atoi(strings.ReplaceAll(m[1], "_", ""))
			return value
		}
	}
	return 0
}

// callsItself says whether the text of a function names it.
func callsItself(f *text.File, fn text.Function) bool {
	for n := fn.First + 1; n <= fn.Last; n++ {
		if slices.ContainsFunc(f.Calls(f.Code(n)), func(c text.Call) bool { return c.Last() == fn.Own() }) {
			return true
		}
	}
	return false
}

// callersOf are the own lines of a stack outside of a function, the nearest first. A comprehension in
// the function has a frame of its own.
func (r *reader) callersOf(id profile.StackID, x *cached) []profile.Line {
	var out []profile.Line
	inside := false
	for _, loc := range r.p.Stack(id) {
		for _, l := range r.p.Lines(loc) {
			switch own := r.lines.IsOwn(l.Function) && l.Line > 0; {
			case own && r.file(l.Function) == x.file && x.fn.Has(int(l.Line)):
				inside, out = true, nil
			case own && inside:
				out = append(out, l)
			}
		}
	}
	return out
}

// isRepeated says whether two loops are around the calls of a function: one over what it is asked
// for, and one around that.
func (r *reader) isRepeated(x *cached) bool {
	many := 0
	for _, row := range x.rows {
		loops := 0
		for _, l := range r.callersOf(r.p.Samples()[row].Stack, x) {
			if f := r.file(l.Function); f != nil {
				loops += len(f.Loops(int(l.Line)))
			}
		}
		if loops > 1 {
			many++
		}
	}
	return 2*many > len(x.rows)
}

// comesAgain says whether the loop that calls a function goes through the same collection on each
// pass of a loop further out.
func (r *reader) comesAgain(x *cached) bool {
	callers := map[profile.Line]int64{}
	for _, row := range x.rows {
		if all := r.callersOf(r.p.Samples()[row].Stack, x); len(all) > 0 {
			callers[all[0]]++
		}
	}
	caller, ok := ownline.Heaviest(callers)
	if !ok {
		return false
	}
	c := repeated{hot: &hot{rows: x.rows}, caller: caller, given: withoutReceiver(x.file, x.fn), fixed: true}
	if c.loop, c.loopIn, ok = r.loopAt(caller); !ok {
		return false
	}
	return r.repeatsFurtherOut(x.file, x.fn, &c)
}

func (r *reader) cachedFinding(s judge.Subject, x cached) judge.Found {
	place := ownline.Place(r.p, x.line)
	least, likely, title := 0.2, 0.9, "The cache of %s misses; make it larger (%s)"
	if !x.cycle {
		least, likely, title = 0, 0.5, "The cache of %s misses (%s)"
	}
	f := r.suspected(s, RuleMisses, place, x.rows, saving{share: x.share, least: least, likely: likely, why: "is in the function, which a cache that has its results would spare"}, x.name)
	f.Title = fmt.Sprintf(title, x.name, at(place.File, place.Line))
	keeps := x.size + " results"
	if x.most > 0 && strconv.Itoa(x.most) != x.size {
		keeps = fmt.Sprintf("%d results (%s)", x.most, x.size)
	}
	f.Fix.Steps = []string{
		"Set maxsize above the number of different arguments, or to None: of more arguments in a cycle than a cache keeps, each has been dropped when its turn comes",
		fmt.Sprintf("Print %s.cache_info() at the end: it tells hits from misses", x.name),
	}
	if !x.cycle {
		f.Fix.Steps = []string{fmt.Sprintf("Print %s.cache_info() at the end: where misses outnumber the different arguments, set maxsize above the number of those, or to None", x.name)}
	}
	f.Fix.Caveats = []string{"Where the same arguments never come again, no cache helps: leave it out", "A larger cache takes the memory of its results"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("the cache keeps %s, and %s runs throughout all the same; it is called in a loop within a loop", keeps, x.name)},
	}
	return f
}
