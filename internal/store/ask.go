package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"whyhot/internal/profile"
	"whyhot/internal/store/dict"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/stage"
	"whyhot/internal/store/weigh"
)

// question is a selection with its weights and the tree to spread them over.
type question struct {
	tables dict.Snapshot
	w      *weights
	tree   *weigh.Weights
	basis  Basis
	rest   string // the name of the unknown function where it stands for what was left out
}

// errMoved says that numbers got another meaning while a question was at work.
var errMoved = errors.New("the dictionary was rewritten in the meantime")

// steady asks, and again where the dictionary was rewritten in the meantime: that is done once
// a day, or when it is full.
func steady[T any](ask func() (T, error)) (T, error) {
	for {
		if out, err := ask(); !errors.Is(err, errMoved) {
			return out, err
		}
	}
}

// since gives the tables as they are now, by which the engine's answers are read to a
// question that was put by those of before: all that is in the answers is in them.
func (s *Store) since(before *dict.Snapshot) (dict.Snapshot, error) {
	now := s.dict.Snapshot()
	if now.Epoch != before.Epoch {
		return now, errMoved
	}
	return now, nil
}

// question answers what all questions about functions begin with. Its tree must be
// released.
func (s *Store) question(ctx context.Context, sel *Selection) (*question, error) {
	return steady(func() (*question, error) { return s.questionOnce(ctx, sel) })
}

func (s *Store) questionOnce(ctx context.Context, sel *Selection) (*question, error) {
	tables := s.dict.Snapshot()
	c, err := s.choose(sel, &tables)
	if err != nil {
		return nil, err
	}
	q := &question{}
	if q.w, err = s.weigh(ctx, c); err != nil {
		return nil, err
	}
	merged, err := s.merged(ctx, c, &tables)
	if err != nil {
		return nil, err
	}
	stage.Enter(ctx, "waiting for a turn to spread the weights")
	if err := s.queries.Acquire(ctx, 1); err != nil { // the sweeps take memory
		return nil, err
	}
	defer s.queries.Release(1)
	stage.Enter(ctx, "spreading the weights over the functions")
	if q.tables, err = s.since(&tables); err != nil {
		return nil, err
	}
	q.tree = weigh.New(q.tables.View, q.w.parts()...)
	q.basis = q.w.basis()
	q.basis.Covered = s.coveredIn(q.w.from, q.w.to)
	q.basis.Merged = merged
	q.limits()
	if sel.Only != nil {
		view := sel.Only.of(&q.tables, q.tree)
		q.tree.Release()
		q.tree, q.rest = weigh.New(view, q.w.parts()...), sel.Only.Rest
	}
	return q, nil
}

// of is the view of weights with the functions that are kept alone.
func (o *Only) of(t *dict.Snapshot, w *weigh.Weights) dict.View {
	return w.View.Only(w.Total, func(id uint32) bool {
		f := functionOf(t, id)
		return o.Keep(&f)
	})
}

// merged is the weight of series that stand for those there were too many of.
func (s *Store) merged(ctx context.Context, c *chosen, d *dict.Snapshot) (int64, error) {
	list := []uint32{}
	for _, i := range d.SeriesNumbers {
		if d.Series[i].Host != dict.Merged {
			continue
		}
		if _, in := slices.BinarySearch(c.series, i); c.series == nil || in {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	q := engine.Query{Table: engine.Activity, Groups: c.groups, Series: list}
	q.From, q.To = c.hours()
	sums, err := s.ask(ctx, q)
	if err != nil || sums.Len() == 0 {
		return 0, err
	}
	return sums.Values[0], nil
}

// limits tells what of the weight is cut.
func (q *question) limits() {
	for n := 1; n < len(q.tree.Total); n++ {
		if q.tree.View.Parent[n] == 0 && q.tree.Total[n] != 0 && isMarker(&q.tables.Functions[q.tree.View.Function[n]]) {
			q.basis.Cut += q.tree.Total[n]
		}
	}
}

// isMarker says that a frame stands for others that were not kept.
func isMarker(f *dict.Function) bool {
	return f.Mapping == 0 && f.Kind == 0 && (f.Name == dict.FullFrame || f.Name == dict.OldFrame || deepFrame.MatchString(f.Name))
}

var deepFrame = regexp.MustCompile(`^\[stack deeper than \d+ frames\]$`)

func (q *question) function(id uint32) Function {
	if int(id) >= len(q.tables.Functions) {
		return Function{}
	}
	if id == 0 && q.rest != "" {
		return Function{Name: q.rest}
	}
	return functionOf(&q.tables, id)
}

func functionOf(t *dict.Snapshot, id uint32) Function {
	f := &t.Functions[id]
	m := &t.Mappings[f.Mapping]
	return Function{
		ID: FunctionID(t.IDs[id]), Name: f.Name, System: f.System, File: f.File, StartLine: int32(f.StartLine), Binary: m.Path, BuildID: m.BuildID,
		Kind: profile.Kind(f.Kind),
	}
}

// known gives a function's number as the views use it.
func (q *question) known(id FunctionID) (uint32, error) {
	return known(&q.tables, id)
}

func known(t *dict.Snapshot, id FunctionID) (uint32, error) {
	function, ok := t.Numbered(uint32(id))
	if !ok {
		return 0, fmt.Errorf("%w: %d; it has never been, or no sample that is kept has it any more", ErrUnknownFunction, id)
	}
	return t.Same[function], nil
}

// Top lists what is hot.
func (s *Store) Top(ctx context.Context, sel Selection, o TopOptions) (*Top, error) {
	q, err := s.question(ctx, &sel)
	if err != nil {
		return nil, err
	}
	defer q.tree.Release()
	rows := q.tree.Top(len(q.tables.Functions))
	t := &Top{Basis: q.basis, Functions: len(rows)}
	if o.Match != nil || o.Keep != nil {
		chosen := make([]bool, len(q.tables.Functions))
		rows = slices.DeleteFunc(rows, func(r weigh.Row) bool {
			f := q.function(r.Function)
			match := o.Match == nil || o.Match.MatchString(f.Name) || o.Match.MatchString(f.System) || o.Match.MatchString(f.Binary)
			chosen[r.Function] = match && (o.Keep == nil || o.Keep(&f, r.Self))
			return !chosen[r.Function]
		})
		t.MatchedTotal = q.tree.Holding(chosen)
	} else {
		t.MatchedTotal = q.basis.Value
	}
	t.Matched = len(rows)
	for _, r := range rows {
		t.MatchedSelf += r.Self
	}
	less := func(a, b weigh.Row) int {
		first, second := cmp.Compare(b.Self, a.Self), cmp.Compare(b.Total, a.Total)
		if o.Total {
			first, second = second, first
		}
		return cmp.Or(first, second, cmp.Compare(q.tables.Functions[a.Function].Name, q.tables.Functions[b.Function].Name), cmp.Compare(a.Function, b.Function))
	}
	slices.SortFunc(rows, less)
	if o.Limit > 0 && len(rows) > o.Limit {
		rows = rows[:o.Limit]
	}
	t.Rows = make([]TopRow, len(rows))
	for i, r := range rows {
		t.Rows[i] = TopRow{Function: q.function(r.Function), Self: r.Self, Total: r.Total}
	}
	return t, nil
}

// Tree gives the calling contexts. A path that leads nowhere gives an empty tree.
func (s *Store) Tree(ctx context.Context, sel Selection, o TreeOptions) (*Tree, error) {
	q, err := s.question(ctx, &sel)
	if err != nil {
		return nil, err
	}
	defer q.tree.Release()
	w := weigh.Options{FromLeaf: o.FromLeaf, Depth: o.Depth, MinShare: o.MinShare, MaxNodes: o.MaxNodes}
	if o.Focus != 0 {
		if w.Focus, err = q.known(o.Focus); err != nil {
			return nil, err
		}
		w.HasFocus = true
	}
	for _, f := range o.Path {
		id, err := q.known(f)
		if err != nil {
			return nil, err
		}
		w.Path = append(w.Path, id)
	}
	out := &Tree{Basis: q.basis, Functions: map[FunctionID]Function{}}
	t := q.tree.Tree(w)
	if t == nil {
		return out, nil
	}
	out.Parent, out.Self, out.Total, out.Hidden = t.Parent, t.Self, t.Total, t.Hidden
	if o.Events {
		if out.Events, out.NodeEvents, err = s.eventsOfNodes(ctx, &sel, q, t); err != nil {
			return nil, err
		}
	}
	out.Function = make([]FunctionID, len(t.Function))
	there := make([]bool, len(q.tables.Functions)) // a million nodes are looked up slowly in a map
	for i, f := range t.Function {
		id := FunctionID(q.tables.IDs[f])
		out.Function[i] = id
		if !there[f] {
			there[f] = true
			out.Functions[id] = q.function(f)
		}
	}
	return out, nil
}

// Callgraph gives one function between its callers and callees.
func (s *Store) Callgraph(ctx context.Context, sel Selection, id FunctionID) (*Callgraph, error) {
	q, err := s.question(ctx, &sel)
	if err != nil {
		return nil, err
	}
	defer q.tree.Release()
	f, err := q.known(id)
	if err != nil {
		return nil, err
	}
	g := q.tree.Callgraph(f)
	edges := func(list []weigh.Edge) []Edge {
		out := make([]Edge, len(list))
		for i, e := range list {
			out[i] = Edge{q.function(e.Function), e.Total}
		}
		return out
	}
	return &Callgraph{
		Basis: q.basis, Function: q.function(f), Self: g.Self, Total: g.Total, Recursive: g.Recursive, Entry: g.Entry,
		Callers: edges(g.Callers), Callees: edges(g.Callees),
	}, nil
}

// maxFound bounds FindFunctions.
const maxFound = 200

// FindFunctions gives the functions of a selection whose name or symbol matches, the
// heaviest first.
func (s *Store) FindFunctions(ctx context.Context, sel Selection, match *regexp.Regexp) ([]Function, error) {
	t, err := s.Top(ctx, sel, TopOptions{Total: true, Match: match})
	if err != nil {
		return nil, err
	}
	var out []Function
	for _, r := range t.Rows {
		if len(out) < maxFound && (match.MatchString(r.Function.Name) || match.MatchString(r.Function.System)) {
			out = append(out, r.Function)
		}
	}
	return out, nil
}

// Function gives what is known of a function by its number.
func (s *Store) Function(id FunctionID) (Function, error) {
	t := s.dict.Snapshot()
	function, ok := t.Numbered(uint32(id))
	if !ok {
		return Function{}, fmt.Errorf("%w: %d", ErrUnknownFunction, id)
	}
	return functionOf(&t, function), nil
}
