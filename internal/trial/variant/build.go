package variant

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/host/shellwords"
)

// Build is what a variant changes about how the program is made.
type Build struct {
	CFlags    string `json:"cflags,omitempty"`    // behind the build's own, for C and C++, as a shell splits words
	LDFlags   string `json:"ldflags,omitempty"`   // when linking
	RustFlags string `json:"rustflags,omitempty"` // for rustc
	LTO       string `json:"lto,omitempty"`       // "auto", "thin" or "full"
	PGO       bool   `json:"pgo,omitempty"`
	// Sampled has PGO learn from samples of the training and not from counts. Profile is
	// a file of samples that compilers read (whyhot profile export), in place of training.
	Sampled bool     `json:"sampled,omitempty"`
	Profile string   `json:"profile,omitempty"`
	BOLT    bool     `json:"bolt,omitempty"`
	Patches []string `json:"patches,omitempty"` // files, in order
	// Label names the build where its flags say nothing to a reader.
	Label string `json:"label,omitempty"`
	// Scratch is a directory that flags name, whose files are part of what is built
	// and into which the build writes; "" for none.
	Scratch string `json:"-"`
}

// Built is a variant's place after it was built.
type Built struct {
	Dir string // where the command runs
	// Env are the assignments that lead into the place and change nothing else.
	Env []string
	// Failed says why there is nothing to run, Same why there is nothing to
	// compare; both are "" when all is well.
	Failed, Same string
	// Steps are what was done, for people to repeat.
	Steps []string
}

// autoLTO is the kind that suits the compiler.
const autoLTO = "auto"

// LTOKinds are what --lto takes.
func LTOKinds() []string { return []string{autoLTO, "thin", "full"} }

// Name is the build in the order in which its parts take effect.
func (b *Build) Name() string {
	if b.Label != "" {
		return b.Label
	}
	var parts []string
	for _, p := range b.Patches {
		parts = append(parts, filepath.Base(p))
	}
	for _, flags := range []string{b.CFlags, b.LDFlags, b.RustFlags} {
		if flags != "" {
			parts = append(parts, flags)
		}
	}
	switch {
	case b.Profile != "":
		parts = append(parts, pgoPart+"="+filepath.Base(b.Profile))
	case b.Sampled:
		parts = append(parts, pgoPart+"="+sampledPGO)
	case b.PGO:
		parts = append(parts, pgoPart)
	}
	switch b.LTO {
	case "":
	case autoLTO:
		parts = append(parts, ltoPart)
	default:
		parts = append(parts, "lto="+b.LTO)
	}
	if b.BOLT {
		parts = append(parts, boltPart)
	}
	return strings.Join(parts, "+")
}

// Check refuses what no build can be made of.
func (b *Build) Check() error {
	if b.LTO != "" && !slices.Contains(LTOKinds(), b.LTO) {
		return fmt.Errorf("lto=%s: must be one of %s", b.LTO, strings.Join(LTOKinds(), ", "))
	}
	if b.Profile != "" && b.PGO {
		return fmt.Errorf("pgo=%s and training contradict each other: name one of them", b.Profile)
	}
	for _, flags := range []string{b.CFlags, b.LDFlags, b.RustFlags} {
		if _, err := shellwords.Split(flags); err != nil {
			return fmt.Errorf("flags %q: %w", flags, err)
		}
	}
	return nil
}

// merge adds the parts of another build.
func (b *Build) merge(o *Build) *Build {
	join := func(x, y string) string { return strings.TrimSpace(x + " " + y) }
	out := Build{
		CFlags: join(b.CFlags, o.CFlags), LDFlags: join(b.LDFlags, o.LDFlags), RustFlags: join(b.RustFlags, o.RustFlags),
		LTO: b.LTO, PGO: b.PGO || o.PGO, Sampled: b.Sampled || o.Sampled, Profile: cmp.Or(o.Profile, b.Profile), BOLT: b.BOLT || o.BOLT, Patches: slices.Concat(b.Patches, o.Patches),
	}
	if o.LTO != "" {
		out.LTO = o.LTO
	}
	return &out
}

// Choices are the flags of builds as they are typed.
type Choices struct {
	CFlags, LDFlags, RustFlags []string
	LTO                        string
	PGO, BOLT                  bool
	Patches                    []string
	Named                      []string // --variant
	Matrix                     bool
}

// Any says whether a build is asked for.
func (c *Choices) Any() bool {
	return len(c.CFlags)+len(c.LDFlags)+len(c.RustFlags)+len(c.Patches)+len(c.Named) > 0 || c.LTO != "" || c.PGO || c.BOLT
}

// onlyNamed says that all builds are asked for by --variant.
func (c *Choices) onlyNamed() bool {
	others := *c
	others.Named = nil
	return len(c.Named) > 0 && !others.Any() && !c.Matrix
}

// axis is one flag and the values it can have.
type axis []Variant

func (c *Choices) axes() []axis {
	var out []axis
	add := func(builds ...Build) {
		a := make(axis, 0, len(builds))
		for i := range builds {
			a = append(a, Variant{Build: &builds[i]})
		}
		if len(a) > 0 {
			out = append(out, a)
		}
	}
	each := func(values []string, of func(string) Build) {
		builds := make([]Build, 0, len(values))
		for _, v := range values {
			builds = append(builds, of(v))
		}
		add(builds...)
	}
	each(c.Patches, func(v string) Build { return Build{Patches: []string{v}} })
	each(c.CFlags, func(v string) Build { return Build{CFlags: v} })
	each(c.LDFlags, func(v string) Build { return Build{LDFlags: v} })
	each(c.RustFlags, func(v string) Build { return Build{RustFlags: v} })
	if c.PGO {
		add(Build{PGO: true})
	}
	if c.LTO != "" {
		add(Build{LTO: c.LTO})
	}
	if c.BOLT {
		add(Build{BOLT: true})
	}
	return out
}

// largestMatrix is what a person can read and a budget can measure.
const largestMatrix = 31

// Combine makes the variants of a trial that builds. Flags that are given
// together make one variant with all of them; one that is given several times
// has several values, which make a variant each. Libraries and variables stand
// beside, on the baseline's build. A matrix has every combination of everything.
func (c *Choices) Combine(preloads, envs []Variant, find Locator) ([]Variant, error) {
	axes := c.axes()
	var out []Variant
	if c.Matrix {
		if len(preloads) > 0 {
			axes = append(axes, preloads)
		}
		if len(envs) > 0 {
			axes = append(axes, envs)
		}
		for i := range axes {
			axes[i] = slices.Concat(axis{{}}, axes[i]) // or without it
		}
		out = product(axes)[1:] // the first is the baseline
	} else {
		if len(axes) > 0 {
			out = product(axes)
		}
		out = slices.Concat(out, preloads, envs)
	}
	for _, text := range c.Named {
		v, err := Parse(text, find)
		if err != nil {
			return nil, fmt.Errorf("--variant %s: %w", text, err)
		}
		out = append(out, v)
	}
	if len(out) > largestMatrix {
		return nil, fmt.Errorf("%d variants are too many to tell apart (at most %d): choose with --variant, for example --variant pgo --variant pgo+lto", len(out), largestMatrix)
	}
	for i := range out {
		if b := out[i].Build; b != nil {
			if err := b.Check(); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func product(axes []axis) []Variant {
	out := []Variant{{}}
	for _, a := range axes {
		var next []Variant
		for _, v := range out {
			for _, w := range a {
				next = append(next, v.With(w))
			}
		}
		out = next
	}
	return out
}

// With joins two variants; what both say, w says last.
func (v Variant) With(w Variant) Variant {
	switch {
	case v.Build == nil:
		v.Build = w.Build
	case w.Build != nil:
		v.Build = v.Build.merge(w.Build)
	}
	if w.Preload != nil {
		v.Preload = w.Preload
	}
	v.Env = slices.Concat(v.Env, w.Env)
	var parts []string
	if v.Build != nil {
		parts = append(parts, v.Build.Name())
	}
	if v.Preload != nil {
		parts = append(parts, v.Preload.Name)
	}
	v.Name = strings.Join(append(parts, v.Env...), "+")
	return v
}

const (
	pgoPart  = "pgo"
	boltPart = "bolt"
	ltoPart  = "lto"

	sampledPGO = "sample" // the value of pgo that has it learn from samples
)

// keywords begin a part of --variant.
var keywords = []string{pgoPart, ltoPart, boltPart, "cflags=", "ldflags=", "rustflags=", "patch=", "preload=", "env="}

// Parse reads parts joined with a plus: pgo+lto+cflags=-O3. A plus inside of a
// value (-std=c++20) stays, since no keyword follows it.
func Parse(text string, find Locator) (Variant, error) {
	var v Variant
	for _, part := range split(text) {
		w, err := parsePart(part, find)
		if err != nil {
			return v, err
		}
		v = v.With(w)
	}
	return v, nil
}

func split(text string) []string {
	var out []string
	begin := 0
	for i := range len(text) {
		if text[i] == '+' && startsPart(text[i+1:]) {
			out = append(out, text[begin:i])
			begin = i + 1
		}
	}
	return append(out, text[begin:])
}

func startsPart(rest string) bool {
	return slices.ContainsFunc(keywords, func(k string) bool {
		after, ok := strings.CutPrefix(rest, k)
		return ok && (strings.HasSuffix(k, "=") || after == "" || after[0] == '+' || after[0] == '=')
	})
}

func parsePart(part string, find Locator) (Variant, error) {
	key, value, has := strings.Cut(part, "=")
	plain := key == pgoPart || key == boltPart || key == ltoPart
	if value == "" && (has || !plain) {
		return Variant{}, fmt.Errorf("%q is no part of a variant: use pgo, pgo=sample, pgo=FILE, lto, lto=thin, lto=full, bolt, cflags=…, ldflags=…, rustflags=…, patch=FILE, preload=LIBRARY or env=NAME=VALUE, joined with +", part)
	}
	switch key {
	case pgoPart:
		switch value {
		case "":
			return Variant{Build: &Build{PGO: true}}, nil
		case sampledPGO:
			return Variant{Build: &Build{PGO: true, Sampled: true}}, nil
		}
		return Variant{Build: &Build{Profile: value}}, nil
	case boltPart:
		if has {
			return Variant{}, fmt.Errorf("%s takes no value", key)
		}
		return Variant{Build: &Build{BOLT: true}}, nil
	case ltoPart:
		if !has {
			value = autoLTO
		}
		return Variant{Build: &Build{LTO: value}}, nil
	case "cflags":
		return Variant{Build: &Build{CFlags: value}}, nil
	case "ldflags":
		return Variant{Build: &Build{LDFlags: value}}, nil
	case "rustflags":
		return Variant{Build: &Build{RustFlags: value}}, nil
	case "patch":
		return Variant{Build: &Build{Patches: []string{value}}}, nil
	case "preload":
		lib, err := find.Find(value)
		return Variant{Preload: &lib}, err
	case "env":
		if !strings.Contains(value, "=") {
			return Variant{}, errors.New("env must be NAME=VALUE")
		}
		return Variant{Env: []string{value}}, nil
	}
	return Variant{}, fmt.Errorf("%q is no part of a variant", key)
}
