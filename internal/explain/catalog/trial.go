package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"regexp"
)

// Trial is one measurement of ours of what an entry proposes: two programs that
// differ in it, run in turn. bench/catalog/baselines.py writes them.
type Trial struct {
	Entry    string  `json:"entry"`
	Workload string  `json:"workload"`
	Baseline string  `json:"baseline"` // name and version
	Variant  string  `json:"variant"`
	Date     string  `json:"date"`
	Rounds   int     `json:"rounds"`
	Seconds  float64 `json:"seconds"` // CPU time of the baseline
	Ratio    float64 `json:"ratio"`   // of the medians of CPU time, baseline over variant
	Low      float64 `json:"low"`     // 95% interval of Ratio
	High     float64 `json:"high"`
	// Share is what the entry's finding had of a profile of the baseline, nil where
	// there was no finding. Reach is Share with what goes along with it elsewhere.
	Share *float64 `json:"share,omitempty"`
	Reach *float64 `json:"reach,omitempty"`
	// Recorded is false where the baseline could not be recorded.
	Recorded *bool `json:"recorded,omitempty"`
}

const trialsFile = "trials.json"

var isoDate = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// attachTrials reads the trials and gives each to its entry.
func (c *Catalog) attachTrials(fsys fs.FS) error {
	data, err := readFile(fsys, trialsFile)
	if err != nil {
		return err
	}
	var all []Trial
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return fmt.Errorf("%s: %w", trialsFile, err)
	}
	for i := range all {
		t := &all[i]
		e, ok := c.Entry(t.Entry)
		if !ok {
			return fmt.Errorf("%s: trial %d is of %q, which is not an entry", trialsFile, i+1, t.Entry)
		}
		if !t.plausible() {
			return fmt.Errorf("%s: trial %d, of %s: a ratio within its interval, two names, a date and rounds are needed", trialsFile, i+1, t.Entry)
		}
		e.Trials = append(e.Trials, *t)
	}
	return nil
}

func (t *Trial) plausible() bool {
	return t.Low > 0 && t.Low <= t.Ratio && t.Ratio <= t.High && !math.IsInf(t.High, 0) &&
		t.Seconds > 0 && t.Rounds > 1 && t.Baseline != "" && t.Variant != "" && t.Workload != "" && isoDate.MatchString(t.Date)
}

// Text says what was measured in one line.
func (t *Trial) Text() string {
	verdict := ""
	switch {
	case t.High < 1:
		verdict = ", slower"
	case t.Low <= 1:
		verdict = ", no clear difference"
	}
	share := ""
	if t.Share != nil {
		share = fmt.Sprintf("; the baseline's profile had %.0f%% of this", 100**t.Share)
	}
	return fmt.Sprintf("%s%s (%s to %s): %s instead of %s; %s%s (%s)",
		factor(t.Ratio), verdict, factor(t.Low), factor(t.High), t.Variant, t.Baseline, t.Workload, share, t.Date)
}

// factor writes three digits that count.
func factor(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f×", v)
	case v >= 10:
		return fmt.Sprintf("%.1f×", v)
	}
	return fmt.Sprintf("%.2f×", v)
}

// MeasuredShortly is for a finding: the trials that gained least and most, and how
// many others the page of the entry has. It is empty without a trial.
func (e *Entry) MeasuredShortly() string {
	if len(e.Trials) == 0 {
		return e.Verified
	}
	least, most := &e.Trials[0], &e.Trials[0]
	for i := range e.Trials {
		t := &e.Trials[i]
		if t.Ratio < least.Ratio {
			least = t
		}
		if t.Ratio > most.Ratio {
			most = t
		}
	}
	text := most.Text()
	if least != most {
		text += ". The least: " + least.Text()
	}
	if more := len(e.Trials) - 2; more > 0 {
		text += fmt.Sprintf(". %d more: whyhot rules show %s", more, e.ID)
	}
	return text
}

// Measured lists what our own trials of an entry gave, those that lost too.
func (e *Entry) Measured() []string {
	var out []string
	for i := range e.Trials {
		out = append(out, e.Trials[i].Text())
	}
	if e.Verified != "" {
		out = append(out, e.Verified)
	}
	return out
}
