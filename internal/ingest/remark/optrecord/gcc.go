package optrecord

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"whyhot/internal/ingest/remark"
)

// IsGCC tells whether a text begins as gcc's record does.
func IsGCC(head []byte) bool {
	return bytes.HasPrefix(head, []byte(`[{"format": `)) || bytes.HasPrefix(head, []byte(`[{"generator": `))
}

type gccPlace struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

type gccPass struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Children []gccPass `json:"children"`
}

type gccRecord struct {
	Kind     string            `json:"kind"`
	Pass     string            `json:"pass"`
	Function string            `json:"function"`
	Location *gccPlace         `json:"location"`
	Message  []json.RawMessage `json:"message"`
	Children []gccRecord       `json:"children"`
	Chain    []struct {
		Site *gccPlace `json:"site"`
	} `json:"inlining_chain"`
}

// ReadGCC reads the list, record by record. A loop that gcc vectorised in the end was
// tried with other sizes of vectors before, and copies of it where it was inlined: what
// failed then is left out.
//
// Format: gcc/optinfo-emit-json.cc.
func ReadGCC(r io.Reader, take func(remark.Remark)) error {
	dec := json.NewDecoder(r)
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return errShape
	}
	var head struct {
		Format    string          `json:"format"`
		Generator json.RawMessage `json:"generator"`
	}
	if err := dec.Decode(&head); err != nil {
		return fmt.Errorf("%w: %w", errShape, err)
	}
	if head.Format != "1" {
		return fmt.Errorf("format %q; format 1 is known (gcc 9 and later)", head.Format)
	}
	var list []gccPass
	if err := dec.Decode(&list); err != nil {
		return fmt.Errorf("the list of passes: %w", err)
	}
	passes := map[string]string{}
	var note func([]gccPass)
	note = func(list []gccPass) {
		for _, p := range list {
			passes[p.ID] = p.Name
			note(p.Children)
		}
	}
	note(list)
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return errShape
	}
	var failed []remark.Remark
	vectorized := map[remark.Position]bool{}
	for n := 1; dec.More(); n++ {
		var one gccRecord
		if err := dec.Decode(&one); err != nil {
			return fmt.Errorf("record %d: %w", n, err)
		}
		one.all(passes, vectorized, func(m remark.Remark) { failed = append(failed, m) })
	}
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("it ends within the list of records: %w", err)
	}
	for _, m := range failed {
		if m.Pass != "vect" || !vectorized[m.At()] {
			take(m)
		}
	}
	return nil
}

func (g *gccRecord) all(passes map[string]string, vectorized map[remark.Position]bool, take func(remark.Remark)) {
	if l := g.Location; g.Kind == "success" && l != nil && strings.HasPrefix(g.text(), "loop vectorized") {
		vectorized[remark.Position{File: l.File, Line: l.Line, Column: l.Column}] = true
	}
	if text := g.text(); g.Kind == "failure" || g.Kind == "note" && strings.HasPrefix(text, "not vectorized") {
		m := remark.Remark{Compiler: remark.GCC, Kind: remark.Missed, Pass: passes[g.Pass], Function: g.Function, Message: text}
		if g.Location != nil && g.Location.Line > 0 {
			m.Where = append(m.Where, remark.Position{File: g.Location.File, Line: g.Location.Line, Column: g.Location.Column})
			for _, c := range g.Chain {
				if c.Site != nil {
					m.Where = append(m.Where, remark.Position{File: c.Site.File, Line: c.Site.Line, Column: c.Site.Column})
				}
			}
		}
		if caller, callee, ok := strings.Cut(strings.TrimPrefix(text, "not inlinable: "), " -> "); ok && strings.HasPrefix(text, "not inlinable: ") {
			m.Function = symbol(caller)
			callee, m.Message, _ = strings.Cut(callee, ", ")
			m.Callee = symbol(callee)
			m.Message = "not inlinable: " + m.Message
		}
		if text != "" {
			take(m)
		}
	}
	for i := range g.Children {
		g.Children[i].all(passes, vectorized, take)
	}
}

// symbol is a name without the number that gcc gives a node.
func symbol(node string) string {
	if at := strings.LastIndexByte(node, '/'); at > 0 {
		return node[:at]
	}
	return node
}

// text is the first line of what the record says, with the code that it names.
func (g *gccRecord) text() string {
	var b strings.Builder
	for _, part := range g.Message {
		var plain string
		if json.Unmarshal(part, &plain) == nil {
			b.WriteString(plain)
			continue
		}
		var code struct {
			Expr   string `json:"expr"`
			Stmt   string `json:"stmt"`
			Symbol string `json:"symtab_node"`
		}
		if json.Unmarshal(part, &code) == nil {
			b.WriteString(code.Expr + code.Stmt + code.Symbol)
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(b.String()), "\n")
	return strings.TrimSpace(line)
}
