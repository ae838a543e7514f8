package trial

import (
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/variant"
)

// Build is how the program of an arm was made.
type Build struct {
	variant.Build

	Steps     []string `json:"steps,omitempty"`     // what was done, for people to repeat
	Directory string   `json:"directory,omitempty"` // where the command ran
	// Failed says why there was nothing to run, "" where there was; the explanation
	// of the arm has it, too.
	Failed string `json:"-"`
}

// place moves a run to where its program was built.
func (a *arm) place(s *run.Spec) {
	if a.variant != nil && a.variant.Built != nil {
		s.Dir = a.variant.Built.Dir
	}
}

// judgeBuilding takes arms out of the race that could not be built, or whose
// program is the baseline's.
func (t *trial) judgeBuilding() {
	for _, a := range t.arms {
		if a.variant == nil || a.variant.Built == nil {
			continue
		}
		switch b := a.variant.Built; {
		case b.Failed != "":
			a.out, a.why = Failed, b.Failed
		case b.Same != "":
			a.out, a.why = NoEffect, b.Same
		}
	}
}

// buildOf describes an arm's build, nil where nothing was built for it.
func buildOf(v *variant.Variant) *Build {
	if v == nil || v.Build == nil {
		return nil
	}
	b := &Build{Build: *v.Build}
	if v.Built != nil {
		b.Steps, b.Directory, b.Failed = v.Built.Steps, v.Built.Dir, v.Built.Failed
	}
	return b
}
