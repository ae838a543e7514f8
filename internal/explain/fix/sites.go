package fix

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/compdb"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
)

// Site is one of several loops that a finding is about.
type Site struct {
	Place
	Of    []Place  // the declarations that it is about; none where the source does not tell
	Share *float64 // of the CPU, nil where nobody measured
}

// SitesOf are the loops of a finding that has several places.
func SitesOf(f finding.Finding) []Site {
	var out []Site
	for _, s := range f.Sites {
		if s.Kind != finding.SiteLoop {
			continue
		}
		site := Site{Place: Place{File: s.File, Line: s.Line}, Share: s.Share}
		for _, d := range f.Sites {
			if d.Kind == finding.SiteDeclaration && slices.Contains(s.Of, d.Text) {
				site.Of = append(site.Of, Place{File: d.File, Line: d.Line})
			}
		}
		out = append(out, site)
	}
	return out
}

// Coverage is how much of a finding a patch is about.
type Coverage struct {
	Places, Of int      // loops, none where the finding has one place alone
	Share      *float64 // of the finding, after OfShare of the CPU; nil where nobody measured
	Whole      float64  // of the CPU, that of the finding; 0 where not known
}

// OfShare turns the covered part of a finding into shares of the CPU, the finding having
// whole of it.
func (p *Proposal) OfShare(whole float64) {
	set := func(c *Coverage) {
		part := 1.0
		if c.Share != nil {
			part = *c.Share
		} else if c.Of > 0 || !p.Sound() {
			return
		}
		part *= whole
		c.Share, c.Whole = &part, whole
	}
	set(&p.Covers)
	for i := range p.Others {
		set(&p.Others[i].Covers)
	}
}

// String says it: "41 of 41 %, 6 of 6 loops"; "" where there is nothing to tell.
func (c Coverage) String() string {
	var parts []string
	if c.Share != nil && c.Whole > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s of the CPU", strings.TrimSuffix(percent.Text(*c.Share), "%"), percent.Text(c.Whole)))
	}
	if c.Of > 1 {
		parts = append(parts, fmt.Sprintf("%d of %d loops", c.Places, c.Of))
	}
	return strings.Join(parts, ", ")
}

// all says that nothing of the finding is left.
func (c Coverage) all() bool { return c.Places == c.Of }

func (c Coverage) same(d Coverage) bool { return !c.more(d) && !d.more(c) }

func (c Coverage) more(d Coverage) bool {
	if c.Share != nil && d.Share != nil && *c.Share != *d.Share {
		return *c.Share > *d.Share
	}
	return c.Places > d.Places
}

// covered sums up the sites for which reached is true. Where loops are inside others, a
// sample counts for each, in what is covered and in the whole.
func (o Options) covered(reached func(Site) bool) Coverage {
	c := Coverage{Of: len(o.Sites)}
	part, whole := 0.0, 0.0
	for _, s := range o.Sites {
		share := 0.0
		if s.Share != nil {
			share = *s.Share
		}
		whole += share
		if reached(s) {
			c.Places++
			part += share
		}
	}
	if whole > 0 {
		part /= whole
		c.Share = &part
	}
	return c
}

// changes says whether a loop is about declarations that all change. Of a loop whose
// declarations the source does not name, only one on its own line counts.
func (p *Proposal) changes(s Site) bool {
	of := s.Of
	if len(of) == 0 {
		return p.Sound() && len(p.slots) > 0 && slices.ContainsFunc(p.slots, func(d Place) bool { return d.Line == s.Line && leadToOne(d.File, s.File) })
	}
	return p.Sound() && !slices.ContainsFunc(of, func(d Place) bool {
		return !slices.ContainsFunc(p.slots, func(x Place) bool { return x.Line == d.Line && leadToOne(x.File, d.File) })
	})
}

// proposeSites writes the fix of one kind for every loop of a finding, and joins those
// that are sound into one patch. What is left, and why, is a note.
func proposeSites(ctx context.Context, o Options, kind string) (Proposal, error) {
	var out, refused *Proposal
	var notes []Remark
	done := map[string]bool{}
	for _, s := range o.Sites {
		one := o
		one.Sites, one.Having = nil, o.including(s.File)
		p, err := propose(ctx, one, s.Place, kind)
		switch {
		case errors.Is(err, ErrNothingThere):
			continue
		case err != nil:
			return Proposal{}, err
		case !p.Sound() || p.Useless:
			if refused == nil {
				refused = &p
			}
			if len(p.Refusals) > 0 {
				notes = append(notes, Remark{Text: "left as it is: " + p.Refusals[0].Text, File: s.File, Line: s.Line})
			}
			continue
		case out == nil:
			out = &p
		default:
			if err := out.join(&p); err != nil {
				return Proposal{}, err
			}
		}
		done[s.Place.String()] = true
	}
	switch {
	case out == nil && refused == nil:
		return Proposal{Kind: kind}, ErrNothingThere
	case out == nil:
		refused.Covers = o.covered(func(Site) bool { return false })
		return *refused, nil
	}
	out.Covers = o.covered(func(s Site) bool { return done[s.Place.String()] })
	out.Notes = unite(out.Notes, notes)
	if out.Covers.Places > 1 {
		out.What = fmt.Sprintf("%s; the same in %d further loops", out.What, out.Covers.Places-1)
		return *out, compiles(ctx, o, nil, out)
	}
	return *out, nil
}

// including are the units that may have a file.
func (o Options) including(file string) []compdb.Unit {
	own := slices.DeleteFunc(slices.Clone(o.Units), func(u compdb.Unit) bool { return !leadToOne(u.File, file) })
	if len(own) > 0 {
		return own
	}
	name := filepath.Clean(file)
	having := slices.DeleteFunc(slices.Clone(o.Units), func(u compdb.Unit) bool {
		reads, known := o.Includes.Reads(u, func(f string) bool { return leadToOne(f, name) })
		return !reads && known
	})
	if len(having) == 0 {
		return o.Units
	}
	return having
}

// join adds the changes of another proposal of the same kind.
func (p *Proposal) join(q *Proposal) error {
	p.Assumptions = unite(p.Assumptions, q.Assumptions)
	p.Notes = unite(p.Notes, q.Notes)
	p.Loops = append(p.Loops, q.Loops...)
	p.whole = p.whole && q.whole
	edits := p.edits()
	for _, e := range q.edits() {
		if !slices.Contains(edits, e) {
			edits = append(edits, e)
		}
	}
	changes, err := changesOf(edits)
	if err == nil {
		p.Changes = changes
	}
	return err
}
