package html

import (
	"strings"

	"whyhot/internal/profile"
	"whyhot/internal/report/quantity"
)

// header is what stands above everything: what was profiled, and how much of it
// was seen.
type header struct {
	Title   string
	Command string
	Facts   []fact
	Notes   []string
}

// fact is a number between the words that say what it is.
type fact struct{ Before, Value, After string }

func newHeader(in *FlameInput) header {
	meta := &in.Profile.Meta
	h := header{Title: in.Title, Command: strings.Join(meta.Command, " ")}
	if h.Command == h.Title {
		h.Command = ""
	}
	add := func(before, value, after string) { h.Facts = append(h.Facts, fact{before, value, after}) }
	noun := "samples"
	if in.Profile.Count() == 1 {
		noun = "sample"
	}
	add("", quantity.Count(in.Profile.Count()), noun)
	if v := total(in.Profile); v != "" {
		add("", v, meta.ValueType.Type)
	}
	if in.Rate != nil {
		b := in.Rate.Of(1)
		add("costs", strings.Join(quantity.Bill(&b), ", "), "")
	}
	r := meta.Range
	switch {
	case !r.From.IsZero():
		add("", quantity.Range(r.From, r.Until), "")
		if meta.Duration > 0 {
			add("all services recorded for", quantity.Duration(meta.Duration), "of it")
		}
	case meta.Duration > 0:
		add("recorded for", quantity.Duration(meta.Duration), "")
	}
	if meta.Lost > 0 {
		add("", quantity.Count(int64(meta.Lost)), "lost")
	}
	if !meta.Start.IsZero() && r.From.IsZero() {
		add("started", meta.Start.UTC().Format("2006-01-02 15:04 UTC"), "")
	}
	if meta.Source != "" {
		add("read from", meta.Source, "")
	}
	h.Notes = append(append(h.Notes, in.Notes...), meta.Warnings...)
	return h
}

// total is the sum of the profile's values, or "" where that only repeats the
// number of samples.
func total(p *profile.Profile) string {
	t := p.Meta.ValueType
	if (t.Unit == "count" || t.Unit == "") && (t.Type == "samples" || t.Type == "") {
		return ""
	}
	return quantity.Value(p.Total(), t)
}
