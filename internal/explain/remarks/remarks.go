package remarks

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/ingest/remark"
	"whyhot/internal/profile"
)

// A finding is worth a person's time from this share of all samples on, and as many
// events.
const (
	least  = 0.01
	fewest = 10
)

// Request is what Find is asked.
type Request struct {
	Profile *profile.Profile
	Remarks []remark.Remark
	// Source gives the lines of a file as the profile or a report names it.
	Source func(file string) (lines []string, ok bool)
}

// Answer is what came of it.
type Answer struct {
	Found  []judge.Found
	Notes  []string
	Looked string // in a sentence
}

// Judge is the judge of what compilers reported.
func Judge(ctx context.Context, s judge.Subject) (judge.Answer, error) {
	a, err := Find(ctx, Request{Profile: s.Profile, Remarks: s.Remarks, Source: s.Facts.Source})
	if err != nil {
		return judge.Answer{}, err
	}
	for i := range a.Found {
		nameTrial(&a.Found[i].Finding, s.Path)
	}
	return judge.Answer{Found: a.Found, Notes: a.Notes, Looked: "In reports: " + a.Looked + "."}, nil
}

// nameTrial says how a change by hand is proved.
func nameTrial(f *finding.Finding, path string) {
	if path != "" {
		f.Next = finding.Command{
			Verb: "try", Program: []string{finding.YourCommand},
			Args: []string{"--profile", path, "--finding", f.ID, "--versus", "changed=<the changed program>"},
		}
	}
}

// Find gives what the profile pays for.
func Find(ctx context.Context, r Request) (Answer, error) {
	j := join(r)
	var a Answer
	for _, of := range []func(*joined) []judge.Found{escapes, entries, checks, passes, calls, jit, shapes} {
		if err := ctx.Err(); err != nil {
			return Answer{}, err
		}
		a.Found = append(a.Found, of(j)...)
	}
	separate(a.Found)
	slices.SortStableFunc(a.Found, func(x, y judge.Found) int { return -cmp.Compare(x.Gain.High, y.Gain.High) })
	a.Looked = fmt.Sprintf("%d remarks of %s; the profile pays for %d", len(r.Remarks), strings.Join(j.compilers(), ", "), len(a.Found))
	if len(r.Remarks) > 0 && !j.meets() {
		a.Notes = append(a.Notes, fmt.Sprintf("no remark is at a place that the profile has samples in: the report is about %s. Is it of this program, and does the profile have source lines (symbols, debug information)?", r.Remarks[0].At().File))
	}
	return a, nil
}

// separate tells apart what one function has twice: two allocations by the same words.
func separate(found []judge.Found) {
	fs := make([]finding.Finding, len(found))
	for i := range found {
		fs[i] = found[i].Finding
	}
	finding.Separate(fs)
	for i := range found {
		found[i].ID = fs[i].ID
	}
}

// spot is a place in source as a profile has it.
type spot struct {
	file string
	line int32
}

// joined is a profile with the remarks at its places.
type joined struct {
	Request

	byPlace map[key][]int // remarks, by name of the file and line
	at      map[spot][]int
	byFile  map[string][]int
}

type key struct {
	base string
	line int
}

func base(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }

func join(r Request) *joined {
	j := &joined{Request: r, byPlace: map[key][]int{}, at: map[spot][]int{}, byFile: map[string][]int{}}
	for i := range r.Remarks {
		p := r.Remarks[i].At()
		k := key{base(p.File), p.Line}
		j.byPlace[k] = append(j.byPlace[k], i)
	}
	return j
}

// remarksAt are those whose innermost place is a line of the profile.
func (j *joined) remarksAt(file string, line int32) []int {
	if file == "" || line == 0 {
		return nil
	}
	s := spot{file, line}
	found, known := j.at[s]
	if !known {
		for _, i := range j.byPlace[key{base(file), int(line)}] {
			if m := &j.Remarks[i]; j.isOf(m, file) {
				found = append(found, i)
			}
		}
		j.at[s] = found
	}
	return found
}

// isOf says whether a remark is on a file.
func (*joined) isOf(m *remark.Remark, file string) bool { return profile.SameFile(m.At().File, file) }

// meets says whether any remark is on a file that has samples.
func (j *joined) meets() bool {
	files := map[string][]string{}
	for i := range j.Profile.NumFunctions() {
		f := j.Profile.Function(profile.FunctionID(i)).File
		if f != "" && !slices.Contains(files[base(f)], f) {
			files[base(f)] = append(files[base(f)], f)
		}
	}
	names := map[string]bool{}
	for i := range j.Remarks {
		m := &j.Remarks[i]
		if m.At().File == "" { // by function, not by place
			return true
		}
		if f := m.At().File; !names[f] {
			names[f] = true
			if slices.ContainsFunc(files[base(f)], func(g string) bool { return j.isOf(m, g) }) {
				return true
			}
		}
	}
	return false
}

func (j *joined) compilers() []string {
	seen := map[string]bool{}
	for i := range j.Remarks {
		seen[j.Remarks[i].Compiler] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// cost is what samples came to.
type cost struct {
	value, events int64
	rows          []int32
	functions     map[profile.FunctionID]int64 // whose line it is
}

func (c *cost) add(row int, s *profile.Sample, f profile.FunctionID) {
	c.value += s.Value
	c.events += s.Count
	c.rows = append(c.rows, int32(row))
	if c.functions == nil {
		c.functions = map[profile.FunctionID]int64{}
	}
	c.functions[f] += s.Value
}

// function is the one with the most of it.
func (c *cost) function() profile.FunctionID {
	var best profile.FunctionID
	for f, v := range c.functions {
		if b := c.functions[best]; v > b || v == b && f < best {
			best = f
		}
	}
	return best
}

func (j *joined) share(value int64) float64 {
	return float64(value) / float64(max(j.Profile.Total(), 1))
}

// pays says whether a cost is no chance.
func (j *joined) pays(c *cost, share float64) bool {
	return c.events >= fewest && j.share(c.value) >= share
}

// finding is what all have in common; its place is a line of the function with the most
// samples.
func (j *joined) finding(rule, title string, c *cost, file string, line int, extra string) finding.Finding {
	fn := j.Profile.Function(c.function())
	place := finding.Place{Function: fn.Name, File: file, Line: line}
	if m := j.Profile.Mapping(fn.Mapping); m.Path != "" {
		place.Binary, place.BuildID = m.Path, m.BuildID
	}
	share := j.share(c.value)
	margin := finding.ShareError(share, j.Profile.Count())
	return finding.Finding{
		ID:   finding.ID(rule, finding.Place{Binary: place.Binary, Function: place.Function, File: base(file)}, extra),
		Rule: rule, Title: title, Certainty: finding.Confirmed, Place: place,
		Share: finding.Share{Inclusive: &share, Error: &margin},
	}
}

// evidence is a remark in the compiler's words.
func said(m *remark.Remark) finding.Evidence {
	text := m.Compiler + ": " + m.Message
	if p := m.At(); p.Line > 0 {
		text += fmt.Sprintf(" (%s:%d)", base(p.File), p.Line)
	}
	return finding.Evidence{Kind: "remark", Text: text}
}

func (j *joined) measured(text string, value int64) finding.Evidence {
	share := j.share(value)
	return finding.Evidence{Kind: "samples", Text: text + " takes " + percent.Column(share), Share: &share}
}

// rules are all that this package has.
var rules = []string{
	"go-escape", "go-not-inlined", "go-bounds-check",
	"jit-deoptimised", "jit-not-compiled", "jit-not-inlined", "jit-megamorphic",
	ruleVectorize, ruleSLP, ruleHoist, ruleReuse, ruleInline,
}

// IsRule says whether findings of a rule are made here.
func IsRule(rule string) bool { return slices.Contains(rules, rule) }
