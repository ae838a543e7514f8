package astfinding

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/identity"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// UserRule is how a rule of the user is reported.
type UserRule struct {
	Title string
	Steps []string
	Links []string
}

// Options says what to report.
type Options struct {
	// Suspected also reports alias matches that the IR layer looked at and did
	// not confirm, and matches outside loops.
	Suspected bool
	// Profiled says that a profile will rank the findings: what is cold, or small
	// enough not to matter, need not be guessed.
	Profiled  bool
	UserRules map[string]UserRule // by ID
}

// group is everything that the AST layer says of one source place.
type group struct {
	matches []analyzer.Match // the most precise alias rule first
	from    analyzer.Outcome // the first that has it
	unit    string           // its file
	judged  bool             // the IR layer ran on the unit
	strict  bool
}

func (g *group) main() analyzer.Match { return g.matches[0] }

// weak says that nothing but library functions takes part: how a string grows is
// no finding unless the IR layer confirms it.
func (g *group) weak() bool {
	return !slices.ContainsFunc(g.matches, func(m analyzer.Match) bool { return !m.Weak })
}

// Join adds the AST layer's matches to the findings of the IR layer. A loop that
// both mean stays one finding, with the AST's places as evidence and its names
// in the advice. The order of ir is kept; what the AST layer alone says follows.
func Join(ir []finding.Finding, outcomes []analyzer.Outcome, opts Options) []finding.Finding {
	alias, others := groups(outcomes)
	out := slices.Clone(ir)
	for i := range out {
		if g := explains(alias, out[i]); g != nil {
			explain(&out[i], g)
		}
	}
	for _, key := range sortedKeys(alias) {
		g := alias[key]
		if explained(out[:len(ir)], g) {
			continue
		}
		if opts.Suspected || (g.main().InLoop && !g.judged && !g.weak()) {
			out = append(out, opts.fold(g.finding(rules[g.main().Rule], opts)))
		}
	}
	for _, key := range sortedKeys(others) {
		g := others[key]
		r, known := rules[g.main().Rule]
		fold := opts.fold
		if u, isUser := opts.UserRules[g.main().Rule]; isUser {
			r, known = rule{title: u.Title, steps: u.Steps}, true
			fold = func(f finding.Finding) finding.Finding { return f } // it was asked for
		} else if !opts.Suspected && !g.isWarm(r, opts) {
			continue
		}
		switch {
		case known && r.whole:
			out = append(out, fold(g.cause(r, opts)))
		case known:
			out = append(out, fold(g.finding(r, opts)))
		}
	}
	finding.Separate(out)
	return out
}

// fold marks what a pattern alone says as not to be listed, unless somebody asked for
// it or a profile will say what it costs.
func (o Options) fold(f finding.Finding) finding.Finding {
	if !o.Suspected && !o.Profiled {
		f.Minor = "only suspected; --suspected lists it"
	}
	return f
}

// isWarm says whether a match outside of the alias rules is worth a word without
// being asked for: it is in a loop, or a profile will tell. An array that may be
// small is left to the profile too.
func (g *group) isWarm(r rule, opts Options) bool {
	if r.needsProfile {
		return opts.Profiled
	}
	return opts.Profiled && r.perCall || slices.ContainsFunc(g.matches, func(m analyzer.Match) bool {
		return m.InLoop && (opts.Profiled || !m.Weak)
	})
}

// Errors lists what the analyser said of the user's rules, each once.
func Errors(outcomes []analyzer.Outcome) []string {
	var out []string
	for _, o := range outcomes {
		for _, e := range o.Reply.RuleErrors {
			if !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// groups collects matches by place. The alias rules share a group: they are
// names of one fact. debug-stl has one group a macro and unit tree, or a hot
// build would have a finding for every loop.
func groups(outcomes []analyzer.Outcome) (alias, others map[string]*group) {
	alias, others = map[string]*group{}, map[string]*group{}
	seen := map[string]bool{}
	for _, o := range outcomes {
		judged := o.Reply.Loops > 0 || len(o.Reply.Candidates) > 0
		for _, m := range o.Reply.Matches {
			absolute(&m, o.Unit.Directory)
			into, key := others, m.Rule+"\x00"+placeKey(m)
			switch {
			case rules[m.Rule].precision > 0:
				into, key = alias, placeKey(m)
			case m.Rule == ruleDebugSTL:
				key = m.Rule + m.Location
			case rules[m.Rule].whole:
				key = m.Rule
			}
			once := m.Rule + "\x00" + placeKey(m) + "\x00" + m.Location
			if seen[once] { // a header's loop is met in every unit
				continue
			}
			seen[once] = true
			g := into[key]
			if g == nil {
				g = &group{from: o, unit: o.Unit.File, judged: judged, strict: o.Reply.StrictAliasing}
				into[key] = g
			}
			g.matches = append(g.matches, m)
		}
	}
	for _, g := range alias {
		slices.SortStableFunc(g.matches, func(a, b analyzer.Match) int {
			return cmp.Compare(rules[b.Rule].precision, rules[a.Rule].precision)
		})
	}
	return alias, others
}

func absolute(m *analyzer.Match, dir string) {
	spans := []*analyzer.Span{&m.Place, m.First, m.Write, m.Second}
	if m.Written != nil {
		spans = append(spans, m.Written.Where)
	}
	for _, s := range spans {
		if s != nil && !filepath.IsAbs(s.File) {
			s.File = filepath.Join(dir, s.File)
		}
	}
	m.Place.File = filepath.Clean(m.Place.File)
}

func placeKey(m analyzer.Match) string {
	return fmt.Sprintf("%s\x00%09d\x00%05d", m.Place.File, m.Place.Line, m.Place.Column)
}

func sortedKeys(gs map[string]*group) []string {
	keys := make([]string, 0, len(gs))
	for k := range gs {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// explains finds the AST's loop of an IR finding: the loop that begins on its
// line, else the innermost one around it.
func explains(alias map[string]*group, f finding.Finding) *group {
	var best *group
	for _, g := range alias {
		m := g.main()
		if !m.InLoop || !profile.SameFile(f.Place.File, m.Place.File) || m.Place.Line > f.Place.Line || m.Place.EndLine < f.Place.Line {
			continue
		}
		if best == nil || m.Place.Line > best.main().Place.Line {
			best = g
		}
	}
	return best
}

func explained(ir []finding.Finding, g *group) bool {
	m := g.main()
	return slices.ContainsFunc(ir, func(f finding.Finding) bool {
		return m.InLoop && profile.SameFile(f.Place.File, m.Place.File) && f.Place.Line >= m.Place.Line && f.Place.Line <= m.Place.EndLine
	})
}

// explain adds what only the source knows: names, places, the declaration.
func explain(f *finding.Finding, g *group) {
	m := g.main()
	f.Evidence = append(slices.Clip(f.Evidence), g.evidence()...)
	if own := g.accesses(); len(own) > 0 {
		f.Accesses = withWrites(own, f.Accesses)
	}
	if profile.SameFile(f.Place.File, m.Place.File) && m.Place.Line == f.Place.Line && m.Place.EndLine > m.Place.Line {
		f.Place.EndLine = m.Place.EndLine
	}
	if m.Written != nil && m.Written.Scope == scopeSystem {
		f.Fix.Caveats = append(f.Fix.Caveats, "what is written is declared in a system header: you can only change the locals")
	}
}

// locals are what to copy, by the analysis that the patch is written with: what the
// match names is one place of several, and may be what the loop changes.
func (g *group) locals() string {
	p := g.main().Place
	if h := g.from.Hoist(p.File, p.Line, p.Column); h != nil && len(h.Values) > 0 {
		return strings.Join(h.Values, ", ")
	}
	return "what is read again and the loop does not change"
}

func (g *group) evidence() []finding.Evidence {
	m := g.main()
	var out []finding.Evidence
	add := func(kind, format string, args ...any) {
		out = append(out, finding.Evidence{Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	place := func(kind, what string, s *analyzer.Span) {
		if s != nil {
			add(kind, "%s: %s at %s:%d:%d", what, s.Text, filepath.Base(s.File), s.Line, s.Column)
		}
	}
	if rules[m.Rule].precision > 0 {
		place("first", "1 first access", m.First)
		place("write", "2 byte-wide write", m.Write)
		place("load", "3 read again", m.Second)
	} else {
		place("access", "here", m.First)
		place("write", "and here", m.Write)
		place("access", "and here", m.Second)
	}
	if w := m.Written; w != nil && w.Declaration != "" && !rules[m.Rule].perCall {
		add("declaration", "what is written is %s, a %s (%s)", w.Declaration, w.Type, scopeText(w.Scope))
	}
	for _, n := range m.Notes {
		add("note", "%s", n)
	}
	if n := len(m.Sites); n > 0 {
		add("sites", "%s is inlined into %d callers in the unit: %s", m.Function, n, siteList(m.Sites))
	}
	var names []string
	for _, x := range g.matches[1:] {
		if x.Rule != m.Rule && !slices.Contains(names, x.Rule) {
			names = append(names, x.Rule)
		}
	}
	if len(names) > 0 {
		add("rules", "the loop also matches %s", strings.Join(names, ", "))
	}
	return out
}

func scopeText(scope string) string {
	switch scope {
	case "local":
		return "local to the function"
	case "unit":
		return "visible in this file only"
	case scopeSystem:
		return "declared in a system header"
	}
	return "part of an interface in the project"
}

func siteList(sites []analyzer.Site) string {
	const most = 3
	var parts []string
	for _, s := range sites[:min(most, len(sites))] {
		if s.Where != nil {
			parts = append(parts, fmt.Sprintf("%s (%s:%d)", s.Function, filepath.Base(s.Where.File), s.Where.Line))
		}
	}
	if len(sites) > most {
		parts = append(parts, fmt.Sprintf("and %d more", len(sites)-most))
	}
	return strings.Join(parts, ", ")
}

func (g *group) finding(r rule, opts Options) finding.Finding {
	m := g.main()
	title := r.title
	if strings.Contains(title, "%s") {
		title = fmt.Sprintf(title, g.subject())
	}
	f := finding.Finding{
		Rule:      m.Rule,
		Title:     title,
		Certainty: finding.Suspected,
		Place:     finding.Place{Function: m.Function, File: m.Place.File, Line: m.Place.Line},
		Accesses:  g.accesses(),
		Evidence:  g.evidence(),
		Fix:       finding.Fix{Kind: "code", Steps: r.steps},
		Links:     opts.UserRules[m.Rule].Links,
	}
	if m.Place.EndLine > m.Place.Line {
		f.Place.EndLine = m.Place.EndLine
	}
	if m.Rule == ruleDebugSTL {
		f.Fix.Kind = "build"
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "count", Text: fmt.Sprintf("%d loops have such accesses", len(g.matches))})
	}
	if r.precision > 0 {
		g.aliasFix(&f)
	}
	if r.perCall {
		f.Accesses = nil // nothing is loaded or written: it is made and destroyed
	}
	f.Cost = g.cost()
	f.Fix.Caveats = append(f.Fix.Caveats, caveats[m.Rule]...)
	f.ID = identity.Of(g.from, f.Rule, f.Place, m.Place.Column)
	if m.Rule == ruleDebugSTL { // of a macro, not of the loop that shows it first
		f.ID = finding.ID(f.Rule, finding.Place{}, m.Location)
	}
	return f
}

// cost is where a profile shows what the finding costs, for rules about what is
// called there; nil for its own lines.
func (g *group) cost() *finding.Cost {
	m := g.main()
	switch m.Rule {
	case ruleConstantContainer:
		c := &finding.Cost{From: finding.Place{File: m.Place.File, Line: m.Place.Line, EndLine: m.Place.EndLine}}
		if m.Ends != nil {
			c.Ends = finding.Place{File: m.Place.File, Line: m.Ends.Line}
		}
		return c
	case ruleValueContainer:
		return &finding.Cost{ArgumentsOf: []string{m.Linkage, m.Function}}
	}
	return nil
}

// subject is what the title names.
func (g *group) subject() string {
	m := g.main()
	if m.Rule == "exceptions-control-flow" && m.Write != nil {
		return m.Write.Text
	}
	return m.Location
}

func (g *group) aliasFix(f *finding.Finding) {
	m := g.main()
	f.Fix.Steps = []string{fmt.Sprintf(hoist, g.locals())}
	switch {
	case !g.strict:
		f.Fix.Caveats = append(f.Fix.Caveats, "the unit is compiled with -fno-strict-aliasing: a change of type does nothing there, only the locals help")
	case m.Written != nil && m.Written.Scope != scopeSystem && m.Written.Declaration != "":
		step := retype
		if g.from.Unit.IsC() {
			step = retypeInC
		}
		f.Fix.Steps = append(f.Fix.Steps, fmt.Sprintf(step, m.Written.Declaration))
	}
	f.Fix.Caveats = append(f.Fix.Caveats,
		"the locals are right only if nothing in the loop changes the originals on purpose",
		"the source has the pattern; whether it costs anything, the IR layer or a measurement shows")
}
