// Package tablejson is the JSON form of the tables that top, graph, lines and
// diff print.
//
// It owns the field names. It takes data of internal/profile/view and writes one JSON
// object. Values are in the profile's unit; what is not known is left out. Of
// this module it imports internal/profile, internal/profile/view, internal/finding and
// internal/finding/price only.
package tablejson

import (
	"io"

	"whyhot/internal/finding"
	"whyhot/internal/finding/price"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/answerjson"
)

// function names a function as every table does.
type function struct {
	Function string `json:"function,omitempty"`
	Binary   string `json:"binary,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int32  `json:"line,omitempty"` // first of the function, or in a table by line the executing one
}

type functionRow struct {
	function

	Self  int64  `json:"self"`
	Total int64  `json:"total"`
	Cost  *costs `json:"cost,omitempty"`
}

type groupRow struct {
	Name  string `json:"name"`
	Self  int64  `json:"self"`
	Total int64  `json:"total"`
	Cost  *costs `json:"cost,omitempty"`
}

// costs are there where somebody gave prices.
type costs struct {
	Self  finding.Bill `json:"self"`
	Total finding.Bill `json:"total"`
}

func costsOf(r *price.Rate, self, total, whole int64) *costs {
	if r == nil || whole == 0 {
		return nil
	}
	return &costs{r.Of(float64(self) / float64(whole)), r.Of(float64(total) / float64(whole))}
}

func billOf(r *price.Rate, share float64) *finding.Bill {
	if r == nil {
		return nil
	}
	b := r.Of(share)
	return &b
}

func functionOf(p *profile.Profile, id profile.FunctionID, line int32) function {
	f := p.Function(id)
	if line == 0 {
		line = f.StartLine
	}
	return function{Function: f.Name, Binary: p.Mapping(f.Mapping).Path, File: f.File, Line: line}
}

// Top writes {"total", "unit", "functions": […]}, or for groups {"total",
// "unit", "by", "groups": […]}. whole is the value that shares are taken of;
// rows limits the list unless it is 0. With a rate the whole and each row have a cost.
func Top(w io.Writer, p *profile.Profile, table *view.TopTable, whole int64, rows int, rate *price.Rate) error {
	list := table.Rows
	if rows > 0 && rows < len(list) {
		list = list[:rows]
	}
	out := struct {
		Total     int64         `json:"total"`
		Unit      string        `json:"unit"`
		Cost      *finding.Bill `json:"cost,omitempty"`
		By        view.By       `json:"by,omitempty"`
		Functions []functionRow `json:"functions,omitzero"`
		Groups    []groupRow    `json:"groups,omitzero"`
	}{Total: whole, Unit: unit(p), Cost: billOf(rate, 1)}
	if table.By == view.ByFunction || table.By == view.ByLine {
		out.Functions = make([]functionRow, 0, len(list))
		for _, r := range list {
			out.Functions = append(out.Functions, functionRow{functionOf(p, r.Function, r.Line), r.Self, r.Total, costsOf(rate, r.Self, r.Total, whole)})
		}
	} else {
		out.By = table.By
		out.Groups = make([]groupRow, 0, len(list))
		for _, r := range list {
			out.Groups = append(out.Groups, groupRow{r.Label, r.Self, r.Total, costsOf(rate, r.Self, r.Total, whole)})
		}
	}
	return write(w, out)
}

// unit of a profile that names none is the count of its samples.
func unit(p *profile.Profile) string {
	if u := p.Meta.ValueType.Unit; u != "" {
		return u
	}
	return "count"
}

func write(w io.Writer, v any) error { return answerjson.Write(w, v) }

type edge struct {
	function

	Total int64 `json:"total"`
}

type branch struct {
	function

	Total    int64    `json:"total"`
	Children []branch `json:"children,omitempty"`
}

// Graph writes a function with all its direct callers and callees, and both
// trees without what view folded. With a rate the function has a cost.
func Graph(w io.Writer, p *profile.Profile, s *view.Sandwich, whole int64, rate *price.Rate) error {
	return write(w, struct {
		Total      int64       `json:"total"`
		Unit       string      `json:"unit"`
		Function   functionRow `json:"function"`
		Recursive  int64       `json:"recursive"`
		Entry      int64       `json:"entry"`
		Callers    []edge      `json:"callers"`
		Callees    []edge      `json:"callees"`
		CallerTree []branch    `json:"caller_tree"`
		CalleeTree []branch    `json:"callee_tree"`
	}{
		whole, unit(p),
		functionRow{functionOf(p, s.Function, 0), s.Self, s.Total, costsOf(rate, s.Self, s.Total, whole)},
		s.Recursive, s.Entry,
		edges(p, s.Callers), edges(p, s.Callees),
		branches(p, s.CallerTree), branches(p, s.CalleeTree),
	})
}

func edges(p *profile.Profile, list []view.Edge) []edge {
	out := make([]edge, 0, len(list))
	for _, e := range list {
		out = append(out, edge{functionOf(p, e.Function, 0), e.Total})
	}
	return out
}

// branches nests the nodes below node 1, the function in focus.
func branches(p *profile.Profile, t *view.Tree) []branch {
	next := 2
	var below func(parent int32) []branch
	below = func(parent int32) []branch {
		list := []branch{}
		for next < len(t.Nodes) && t.Nodes[next].Parent == parent {
			n, me := t.Nodes[next], int32(next)
			next++
			children := below(me)
			if n.Label == "" {
				list = append(list, branch{functionOf(p, n.Function, n.Line), n.Total, children})
			}
		}
		return list
	}
	if len(t.Nodes) < 2 {
		return []branch{}
	}
	return below(1)
}

type lineRow struct {
	File   string `json:"file,omitempty"`
	Line   int32  `json:"line,omitempty"`
	Binary string `json:"binary,omitempty"`
	Offset uint64 `json:"offset,omitempty"` // in the binary's file, where the line is not known
	Self   int64  `json:"self"`
	Total  int64  `json:"total"`
	Cost   *costs `json:"cost,omitempty"`
}

// Lines writes a function line by line.
func Lines(w io.Writer, p *profile.Profile, fn profile.FunctionID, t *view.LineTable, whole int64, rate *price.Rate) error {
	rows := make([]lineRow, 0, len(t.Rows))
	for _, r := range t.Rows {
		rows = append(rows, lineRow{r.File, r.Line, p.Mapping(r.Mapping).Path, r.Offset, r.Self, r.Total, costsOf(rate, r.Self, r.Total, whole)})
	}
	return write(w, struct {
		Total    int64       `json:"total"`
		Unit     string      `json:"unit"`
		Function functionRow `json:"function"`
		Lines    []lineRow   `json:"lines"`
	}{whole, unit(p), functionRow{functionOf(p, fn, 0), t.Self, t.Total, costsOf(rate, t.Self, t.Total, whole)}, rows})
}

type side struct {
	Total   int64  `json:"total"`
	Unit    string `json:"unit"`
	Samples int64  `json:"samples"`
}

type values struct {
	Self  int64 `json:"self"`
	Total int64 `json:"total"`
}

type diffRow struct {
	Function    string  `json:"function,omitempty"`
	Binary      string  `json:"binary,omitempty"`
	File        string  `json:"file,omitempty"`
	Was         string  `json:"was,omitempty"` // its name before, where it seems to have been renamed
	Before      *values `json:"before,omitempty"`
	After       *values `json:"after,omitempty"`
	Delta       float64 `json:"delta"`
	P           float64 `json:"p"`
	Significant bool    `json:"significant"`
	// Cost is that of the change, at the load of the second profile.
	Cost *finding.Bill `json:"cost,omitempty"`
}

// Diff writes all functions of a comparison. rate is that of all of b.
func Diff(w io.Writer, a, b *profile.Profile, d *view.DiffTable, sort view.Sort, rows int, rate *price.Rate, failing any) error {
	list := d.Rows
	if rows > 0 && rows < len(list) {
		list = list[:rows]
	}
	out := make([]diffRow, 0, len(list))
	for _, r := range list {
		row := diffRow{Binary: r.Binary, File: r.File, Was: r.Was, Delta: r.Delta, P: r.P, Significant: r.Significant, Cost: billOf(rate, d.Share(r.Delta))}
		row.Before, row.Function = valuesOf(a, r.A, row.Function)
		row.After, row.Function = valuesOf(b, r.B, row.Function)
		out = append(out, row)
	}
	return write(w, struct {
		Before             side      `json:"before"`
		After              side      `json:"after"`
		Compared           view.Sort `json:"compared"`
		Absolute           bool      `json:"absolute"`
		FalseDiscoveryRate float64   `json:"false_discovery_rate"`
		Functions          []diffRow `json:"functions"`
		FailIf             any       `json:"fail_if,omitempty"`
	}{
		side{d.TotalA, unit(a), a.Count()}, side{d.TotalB, unit(b), b.Count()},
		sort, d.Absolute, view.FalseDiscoveryRate, out, failing,
	})
}

// valuesOf gives a side's numbers and the function's name as far as known.
func valuesOf(p *profile.Profile, s view.Side, name string) (*values, string) {
	if s == (view.Side{}) {
		return nil, name
	}
	if known := p.Function(s.Function).Name; known != "" {
		name = known
	}
	return &values{s.Self, s.Total}, name
}
