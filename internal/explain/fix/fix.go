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
	"whyhot/internal/finding"
)

// The kinds of fixes of source.
const (
	Hoist      = "hoist"
	Retype     = "retype"
	WideStore  = "wide-store"
	VectorBool = "vector-bool"
	BitField   = "bit-field"
	WholeCopy  = "whole-copy"
)

// Kinds lists the kinds of fixes of source.
func Kinds() []string { return []string{Hoist, Retype, WideStore, WholeCopy, VectorBool, BitField} }

// KindsFor are the kinds that can fix a rule's findings, the one to try first
// coming first. A rule without any has no machine-written fix.
func KindsFor(rule string) []string {
	switch {
	case rule == "alias-char-write" || strings.HasPrefix(rule, "alias-") && rule != "alias-pointer-store" && rule != "alias-size-store":
		return []string{WideStore, Hoist, Retype}
	case rule == "alias-pointer-store" || rule == "alias-size-store":
		return []string{Hoist}
	case rule == "vector-bool":
		return []string{WholeCopy, VectorBool}
	case rule == "bitfield-flag" || rule == "bitfield-store":
		return []string{BitField, Hoist}
	}
	return nil
}

// Place is where the finding is.
type Place struct {
	File string
	Line int
	// Functions are the linkage names of those that the optimiser puts the loop into, for
	// a check of them alone; none where nobody knows.
	Functions []string
}

func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// PlaceOf is where a finding is, in the functions that its edit helps.
func PlaceOf(f finding.Finding) Place {
	p := Place{File: f.Place.File, Line: f.Place.Line}
	for _, c := range f.Copies {
		if c.State != finding.CopyFine {
			p.Functions = append(p.Functions, c.Function)
		}
	}
	return p
}

// Remark is a sentence and the place it is about.
type Remark = analyzer.FixRemark

// Change is one file before and after.
type Change struct {
	Path          string
	Before, After []byte
	edits         []analyzer.FixEdit
}

// Proposal is a fix: shown to be right where Refusals and Assumptions are empty.
type Proposal struct {
	Kind        string
	What        string
	Changes     []Change // empty where the fix could not be written
	Refusals    []Remark // why it is not applied
	Assumptions []Remark // what a person has to vouch for
	Notes       []Remark
	Effect      string     // what the compiler makes of it
	Loops       []Compiled // the loops that it makes better, most first; none where there is no loop to compare
	Useless     bool       // it was compiled, and gains nothing
	Advice      []string   // what a person can do where there is no fix
	Covers      Coverage   // of a finding that has several places
	Others      []Proposal // further kinds that are sound, where they were asked for or cover less
	whole       bool       // the loop becomes a library call or is vectorised: no other kind gives more
	slots       []Place    // the declarations that change, of packed bits

	// Unit, Functions, At and Moved are for whoever compiles the patch again: where the
	// loop of Effect is, by linkage names of what it is in, before and after.
	Unit      compdb.Unit
	Functions []string
	At, Moved Place
	Span      int // lines of the loop behind the first
}

// Sound says whether the fix may be applied when the assumptions hold.
func (p *Proposal) Sound() bool { return len(p.Changes) > 0 && len(p.Refusals) == 0 }

// LoopsTell says whether the instructions of the loop at At show what the patch gains:
// not those of packed bits and of a way around the loop, nor those of one loop of several.
func (p *Proposal) LoopsTell() bool {
	return p.Covers.Places <= 1 && !slices.Contains([]string{VectorBool, WholeCopy, BitField}, p.Kind)
}

// Options say whom to ask.
type Options struct {
	Binary  string // the analyser
	Units   []compdb.Unit
	Having  []compdb.Unit // those that have the place's file; nil: all
	Workers int
	Cache   *analyzer.Cache // nil: none
	// Declarations are what a finding is about that is one for the whole program:
	// they change, rather than what the loop at the place touches.
	Declarations []Place
	Sites        []Site // the loops of such a finding; none: the place is all there is
	Cycles       bool   // have LLVM's model count the cycles of Proposal.Loops
	Every        bool   // try all kinds, for Proposal.Others
	// Progress is called as units answer; nil for nobody who looks.
	Progress func(done, of int, file, what string)
	// Includes says which units have a header; nil: it is made.
	Includes *compdb.Includes
}

// run asks units and says how far it is.
func (o Options) run(ctx context.Context, units []compdb.Unit, opts analyzer.Options, what string, done func(analyzer.Outcome)) error {
	opts.Binary, opts.Workers, opts.Cache = o.Binary, o.Workers, o.Cache
	told := 0
	tell := func(file string) {
		if o.Progress != nil && len(units) > 0 {
			o.Progress(told, len(units), file, what)
		}
	}
	tell("")
	return analyzer.Run(ctx, units, opts, func(out analyzer.Outcome) {
		done(out)
		told++
		tell(out.Unit.File)
	})
}

// having are the units that have the place's file.
func (o Options) having() []compdb.Unit {
	if o.Having == nil {
		return o.Units
	}
	return o.Having
}

// ErrNothingThere says that no unit has anything to fix at the place.
var ErrNothingThere = errors.New("nothing there can be fixed")

// Propose tries the kinds in order and gives the first fix that is right and frees the
// loop as a whole, else the first that is right and has an effect; where there is none,
// the one that came furthest. Of a finding with several places, it tries all kinds and
// gives the one that covers most of them.
//
// Example. The bytes of a pixel are stored one by one. One wide store takes a load and two
// stores away, locals have the loop vectorised: the patch is the locals'.
func Propose(ctx context.Context, o Options, at Place, kinds []string) (Proposal, error) {
	if o.Includes == nil {
		o.Includes = compdb.NewIncludes()
	}
	var all []Proposal
	for _, kind := range kinds {
		p, err := o.propose(ctx, at, kind)
		if errors.Is(err, ErrNothingThere) {
			continue
		}
		if err != nil {
			return Proposal{}, err
		}
		all = append(all, p)
		if p.Sound() && p.whole && p.Covers.all() && !o.Every {
			break
		}
	}
	if len(all) == 0 {
		return Proposal{}, fmt.Errorf("%s: %w (kinds tried: %s)", at, ErrNothingThere, strings.Join(kinds, ", "))
	}
	best := 0
	for i := range all {
		if all[i].before(&all[best]) {
			best = i
		}
	}
	out := all[best]
	for i := range all {
		if i != best && all[i].Sound() && !all[i].Useless {
			out.Others = append(out.Others, all[i])
		}
	}
	return out, nil
}

// before says whether a proposal is to be shown rather than another one that was tried
// first.
func (p *Proposal) before(q *Proposal) bool {
	switch {
	case p.Sound() != q.Sound():
		return p.Sound()
	case !p.Sound():
		return len(q.Changes) == 0 && len(p.Changes) > 0
	case !p.Covers.same(q.Covers):
		return p.Covers.more(q.Covers)
	}
	return p.whole && !q.whole
}

// propose writes the fix of one kind, everywhere where the finding is.
func (o Options) propose(ctx context.Context, at Place, kind string) (Proposal, error) {
	switch {
	case kind == VectorBool:
		p, err := proposeBits(ctx, o, at)
		p.Covers = o.covered(func(s Site) bool { return p.changes(s) })
		return p, err
	case len(o.Sites) > 0:
		return proposeSites(ctx, o, kind)
	}
	return propose(ctx, o, at, kind)
}

func propose(ctx context.Context, o Options, at Place, kind string) (Proposal, error) {
	asked := o.having()
	main := slices.ContainsFunc(asked, func(u compdb.Unit) bool { return leadToOne(u.File, at.File) })
	p, edits, err := ask(ctx, o, asked, kind, at)
	if err != nil {
		return p, err
	}
	if edits, err = everywhere(ctx, o, &p, edits, main); err != nil || len(p.Refusals) > 0 {
		return p, err
	}
	if p.Changes, err = changesOf(edits); err != nil {
		return p, err
	}
	return p, verify(ctx, o, asked, at, &p)
}

// leadToOne says whether two paths lead to one file of this machine: one may be the end of
// the other, or lead through a symbolic link. What is edited has to be the file that is
// meant: names that may be of one file (profile.SameFile) are not enough.
func leadToOne(a, b string) bool {
	a, b = filepath.Clean(a), filepath.Clean(b)
	if a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a) {
		return true
	}
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	linkA, errA := filepath.EvalSymlinks(a)
	linkB, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && linkA == linkB
}

// ask joins the answers of units: an edit has to be right in every one that has
// the place.
func ask(ctx context.Context, o Options, units []compdb.Unit, kind string, at Place) (Proposal, []analyzer.FixEdit, error) {
	p := Proposal{Kind: kind}
	var edits []analyzer.FixEdit
	var failed error
	found, answered := false, 0
	opts := analyzer.Options{Fix: analyzer.FixRequest{Fix: &analyzer.FixAt{Kind: kind, File: at.File, Line: at.Line}}}
	err := o.run(ctx, units, opts, "units asked for the "+kind+" patch", func(out analyzer.Outcome) {
		switch {
		case out.Err != nil:
			failed = fmt.Errorf("%s: %w", out.Unit.File, out.Err)
		case len(out.Reply.Errors) > 0:
			failed = fmt.Errorf("%s does not compile: %s", out.Unit.File, out.Reply.Errors[0])
		case out.Reply.Fix == nil:
			failed = errors.New("the analyser is too old to write fixes: `make analyzer` builds the one that belongs to this whyhot")
		}
		if f := out.Reply.Fix; f != nil {
			answered++
			if f.Found {
				join(&p, &edits, f, found)
				found = true
			}
		}
	})
	switch {
	case err != nil:
		return p, nil, err
	case !found && answered == 0 && failed != nil:
		return p, nil, failed
	case !found:
		return p, nil, ErrNothingThere
	}
	return p, edits, nil
}

func join(p *Proposal, edits *[]analyzer.FixEdit, f *analyzer.FixAnswer, again bool) {
	p.What = f.What
	p.Refusals = unite(p.Refusals, f.Refusals)
	p.Assumptions = unite(p.Assumptions, f.Assumptions)
	p.Notes = unite(p.Notes, f.Notes)
	if p.Kind == BitField { // each unit edits its own uses beside the declaration
		*edits = unite(*edits, f.Edits)
		return
	}
	if again && len(p.Refusals) == 0 && !slices.Equal(*edits, f.Edits) {
		p.Refusals = append(p.Refusals, Remark{Text: "two units that include the file would need different edits"})
	}
	*edits = f.Edits
}

func unite[T comparable](a, b []T) []T {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}

// everywhere asks the other units too when an edit changes a declaration in a
// header: what they do with it counts as well.
func everywhere(ctx context.Context, o Options, p *Proposal, edits []analyzer.FixEdit, main bool) ([]analyzer.FixEdit, error) {
	if !main || p.Kind != BitField || len(p.Refusals) > 0 {
		return edits, nil
	}
	for _, e := range slices.Clone(edits) {
		if slices.ContainsFunc(o.Units, func(u compdb.Unit) bool { return leadToOne(u.File, e.File) }) {
			continue
		}
		line, err := lineAt(e.File, e.Offset)
		if err != nil {
			return nil, err
		}
		other, more, err := ask(ctx, o, o.Units, p.Kind, Place{File: e.File, Line: line})
		if errors.Is(err, ErrNothingThere) {
			continue
		}
		if err != nil {
			return nil, err
		}
		p.Refusals = unite(p.Refusals, other.Refusals)
		edits = unite(edits, more)
	}
	return edits, nil
}

func lineAt(file string, offset int) (int, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	if offset > len(data) {
		return 0, fmt.Errorf("%s changed while the fix was written: run it again", file)
	}
	return strings.Count(string(data[:offset]), "\n") + 1, nil
}
