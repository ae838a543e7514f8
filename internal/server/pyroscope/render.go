package pyroscope

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
)

// Rendered is a flame graph of the older paths, /pyroscope/render and render-diff: JSON that
// its viewers call flamebearer.
type Rendered struct {
	Version     int             `json:"version"`
	Flamebearer flamebearer     `json:"flamebearer"`
	Metadata    metadata        `json:"metadata"`
	Timeline    *line           `json:"timeline"`
	Groups      map[string]line `json:"groups"`
	LeftTicks   int64           `json:"leftTicks,omitempty"`
	RightTicks  int64           `json:"rightTicks,omitempty"`
}

type flamebearer struct {
	Names    []string  `json:"names"`
	Levels   [][]int64 `json:"levels"`
	NumTicks int64     `json:"numTicks"`
	MaxSelf  int64     `json:"maxSelf"`
}

type metadata struct {
	Format     string `json:"format"` // single or double
	SpyName    string `json:"spyName"`
	SampleRate int64  `json:"sampleRate"` // ticks a second
	Units      string `json:"units"`
	Name       string `json:"name"`
}

// line is weight over time.
type line struct {
	StartTime     int64            `json:"startTime"` // Unix seconds
	Samples       []int64          `json:"samples"`
	DurationDelta int64            `json:"durationDelta"` // seconds
	Watermarks    map[string]int64 `json:"watermarks"`
}

// points is about how many a time line has.
const points = 1000

// Render answers /pyroscope/render.
func Render(ctx context.Context, s Store, now time.Time, v url.Values) (*Rendered, error) {
	if format := v.Get("format"); format != "" && format != "json" {
		return nil, unsupported("the format " + strconv.Quote(format) + "; json is given")
	}
	r, err := rendered(v, "query", "from", "until", now)
	if err != nil {
		return nil, err
	}
	graph, err := SelectMergeStacktraces(ctx, s, now, r)
	if err != nil {
		return nil, err
	}
	g := graph.GetFlamegraph()
	out := &Rendered{Version: 1, Metadata: meta("single"), Flamebearer: bearer(g.GetNames(), g.GetLevels(), g.GetTotal(), g.GetMaxSelf())}
	step := max(time.Minute, time.Duration((r.GetEnd()-r.GetStart())/points)*time.Millisecond).Round(time.Second)
	q := &querierv1.SelectSeriesRequest{
		ProfileTypeID: r.GetProfileTypeID(), LabelSelector: r.GetLabelSelector(), Start: r.GetStart(), End: r.GetEnd(), Step: step.Seconds(),
	}
	whole, err := SelectSeries(ctx, s, now, q)
	if err != nil {
		return nil, err
	}
	out.Timeline = &line{StartTime: r.GetStart() / 1000, DurationDelta: int64(step.Seconds()), Samples: []int64{}}
	if list := whole.GetSeries(); len(list) == 1 {
		*out.Timeline = lineOf(list[0], r, step)
	}
	if by := v.Get("groupBy"); by != "" {
		q.GroupBy = []string{by}
		grouped, err := SelectSeries(ctx, s, now, q)
		if err != nil {
			return nil, err
		}
		out.Groups = map[string]line{}
		for _, one := range grouped.GetSeries() {
			name := "*"
			for _, l := range one.GetLabels() {
				name = l.GetValue()
			}
			out.Groups[name] = lineOf(one, r, step)
		}
	}
	return out, nil
}

// RenderDiff answers /pyroscope/render-diff.
func RenderDiff(ctx context.Context, s Store, now time.Time, v url.Values) (*Rendered, error) {
	left, err := rendered(v, "leftQuery", "leftFrom", "leftUntil", now)
	if err != nil {
		return nil, err
	}
	right, err := rendered(v, "rightQuery", "rightFrom", "rightUntil", now)
	if err != nil {
		return nil, err
	}
	diff, err := Diff(ctx, s, now, &querierv1.DiffRequest{Left: left, Right: right})
	if err != nil {
		return nil, err
	}
	g := diff.GetFlamegraph()
	return &Rendered{
		Version: 1, Metadata: meta("double"), Flamebearer: bearer(g.GetNames(), g.GetLevels(), g.GetTotal(), g.GetMaxSelf()),
		LeftTicks: g.GetLeftTicks(), RightTicks: g.GetRightTicks(),
	}, nil
}

func meta(format string) metadata {
	return metadata{Format: format, SpyName: "whyhot", SampleRate: int64(time.Second), Units: "samples", Name: "cpu"}
}

func bearer(names []string, levels []*querierv1.Level, total, maxSelf int64) flamebearer {
	out := flamebearer{Names: names, Levels: make([][]int64, len(levels)), NumTicks: total, MaxSelf: maxSelf}
	for i, l := range levels {
		out.Levels[i] = l.GetValues()
	}
	return out
}

func lineOf(s *typesv1.Series, r *querierv1.SelectMergeStacktracesRequest, step time.Duration) line {
	out := line{StartTime: r.GetStart() / 1000, DurationDelta: int64(step.Seconds()), Samples: make([]int64, (r.GetEnd()-r.GetStart())/step.Milliseconds()+1)}
	for _, p := range s.GetPoints() {
		out.Samples[(p.GetTimestamp()-r.GetStart())/step.Milliseconds()] = int64(p.GetValue())
	}
	return out
}

// rendered reads the parameters of one graph.
func rendered(v url.Values, query, from, until string, now time.Time) (*querierv1.SelectMergeStacktracesRequest, error) {
	kind, selector, braces := strings.Cut(v.Get(query), "{")
	if kind == "" {
		return nil, invalid("%s is missing: write %s{service_name=\"checkout\"}", query, ProfileType)
	}
	r := &querierv1.SelectMergeStacktracesRequest{ProfileTypeID: strings.TrimSpace(kind)}
	if braces {
		r.LabelSelector = "{" + selector
	}
	times := [2]time.Time{now.Add(-time.Hour), now}
	for i, name := range []string{from, until} {
		if text := v.Get(name); text != "" {
			at, err := parseTime(text, now)
			if err != nil {
				return nil, invalid("invalid %s %q: must be a Unix time, RFC 3339, now, or now-1h (s, m, h, d, w)", name, text)
			}
			times[i] = at
		}
	}
	if !times[0].Before(times[1]) {
		return nil, invalid("%s must be before %s", from, until)
	}
	r.Start, r.End = times[0].UnixMilli(), times[1].UnixMilli()
	for _, name := range []string{"max-nodes", "maxNodes"} {
		text := v.Get(name)
		if text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return nil, invalid("invalid %s %q: must be a number", name, text)
		}
		r.MaxNodes = &n
	}
	return r, nil
}

// parseTime reads seconds or milliseconds since 1970, RFC 3339, "now", or "now-1h".
func parseTime(text string, now time.Time) (time.Time, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		const milliseconds = 1e11 // seconds would be the year 5138
		if n >= milliseconds {
			return time.UnixMilli(n), nil
		}
		return time.Unix(n, 0), nil
	}
	rest, relative := strings.CutPrefix(text, "now")
	switch {
	case relative && rest == "":
		return now, nil
	case relative:
		return ago(rest, now)
	}
	return time.Parse(time.RFC3339, text)
}

// ago reads "-1h".
func ago(text string, now time.Time) (time.Time, error) {
	unit := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}
	for suffix, d := range unit {
		number, ok := strings.CutSuffix(text, suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(number, 10, 32)
		if err != nil || n > 0 || time.Duration(-n) > 100*365*24*time.Hour/d {
			return now, strconv.ErrRange
		}
		return now.Add(time.Duration(n) * d), nil
	}
	return now, strconv.ErrSyntax
}

// Values answers /pyroscope/label-values; those of __name__ are the types of profiles.
func Values(ctx context.Context, s Store, now time.Time, v url.Values) ([]string, error) {
	name := v.Get("label")
	switch name {
	case "":
		return nil, invalid("label is missing: say whose values are wanted")
	case "__name__":
		return []string{ProfileType}, nil
	}
	v = url.Values{"query": {ProfileType + "{}"}, "from": v["from"], "until": v["until"]}
	r, err := rendered(v, "query", "from", "until", now)
	if err != nil {
		return nil, err
	}
	list, err := LabelValues(ctx, s, now, &typesv1.LabelValuesRequest{Name: name, Start: r.GetStart(), End: r.GetEnd()})
	if err != nil || list.GetNames() == nil {
		return []string{}, err
	}
	return list.GetNames(), nil
}
