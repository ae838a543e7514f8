package passes

import (
	"slices"

	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

// tally is what runs on the own lines of a loop.
type tally struct {
	loop   text.Loop
	file   *text.File
	rows   []int32
	events int64
	value  int64
	share  float64
	best   profile.Line // with most of it
	most   int64
}

// byLoop adds up what runs on lines of the program, with what they call of others, by the loop
// that is chosen for each.
func (r *reader) byLoop(choose func(f *text.File, line profile.Line) (text.Loop, bool)) []*tally {
	type key struct {
		file  string
		first int
	}
	loops := map[key]*tally{}
	for line, rows := range r.innermost {
		f := r.file(line.Function)
		if f == nil || line.Line <= 0 {
			continue
		}
		l, ok := choose(f, line)
		if !ok {
			continue
		}
		k := key{f.Path, l.First}
		if loops[k] == nil {
			loops[k] = &tally{loop: l, file: f}
		}
		t := loops[k]
		t.rows = append(t.rows, rows...)
		var v int64
		for _, row := range rows {
			v += r.p.Samples()[row].Value
			t.events += r.p.Samples()[row].Count
		}
		t.value += v
		if v > t.most || v == t.most && (line.Line < t.best.Line || line.Line == t.best.Line && line.Function < t.best.Function) {
			t.best, t.most = line, v
		}
	}
	out := make([]*tally, 0, len(loops))
	for _, t := range loops {
		slices.Sort(t.rows)
		t.share = float64(t.value) / float64(max(r.p.Total(), 1))
		out = append(out, t)
	}
	return out
}

// boundIn are the names that the header of a loop binds.
func boundIn(f *text.File, l text.Loop) []string {
	_, header := f.Statement(l.First)
	return slices.DeleteFunc(text.Names(l.Header), func(n string) bool { return !f.Changes(n, header, text.Range{}) })
}
