package explain

import (
	"context"
	"fmt"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/ingest/remark"
	"whyhot/internal/ingest/remark/report"
)

// ReadReports reads what compilers reported: files, and directories with everything in
// them.
func ReadReports(ctx context.Context, paths ...string) ([]remark.Remark, error) {
	return report.Read(ctx, bitstream, paths...)
}

// bitstream has the analyser read what LLVM alone defines.
func bitstream(ctx context.Context, path string) ([]remark.Remark, error) {
	program, err := analyzer.Find()
	if err != nil {
		return nil, fmt.Errorf("%w; or convert it: llvm-remarkutil-19 bitstream2yaml %s -o remarks.yaml", err, path)
	}
	recorded, err := analyzer.Record(ctx, program, path)
	if err != nil && strings.Contains(err.Error(), "missing string table") {
		return nil, fmt.Errorf("%w: clang means to put its strings into the object file, which ELF has no section for; have it write YAML (-fsave-optimization-record=yaml)", err)
	}
	if err != nil {
		return nil, err
	}
	out := make([]remark.Remark, len(recorded))
	for i, r := range recorded {
		out[i] = remark.Remark{Compiler: remark.Clang, Kind: remark.Kind(r.Kind), Pass: r.Pass, Name: r.Name, Function: r.Function, Callee: r.Callee, Message: strings.TrimSpace(r.Message)}
		for _, p := range r.Where {
			out[i].Where = append(out[i].Where, remark.Position{File: p.File, Line: p.Line, Column: p.Column})
		}
	}
	return out, nil
}
