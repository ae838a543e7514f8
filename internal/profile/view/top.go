package view

import (
	"cmp"
	"math"
	"regexp"
	"slices"

	"whyhot/internal/profile"
)

// By says what a row of a top table stands for: one of the groupings, or the value of a
// label, which is the name of its key (see package label).
type By string

// The groupings. A function belongs to one library, file, kind and family; a
// sample to one process and thread.
const (
	ByFunction By = "function"
	ByLine     By = "line" // a function and the line that was executing
	ByLibrary  By = "library"
	ByFile     By = "file"
	ByKind     By = "kind"
	ByFamily   By = "family"
	ByProcess  By = "process"
	ByThread   By = "thread"
)

// Groupings lists all there are.
func Groupings() []By {
	return []By{ByFunction, ByLibrary, ByProcess, ByThread, ByFile, ByLine, ByKind, ByFamily}
}

// label is the key of the label that samples are grouped by, "" where it is none.
func (b By) label() string {
	switch {
	case b == ByProcess:
		return profile.LabelProcess
	case b == ByThread:
		return profile.LabelThread
	case b == "", slices.Contains(Groupings(), b):
		return ""
	}
	return string(b)
}

// Grouper puts functions into families ("memory management", "compression").
// It answers "" for a function of none.
type Grouper interface {
	Group(fn *profile.Function, m *profile.Mapping) string
}

// Sort is the column that decides the order of rows.
type Sort string

// The orders, both falling.
const (
	SortSelf  Sort = "self"
	SortTotal Sort = "total"
)

// TopOptions choose the rows of a top table. Library, Match and Family choose
// frames: Self then counts the samples whose innermost frame is chosen, Total
// those with a chosen frame anywhere.
type TopOptions struct {
	By      By   // "" is ByFunction
	Sort    Sort // "" is SortSelf
	Library *regexp.Regexp
	Match   *regexp.Regexp
	Family  *regexp.Regexp
	Grouper Grouper // needed by ByFamily and Family
}

// Row is one line of a top table.
type Row struct {
	Function profile.FunctionID // the function, or for a group one of its functions
	Line     int32              // with ByLine
	Label    string             // name of the group, "" for functions and lines
	Self     int64
	Total    int64
}

// TopTable lists what is hot. Without a choice of frames the selves add up to
// Total, and with ByProcess and ByThread Self equals Total in each row.
type TopTable struct {
	By   By
	Rows []Row
	// Total is the value of all samples; shares are taken of it unless the
	// profile was filtered before.
	Total int64
	// Events is the number of independent events that the values are worth,
	// for the sampling error of a share; see Events.
	Events int64
}

// Top gives the rows of p by falling weight; ties by name.
func Top(p *profile.Profile, opt TopOptions) *TopTable {
	opt.By = cmp.Or(opt.By, ByFunction)
	c := newTopCounter(p, opt)
	weights := stackWeights(p)
	if c.groupOfSet != nil {
		weights = groupedWeights(p, c.groupOfSet)
	}
	for _, w := range weights {
		c.add(w)
	}
	return &TopTable{By: opt.By, Rows: c.sorted(opt.Sort), Total: p.Total(), Events: Events(p)}
}

const notChosen = math.MaxUint32

type topCounter struct {
	p          *profile.Profile
	frames     *frames
	rows       []Row
	rowOf      []uint32 // by frame number; notChosen for frames that do not count
	groupOfSet []uint32 // by label set, when rows are groups of samples
	seen       []uint32 // by row: the weight that counted it last
	epoch      uint32
	stack      []uint32
}

func newTopCounter(p *profile.Profile, opt TopOptions) *topCounter {
	c := &topCounter{p: p, frames: newFrames(p, Identity(p), opt.By == ByLine)}
	c.rowOf = make([]uint32, len(c.frames.function))
	chosen := chooser(p, opt)
	byLabel := map[string]uint32{}
	for i, fn := range c.frames.function {
		if !chosen(fn) {
			c.rowOf[i] = notChosen
			continue
		}
		row := Row{Function: fn, Line: c.frames.line[i], Label: groupLabel(p, fn, opt)}
		n, ok := byLabel[row.Label]
		if row.Label == "" || !ok {
			n = uint32(len(c.rows))
			c.rows = append(c.rows, row)
			byLabel[row.Label] = n
		}
		c.rowOf[i] = n
	}
	if key := opt.By.label(); key != "" {
		var texts []string
		texts, c.groupOfSet = labelGroups(p, key)
		c.rows = nil
		for _, text := range texts {
			c.rows = append(c.rows, Row{Label: text})
		}
	}
	c.seen = make([]uint32, len(c.rows))
	return c
}

// chooser says which functions' frames count.
func chooser(p *profile.Profile, opt TopOptions) func(profile.FunctionID) bool {
	named := matchFunctions(p, opt.Match)
	return func(id profile.FunctionID) bool {
		f := p.Function(id)
		m := p.Mapping(f.Mapping)
		return (named == nil || named[id]) &&
			(opt.Library == nil || opt.Library.MatchString(m.Path) || opt.Library.MatchString(Library(p, id))) &&
			(opt.Family == nil || (opt.Grouper != nil && opt.Family.MatchString(opt.Grouper.Group(f, m))))
	}
}

// groupLabel names the group of a function; functions and lines have none.
func groupLabel(p *profile.Profile, id profile.FunctionID, opt TopOptions) string {
	f := p.Function(id)
	switch opt.By {
	case ByLibrary:
		return cmp.Or(p.Mapping(f.Mapping).Path, Library(p, id))
	case ByFile:
		return cmp.Or(f.File, "(no file)")
	case ByKind:
		return f.Kind.String()
	case ByFamily:
		family := ""
		if opt.Grouper != nil {
			family = opt.Grouper.Group(f, p.Mapping(f.Mapping))
		}
		return cmp.Or(family, "(no family)")
	case ByFunction, ByLine, ByProcess, ByThread:
	}
	return ""
}

func (c *topCounter) add(w weight) {
	c.epoch++
	c.stack = c.frames.appendStack(c.stack[:0], c.p.Stack(w.stack))
	for depth, f := range c.stack {
		row := c.rowOf[f]
		if row == notChosen {
			continue
		}
		if c.groupOfSet != nil {
			row = w.group
		}
		if depth == 0 {
			c.rows[row].Self += w.value
		}
		if c.seen[row] != c.epoch {
			c.seen[row] = c.epoch
			c.rows[row].Total += w.value
		}
	}
}

func (c *topCounter) sorted(by Sort) []Row {
	rank := nameRank(c.p)
	rows := slices.DeleteFunc(c.rows, func(r Row) bool { return r.Self == 0 && r.Total == 0 })
	first, second := func(r Row) int64 { return r.Self }, func(r Row) int64 { return r.Total }
	if by == SortTotal {
		first, second = second, first
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(
			-cmp.Compare(first(a), first(b)),
			-cmp.Compare(second(a), second(b)),
			cmp.Compare(a.Label, b.Label),
			cmp.Compare(rank[a.Function], rank[b.Function]),
			cmp.Compare(a.Line, b.Line),
		)
	})
	return rows
}

// Events is the number of equally weighted events that carry as much
// information on shares as those of p: the square of the summed weights over
// the sum of squared weights (Kish's effective sample size). For a CPU profile
// it is the number of samples; where a few samples weigh most of the total, as
// in allocation profiles, it is smaller.
func Events(p *profile.Profile) int64 {
	var sum, squares float64
	for i := range p.Samples() {
		s := &p.Samples()[i]
		if s.Count <= 0 {
			continue
		}
		v := float64(s.Value)
		sum += v
		squares += v * v / float64(s.Count)
	}
	if squares == 0 {
		return 0
	}
	return int64(math.Round(sum * sum / squares))
}
