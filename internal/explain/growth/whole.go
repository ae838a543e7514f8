package growth

import (
	"cmp"
	"regexp"
	"slices"

	"whyhot/internal/profile"
)

// WholeCopy is a line under which an operation copies or moves a whole container for so long
// that it shows, whether or not the container grows during the recording.
type WholeCopy struct {
	Place
	Name    string // of the operation
	Share   float64
	Samples []int32
	Cure    string
}

var (
	// wholeCopies make a new container of two, or move all elements behind one. Appending in
	// place is none: it grows by doubling.
	wholeCopies = regexp.MustCompile(`^(bytes_concat|PyBytes_Concat|PyUnicode_Concat|list_(pop|insert)\w*|ins1|rb_ary_plus|rb_str_plus|rb_hash_(merge|dup)\w*|array_(merge|unshift|shift|splice)|zif_array_(merge|unshift|shift|splice)|Perl_pp_(multi)?concat|runtime\.concatstring\w*|slices\.(Insert|Delete)(\[.*)?|(.* )?java\.lang\.(StringConcatHelper\.\w+|String\.concat)\b.*|(.* )?java\.util\.(ArrayList\.fastRemove|ArrayList\.add\(int, .*|concurrent\.CopyOnWriteArrayList\.add\w*)\b.*|alloc::vec::Vec<.*>::(insert|insert_mut|remove|try_remove)|alloc::string::String::(insert|insert_str|remove)|(.* )?std::vector<.*>::(erase|_M_erase|_M_insert_aux|_M_insert_rval)\b.*)$`)
	// wholeLoops copy in a loop of their own, not with a primitive.
	wholeLoops = regexp.MustCompile(`^(list_concat|tuple_?concat)$|^(zif_)?array_(merge|unshift|shift|splice)$`)
	// bulk moves or clears memory; of what a short operation costs it is little.
	bulk = regexp.MustCompile(`^(__)?(mem(cpy|move|set|move_chk|cpy_chk))(_\w+)?$|^runtime\.(memmove|memclr\w*)$|arraycopy|^clear_page\w*$|^(asm_)?exc_page_fault$`)
)

// What a whole copy must take of a profile to be told. Short containers that are copied for
// each item cost more in what surrounds the copy.
const (
	wholeShare  = 0.3
	wholeEvents = 50
)

// WholeCopies finds the lines of the program that pay for them.
func WholeCopies(p *profile.Profile) []WholeCopy {
	f := newFrames(p)
	type tallied struct {
		events int64
		names  map[string]float64
		rows   []int32
	}
	lines := map[step]*tallied{}
	for i := range p.Samples() {
		s := &p.Samples()[i]
		name, path := f.wholeCopy(s.Stack), f.path(s.Stack)
		if name == "" || !path.own {
			continue
		}
		last := path.steps[len(path.steps)-1]
		t := lines[last]
		if t == nil {
			t = &tallied{names: map[string]float64{}}
			lines[last] = t
		}
		t.events += s.Count
		t.names[name] += float64(s.Count)
		t.rows = append(t.rows, int32(i))
	}
	var out []WholeCopy
	for at, t := range lines {
		share := float64(t.events) / float64(max(p.Count(), 1))
		if t.events < wholeEvents || share < wholeShare {
			continue
		}
		out = append(out, WholeCopy{
			Place: f.place(at), Name: heaviest(t.names), Share: share, Samples: t.rows, Cure: cureOf(Copy, f.language[at.function]),
		})
	}
	slices.SortFunc(out, func(a, b WholeCopy) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Function, b.Function), cmp.Compare(a.Line, b.Line))
	})
	return out
}

// wholeCopy is the operation below the innermost own line that copies a whole container, ""
// where there is none or it does something else at this moment.
func (f *frames) wholeCopy(id profile.StackID) (name string) {
	moving := false
	for _, loc := range f.p.Stack(id) {
		for _, l := range f.p.Lines(loc) {
			if f.isOwn(l.Function) {
				return name
			}
			fn := f.p.Function(l.Function)
			moving = moving || bulk.MatchString(fn.Name)
			if wholeLoops.MatchString(fn.Name) || moving && wholeCopies.MatchString(fn.Name) {
				name = fn.Name
			}
		}
	}
	return ""
}
