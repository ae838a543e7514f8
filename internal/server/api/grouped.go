package api

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"whyhot/internal/profile"
	"whyhot/internal/profile/where"
	"whyhot/internal/store"
)

// maxGroups is the number of values that have a tree of their own; the lighter ones are what
// the root has hidden.
const maxGroups = 12

// groupNodes is the first ID of nodes that stand for a value and not for a function. The store
// numbers functions from 1 on: they would have to be renewed four thousand million times.
const groupNodes store.FunctionID = 0xf0000000

// by reads the dimension that an answer is told apart by; "" for none.
func (r *request) by() (store.Dimension, error) {
	if n := len(r.values[paramBy]); n > 1 {
		return "", invalid("%s is there %d times; at most one is taken here", paramBy, n)
	}
	text := r.values.Get(paramBy)
	if text == "" {
		return "", nil
	}
	return dimension(r, paramBy, text)
}

// treeBy asks for a tree, or for one of each value where the request says of what.
func (r *request) treeBy(ctx context.Context, sel store.Selection, o store.TreeOptions) (*store.Tree, error) {
	by, err := r.by()
	switch {
	case err != nil:
		return nil, err
	case by == "":
		return r.project.Tree(ctx, sel, o)
	case o.Events || o.Focus != 0:
		return nil, invalid("%s=%s: a tree of values has neither events nor a focus", paramBy, by)
	}
	return groupedTree(ctx, r, sel, o, by)
}

// groupedTree gives one tree for each of the heaviest values of a dimension, below one root.
// A node that stands for a value has an ID made of the value's hash, so that a path which a
// client has from one answer means the same in the next, when the order is another.
// For example: samples of pod a (3) and pod b (1) that all call main give
// all 4 → pod=a 3 → main 3, pod=b 1 → main 1.
func groupedTree(ctx context.Context, r *request, sel store.Selection, o store.TreeOptions, by store.Dimension) (*store.Tree, error) {
	values, err := r.project.Labels(ctx, sel, by)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(values, func(a, b store.LabelValue) int { return cmp.Compare(b.Weight, a.Weight) })
	whole, err := r.project.Tree(ctx, sel, store.TreeOptions{Depth: 1, MaxNodes: 1})
	if err != nil {
		return nil, err
	}
	if len(o.Path) > 0 {
		return belowGroup(ctx, r, sel, o, by, values, whole)
	}
	out := &store.Tree{
		Basis: whole.Basis, Function: []store.FunctionID{0}, Parent: []int32{-1}, Self: []int64{0}, Total: []int64{0}, Hidden: []int32{0},
		Functions: map[store.FunctionID]store.Function{},
	}
	if len(whole.Total) > 0 {
		out.Total[0] = whole.Total[0]
	}
	groups := values[:min(maxGroups, len(values))]
	for _, v := range groups {
		one := o
		if o.MaxNodes > 0 {
			one.MaxNodes = max(1, o.MaxNodes/len(groups))
		}
		if o.Depth > 0 {
			one.Depth = o.Depth - 1
		}
		narrowed, err := ofValue(sel, by, v.Value)
		if err != nil {
			return nil, err
		}
		t, err := r.project.Tree(ctx, narrowed, one)
		if err != nil {
			return nil, err
		}
		if len(t.Total) == 0 {
			continue
		}
		if o.Depth == 1 {
			t = &store.Tree{Function: t.Function[:1], Parent: t.Parent[:1], Self: []int64{0}, Total: t.Total[:1], Hidden: []int32{1}}
		}
		hang(out, t, by, v.Value)
	}
	out.Hidden[0] = int32(len(values) - len(groups)) // a project keeps some thousands of a key
	return out, nil
}

// hang puts a tree below the root of another, as the node of a value.
func hang(out, t *store.Tree, by store.Dimension, value string) {
	at := int32(len(out.Function))
	nameRoot(t, by, value)
	for i, parent := range t.Parent {
		if i == 0 {
			out.Parent = append(out.Parent, 0)
			continue
		}
		out.Parent = append(out.Parent, parent+at)
	}
	out.Function = append(out.Function, t.Function...)
	out.Self = append(out.Self, t.Self...)
	out.Total = append(out.Total, t.Total...)
	out.Hidden = append(out.Hidden, t.Hidden...)
	for id, f := range t.Functions {
		out.Functions[id] = f
	}
}

// nameRoot makes the root of a tree the node of a value.
func nameRoot(t *store.Tree, by store.Dimension, value string) {
	id := groupID(value)
	t.Function[0] = id
	if t.Functions == nil {
		t.Functions = map[store.FunctionID]store.Function{}
	}
	shown := value
	if shown == "" {
		shown = "(none)"
	}
	t.Functions[id] = store.Function{ID: id, Name: string(by) + "=" + shown, Kind: profile.KindUnknown}
}

// belowGroup gives what is below a path whose first node stands for a value.
func belowGroup(ctx context.Context, r *request, sel store.Selection, o store.TreeOptions, by store.Dimension, values []store.LabelValue, whole *store.Tree) (*store.Tree, error) {
	at := slices.IndexFunc(values, func(v store.LabelValue) bool { return groupID(v.Value) == o.Path[0] })
	if at < 0 {
		return nil, invalid("path: %d is no value of %s in this selection; with by=%s a path begins with one", o.Path[0], by, by)
	}
	o.Path = o.Path[1:]
	narrowed, err := ofValue(sel, by, values[at].Value)
	if err != nil {
		return nil, err
	}
	t, err := r.project.Tree(ctx, narrowed, o)
	if err != nil {
		return nil, err
	}
	t.Basis = whole.Basis
	if len(o.Path) == 0 && len(t.Function) > 0 {
		nameRoot(t, by, values[at].Value)
	}
	return t, nil
}

// ofValue narrows a selection to the samples that have a value.
func ofValue(sel store.Selection, by store.Dimension, value string) (store.Selection, error) {
	text := fmt.Sprintf("%s=%s", by, where.Quote(value))
	if sel.Where != nil {
		text = fmt.Sprintf("(%s) and %s", sel.Where, text)
	}
	e, err := where.Parse(text)
	if err != nil {
		return sel, fmt.Errorf("narrowing a selection to %s: %w", text, err)
	}
	sel.Where = e
	return sel, nil
}

func groupID(value string) store.FunctionID {
	h := fnv.New32a()
	h.Write([]byte(value))
	return groupNodes | store.FunctionID(h.Sum32()>>4)
}
