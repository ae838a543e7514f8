package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/machine"
	"whyhot/internal/profile"
	"whyhot/internal/server/machinecode"
	"whyhot/internal/store"
)

type codeForm struct {
	Basis     basisForm      `json:"basis"`
	Function  functionForm   `json:"function"`
	Functions []codeFunction `json:"functions"`
	Left      int            `json:"left"`
	Missing   []missingForm  `json:"missing"`
	Named     int64          `json:"named"`
	Notes     []string       `json:"notes"`
}

// codeFunction is a function of the machine code.
type codeFunction struct {
	Name       string `json:"name"`
	Binary     string `json:"binary"`
	BuildID    string `json:"build_id"`
	Start      uint64 `json:"start"`
	End        uint64 `json:"end"`
	Self       int64  `json:"self"`
	Unresolved int    `json:"unresolved_jumps,omitempty"`

	Loops        []codeLoop        `json:"loops"`
	Instructions []codeInstruction `json:"instructions"`
}

type codeLoop struct {
	Start     uint64      `json:"start"`
	End       uint64      `json:"end"`
	Ranges    [][2]uint64 `json:"ranges"`
	Depth     int         `json:"depth"`
	Innermost bool        `json:"innermost"`
	Self      int64       `json:"self"`
	Total     int64       `json:"total"`
	Error     float64     `json:"error"`
	File      string      `json:"file,omitempty"`
	Line      int         `json:"line,omitempty"`
	EndLine   int         `json:"end_line,omitempty"`
	Inlined   string      `json:"inlined,omitempty"`
}

type codeInstruction struct {
	Address uint64  `json:"address"`
	Text    string  `json:"text"`
	Self    int64   `json:"self"`
	Error   float64 `json:"error"`
	For     uint64  `json:"for,omitempty"`
	File    string  `json:"file,omitempty"`
	Line    int32   `json:"line,omitempty"`
}

type missingForm struct {
	Binary  string `json:"binary"`
	BuildID string `json:"build_id,omitempty"`
	Self    int64  `json:"self"`
}

// instructions gives the machine code that a function ran.
func (s *Server) instructions(ctx context.Context, r *request) (any, error) {
	sel, err := s.selection(r)
	if err != nil {
		return nil, err
	}
	id, err := functionID(paramFunction, r.values.Get(paramFunction))
	if err != nil {
		return nil, err
	}
	fn, err := r.project.Function(id)
	if err != nil {
		return nil, err
	}
	p, basis, err := r.project.Profile(ctx, sel)
	if err != nil {
		return nil, err
	}
	found, err := machinecode.Find(ctx, machinecode.Request{
		Profile: p, Functions: sameFunctions(p, fn), Dirs: append([]string{r.project.DebugDir}, s.o.BinaryDirs...),
	})
	switch {
	case errors.Is(err, analyzer.ErrMissing):
		return nil, &problem{
			status: http.StatusNotImplemented, kind: "no_analyser", detail: "the server has no analyser, which reads machine code",
			help: "Put whyhot-analyzer beside whyhot-server, or on its PATH.",
		}
	case err != nil:
		return nil, err
	}
	return formOfCode(basis, fn, found), nil
}

func formOfCode(basis store.Basis, fn store.Function, found machinecode.Answer) codeForm {
	out := codeForm{
		Basis: formOf(basis), Function: functionOf(fn), Functions: make([]codeFunction, 0, len(found.Functions)),
		Left: found.Left, Named: found.Named, Missing: make([]missingForm, 0, len(found.Missing)), Notes: list(found.Notes),
	}
	for _, m := range found.Missing {
		out.Missing = append(out.Missing, missingForm{m.Path, m.BuildID, m.Self})
	}
	for i := range found.Functions {
		f := &found.Functions[i]
		form := codeFunction{
			Name: f.Name, Binary: f.Mapping.Path, BuildID: f.Mapping.BuildID, Start: f.Start, End: f.End, Self: f.Self, Unresolved: f.Unresolved,
			Loops: make([]codeLoop, 0, len(f.Loops)), Instructions: make([]codeInstruction, 0, len(f.Instructions)),
		}
		for k := range f.Loops {
			l := &f.Loops[k]
			form.Loops = append(form.Loops, codeLoop{
				Start: l.Start, End: l.End, Ranges: slices.Clone(l.Ranges), Depth: l.Depth, Innermost: l.Innermost, Self: l.Self, Total: l.Total,
				Error: errorOf(basis, l.Self), File: l.File, Line: l.Line, EndLine: l.EndLine, Inlined: l.Inlined,
			})
		}
		for _, in := range f.Instructions {
			one := codeInstruction{Address: in.Address, Text: in.Text, Self: in.Self, Error: errorOf(basis, in.Self), For: in.For}
			if at, ok := machine.Edited(in.Lines); ok {
				one.File, one.Line = at.Function.File, at.Line
			}
			form.Instructions = append(form.Instructions, one)
		}
		out.Functions = append(out.Functions, form)
	}
	return out
}

// sameFunctions finds a function of the store in a profile of it.
func sameFunctions(p *profile.Profile, wanted store.Function) []profile.FunctionID {
	var out []profile.FunctionID
	for i := range p.NumFunctions() {
		id := profile.FunctionID(i)
		f := p.Function(id)
		m := p.Mapping(f.Mapping)
		if f.Name == wanted.Name && m.Path == wanted.Binary && m.BuildID == wanted.BuildID && f.File == wanted.File && f.StartLine == wanted.StartLine {
			out = append(out, id)
		}
	}
	return out
}
