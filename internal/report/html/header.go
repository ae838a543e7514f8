package html

import (
	"fmt"
	"strings"
	"time"

	"whyhot/internal/profile"
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
	add("", thousands(in.Profile.Count()), "samples")
	if v := quantity(in.Profile.Total(), meta.ValueType); v != "" {
		add("", v, meta.ValueType.Type)
	}
	if meta.Duration > 0 {
		add("recorded for", roundDuration(meta.Duration), "")
	}
	if meta.Lost > 0 {
		add("", thousands(int64(meta.Lost)), "lost")
	}
	if !meta.Start.IsZero() {
		add("started", meta.Start.UTC().Format("2006-01-02 15:04 UTC"), "")
	}
	if meta.Source != "" {
		add("read from", meta.Source, "")
	}
	h.Notes = append(append(h.Notes, in.Notes...), meta.Warnings...)
	return h
}

// quantity is the profile's total in its unit, or "" where it only repeats the
// number of samples.
func quantity(v int64, t profile.ValueType) string {
	switch t.Unit {
	case "nanoseconds":
		return roundDuration(time.Duration(v))
	case "microseconds":
		return roundDuration(time.Duration(v) * time.Microsecond)
	case "milliseconds":
		return roundDuration(time.Duration(v) * time.Millisecond)
	case "seconds":
		return roundDuration(time.Duration(v) * time.Second)
	case "count", "":
		if t.Type == "samples" || t.Type == "" {
			return ""
		}
		return thousands(v)
	}
	return thousands(v) + " " + t.Unit
}

func roundDuration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.String()
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 10*time.Hour:
		return fmt.Sprintf("%.1f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// thousands groups digits with narrow no-break spaces, as ISO 80000-1 §7.3.1 does.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	sign := ""
	if s[0] == '-' {
		sign, s = "−", s[1:]
	}
	if len(s) <= 4 {
		return sign + s
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteRune('\u202f')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func percent(share float64) string {
	p := share * 100
	switch {
	case p == 0:
		return "0 %"
	case p > 0 && p < 0.01:
		return "< 0.01 %"
	case p > -1 && p < 1:
		return fmt.Sprintf("%.2f %%", p)
	}
	return fmt.Sprintf("%.1f %%", p)
}
