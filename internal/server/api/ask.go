package api

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"whyhot/internal/profile/label"
	"whyhot/internal/profile/origin"
	"whyhot/internal/server/access"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
	"whyhot/internal/store/stage"
)

// services lists the services of a selection.
func (s *Server) services(ctx context.Context, r *request) (any, error) {
	return s.labelsOf(ctx, r, store.ByService)
}

// labelKeys lists what samples can be chosen and grouped by: with how many values the project
// has of each, or those of a selection where one is given.
func (s *Server) labelKeys(ctx context.Context, r *request) (any, error) {
	list := r.project.LabelKeys()
	if slices.ContainsFunc(selecting, r.values.Has) {
		sel, err := s.selection(r)
		if err != nil {
			return nil, err
		}
		if err := countValues(ctx, r.project, sel, list); err != nil && !errors.Is(err, store.ErrTooLarge) {
			return nil, err // of too many combinations the numbers stay those of the project
		}
	}
	out := labelKeysForm{Keys: make([]labelKeyForm, 0, len(list))}
	for _, k := range list {
		out.Keys = append(out.Keys, labelKeyForm{string(k.Key), k.Values})
	}
	return out, nil
}

// countValues makes the numbers of values those of a selection.
func countValues(ctx context.Context, p *project.Project, sel store.Selection, list []store.LabelKey) error {
	keys := make([]store.Dimension, len(list))
	for i, k := range list {
		keys[i] = k.Key
	}
	sets, err := p.LabelSets(ctx, sel, keys)
	if err != nil {
		return err
	}
	for i := range list {
		values := map[string]bool{}
		for _, set := range sets {
			if set[i] != "" {
				values[set[i]] = true
			}
		}
		list[i].Values = len(values)
	}
	return nil
}

// labels lists the values of a dimension.
func (s *Server) labels(ctx context.Context, r *request) (any, error) {
	by, err := dimension(r, "the path", r.PathValue("dimension"))
	if err != nil {
		return nil, err
	}
	return s.labelsOf(ctx, r, by)
}

func (s *Server) labelsOf(ctx context.Context, r *request, by store.Dimension) (any, error) {
	sel, err := s.selection(r)
	if err != nil {
		return nil, err
	}
	list, err := r.project.Labels(ctx, sel, by)
	if err != nil {
		return nil, err
	}
	out := labelsForm{Dimension: by, Values: make([]labelForm, 0, len(list))}
	for _, v := range list {
		out.Values = append(out.Values, labelForm{v.Value, v.Count, v.Weight, v.First.UTC(), v.Last.UTC()})
	}
	return out, nil
}

// dimension reads a dimension that the project has.
func dimension(r *request, where, text string) (store.Dimension, error) {
	d := store.Dimension(label.Name(text))
	if slices.Contains(store.Dimensions(), d) {
		return d, nil
	}
	var names []string
	for _, k := range r.project.LabelKeys() {
		if k.Key == d {
			return d, nil
		}
		names = append(names, string(k.Key))
	}
	return "", invalid("%s: %v", where, &label.UnknownError{Key: text, Known: names})
}

// Steps of a time line: about as many as a page is wide, and no more than it can show.
const (
	usualSteps = 120
	maxSteps   = 2000
	maxLines   = 100
)

// timeline gives weight over time.
func (s *Server) timeline(ctx context.Context, r *request) (any, error) {
	sel, err := s.selection(r)
	if err != nil {
		return nil, err
	}
	by, err := r.by()
	if err != nil {
		return nil, err
	}
	step, err := r.duration("step", time.Minute, 31*24*time.Hour)
	if err != nil {
		return nil, err
	}
	if step%time.Minute != 0 {
		return nil, invalid("step=%s: must be whole minutes", step)
	}
	if step == 0 {
		step = niceStep(sel.To.Sub(sel.From) / usualSteps)
	}
	if n := sel.To.Sub(sel.From) / step; n > maxSteps {
		return nil, invalid("step=%s: that would be %d steps, at most %d are given", step, n, maxSteps)
	}
	lines, err := r.number("lines", 10, 1, maxLines)
	if err != nil {
		return nil, err
	}
	t, err := r.project.Timeline(ctx, sel, by, step, lines)
	if err != nil {
		return nil, err
	}
	out := timelineForm{
		Basis: formOf(t.Basis), By: t.By, Start: t.Start.UTC(), StepSeconds: t.Step.Seconds(), Steps: t.Steps,
		Lines: make([]lineForm, 0, len(t.Lines)), Others: t.Others,
	}
	for _, l := range t.Lines {
		out.Lines = append(out.Lines, lineForm{l.Value, l.Weight})
	}
	return out, nil
}

// niceStep is the first step that people read well and that is no shorter.
func niceStep(least time.Duration) time.Duration {
	const day = 24 * time.Hour
	for _, step := range []time.Duration{
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
		time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, day,
	} {
		if step >= least {
			return step
		}
	}
	days := least.Truncate(day)
	if days < least {
		days += day
	}
	return days
}

const (
	maxRows = 100_000
	bySelf  = "self"
	byTotal = "total"
)

// top gives what is hot.
func (s *Server) top(ctx context.Context, r *request) (any, error) {
	sel, err := s.selection(r)
	if err != nil {
		return nil, err
	}
	sort, err := r.choice("sort", bySelf, byTotal)
	if err != nil {
		return nil, err
	}
	limit, err := r.number("limit", 100, 0, maxRows)
	if err != nil {
		return nil, err
	}
	match, err := r.pattern("match")
	if err != nil {
		return nil, err
	}
	if err := r.eachOf(paramOrigin, origin.Unknown.String(), origin.Own.String(), origin.Library.String(), origin.Runtime.String(), origin.Kernel.String()); err != nil {
		return nil, err
	}
	classes, err := allClasses()
	if err != nil {
		return nil, err
	}
	origins, families := sums{}, sums{}
	judging := sync.OnceFunc(func() { stage.Enter(ctx, "finding out what the functions are, which it does once for each name") })
	among := func(name string, list []string) bool { return len(list) == 0 || slices.Contains(list, name) }
	t, err := r.project.Top(ctx, sel, store.TopOptions{Total: sort == byTotal, Limit: limit, Match: match, Keep: func(f *store.Function, self int64) bool {
		if ctx.Err() != nil { // what was found out by now is there for the next question
			return false
		}
		judging()
		c := classes.of(f)
		inOrigin, inFamily := among(c.origin, r.values[paramOrigin]), among(c.family, r.values[paramFamily])
		// Of each, what there is to choose from beside the choice in the other.
		if inFamily {
			origins[c.origin] += self
		}
		if inOrigin {
			families[c.family] += self
		}
		return inOrigin && inFamily
	}})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	out := topForm{
		Basis: formOf(t.Basis), Sort: sort, Functions: t.Functions, Matched: t.Matched,
		MatchedSelf: t.MatchedSelf, MatchedTotal: t.MatchedTotal, Origins: origins.forms(), Families: families.forms(),
		Rows: make([]topRow, 0, len(t.Rows)),
	}
	for _, row := range t.Rows {
		weight := row.Self
		if sort == byTotal {
			weight = row.Total
		}
		out.Rows = append(out.Rows, topRow{functionOf(row.Function), classes.of(&row.Function).family, row.Self, row.Total, errorOf(t.Basis, weight)})
	}
	return out, nil
}

// history gives the weight of functions over time, for small drawings.
func (s *Server) history(ctx context.Context, r *request) (any, error) {
	sel, err := s.selection(r)
	if err != nil {
		return nil, err
	}
	sort, err := r.choice("sort", bySelf, byTotal)
	if err != nil {
		return nil, err
	}
	const usual, most = 40, 500
	steps, err := r.number("steps", usual, 1, most)
	if err != nil {
		return nil, err
	}
	var ids []store.FunctionID
	for _, text := range r.values[paramFunction] {
		id, err := functionID(paramFunction, text)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 || len(ids) > store.MaxHistory {
		return nil, invalid("function must be there 1 to %d times", store.MaxHistory)
	}
	h, err := r.project.History(ctx, sel, ids, sort == byTotal, niceStep(sel.To.Sub(sel.From)/time.Duration(steps)))
	if err != nil {
		return nil, err
	}
	out := historyForm{Basis: formOf(h.Basis), Start: h.Start.UTC(), StepSeconds: h.Step.Seconds(), Functions: make([]historyLine, 0, len(ids))}
	for i, id := range ids {
		out.Functions = append(out.Functions, historyLine{id, h.Weight[i]})
	}
	return out, nil
}

// functions finds functions by a part of their name.
func (s *Server) functions(ctx context.Context, r *request) (any, error) {
	sel, err := s.selection(r)
	if err != nil {
		return nil, err
	}
	limit, err := r.number("limit", 50, 1, 1000)
	if err != nil {
		return nil, err
	}
	q := r.values.Get("q")
	if q == "" || len(q) > 1000 || !utf8.ValidString(q) {
		return nil, invalid("q must be a part of a function's name: 1 to 1000 bytes of UTF-8")
	}
	found, err := r.project.FindFunctions(ctx, sel, regexp.MustCompile("(?i)"+regexp.QuoteMeta(q)))
	if err != nil {
		return nil, err
	}
	shown := found[:min(limit, len(found))]
	out := functionsForm{Functions: make([]functionForm, 0, len(shown)), More: len(found) - len(shown)}
	for _, f := range shown {
		out.Functions = append(out.Functions, functionOf(f))
	}
	return out, nil
}

// stats tells what the store of a project holds.
func (s *Server) stats(ctx context.Context, r *request) (any, error) {
	st, err := r.project.Stats(ctx)
	if err != nil {
		return nil, err
	}
	out := statsForm{
		Bytes: st.Bytes, Memory: st.Memory, Missing: st.Missing, Tables: make([]tableForm, 0, len(st.Tables)),
		// Why it fails may name files of this machine; the log has it.
		Journal:  journalForm{st.Journal.Segments, st.Journal.Bytes, st.Journal.Failing != ""},
		Mappings: st.Mappings, Functions: st.Functions, Locations: st.Locations, Nodes: st.Nodes, Stacks: st.Stacks, Series: st.Series,
		Unresolved: st.Unresolved, CutStacks: st.CutStacks, MergedSeries: st.MergedSeries, DroppedSamples: st.DroppedSamples,
	}
	out.Bounds, out.Files = make([]boundForm, 0, len(st.Bounds)+1), make([]fileForm, 0, len(st.Files))
	for _, b := range append(st.Bounds, r.project.DebugInfoBound()) {
		out.Bounds = append(out.Bounds, boundForm(b))
	}
	for _, f := range st.Files {
		out.Files = append(out.Files, fileForm(f))
	}
	for _, t := range st.Tables {
		form := tableForm{Name: t.Name, Rows: t.Rows, Bytes: t.Bytes}
		if t.First.Unix() > 0 { // a table with time that has rows
			form.First, form.Last = t.First.UTC(), t.Last.UTC()
		}
		out.Tables = append(out.Tables, form)
	}
	return out, nil
}

// compact puts the store of a project in order. It goes on when its time is over.
func (s *Server) compact(ctx context.Context, r *request) (any, error) {
	if err := r.project.Compact(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}
	return s.stats(ctx, r)
}

// projects lists what the token may ask about.
func (s *Server) projects(_ context.Context, r *request) (any, error) {
	own, err := r.grant.Authorize(access.Read, r.values.Get(paramProject))
	if err != nil {
		return nil, err
	}
	return s.projectsSeen(r, own)
}

// projectsSeen lists the projects that a request may see; own is the one that it is about.
func (s *Server) projectsSeen(r *request, own string) (projectsForm, error) {
	names, err := s.o.Projects.Names()
	if err != nil {
		return projectsForm{}, err
	}
	out := projectsForm{Scopes: r.grant.Scopes, Default: own, Projects: []projectForm{}}
	if r.grant.Open() {
		out.Scopes = access.Scopes()
	}
	for _, name := range names {
		if r.grant.Sees(name) {
			out.Projects = append(out.Projects, projectForm{name})
		}
	}
	if (r.grant.Person != "" || r.grant.Project == "") && r.grant.Sees(access.DefaultProject) && !slices.Contains(names, access.DefaultProject) {
		out.Projects = append(out.Projects, projectForm{access.DefaultProject})
	}
	slices.SortFunc(out.Projects, func(a, b projectForm) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}
