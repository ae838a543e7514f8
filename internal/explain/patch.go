package explain

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/fix"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// PatchRequest is what Patch is asked.
type PatchRequest struct {
	Subject string // the id of a finding, or FILE:LINE
	Kind    string // of fix; "" for the kinds of the finding's rule

	// The finding is looked for in Findings, else on Profile, else in the source of
	// Build.
	Findings     []finding.Finding
	FindingsFile string // names Findings in errors
	Profile      *profile.Profile
	ProfilePath  string
	Rules        Rules

	// Build gives the build, and is called where source has to be looked at; nil
	// where nobody named one.
	Build   func() (*source.Build, error)
	Options source.Options
	Every   bool // also the kinds of patch that compete with the one that is given

	// Of fixes that link a library.
	Dir     string // of the build files
	Library string // "" for the first that the finding proposes
	Program string // "" for that of the profile
}

// Patch writes the fix of a finding, or of what is at a line.
func Patch(ctx context.Context, r PatchRequest) (fix.Proposal, error) {
	if r.Kind != "" && !slices.Contains(fix.Kinds(), r.Kind) {
		return fix.Proposal{}, fmt.Errorf("--kind %s: there are %s", r.Kind, strings.Join(fix.Kinds(), ", "))
	}
	if at, err := finding.ParseLine(r.Subject); err == nil {
		return r.line(ctx, at)
	}
	f, err := r.find(ctx)
	if err != nil {
		return fix.Proposal{}, err
	}
	if f.Fix.Kind == "preload" {
		return r.link(f)
	}
	kinds := r.kinds(fix.KindsFor(f.Rule))
	if len(kinds) == 0 || f.Place.File == "" {
		return fix.Proposal{}, byHand(f.Finding)
	}
	p, err := r.source(ctx, fix.PlaceOf(f.Finding), kinds, &f.Finding)
	if errors.Is(err, fix.ErrNothingThere) {
		err = &NoPatchError{Reason: err.Error(), ByHand: f.Fix.Steps}
	}
	return advised(p, f.Finding), err
}

// line writes the fix of what explain and scan name at a line, else of whatever the
// kinds of fixes find there.
func (r *PatchRequest) line(ctx context.Context, at finding.Line) (fix.Proposal, error) {
	place := fix.Place{File: filepath.Clean(at.File), Line: at.Line}
	if r.Build == nil {
		return fix.Proposal{}, source.ErrNoBuild
	}
	b, err := r.Build()
	if err != nil {
		return fix.Proposal{}, err
	}
	found, err := b.At(ctx, at, false, r.Options)
	if err != nil {
		return fix.Proposal{}, err
	}
	kinds := r.kinds(fix.Kinds())
	if len(found) > 0 {
		place = fix.PlaceOf(found[0])
		kinds = r.kinds(fix.KindsFor(found[0].Rule))
	}
	var p fix.Proposal
	if len(kinds) > 0 {
		var of *finding.Finding
		if len(found) > 0 && len(found[0].Sites) > 0 && found[0].Place.Line == at.Line {
			of = &found[0]
		}
		if p, err = r.source(ctx, place, kinds, of); p.Sound() || (err != nil && !errors.Is(err, fix.ErrNothingThere)) {
			return p, err
		}
	}
	if len(found) == 0 {
		var failed error
		if found, failed = b.At(ctx, at, true, r.Options); failed != nil || len(found) == 0 {
			return p, errors.Join(err, failed)
		}
	}
	if len(kinds) == 0 || err != nil {
		return p, byHand(found[0])
	}
	return advised(p, found[0]), nil
}

// NoPatchError says that a finding has no patch that a program writes, and what a person
// does.
type NoPatchError struct {
	Reason string
	ByHand []string
}

func (e *NoPatchError) Error() string {
	if len(e.ByHand) == 0 {
		return e.Reason
	}
	return e.Reason + ". No fix of it is written by machine; by hand: " + strings.Join(e.ByHand, "; ")
}

func byHand(f finding.Finding) error {
	return &NoPatchError{Reason: f.ID + ": " + f.Title, ByHand: f.Fix.Steps}
}

// advised says what to do by hand where the patch is refused.
func advised(p fix.Proposal, f finding.Finding) fix.Proposal {
	if !p.Sound() {
		p.Advice = f.Fix.Steps
	}
	return p
}

// declared are the declarations of a finding that has several places.
func declared(sites []finding.Site) []fix.Place {
	var out []fix.Place
	for _, s := range sites {
		if s.Kind == finding.SiteDeclaration {
			out = append(out, fix.Place{File: s.File, Line: s.Line})
		}
	}
	return out
}

func (r *PatchRequest) kinds(usual []string) []string {
	if r.Kind != "" {
		return []string{r.Kind}
	}
	return usual
}

// find gives the finding that is meant: from a list, a profile or the source.
func (r *PatchRequest) find(ctx context.Context) (Found, error) {
	switch {
	case r.Findings != nil:
		f, err := Pick(r.Findings, r.FindingsFile, r.Subject)
		return Found{Finding: f}, err
	case r.Profile != nil && r.Build != nil && r.Rules.isCause(r.Subject):
		b, err := r.Build()
		if err != nil {
			return Found{}, err
		}
		o := r.Options
		o.NoPatches = true // those of other findings
		a, err := b.Hot(ctx, r.Profile, source.DefaultCoverage, false, o)
		if err != nil {
			return Found{}, err
		}
		f, err := Pick(a.Findings, b.Dir(), r.Subject)
		// The share is that which explain shows: the entry's, which counts the frames of
		// the library as well.
		if e, failed := Find(ctx, Request{Profile: r.Profile, Path: r.ProfilePath, Rules: r.Rules}, r.Subject); err == nil && failed == nil {
			f.Share = e.Share
		}
		return Found{Finding: f}, err
	case r.Profile != nil && r.Build != nil && source.StoreOf(r.Subject) != "":
		// It is of the source: no rule over the profile has it.
	case r.Profile != nil:
		f, err := Find(ctx, Request{Profile: r.Profile, Path: r.ProfilePath, Rules: r.Rules}, r.Subject)
		if err == nil || r.Build == nil {
			return f, err
		}
	case r.Build == nil:
		return Found{}, fmt.Errorf("%s is no FILE:LINE, so it is taken for a finding: say where it is from, with --findings FILE.json, --profile FILE or -p BUILD_DIR", r.Subject)
	}
	b, err := r.Build()
	if err != nil {
		return Found{}, err
	}
	f, err := FindInSource(ctx, b, r.Options, r.Subject)
	return Found{Finding: f}, err
}

// source writes the patch of a place, and where of is not nil, of all places of a finding.
func (r *PatchRequest) source(ctx context.Context, at fix.Place, kinds []string, of *finding.Finding) (fix.Proposal, error) {
	if r.Build == nil {
		return fix.Proposal{}, source.ErrNoBuild
	}
	b, err := r.Build()
	if err != nil {
		return fix.Proposal{}, err
	}
	binary, err := source.Analyser()
	if err != nil {
		return fix.Proposal{}, err
	}
	o := fix.Options{Binary: binary, Units: b.Units(), Having: b.Including(at.File, r.Options).Units(), Workers: r.Options.Workers, Every: r.Every}
	if of != nil {
		o.Declarations, o.Sites = declared(of.Sites), fix.SitesOf(*of)
	}
	if report := r.Options.Progress; report != nil {
		o.Progress = func(done, of int, file, what string) {
			report(source.Progress{Done: done, Of: of, File: filepath.Base(file), What: what})
		}
	}
	if o.Cache, err = r.Options.Cache(); err != nil {
		return fix.Proposal{}, err
	}
	p, err := fix.Propose(ctx, o, at, kinds)
	if errors.Is(err, fix.ErrNothingThere) {
		return p, fmt.Errorf("%w; a loop that begins on the line is meant, else the innermost around it", err)
	}
	if err == nil && p.Sound() {
		source.AskBuild(ctx, &p, o.Cache, r.Options.Progress)
	}
	if err == nil && of != nil && of.Share.Main() > 0 {
		p.OfShare(of.Share.Main())
	}
	return p, err
}

// link writes the fix of a finding that proposes to preload a library: the library
// is linked where the program is.
func (r *PatchRequest) link(f Found) (fix.Proposal, error) {
	names := []string{r.Library}
	if r.Library == "" {
		names = f.Fix.Preload
	}
	program := r.Program
	if program == "" && f.Place.Binary != "" {
		program = filepath.Base(f.Place.Binary)
	}
	return fix.ProposeLink(fix.LinkOptions{Dir: r.Dir, Program: program, Names: names})
}

// CanPatch says whether a machine may write the fix of a rule's findings.
func CanPatch(rule string) bool { return len(fix.KindsFor(rule)) > 0 }

// CanBuildWhatIf says whether a finding can be taken for fixed by the compiler.
func CanBuildWhatIf(id string) bool { return source.StoreOf(id) != "" }
