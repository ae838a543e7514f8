package growth

import (
	"cmp"
	"regexp"
	"slices"

	"whyhot/internal/profile"
)

// LinearSearch is a line under which a list is searched from its begin.
type LinearSearch struct {
	Place
	Name    string // of the function that searches
	Share   float64
	Callers []Place
	Cure    string
}

// membership are searches of a list for one of its elements. Looking for a byte or a word
// in a text is none: there is no set of it.
var membership = regexp.MustCompile(`^(list_contains|tuplecontains|list_(index|count|remove)\w*|_PySequence_IterSearch|rb_ary_(includes|index|delete|rindex)\w*|php_search_array|zif_(in_array|array_search)|in_array|array_search|Perl_pp_grepwhile|(Array\.)?(indexOf|includes|lastIndexOf|findIndex)|Builtins_\w*Array(IndexOf|Includes|LastIndexOf|PrototypeIndexOf|PrototypeIncludes|PrototypeFind)\w*|(\S+ )?java[./]util[./]\w*List[.:]+(indexOf\w*|contains|lastIndexOf\w*|get|node)\b.*|slices\.(Index|Contains)\w*(\[.*)?|Tcl_LsearchObjCmd|lists:(member|keyfind|keymember|nth)(/\d+)?|base_\w*_elem\w*|camlStdlib__List(__|\.)(mem|memq|assoc|assoc_opt|nth|find)_\w+|<(T|[ui](16|32|64|128|size)|.*String|&.*) as core::slice::cmp::SliceContains>::slice_contains|(.* )?std::(__)?find<.*std::(vector|deque)<.*)$`)

// inBytes is the search of a C++ container of bytes, which is a text.
var inBytes = regexp.MustCompile(`std::(vector|deque)<(un)?(signed )?char\b`)

// What a search must take of a profile to be told.
const (
	searchShare  = 0.1
	searchEvents = 50
)

// Searches finds the lines of the program under which lists are searched for so long that it
// shows: a short list, or one that is searched once, does not.
func Searches(p *profile.Profile) []LinearSearch {
	f := newFrames(p)
	type known struct {
		at   step
		name string
	}
	counts := map[known]int64{}
	callers := map[known][]step{}
	for i := range p.Samples() {
		s := &p.Samples()[i]
		path := f.path(s.Stack)
		name := f.searching(s.Stack)
		if !path.own || name == "" {
			continue
		}
		k := known{path.steps[len(path.steps)-1], name}
		counts[k] += s.Count
		if callers[k] == nil {
			callers[k] = path.steps[:len(path.steps)-1]
		}
	}
	var out []LinearSearch
	for k, n := range counts {
		share := float64(n) / float64(max(p.Count(), 1))
		if n < searchEvents || share < searchShare {
			continue
		}
		found := LinearSearch{Place: f.place(k.at), Name: k.name, Share: share, Cure: cureOf(Search, f.language[k.at.function])}
		for _, c := range slices.Backward(callers[k]) {
			found.Callers = append(found.Callers, f.place(c))
		}
		out = append(out, found)
	}
	slices.SortFunc(out, func(a, b LinearSearch) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Function, b.Function), cmp.Compare(a.Line, b.Line))
	})
	return out
}

// searching is the function below the innermost own line that searches a list, "" for none.
func (f *frames) searching(id profile.StackID) (name string) {
	stack := f.p.Stack(id)
	for _, loc := range stack {
		for _, l := range f.p.Lines(loc) {
			fn := f.p.Function(l.Function)
			if f.isOwn(l.Function) {
				return name
			}
			if membership.MatchString(fn.Name) && !inBytes.MatchString(fn.Name) {
				name = fn.Name
			}
		}
	}
	return ""
}
