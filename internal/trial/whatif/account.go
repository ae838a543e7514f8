package whatif

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Account is what the compilers did in a build.
type Account struct {
	Units int // compiled with the plug-in; small programs of a configuration too
	Edits []Count
}

// Count is the account of one edit.
type Count struct {
	Finding string
	Units   []string // in which the place was met
	Met     int      // accesses, or loops, at the place
	Made    int      // of those that were edited
	// Why nothing was edited where something was met.
	unoptimised, untagged bool
}

// String says what was edited.
func (c *Count) String() string {
	const most = 3
	var short []string
	for _, u := range c.Units {
		if base := filepath.Base(u); !slices.Contains(short, base) { // the copy's place says nothing
			short = append(short, base)
		}
	}
	in := strings.Join(short[:min(most, len(short))], ", ")
	if n := len(short) - most; n > 0 {
		in += fmt.Sprintf(" and %d more", n)
	}
	places := "places"
	if c.Made == 1 {
		places = "place"
	}
	return fmt.Sprintf("%s: edited in %d %s of the compiled code (%s)", c.Finding, c.Made, places, in)
}

// entry is one line of the log; analyzer/whatif/log.cpp writes it.
type entry struct {
	Unit       string `json:"unit"`
	Optimised  bool   `json:"optimised"`
	Tagged     bool   `json:"tagged"`
	Positioned bool   `json:"positioned"`
	Met        []int  `json:"met"`
	Made       []int  `json:"made"`
}

// Account reads the log of the build.
func (w *World) Account() (*Account, error) {
	a := &Account{}
	for _, e := range w.plan.Edits {
		a.Edits = append(a.Edits, Count{Finding: e.Finding})
	}
	data, err := os.ReadFile(w.path(logName))
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err != nil {
		return nil, fmt.Errorf("log of the what-if build: %w", err)
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("log of the what-if build, line %d: %w", n, err)
		}
		a.add(w.plan, e)
	}
	return a, nil
}

func (a *Account) add(p *Plan, e entry) {
	a.Units++
	for i := range a.Edits {
		c := &a.Edits[i]
		if i < len(e.Met) && e.Met[i] > 0 {
			c.Met += e.Met[i]
			if !slices.Contains(c.Units, e.Unit) {
				c.Units = append(c.Units, e.Unit)
			}
			c.untagged = c.untagged || !e.Tagged
		}
		if i < len(e.Made) {
			c.Made += e.Made[i]
		}
		if !e.Optimised && concerns(p.Edits[i], e.Unit) {
			c.unoptimised = true
		}
	}
}

// concerns guesses by the file whether a unit holds an edit's places.
func concerns(e Edit, unit string) bool {
	base := unit[strings.LastIndexByte(unit, '/')+1:]
	for _, c := range slices.Concat(e.Loops, e.Accesses) {
		if n := len(c); n > 0 && strings.HasSuffix(c[n-1].File, "/"+base) {
			return true
		}
	}
	return false
}

// Check says what is wrong with a build in which an edit was not made anywhere:
// it is not the world that it should be.
func (w *World) Check(a *Account) error {
	if a.Units == 0 {
		return errors.New("the what-if build compiled nothing with the plug-in: either it found everything built already, or it calls a compiler by a path of its own")
	}
	var all []error
	for i, c := range a.Edits {
		if c.Made > 0 || w.plan.Placebo && c.Met > 0 {
			continue
		}
		all = append(all, fmt.Errorf("%s: nothing was edited: %s", c.Finding, c.reason(w.plan.Edits[i])))
	}
	return errors.Join(all...)
}

func (c *Count) reason(e Edit) string {
	switch {
	case c.unoptimised:
		return "its unit is compiled without optimisation (-O0, or no -O at all), where no loop is made faster"
	case c.untagged && e.World == Retyped:
		return "its unit is compiled with -fno-strict-aliasing, so that no type tells the compiler anything; only locals help there"
	case c.Met > 0:
		return fmt.Sprintf("the place was compiled (%s), but what was to blame is not there", strings.Join(c.Units, ", "))
	}
	where := "the place"
	for _, chain := range slices.Concat(e.Loops, e.Accesses) {
		if n := len(chain); n > 0 {
			where = fmt.Sprintf("%s:%d", chain[n-1].File, chain[n-1].Line)
			break
		}
	}
	return fmt.Sprintf("the build compiles no code at %s; is the build in -p the same source?", where)
}
