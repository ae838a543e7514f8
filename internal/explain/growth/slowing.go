package growth

import (
	"slices"

	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

// What a line must show whose own work grows, or that of what it calls: no kind of work
// speaks for it, and many a loop does a little more each time.
const (
	slowingShare    = 0.2 // of the profile
	slowingPower    = 1.6
	mostSlowing     = 2.8 // two loops inside the one whose progress is seen, less what caches hide
	slowingChance   = 0.001
	slowingProgress = 15 // samples of the other work
)

// slowings are lines under which all the work grows beside the other lines of their function,
// whatever it is: a search that the program writes itself, pairs, a list that is walked. They
// are told like Accumulations; of lines that call each other, it is the innermost.
//
// Example. `if !contains(all, word)` takes 88% of a program, `word := name(i)` beside it 2%.
// Of the samples of the latter three quarters are in the first half of the recording: each
// time round, the former takes longer.
func slowings(f *frames, source func(path string) ([]string, bool)) []Accumulation {
	all := float64(f.p.Count())
	lines := map[step]*candidate{}
	within := map[step]map[step]bool{} // of a line, those that it was reached by
	ofFunction := map[int32][]*candidate{}
	total := map[step]float64{}
	f.timed(func(_ int32, s *profile.Sample, path *ownPath, _ uint64) {
		for _, at := range path.steps {
			total[at] += f.weight(s)
		}
	})
	for at, n := range total {
		if n >= leastEvents && n >= slowingShare*all && !warmsUp(f.language[at.function]) {
			c := newCandidate(at)
			lines[at] = c
			ofFunction[at.function] = append(ofFunction[at.function], c)
			within[at] = map[step]bool{}
		}
	}
	around := passesOf(f, lines, source)
	f.timed(func(row int32, s *profile.Sample, path *ownPath, pid uint64) {
		for i, at := range path.steps {
			for _, c := range ofFunction[at.function] {
				n := f.weight(s)
				switch {
				case c.step == at:
					c.moment(pid, s.Time).grown += n
					c.grown += n
					c.kinds[path.kind] += n
					c.rows = append(c.rows, row)
					for _, outer := range path.steps[:i] {
						within[at][outer] = true
					}
				case isProgress(path.kind) && around.has(c.step, at):
					c.moment(pid, s.Time).others += n
				}
			}
		}
	})
	var out []Accumulation
	judged := 0
	places := map[Place]step{}
	for at, c := range lines {
		if c.kinds[Copy] >= leastMoved*c.grown { // Accumulations judges these
			continue
		}
		judged++
		power, chance, ok := c.power(slowingProgress)
		if !ok || power < slowingPower || power > mostSlowing {
			continue
		}
		a := Accumulation{Place: f.place(at), Kind: heaviest(c.kinds), Share: f.p.Share(c.rows), Exponent: power, P: chance, Cure: cureOf("", f.language[at.function]), Samples: c.rows}
		places[a.Place] = at
		out = append(out, a)
	}
	out = holm(out, judged, slowingChance)
	return slices.DeleteFunc(out, func(a Accumulation) bool {
		return slices.ContainsFunc(out, func(b Accumulation) bool { return within[places[b.Place]][places[a.Place]] })
	})
}

// passes are the texts of the candidates, with the outermost loop around each, where they are known.
type passes struct {
	of   map[step]pass
	told map[[2]step]bool // what has was asked before: it is asked once a sample
}

type pass struct {
	file *text.File
	loop text.Range // none: the zero Range
}

func passesOf(f *frames, lines map[step]*candidate, source func(path string) ([]string, bool)) passes {
	out := passes{map[step]pass{}, map[[2]step]bool{}}
	if source == nil {
		return out
	}
	files := text.NewFiles(source)
	for at := range lines {
		file := files.At(f.functions[at.function].file)
		if file == nil {
			continue
		}
		r := pass{file: file}
		if loops := file.Loops(int(at.line)); len(loops) > 0 {
			r.loop = loops[len(loops)-1].Range
		}
		out.of[at] = r
	}
	return out
}

// has says whether another line of the function tells how far the loop of a line is: what runs
// before or after the loop does not, nor does what a pass may leave out by ending between the two.
//
// Example. `edge := seek(at); if edge.weak { return }; return decode(edge)` for each point: where
// the points with an edge come first, decode has its samples early, and seek does not slow down.
func (r passes) has(of, at step) bool {
	pair := [2]step{of, at}
	tells, known := r.told[pair]
	if !known {
		tells = r.tells(of, at)
		r.told[pair] = tells
	}
	return tells
}

func (r passes) tells(of, at step) bool {
	a, known := r.of[of]
	if !known {
		return true
	}
	if a.loop != (text.Range{}) && !a.loop.Has(int(at.line)) {
		return false
	}
	return !a.file.MayEnd(int(min(of.line, at.line)), int(max(of.line, at.line)))
}

// warmsUp says whether code of a kind is compiled while it runs: its first rounds are dear, in
// one line more than in another, which looks as if the others became dearer.
func warmsUp(k profile.Kind) bool {
	switch k { //nolint:exhaustive // the others are compiled before, or interpreted throughout
	case profile.KindJava, profile.KindJS, profile.KindDotNet, profile.KindJIT:
		return true
	}
	return false
}

// isProgress says whether work of a kind tells how far a loop is: what a runtime does for what
// has grown does not.
func isProgress(k Kind) bool {
	return k == "" || k == Format || k == Hash || k == Compare || k == Search
}
