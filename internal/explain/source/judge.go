package source

import (
	"context"
	"fmt"

	"whyhot/internal/explain/judge"
)

// DefaultCoverage is the fraction of the CPU spent in a build's source that is
// analysed where nobody asks for another.
const DefaultCoverage = 0.9

// Judge is the judge of the source of a build. coverage is the fraction of the CPU spent
// in it that is analysed, above 0 and up to 1; 0: DefaultCoverage.
func Judge(b *Build, coverage float64, o Options) judge.Judge {
	return func(ctx context.Context, s judge.Subject) (judge.Answer, error) {
		if coverage == 0 {
			coverage = DefaultCoverage
		}
		if coverage < 0 || coverage > 1 {
			return judge.Answer{}, fmt.Errorf("coverage %v: a fraction above 0 and up to 1", coverage)
		}
		a, err := b.Hot(ctx, s.Profile, coverage, s.All, o)
		if err != nil {
			return judge.Answer{}, err
		}
		NameCommands(a.Findings, b.Dir(), s.Path)
		out := judge.Answer{Notes: a.Notes, Lines: a.Lines}
		if a.Looked != "" {
			out.Looked = "In the source: " + a.Looked + "."
		}
		for _, f := range a.Findings {
			out.Found = append(out.Found, judge.Found{Finding: f, Cause: f.Rule})
		}
		return out, nil
	}
}
