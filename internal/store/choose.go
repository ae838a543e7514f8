package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"whyhot/internal/profile/label"
	"whyhot/internal/profile/where"
	"whyhot/internal/store/dict"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/gap"
	"whyhot/internal/store/stage"
)

// chosen is a selection in the engine's terms.
type chosen struct {
	from, to uint32 // minutes
	groups   []uint32
	series   []uint32
	bySeries bool // more is chosen than services, versions and processes
	exact    bool
}

var errRange = errors.New("the range of time is empty")

// choose finds the groups and series of a selection.
func (s *Store) choose(sel *Selection, d *dict.Snapshot) (*chosen, error) {
	if err := s.Readable(); err != nil {
		return nil, err
	}
	if !sel.From.Before(sel.To) {
		return nil, errRange
	}
	c := &chosen{from: minute(sel.From), to: minute(sel.To.Add(time.Minute - 1)), exact: sel.Exact}
	if len(sel.Service)+len(sel.Version)+len(sel.Process) > 0 {
		c.groups = []uint32{}
		for _, i := range d.GroupNumbers {
			if g := &d.Groups[i]; among(g.Service, sel.Service) && among(g.Version, sel.Version) && among(g.Process, sel.Process) {
				c.groups = append(c.groups, i)
			}
		}
		slices.Sort(c.groups)
	}
	meets := func(uint32) bool { return true }
	if sel.Where != nil {
		judge := sel.Where.Judge()
		if ofGroups(sel.Where) {
			c.groups = keepGroups(c.groups, d, judge)
		} else {
			meets = func(series uint32) bool {
				return judge(func(key string) string { return ofSeries(d, Dimension(key), series) })
			}
		}
	}
	if len(sel.Host)+len(sel.Container) == 0 && (sel.Where == nil || ofGroups(sel.Where)) {
		return c, nil
	}
	c.bySeries, c.series = true, []uint32{}
	for _, i := range d.SeriesNumbers {
		x := &d.Series[i]
		if !among(x.Host, sel.Host) || !among(x.Container, sel.Container) {
			continue
		}
		if _, in := slices.BinarySearch(c.groups, x.Group); (c.groups == nil || in) && meets(i) {
			c.series = append(c.series, i)
		}
	}
	slices.Sort(c.series)
	// The groups of the series, too: rows lie by group on the disk.
	var groups []uint32
	for _, x := range c.series {
		groups = append(groups, d.Series[x].Group)
	}
	slices.Sort(groups)
	c.groups = slices.Compact(groups)
	if c.groups == nil {
		c.groups = []uint32{}
	}
	return c, nil
}

// ofGroups says that a condition is about nothing but what the sums by the hour have.
func ofGroups(e *where.Expr) bool {
	return !slices.ContainsFunc(e.Keys(), func(key string) bool { return Dimension(key).column() != engine.ColGroup })
}

// keepGroups are those of the groups, nil for all, that meet a condition.
func keepGroups(groups []uint32, d *dict.Snapshot, judge func(func(string) string) bool) []uint32 {
	all := groups
	if all == nil {
		all = slices.Sorted(slices.Values(d.GroupNumbers))
	}
	kept := []uint32{}
	for _, i := range all {
		if judge(func(key string) string { return ofGroup(&d.Groups[i], Dimension(key)) }) {
			kept = append(kept, i)
		}
	}
	return kept
}

func among(value string, list []string) bool {
	return len(list) == 0 || slices.Contains(list, value)
}

// piece is one question to the engine; the answers of all pieces are added up.
type piece struct {
	table    *engine.Table
	from, to uint32
	level    uint32
	cut      bool // from the minutes of the whole hour, which others ask for, too
}

// pieces are the questions for an exact answer: by the hour where whole hours are
// asked for and hosts do not matter, by the minute at the ends. Hours of which the
// minutes are gone are taken whole, with the range that they begin in.
func (s *Store) pieces(c *chosen) []piece {
	if c.bySeries {
		return []piece{{table: engine.Samples, from: c.from, to: c.to}}
	}
	if oldest := s.oldestSamples(); c.from < oldest {
		c.from -= c.from % minutesHour
		if c.to < oldest { // down, as the beginning: of two ranges that touch none has an hour of the other
			c.to = max(c.to-c.to%minutesHour, c.from+minutesHour)
		}
	}
	first, last := (c.from+minutesHour-1)/minutesHour*minutesHour, c.to/minutesHour*minutesHour
	if first >= last {
		return []piece{{table: engine.Samples, from: c.from, to: c.to}}
	}
	out := []piece{{table: engine.Samples, from: c.from, to: first}, {table: engine.Hourly, from: first, to: last}, {table: engine.Samples, from: last, to: c.to}}
	return slices.DeleteFunc(out, func(p piece) bool { return p.from >= p.to })
}

// byDay cuts the hours of pieces at the ends of days: other questions are about the same
// days. What lies before all that is kept, or after today, is one piece each: a range may
// be a century, and its days would be more than the cache holds.
func (s *Store) byDay(list []piece) (out []piece) {
	const day = engine.MinutesPerDay
	now := s.opts.Now()
	kept, today := minute(now.Add(-s.retention().Hourly))/day*day, minute(now)/day*day+day
	for _, p := range list {
		for p.table == engine.Hourly && p.from < p.to {
			end := p.from/day*day + day
			switch {
			case p.from < kept:
				end = kept
			case p.from >= today:
				end = p.to
			}
			end = min(end, p.to)
			out = append(out, piece{table: p.table, from: p.from, to: end})
			p.from = end
		}
		if p.from < p.to {
			out = append(out, p)
		}
	}
	return out
}

// cutEnds has the minutes at the ends of a long range over everything be cut out of sums
// by the minute of their hours. Minutes lie all over their day, so that reading some of
// them takes nearly as long as reading the hour: whoever asks next, about a range that
// ends a minute later, or another one of the same length, finds it read.
func (c *chosen) cutEnds(list []piece) {
	if c.groups != nil || c.series != nil || len(list) < 2 {
		return
	}
	for i, p := range list {
		list[i].cut = p.table == engine.Samples && p.to-p.from < minutesHour && p.from/minutesHour == (p.to-1)/minutesHour
	}
}

// oldestSamples is the first minute of which samples are kept.
func (s *Store) oldestSamples() uint32 {
	at := minute(s.opts.Now().Add(-s.retention().Samples))
	return at - at%engine.MinutesPerDay
}

// Bounds of the ladder. Below exactEvents an exact answer is nearly as quick; a level is
// read that has at least levelEvents.
const (
	exactEvents = 20_000_000
	levelEvents = 100_000
	// From roughEvents on, minutes at the ends of hours cost more than all of the hours: the
	// minutes of a day lie all over it.
	roughEvents = 4_000_000
)

// activity is about how many events a selection has.
func (s *Store) activity(ctx context.Context, c *chosen) (int64, error) {
	sums, err := s.ask(ctx, engine.Query{
		Table: engine.Activity, From: c.from - c.from%minutesHour, To: c.to, Groups: c.groups, Series: c.series,
	})
	if err != nil || sums.Len() == 0 {
		return 0, err
	}
	return sums.Counts[0], nil
}

// level chooses the level of the ladder that a selection is answered from; 0 is all.
func (c *chosen) level(events int64) int {
	if c.exact || events < exactEvents {
		return 0
	}
	level := int(math.Log(float64(events)/levelEvents) / math.Log(ladderBase))
	if level < firstLevel {
		return 0
	}
	return min(level, lastLevel)
}

// roughEnds says that the hours of a selection are taken as they are, and the minutes
// before and after them from the ladder.
func (c *chosen) roughEnds(events int64) bool {
	return !c.exact && !c.bySeries && events >= roughEvents && c.to-c.from > shortRange
}

// ask puts one question to the engine, or takes what it answered before. The sums are
// not to be changed.
func (s *Store) ask(ctx context.Context, q engine.Query) (*engine.Sums, error) {
	if q.From >= q.To || q.Groups != nil && len(q.Groups) == 0 || q.Series != nil && len(q.Series) == 0 {
		return &engine.Sums{Keys: make([][]uint32, len(q.By))}, nil
	}
	stage.Enter(ctx, "waiting for sums of the engine")
	// Before the question is put, so that all up to this commit is in the answer.
	a := askingOf(&q)
	a.key += "@" + strconv.FormatUint(s.sums.term.Load(), 36) // before the commit, whose number is of this term or the next
	commit := s.asOf()
	sums, err := s.sums.get(ctx, a, commit, s.opts.Now(), func(ctx context.Context) (*engine.Sums, error) {
		return s.read(ctx, q)
	})
	if err != nil {
		return nil, err
	}
	gap.Note(ctx, sums.Missing)
	return sums, nil
}

// cut gives sums by stack of minutes of one hour, out of those of all its minutes.
func (s *Store) cut(ctx context.Context, q engine.Query) (*engine.Sums, error) {
	whole := q
	whole.From -= whole.From % minutesHour
	whole.To = whole.From + minutesHour
	whole.By, whole.Step = []string{engine.ColMinute, engine.ColStack}, 1
	sums, err := s.ask(ctx, whole)
	if err != nil {
		return nil, err
	}
	out := &engine.Sums{Keys: make([][]uint32, 1)}
	for i, m := range sums.Keys[0] {
		if m >= q.From && m < q.To {
			out.Keys[0] = append(out.Keys[0], sums.Keys[1][i])
			out.Counts = append(out.Counts, sums.Counts[i])
			out.Values = append(out.Values, sums.Values[i])
		}
	}
	return out, nil
}

// read puts one question to the engine, of which few are asked at a time.
func (s *Store) read(ctx context.Context, q engine.Query) (*engine.Sums, error) {
	stage.Enter(ctx, "waiting for a turn at the engine")
	if err := s.queries.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer s.queries.Release(1)
	stage.Enter(ctx, "adding up the engine's rows")
	sums, err := s.sum(ctx, q)
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return sums, err
}

func at(minute uint32) time.Time { return time.Unix(int64(minute)*60, 0).UTC() }

// dimension gives the text of a series' number, or of a group's where that is what the
// dimension is of.
func dimension(d *dict.Snapshot, by Dimension, id uint32) string {
	if by.column() == engine.ColGroup {
		if int(id) < len(d.Groups) {
			return ofGroup(&d.Groups[id], by)
		}
		return ""
	}
	if int(id) >= len(d.Series) {
		return ""
	}
	switch s := &d.Series[id]; by {
	case ByHost:
		return s.Host
	case ByContainer:
		return s.Container
	default:
		return s.Tags.Get(string(by))
	}
}

// ofSeries is a dimension of a series, those of its group included.
func ofSeries(d *dict.Snapshot, by Dimension, id uint32) string {
	if by.column() == engine.ColGroup {
		id = d.Series[id].Group
	}
	return dimension(d, by, id)
}

func ofGroup(g *dict.Group, by Dimension) string {
	switch by { //nolint:exhaustive // the others are of series
	case ByService:
		return g.Service
	case ByVersion:
		return g.Version
	case ByProcess:
		return g.Process
	}
	return ""
}

// column is what the engine adds up by for a dimension.
func (d Dimension) column() string {
	switch d { //nolint:exhaustive // the others are of series
	case ByService, ByVersion, ByProcess:
		return engine.ColGroup
	}
	return engine.ColSeries
}

func checkDimension(d Dimension) error {
	if label.Valid(string(d)) {
		return nil
	}
	return fmt.Errorf("invalid dimension %q: must be service, version, host, container, process or the key of a label", d)
}
