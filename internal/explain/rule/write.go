package rule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
	"whyhot/internal/profile/symname"
)

// dominates is the part of a cost that one function or caller must have before
// the finding points at it.
const dominates = 0.6

// maxRows bounds lists in the evidence.
const maxRows = 5

// write makes the finding of a verdict.
func (e *engine) write(v *verdict) finding.Finding {
	c := v.entry
	f := finding.Finding{
		Rule:      c.ID,
		Title:     c.Title,
		Certainty: v.certainty,
		Place:     e.place(v),
		Share:     e.shareOf(v),
		Gain:      e.estimate(v),
		Links:     c.Links,
		General:   c.Fallback,
		Aside:     v.isAside(),
	}
	f.ID = v.id()
	f.Evidence = e.evidence(v)
	f.Fix = fix(v)
	e.readSource(v, &f)
	if e.namedByJIT(v) {
		f.Fix.Caveats = append(f.Fix.Caveats, "The names come from the map file of a JIT, which may be stale: check with the runtime's own profiler that this code runs")
	}
	switch {
	case e.isOthersToChange(v):
		f.Minor = othersCode
	case v.developed && !c.IsAside():
		f.Minor = developedHere
	}
	set := e.settings(v.entry.Entry)
	for _, s := range slices.Backward(set) {
		s.tell(&f)
	}
	f.Next = e.next(v, f.ID, set)
	return f
}

// id is made of the entry and the program alone: an entry has one finding in a program, and
// the place, the library and the caller of it are those with the most samples. What the
// source of a build finds too has the id that it has there: package merge joins them.
func (v *verdict) id() string {
	if v.entry.SourceRule != "" && !v.again {
		return finding.CauseID(v.entry.SourceRule)
	}
	return finding.ID(v.entry.ID, finding.Place{}, v.program.name)
}

// namedByJIT says whether a verdict rests mostly on names from a perf map: a JIT
// that frees and reuses code leaves names in it that no longer hold.
func (e *engine) namedByJIT(v *verdict) bool {
	var jit, all int64
	for fn, w := range v.trace.functions {
		all += w
		if e.isJIT(e.p.Function(fn).Mapping) {
			jit += w
		}
	}
	return 2*jit > all
}

func (e *engine) isJIT(id profile.MappingID) bool {
	if e.jit == nil {
		e.jit = map[profile.MappingID]bool{}
	}
	is, known := e.jit[id]
	if !known {
		path := e.p.Mapping(id).Path
		is = path != "" && codename.OfMapping(path) == profile.KindJIT
		e.jit[id] = is
	}
	return is
}

func (e *engine) shareOf(v *verdict) finding.Share {
	total := float64(e.p.Total())
	inclusive, exclusive := float64(v.cost.inclusive)/total, float64(v.cost.exclusive)/total
	margin := finding.ShareError(max(inclusive, exclusive), e.p.Count())
	return finding.Share{Exclusive: &exclusive, Inclusive: &inclusive, Error: &margin}
}

func (e *engine) place(v *verdict) finding.Place {
	c := v.entry
	binary := v.program.main
	if lib := v.trace.library; lib != 0 && e.pointsAtLibrary(c, lib) {
		binary = lib
	}
	m := e.p.Mapping(binary)
	pl := finding.Place{Binary: m.Path, BuildID: m.BuildID}
	if m.Path == "" && c.Match.Place == catalog.PlaceProgram {
		pl.Binary = v.program.name
	}
	switch c.Match.Place {
	case catalog.PlaceFunction:
		if id, w := top(v.trace.functions); float64(w) >= dominates*float64(v.cost.inclusive) {
			e.point(&pl, id, e.matchedLine(v, id))
		}
	case catalog.PlaceCaller:
		e.placeCaller(v, &pl)
	}
	return pl
}

// pointsAtLibrary says whether the binary of the matched code is the place: not
// the kernel, and for a fix at the caller not the C or C++ library.
func (e *engine) pointsAtLibrary(c *compiled, lib profile.MappingID) bool {
	path := e.p.Mapping(lib).Path
	switch {
	case c.Match.Place == catalog.PlaceProgram, codename.OfMapping(path) == profile.KindKernel:
		return false
	case c.Match.Place == catalog.PlaceCaller:
		return !plumbingLibrary.MatchString(baseName(path))
	}
	return true
}

// placeCaller points at the function that calls into the matched code most, and
// at its line when one line has most of that. Of a script's library or runtime it is nobody's
// to change: then the script's own line that leads there is the place.
func (e *engine) placeCaller(v *verdict, pl *finding.Place) {
	lines := v.trace.callers
	id, w := top(byFunction(lines))
	if own, is := top(byFunction(v.trace.own)); !e.lines.IsOwn(id) && float64(is) >= dominates*float64(v.known()) {
		lines, id, w = v.trace.own, own, is
	}
	if float64(w) < dominates*float64(v.known()) {
		return
	}
	fn := e.p.Function(id)
	line, most := int32(0), int64(0)
	for l, lw := range lines {
		if l.Function == id && (lw > most || lw == most && l.Line < line) {
			line, most = l.Line, lw
		}
	}
	if float64(most) < dominates*float64(w) && fn.StartLine > 0 {
		line = 0 // several: where it begins
	}
	m := e.p.Mapping(fn.Mapping)
	pl.Binary, pl.BuildID = m.Path, m.BuildID
	e.point(pl, id, line)
}

func (e *engine) point(pl *finding.Place, id profile.FunctionID, line int32) {
	fn := e.p.Function(id)
	pl.Function, pl.File = fn.Name, fn.File
	pl.Line = int(cmp.Or(line, fn.StartLine))
}

func byFunction(lines map[profile.Line]int64) map[profile.FunctionID]int64 {
	out := map[profile.FunctionID]int64{}
	for l, w := range lines {
		out[l.Function] += w
	}
	return out
}

func top[K ~uint32](m map[K]int64) (K, int64) {
	id, _ := heaviest(m)
	return id, m[id]
}

func (e *engine) evidence(v *verdict) []finding.Evidence {
	out := []finding.Evidence{{Kind: "reason", Text: v.entry.Why}}
	out = append(out, e.symbolEvidence(v)...)
	if t := e.callerText(v); t != "" {
		out = append(out, finding.Evidence{Kind: "caller", Text: t})
	}
	if t := e.programText(v); t != "" {
		out = append(out, finding.Evidence{Kind: "process", Text: t})
	}
	out = append(out, v.facts...)
	if v.certainty == finding.Suspected && v.entry.Versions != "" {
		out = append(out, finding.Evidence{Kind: "version", Text: "Applies to " + v.entry.Versions + "; the version that ran could not be checked."})
	}
	out = append(out, e.overlapEvidence(v)...)
	if t := v.entry.MeasuredShortly(); t != "" {
		out = append(out, finding.Evidence{Kind: "measured", Text: "Measured by whyhot's own trials, not on your program: " + t})
	}
	for _, cl := range v.entry.Claims {
		out = appendClaim(out, "", cl)
	}
	for i := range v.entry.Candidates {
		for _, cl := range v.entry.Candidates[i].Claims {
			out = appendClaim(out, v.entry.Candidates[i].Name+": ", cl)
		}
	}
	return out
}

// appendClaim shows what others say, marked as theirs; what nobody checked is
// not shown.
func appendClaim(out []finding.Evidence, who string, cl catalog.Claim) []finding.Evidence {
	if cl.Evidence == catalog.EvidenceRecall {
		return out
	}
	return append(out, finding.Evidence{Kind: "claim", Text: fmt.Sprintf("%s%s (%s; their number, not ours)", who, cl.Text, cl.Source)})
}

func (e *engine) symbolEvidence(v *verdict) []finding.Evidence {
	rows := ranking(v.trace.functions, cmp.Compare)
	var out []finding.Evidence
	for i, r := range rows {
		if i == maxRows {
			out = append(out, finding.Evidence{Kind: "symbol", Text: fmt.Sprintf("… and %d more matched functions", len(rows)-maxRows)})
			break
		}
		share := float64(r.weight) / float64(e.p.Total())
		out = append(out, finding.Evidence{Kind: "symbol", Text: e.describe(r.key), Share: &share})
	}
	return out
}

// describe names a function as "name in binary" or "name (file)".
func (e *engine) describe(id profile.FunctionID) string {
	fn := e.p.Function(id)
	lib := baseName(e.p.Mapping(fn.Mapping).Path)
	name := cmp.Or(fn.Name, "code without a name")
	switch {
	case lib != "":
		return name + " in " + lib
	case fn.File != "":
		return name + " (" + fn.File + ")"
	default:
		return name
	}
}

// callerName is the most of a caller's name that a sentence can take.
const callerName = 64

// caller is describe for a list in running text.
func (e *engine) caller(id profile.FunctionID) string {
	text, name := e.describe(id), e.p.Function(id).Name
	return symname.Shorten(name, callerName) + text[len(name):]
}

func (e *engine) callerText(v *verdict) string {
	rows := ranking(byFunction(v.trace.callers), cmp.Compare)
	var parts []string
	for i, r := range rows {
		part := float64(r.weight) / float64(v.known())
		if i == maxRows || part < 0.02 {
			break
		}
		parts = append(parts, fmt.Sprintf("%s (%s of it)", e.caller(r.key), percent.Text(part)))
	}
	if len(parts) == 0 {
		return ""
	}
	text := "Mostly called from " + strings.Join(parts, ", ")
	if v.known() < v.cost.inclusive {
		text += ", judged by the " + percent.Text(float64(v.known())/float64(v.cost.inclusive)) + " whose stacks reach a caller"
	}
	return text
}

// programText says the share within the program where that differs much from
// the share of the whole profile.
func (e *engine) programText(v *verdict) string {
	whole := float64(v.cost.inclusive) / float64(e.p.Total())
	if len(e.programs.list) == 1 || v.share < muchMore*whole {
		return ""
	}
	return fmt.Sprintf("Within %s, which has %s of the samples, it is %s ± %s.", cmp.Or(v.program.name, "this program"),
		percent.Text(float64(v.program.total)/float64(e.p.Total())), percent.Text(v.share), percent.Text(v.margin))
}

func (e *engine) overlapEvidence(v *verdict) []finding.Evidence {
	var best *verdict
	for o, w := range v.trace.overlap {
		part := float64(w) / float64(v.cost.inclusive)
		if o.isAside() { // it has everything
			continue
		}
		if part >= 0.5 && (best == nil || w > v.trace.overlap[best] || (w == v.trace.overlap[best] && o.entry.ID < best.entry.ID)) {
			best = o
		}
	}
	if best == nil || slices.Contains(v.absorbed, best) || best.hidden {
		return nil
	}
	part := float64(v.trace.overlap[best]) / float64(v.cost.inclusive)
	return []finding.Evidence{{Kind: "overlap", Text: fmt.Sprintf(
		"%s of these samples also belong to the finding %q: the two gains do not add up.", percent.Text(part), best.entry.Title)}}
}

func fix(v *verdict) finding.Fix {
	c := v.entry
	f := finding.Fix{
		Kind: c.Swap.Kind, Licence: c.Licence, Caveats: append([]string(nil), c.Caveats...),
		Preload: preloads(c), Env: slices.Clone(c.Swap.Env),
	}
	f.Steps = append(f.Steps, c.Swap.Steps...)
	for i := range c.Candidates {
		k := &c.Candidates[i]
		for _, caveat := range k.Caveats {
			f.Caveats = append(f.Caveats, k.Name+": "+caveat)
		}
	}
	for _, a := range v.absorbed {
		what := cmp.Or(a.entry.ReplaceWith, a.entry.Title)
		f.Steps = append(f.Steps, "Instead: "+what+" — "+strings.Join(a.entry.Swap.Steps, "; "))
	}
	return f
}

// preloads are the libraries that an entry proposes to preload.
func preloads(c *compiled) []string {
	var out []string
	for i := range c.Candidates {
		if lib := c.Candidates[i].Preload; lib != "" {
			out = append(out, lib)
		}
	}
	return out
}

// setsOneOf says whether a command sets one of the variables of NAME=VALUE words, as env
// and shells do.
func setsOneOf(command, env []string) bool {
	return slices.ContainsFunc(command, func(word string) bool { return replaced(word, env) != word })
}

// withEnv is a command with the values of env in place of its own.
func withEnv(command, env []string) []string {
	out := slices.Clone(command)
	for i := range out {
		out[i] = replaced(out[i], env)
	}
	return out
}

// replaced is the word of env that sets what a word sets, else the word.
func replaced(word string, env []string) string {
	name, _, sets := strings.Cut(word, "=")
	for _, kv := range env {
		if other, _, _ := strings.Cut(kv, "="); sets && other == name {
			return kv
		}
	}
	return word
}

// next is the command that proves or refutes the finding.
func (e *engine) next(v *verdict, id string, set []setting) finding.Command {
	recorded := e.p.Meta.Command
	try := finding.Command{Verb: "try", Args: []string{"--profile", cmp.Or(e.opts.ProfilePath, "FILE")}, Program: finding.ProgramOr(recorded)}
	swap, preloads := &v.entry.Swap, preloads(v.entry)
	if swap.Try != "" && len(preloads) == 0 && len(swap.Env) == 0 {
		try.Verb = "try build"
	}
	for _, dir := range e.opts.Rules {
		try = try.With("--rules", dir)
	}
	try = try.With("--finding", id)
	switch {
	case len(preloads) > 0:
		return try.With("--preload", strings.Join(preloads, ","))
	case len(swap.Env) > 0 && setsOneOf(recorded, swap.Env):
		// The command sets it itself, and would set it back.
		return try.With("--versus", "changed="+shellwords.Join(withEnv(recorded, swap.Env)))
	case len(swap.Env) > 0 && !slices.ContainsFunc(set, func(s setting) bool { return s.file != "" }):
		for _, kv := range swap.Env {
			try = try.With("--env", kv)
		}
		return try
	case swap.Try != "":
		return try.With("--build", finding.YourBuild).With(strings.Fields(swap.Try)...)
	case len(recorded) == 0:
		return try.With("--versus", "changed=<the command after the change>")
	default:
		// The same command, in a copy of the directory in which the change is made.
		return try.With("--versus", "changed="+shellwords.Join(recorded), "--dir", "changed=../changed")
	}
}
