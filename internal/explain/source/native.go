package source

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/fix"
	"whyhot/internal/explain/native"
)

// AskBuild has the build's own compiler say what it makes of a sound patch, where that is
// not the analyser's, and refuses a patch from which it gains nothing. cache and report may
// be nil.
func AskBuild(ctx context.Context, p *fix.Proposal, cache *analyzer.Cache, report func(Progress)) {
	if !p.Sound() || !native.Asked(p.Unit) {
		return
	}
	tell := func(done int) {
		if report != nil {
			report(Progress{Done: done, Of: 1, File: filepath.Base(p.Unit.File), What: "unit compiled by the build's compiler, before and after"})
		}
	}
	tell(0)
	e, err := compared(ctx, p, cache)
	tell(1)
	switch {
	case err != nil:
		p.Effect += ", for clang; the build's " + filepath.Base(p.Unit.Written[0]) + " was not asked"
		p.Notes = append(p.Notes, fix.Remark{Text: "the effect is clang's: " + err.Error()})
		return
	case e.Same:
		p.Notes = append(p.Notes, fix.Remark{Text: "clang makes of it: " + p.Effect})
		p.Effect = e.String()
	default:
		p.Effect = e.String() + " (clang: " + p.Effect + ")"
	}
	if e.Useless && (e.Same || p.LoopsTell()) {
		p.Useless = true
		p.Refusals = append(p.Refusals, fix.Remark{Text: "the compiler gains nothing from it: " + e.String(), File: p.At.File, Line: p.At.Line})
	}
}

// compared asks for the effect once, as long as what the unit reads stays as it is: to
// compile a unit twice takes as long as to analyse it.
func compared(ctx context.Context, p *fix.Proposal, cache *analyzer.Cache) (native.Effect, error) {
	r := native.Request{Unit: p.Unit, Files: map[string][]byte{}, Functions: p.Functions, File: p.At.File, Line: p.At.Line, Moved: p.Moved.Line, Span: p.Span}
	for _, c := range p.Changes {
		r.Files[c.Path] = c.After
	}
	name, err := json.Marshal(r)
	if err != nil {
		return native.Effect{}, err
	}
	const kind = "the build's compiler 1: "
	var kept native.Effect
	if cache != nil {
		if changed, ok := cache.Recall(kind+string(name), &kept); ok && len(changed) == 0 {
			return kept, nil
		}
	}
	start := time.Now()
	e, err := native.Compare(ctx, r)
	if err != nil || cache == nil {
		return e, err
	}
	var files []string
	_, known := cache.Reads(p.Unit, func(file string) bool {
		files = append(files, file)
		return false
	})
	if !known {
		return e, nil
	}
	if compiler := p.Unit.Written[0]; filepath.IsAbs(compiler) {
		files = append(files, compiler)
	}
	// Not to keep it costs the next command time, and nothing else.
	_ = cache.Note(kind+string(name), start, slices.Compact(files), e)
	return e, nil
}
