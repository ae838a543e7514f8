package deployment

import (
	"cmp"
	"fmt"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
)

// Rule is the rule of these findings.
const Rule = "slower-version"

// Finding says that the newest version takes more than the limit, nil where it does not, or
// where nobody knows. Its identity is that of the deployment, so that it is told once.
func (c *Config) Finding(x *Comparison) *finding.Finding {
	limit := cmp.Or(c.Limit, usualLimit)
	share, per := 0.0, "per request"
	f := &finding.Finding{Rule: Rule, Certainty: finding.Confirmed}
	switch {
	case x.Ratio != nil && x.Ratio.Low > 1+limit:
		r := x.Ratio
		share = 1 - 1/r.Estimate
		half := (1/r.Low - 1/r.High) / 2 //nolint:mnd // half of the interval
		f.Share.Error = &half
		f.Title = fmt.Sprintf("Version %s uses %s more CPU per request than %s", short(x.After), percent.Text(r.Estimate-1), short(x.Before))
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "version", Text: fmt.Sprintf(
			"CPU time per request since %s: %.2f× that of %s (%.2f to %.2f, at %.1f%% confidence, by how much parts of the time differ)",
			x.Since.Format("2 Jan 15:04 MST"), r.Estimate, x.Before, r.Low, r.High, 100*level)}) //nolint:mnd // per cent
	case x.Ratio == nil && len(x.Functions) > 0 && x.Functions[0].Low > limit:
		per = "per second of CPU"
		g := x.Functions[0]
		share = g.Delta
		// Where another function takes less, the shares of all others grow.
		f.Certainty = finding.Suspected
		f.Minor = "only shares are compared: they also grow where the version saves CPU elsewhere"
		half := g.Delta - g.Low
		f.Share.Error = &half
		f.Title = fmt.Sprintf("Version %s spends %s more of its CPU in %s than %s", short(x.After), percent.Text(g.Delta), short(g.Name), short(x.Before))
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "version", Text: "requests are not counted, so only shares of CPU are compared: the version as a whole may take more or less (--deployments FILE)"})
	default:
		return nil
	}
	f.ID = finding.ID(Rule, finding.Place{}, x.Service, x.Before, x.After)
	f.Share.Inclusive = &share
	when := "the one before it ran before that"
	if x.Parallel {
		when = "both ran at the same time"
	}
	f.Evidence = append(f.Evidence, finding.Evidence{Kind: "version", Text: fmt.Sprintf("%s came at %s; %s", x.After, x.Since.Format("2 Jan 15:04 MST"), when)})
	for i, g := range x.Functions {
		if i == mostFunctions {
			f.Evidence = append(f.Evidence, finding.Evidence{Kind: "function", Text: fmt.Sprintf("and %d more functions", len(x.Functions)-i)})
			break
		}
		name := g.Name
		if g.Binary != "" {
			name += " in " + g.Binary
		}
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "function", Text: fmt.Sprintf("%s takes %s more of what the service took before, %s (%s, was %s)", name, percent.Text(g.Delta), per, percent.Text(g.After), percent.Text(g.Before))})
	}
	if len(x.Functions) > 0 {
		f.Place = finding.Place{Function: x.Functions[0].Name, Binary: x.Functions[0].Binary}
	}
	f.Fix = finding.Fix{Kind: "code", Steps: []string{
		"Look at what the version changes in these functions.",
		"Find the commit with whyhot bisect, which needs a command that does the same work.",
	}}
	side := func(version string) string {
		return fmt.Sprintf("%.0fh..now,version=%s", back.Hours(), version)
	}
	f.Next = finding.Command{Verb: "diff", Args: []string{"--from", finding.URL, "--service", x.Service, side(x.Before), side(x.After)}}
	return f
}

// short is as much of a name as a title has room for.
func short(name string) string {
	const most = 24
	if r := []rune(name); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return name
}
