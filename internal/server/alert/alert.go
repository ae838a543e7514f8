// Package alert watches the cost of selections that people name: a service, a function, a
// condition on labels. It says when one is above a limit, or changed, for long enough.
//
// It owns the rules as people write them, what is measured for one, when it fires and ends,
// and the documents that say so. It takes a project's store after each look and gives Events.
// It must never know who is told of them: internal/server/message does.
package alert

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"whyhot/internal/finding/percent"
	"whyhot/internal/profile/where"
	"whyhot/internal/server/access"
)

// Rule is one alert: a selection and its limit.
type Rule struct {
	Name     string   `yaml:"name"`
	Projects []string `yaml:"projects"` // none: all
	Services []string `yaml:"services"` // none: all together
	Where    string   `yaml:"where"`    // a condition on labels
	Function string   `yaml:"function"` // a regular expression for whole names; with what these call
	// One of the limits. A share is that of the function in what is chosen, or without a
	// function that of what is chosen in the project.
	ShareAbove   float64 `yaml:"share_above"` // 0.2 for 20 %
	CoresAbove   float64 `yaml:"cores_above"`
	ShareChanged float64 `yaml:"share_changed"` // 0.2: by more than a fifth of what it was
	CoresChanged float64 `yaml:"cores_changed"`
	Against      string  `yaml:"against"` // how long before, of what changed; 24h
	Over         string  `yaml:"over"`    // the time that is measured; 15m
	For          string  `yaml:"for"`     // how long it has to hold; 0s
	// Receivers are who is told; none: all that want one of the services.
	Receivers []string `yaml:"receivers"`

	function             *regexp.Regexp
	where                *where.Expr
	against, over, lasts time.Duration
}

var ruleName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// Bounds of times.
const (
	usualOver    = 15 * time.Minute
	usualAgainst = 24 * time.Hour
	leastOver    = time.Minute
	mostOver     = 24 * time.Hour
	mostAgainst  = 30 * 24 * time.Hour
)

// Check says what is wrong with a rule, and makes it ready.
func (r *Rule) Check() (err error) {
	if !ruleName.MatchString(r.Name) {
		return fmt.Errorf("invalid name %q: must be 1 to 40 of a-z, 0-9 and -", r.Name)
	}
	limits := 0
	for _, l := range []float64{r.ShareAbove, r.CoresAbove, r.ShareChanged, r.CoresChanged} {
		if l < 0 {
			return errors.New("a limit must not be negative")
		}
		if l > 0 {
			limits++
		}
	}
	switch {
	case limits != 1:
		return fmt.Errorf("has %d of share_above, cores_above, share_changed and cores_changed; give one", limits)
	case r.ShareAbove >= 1:
		return fmt.Errorf("invalid share_above %v: must be a fraction, such as 0.2 for 20%%", r.ShareAbove)
	case r.Against != "" && !r.changes():
		return errors.New("against is for share_changed and cores_changed")
	case (r.ShareAbove > 0 || r.ShareChanged > 0) && r.Function == "" && len(r.Services) == 0 && r.Where == "":
		return errors.New("the share of all is always 100%: give services, where or function")
	}
	for _, p := range r.Projects {
		if err := access.CheckProject(p); err != nil {
			return fmt.Errorf("projects: %w", err)
		}
	}
	if r.Function != "" {
		if _, err := regexp.Compile(r.Function); err != nil {
			return fmt.Errorf("function: %w", err)
		}
		r.function = regexp.MustCompile(`^(?:` + r.Function + `)$`)
	}
	if r.Where != "" {
		if r.where, err = where.Parse(r.Where); err != nil {
			return fmt.Errorf("where: %w", err)
		}
	}
	for _, d := range []struct {
		name, text         string
		to                 *time.Duration
		usual, least, most time.Duration
	}{
		{"over", r.Over, &r.over, usualOver, leastOver, mostOver},
		{"against", r.Against, &r.against, usualAgainst, leastOver, mostAgainst},
		{"for", r.For, &r.lasts, 0, 0, mostOver},
	} {
		*d.to = d.usual
		if d.text == "" {
			continue
		}
		if *d.to, err = time.ParseDuration(d.text); err != nil || *d.to < d.least || *d.to > d.most {
			return fmt.Errorf("invalid %s %q: must be a time from %s to %s, such as 30m", d.name, d.text, d.least, d.most)
		}
	}
	if r.changes() && r.against < r.over {
		return fmt.Errorf("against (%s) is shorter than over (%s): the two times would overlap", r.against, r.over)
	}
	return nil
}

func (r *Rule) changes() bool { return r.ShareChanged > 0 || r.CoresChanged > 0 }

func (r *Rule) ofCores() bool { return r.CoresAbove > 0 || r.CoresChanged > 0 }

// Limit says in words when the rule fires.
func (r *Rule) Limit() string {
	var text string
	switch {
	case r.ShareAbove > 0:
		text = "share above " + percent.Text(r.ShareAbove)
	case r.CoresAbove > 0:
		text = fmt.Sprintf("above %g cores", r.CoresAbove)
	case r.ShareChanged > 0:
		text = fmt.Sprintf("share changed by more than %s of what it was %s before", percent.Text(r.ShareChanged), short(r.against))
	default:
		text = fmt.Sprintf("cores changed by more than %s of what they were %s before", percent.Text(r.CoresChanged), short(r.against))
	}
	if r.lasts > 0 {
		text += " for " + short(r.lasts)
	}
	return text
}

// short is a time without the units that are nothing: 30m, 24h.
func short(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}

// Window is the time that is measured.
func (r *Rule) Window() time.Duration { return r.over }
