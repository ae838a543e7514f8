package api

import (
	"context"
	"slices"
	"strings"

	"whyhot/internal/store"
)

// Bounds of a tree.
const (
	usualNodes = 10_000
	maxNodes   = 1_000_000
	maxInJSON  = 200_000
	maxDepth   = 2000
)

// tree gives the calls as a tree, by column.
func (s *Server) tree(ctx context.Context, r *request) (any, error) {
	sel, err := s.selection(r)
	if err != nil {
		return nil, err
	}
	root, err := r.choice("root", "callers", "callees")
	if err != nil {
		return nil, err
	}
	o := store.TreeOptions{FromLeaf: root == "callees"}
	if text := r.values.Get("focus"); text != "" {
		if o.Focus, err = functionID("focus", text); err != nil {
			return nil, err
		}
	}
	if o.Path, err = r.path(); err != nil {
		return nil, err
	}
	if o.Depth, err = r.number("depth", 0, 0, maxDepth); err != nil {
		return nil, err
	}
	if o.MinShare, err = r.share("min_share", 0); err != nil {
		return nil, err
	}
	if o.MaxNodes, err = r.number("max_nodes", usualNodes, 1, maxNodes); err != nil {
		return nil, err
	}
	inColumns := wantsColumns(r.Header.Get("Accept"))
	if o.Events, err = r.boolean("events"); err != nil {
		return nil, err
	}
	if o.Events && (o.FromLeaf || o.Focus != 0) {
		return nil, invalid("events=true: a tree with root=callees or a focus has nodes that stand for several")
	}
	if o.Events && !inColumns {
		return nil, invalid("events=true: JSON does not have them; ask for %s (Accept)", treeType)
	}
	if o.MaxNodes > maxInJSON && !inColumns {
		return nil, invalid("max_nodes=%d: JSON has %d at most; ask for %s (Accept)", o.MaxNodes, maxInJSON, treeType)
	}
	t, err := r.treeBy(ctx, sel, o)
	if err != nil {
		return nil, err
	}
	if inColumns {
		return columnsOf(t, root)
	}
	return treeOf(t, root), nil
}

// path reads the functions from the root on, as "1,2,3" or repeated.
func (r *request) path() ([]store.FunctionID, error) {
	var out []store.FunctionID
	for _, list := range r.values["path"] {
		for text := range strings.SplitSeq(list, ",") {
			id, err := functionID("path", text)
			if err != nil {
				return nil, err
			}
			if out = append(out, id); len(out) > maxDepth {
				return nil, invalid("path has more than %d functions", maxDepth)
			}
		}
	}
	return out, nil
}

func treeOf(t *store.Tree, root string) treeForm {
	out := treeForm{
		Basis: formOf(t.Basis), Root: root, Function: make([]int, len(t.Function)),
		Parent: t.Parent, Self: t.Self, Total: t.Total, Hidden: t.Hidden,
	}
	ids := make([]store.FunctionID, 0, len(t.Functions)+1)
	for id := range t.Functions {
		ids = append(ids, id)
	}
	// The root has no function, and every node one of the list.
	if _, there := t.Functions[0]; !there {
		ids = append(ids, 0)
	}
	slices.Sort(ids)
	place := make(map[store.FunctionID]int, len(ids))
	out.Functions = make([]functionForm, 0, len(ids))
	for i, id := range ids {
		place[id] = i
		f := t.Functions[id]
		f.ID = id
		out.Functions = append(out.Functions, functionOf(f))
	}
	for i, id := range t.Function {
		out.Function[i] = place[id]
	}
	return out
}

// callgraph gives a function between its callers and callees.
func (s *Server) callgraph(ctx context.Context, r *request) (any, error) {
	sel, err := s.selection(r)
	if err != nil {
		return nil, err
	}
	id, err := functionID("function", r.values.Get("function"))
	if err != nil {
		return nil, err
	}
	c, err := r.project.Callgraph(ctx, sel, id)
	if err != nil {
		return nil, err
	}
	return callgraphForm{
		Basis: formOf(c.Basis), Function: functionOf(c.Function), Self: c.Self, Total: c.Total, Recursive: c.Recursive, Entry: c.Entry,
		Error: errorOf(c.Basis, c.Total), Callers: edges(c.Callers), Callees: edges(c.Callees),
	}, nil
}

func edges(list []store.Edge) []edgeForm {
	out := make([]edgeForm, 0, len(list))
	for _, e := range list {
		out = append(out, edgeForm{functionOf(e.Function), e.Total})
	}
	return out
}
