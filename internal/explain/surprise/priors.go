package surprise

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
)

// Priors say how much of the CPU libraries and families took in programs that were
// measured beforehand.
type Priors struct {
	Source   string  `json:"source"`   // what was measured, for the reader
	Profiles int     `json:"profiles"` // how many
	Shares   []Prior `json:"shares"`
}

// Prior is the share of one thing in the profiles where it occurs at all.
type Prior struct {
	Kind     string  `json:"kind"` // library or family
	Name     string  `json:"name"`
	Profiles int     `json:"profiles"` // that have it
	Low      float64 `json:"low"`
	Q1       float64 `json:"q1"`
	Median   float64 `json:"median"`
	Q3       float64 `json:"q3"`
	High     float64 `json:"high"`
}

// fewPriors is the number of profiles below which a prior is not shipped: with 19, a
// share above all of them has a chance of 1 in 20 where nothing is special.
const fewPriors = 19

//go:embed priors.json
var shipped []byte

// Builtin are the priors that are part of the program.
var Builtin = sync.OnceValues(func() (*Priors, error) {
	var p Priors
	if err := json.Unmarshal(shipped, &p); err != nil {
		return nil, fmt.Errorf("the shipped priors: %w", err)
	}
	return &p, nil
})

// Learn makes priors of windows.
func Learn(source string, windows []Window) *Priors {
	p := &Priors{Source: source, Profiles: len(windows)}
	shares := map[thing][]float64{}
	for i := range windows {
		sums, total := windows[i].sums(nil)
		for t, sum := range sums {
			if t.kind != kindFunction {
				shares[t] = append(shares[t], float64(sum)/float64(total))
			}
		}
	}
	for t, s := range shares {
		if len(s) < fewPriors {
			continue
		}
		u := usualOf(s)
		p.Shares = append(p.Shares, Prior{t.kind, t.name, len(s), digits(u.Low), digits(quantile(s, 0.25)), digits(u.Median), digits(quantile(s, 0.75)), digits(u.High)})
	}
	sortPriors(p.Shares)
	return p
}

func (p *Priors) judge(now *Window, out map[functionKey]bool, most int) []finding.Surprise {
	of := map[thing]*Prior{}
	for i := range p.Shares {
		of[thing{p.Shares[i].Kind, p.Shares[i].Name, ""}] = &p.Shares[i]
	}
	return outliers(now, out, most, func(t thing) (finding.Usual, float64, bool) {
		prior := of[t]
		if prior == nil {
			return finding.Usual{}, 0, false
		}
		return finding.Usual{Low: prior.Low, Median: prior.Median, High: prior.High, Number: prior.Profiles}, fence(prior.Q1, prior.Q3), true
	}, func(c candidate, now *Window) finding.Surprise {
		s := c.surprise(finding.AgainstPriors, now)
		s.Text = fmt.Sprintf("%s; in the %d of %d programs measured for whyhot that run it, it was %s, half of them below %s.",
			c.takes(now), c.usual.Number, p.Profiles, between(c.usual), percent.Column(c.usual.Median))
		return s
	})
}

// digits keeps what a few hundred samples can tell.
func digits(share float64) float64 { return math.Round(share*1e4) / 1e4 }

func sortPriors(ps []Prior) {
	slices.SortFunc(ps, func(a, b Prior) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
}
