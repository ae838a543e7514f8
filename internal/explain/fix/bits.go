package fix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
)

// element is the name of the type that takes the place of a packed bit where there
// is no char8_t.
const element = "BoolByte"

const elementText = `// One bool as a type of its own: a store of it changes nothing else, as one of a
// char might.
struct BoolByte {
  BoolByte(bool value = false) : bit(value) {}
  operator bool() const { return bit; }
  bool bit;
};

`

// packed is what units say of their packed bits, joined by identity.
type packed struct {
	slots  map[string]*analyzer.FixSlot
	order  []string
	edited map[analyzer.FixEdit]string // by what is replaced: the first declaration that needs it
	char8  bool                        // every unit so far has char8_t
	unread []Remark
	taken  []Remark // the name of the new type is in use
}

// proposeBits writes the change of packed bits at a place, or of the declarations
// in the options, to bytes. What has to change together is found in all units of
// the build: each says what it ties together (analyzer/src/fix/bits.h), and what is
// reached from the place by ties changes in all of them or in none.
func proposeBits(ctx context.Context, o Options, at Place) (Proposal, error) {
	p := Proposal{Kind: VectorBool}
	here := o.having()
	all := packed{slots: map[string]*analyzer.FixSlot{}, edited: map[analyzer.FixEdit]string{}, char8: true}
	name := ""
	asked, next := []compdb.Unit(nil), here
	for len(next) > 0 {
		if err := all.ask(ctx, o, next, at, name); err != nil {
			return p, err
		}
		asked = append(asked, next...)
		if !all.char8 && name == "" { // one language for all: begin anew
			name = element
			all = packed{slots: map[string]*analyzer.FixSlot{}, edited: map[analyzer.FixEdit]string{}, unread: all.unread}
			asked, next = nil, here
			continue
		}
		next = nil
		if all.leaves(o, at) {
			next = all.concerned(o, at, asked)
		}
	}
	if len(all.taken) > 0 {
		p.Refusals = all.taken
		return p, nil
	}
	seeds := all.seeds(o, at)
	if len(seeds) == 0 {
		return p, ErrNothingThere
	}
	chosen := all.choose(&p, seeds)
	if len(chosen) == 0 {
		return p, nil
	}
	p.Refusals = nil
	for _, id := range chosen {
		p.slots = append(p.slots, Place{File: all.slots[id].File, Line: all.slots[id].Line})
	}
	all.describe(&p, chosen, name)
	edits := all.edits(chosen)
	if name != "" {
		more, err := all.definitions(o, chosen)
		if err != nil {
			return p, err
		}
		edits = append(more, edits...)
	}
	var err error
	if p.Changes, err = changesOf(edits); err != nil {
		return p, err
	}
	if err := compiles(ctx, o, here, &p); err != nil || len(p.Refusals) > 0 {
		return p, err
	}
	return p, verify(ctx, o, here, at, &p)
}

func sameUnit(a, b compdb.Unit) bool {
	return a.File == b.File && slices.Equal(a.Arguments, b.Arguments)
}

// ask joins what units say.
func (b *packed) ask(ctx context.Context, o Options, units []compdb.Unit, at Place, name string) error {
	opts := analyzer.Options{Fix: analyzer.FixRequest{Fix: &analyzer.FixAt{Kind: VectorBool, File: at.File, Line: at.Line, Element: name}}}
	var failed error
	answered := 0
	var answers []analyzer.Outcome
	err := o.run(ctx, units, opts, "units asked what they do with the bits", func(out analyzer.Outcome) {
		switch {
		case out.Err != nil:
			failed = fmt.Errorf("%s: %w", out.Unit.File, out.Err)
		case len(out.Reply.Errors) > 0:
			failed = fmt.Errorf("%s does not compile: %s", out.Unit.File, out.Reply.Errors[0])
			b.unread = unite(b.unread, []Remark{{Text: "what " + filepath.Base(out.Unit.File) + " does with it does not matter: clang cannot read the unit (" + out.Reply.Errors[0] + ")", File: out.Unit.File}})
		case out.Reply.Fix == nil:
			failed = errors.New("the analyser is too old to write fixes: `make analyzer` builds the one that belongs to this whyhot")
		default:
			answered++
			answers = append(answers, out)
		}
	})
	if err != nil {
		return err
	}
	if answered == 0 && failed != nil {
		return failed
	}
	slices.SortFunc(answers, func(x, y analyzer.Outcome) int { return strings.Compare(x.Unit.File, y.Unit.File) })
	for _, a := range answers {
		f := a.Reply.Fix
		if f.What == analyzer.NoChar8 {
			b.char8 = false
		}
		b.taken = unite(b.taken, f.Refusals)
		for i := range f.Slots {
			b.add(&f.Slots[i])
		}
	}
	return nil
}

func (b *packed) add(s *analyzer.FixSlot) {
	have := b.slots[s.ID]
	if have == nil {
		have = &analyzer.FixSlot{ID: s.ID, Name: s.Name, File: s.File, Line: s.Line, Column: s.Column}
		b.slots[s.ID] = have
		b.order = append(b.order, s.ID)
	}
	have.Asked, have.Shared = have.Asked || s.Asked, have.Shared || s.Shared
	have.Function, have.Body = have.Function || s.Function, have.Body || s.Body
	have.Ties = unite(have.Ties, s.Ties)
	have.Edits = unite(have.Edits, s.Edits)
	have.Refusals = unite(have.Refusals, s.Refusals)
	have.Definitions = unite(have.Definitions, s.Definitions)
	for _, e := range s.Edits {
		// What is declared together has one type: vector<bool> a, b;
		if first, shared := b.edited[e]; shared && first != s.ID && e.Length > 0 {
			have.Ties = unite(have.Ties, []string{first})
		} else if !shared {
			b.edited[e] = s.ID
		}
	}
}

// seeds are the declarations that are meant: those of the options, else those of
// the loop at the place.
func (b *packed) seeds(o Options, at Place) []string {
	declared := append(slices.Clone(o.Declarations), at)
	return slices.DeleteFunc(slices.Clone(b.order), func(id string) bool {
		s := b.slots[id]
		if len(o.Declarations) == 0 && s.Asked {
			return false
		}
		return !slices.ContainsFunc(declared, func(d Place) bool { return d.Line == s.Line && leadToOne(d.File, s.File) })
	})
}

// leaves says whether what is meant, or what it is tied to, is seen by other units.
func (b *packed) leaves(o Options, at Place) bool {
	reached := map[string]bool{}
	for _, id := range b.seeds(o, at) {
		b.reach(id, reached)
	}
	found := 0
	for _, d := range o.Declarations {
		if slices.ContainsFunc(b.order, func(id string) bool { return b.slots[id].Line == d.Line && leadToOne(d.File, b.slots[id].File) }) {
			found++
		}
	}
	return found < len(o.Declarations) || slices.ContainsFunc(b.order, func(id string) bool { return reached[id] && b.slots[id].Shared })
}

// concerned are the units that were not asked and may have a say: those that may read a
// file in which something that changes is declared for others, and where that is no
// header but a unit's own file, those in which its name stands.
func (b *packed) concerned(o Options, at Place, asked []compdb.Unit) []compdb.Unit {
	reached := map[string]bool{}
	for _, id := range b.seeds(o, at) {
		b.reach(id, reached)
	}
	var headers []Place
	var names []string
	for _, id := range b.order {
		s := b.slots[id]
		switch {
		case !reached[id] || !s.Shared:
		case slices.ContainsFunc(o.Units, func(u compdb.Unit) bool { return leadToOne(u.File, s.File) }):
			names = append(names, s.Name[strings.LastIndexByte(s.Name, ':')+1:])
		default:
			headers = append(headers, Place{File: s.File})
		}
	}
	headers = append(headers, o.Declarations...)
	meant := func(file string) bool {
		return slices.ContainsFunc(headers, func(p Place) bool { return leadToOne(p.File, file) })
	}
	return slices.DeleteFunc(slices.Clone(o.Units), func(u compdb.Unit) bool {
		if slices.ContainsFunc(asked, func(x compdb.Unit) bool { return sameUnit(u, x) }) {
			return true
		}
		reads, known := o.Includes.Reads(u, meant)
		return !reads && known && !slices.ContainsFunc(names, func(n string) bool { return o.Includes.Mentions(u, n) })
	})
}

// reach marks everything that has to change with a declaration.
func (b *packed) reach(id string, reached map[string]bool) {
	work := []string{id}
	for len(work) > 0 {
		id, work = work[0], work[1:]
		if reached[id] {
			continue
		}
		reached[id] = true
		for _, other := range b.order {
			s := b.slots[other]
			if slices.Contains(s.Ties, id) || other == id {
				work = append(work, s.Ties...)
				work = append(work, other)
			}
		}
	}
}

// choose gives the declarations that change: those of every seed whose group has
// nothing against it. What the other groups have against it becomes the refusals,
// and where something is left to change a note.
func (b *packed) choose(p *Proposal, seeds []string) []string {
	chosen, looked := map[string]bool{}, map[string]bool{}
	for _, seed := range seeds {
		if looked[seed] {
			continue
		}
		group := map[string]bool{}
		b.reach(seed, group)
		var against []Remark
		for _, id := range b.order {
			if !group[id] {
				continue
			}
			looked[id] = true
			s := b.slots[id]
			against = append(against, s.Refusals...)
			if s.Function && !s.Body {
				against = append(against, Remark{Text: "it is tied to `" + s.Name + "`, a function whose body is in no unit of the build", File: s.File, Line: s.Line, Column: s.Column})
			}
		}
		if len(against) == 0 {
			for id := range group {
				chosen[id] = true
			}
			continue
		}
		p.Refusals = unite(p.Refusals, against)
		s := b.slots[seed]
		p.Notes = append(p.Notes, Remark{Text: fmt.Sprintf("`%s` stays as it is: %s (%s:%d)", s.Name, against[0].Text, filepath.Base(against[0].File), against[0].Line), File: s.File, Line: s.Line, Column: s.Column})
	}
	out := slices.DeleteFunc(slices.Clone(b.order), func(id string) bool { return !chosen[id] })
	if len(out) == 0 {
		p.Notes = nil
	}
	return out
}

func (b *packed) describe(p *Proposal, chosen []string, name string) {
	var names []string
	api := false
	for _, id := range chosen {
		s := b.slots[id]
		if slices.ContainsFunc(s.Edits, func(e analyzer.FixEdit) bool { return e.Length > 0 }) && !slices.Contains(names, "`"+s.Name+"`") {
			names = append(names, "`"+s.Name+"`")
		}
		api = api || s.Function && s.Shared
	}
	const most = 8
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("%d more", len(names)-most))
	}
	if name == "" {
		name = "char8_t"
	}
	p.What = "gives each element of " + strings.Join(names, ", ") + " a byte of its own, a " + name
	first := b.slots[chosen[0]]
	at := Remark{File: first.File, Line: first.Line, Column: first.Column}
	at.Text = "the elements take eight times the memory"
	p.Notes = append(p.Notes, at)
	if api {
		at.Text = "functions take or return it: code outside this build that calls them has to change too"
		p.Notes = append(p.Notes, at)
	}
	p.Assumptions = append(p.Assumptions, b.unread...)
}

func (b *packed) edits(chosen []string) []analyzer.FixEdit {
	var out []analyzer.FixEdit
	for _, id := range chosen {
		out = unite(out, b.slots[id].Edits)
	}
	return out
}

// definitions put the new type before what spells it: in the header where there is
// one, for those that include it have it then; in each of several headers, behind a
// guard; else in every file.
func (b *packed) definitions(o Options, chosen []string) ([]analyzer.FixEdit, error) {
	at := map[string]int{}
	var files, headers []string
	for _, id := range chosen {
		for _, d := range b.slots[id].Definitions {
			if first, seen := at[d.File]; !seen {
				files = append(files, d.File)
				at[d.File] = d.Offset
			} else {
				at[d.File] = min(first, d.Offset)
			}
		}
	}
	slices.Sort(files)
	for _, f := range files {
		if !slices.ContainsFunc(o.Units, func(u compdb.Unit) bool { return leadToOne(u.File, f) }) {
			headers = append(headers, f)
		}
	}
	if len(headers) > 0 {
		files = headers
	}
	var out []analyzer.FixEdit
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		text := elementText
		if len(headers) > 1 {
			text = "#ifndef BOOL_BYTE_DEFINED\n#define BOOL_BYTE_DEFINED\n" + strings.TrimSuffix(text, "\n") + "#endif\n\n"
		}
		if strings.Contains(string(data), "\n\t") {
			text = strings.ReplaceAll(text, "\n  ", "\n\t")
		}
		if strings.Contains(string(data), "\r\n") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		out = append(out, analyzer.FixEdit{File: f, Offset: at[f], Text: text})
	}
	return out, nil
}

// compiles has the units that may read a changed file read it: what was sound before
// has to be sound after. Those that verify compiles are left to it.
func compiles(ctx context.Context, o Options, verified []compdb.Unit, p *Proposal) error {
	opts := analyzer.Options{Fix: analyzer.FixRequest{Files: fixed(p.Changes, o.Units)},
		AST: analyzer.ASTRequest{Layers: []string{analyzer.LayerAST}, ASTRules: []string{VectorBool}}}
	changed := func(file string) bool {
		return slices.ContainsFunc(p.Changes, func(c Change) bool { return leadToOne(c.Path, file) })
	}
	units := slices.DeleteFunc(slices.Clone(o.Units), func(u compdb.Unit) bool {
		if slices.ContainsFunc(verified, func(x compdb.Unit) bool { return sameUnit(u, x) }) {
			return true
		}
		reads, known := o.Includes.Reads(u, changed)
		return !reads && known
	})
	var failed []Remark
	err := o.run(ctx, units, opts, "units read with the patch", func(out analyzer.Outcome) {
		known := slices.ContainsFunc(p.Assumptions, func(r Remark) bool { return r.File == out.Unit.File })
		if len(out.Reply.Errors) > 0 && !known {
			failed = append(failed, Remark{Text: "the fixed source does not compile: " + out.Reply.Errors[0], File: out.Unit.File})
		}
	})
	p.Refusals = unite(p.Refusals, failed)
	return err
}
