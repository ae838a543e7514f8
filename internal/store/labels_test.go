package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/profile"
	"whyhot/internal/profile/label"
	"whyhot/internal/profile/where"
	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/memory"
	"whyhot/internal/store/keep"
)

// labelled is a profile of one stack for each set of labels.
func labelled(at time.Time, counts map[string]int64) *profile.Profile {
	b := profile.NewBuilder()
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		var labels []profile.Label
		for pair := range strings.FieldsSeq(text) {
			key, value, _ := strings.Cut(pair, "=")
			labels = append(labels, profile.Label{Key: key, Str: value})
		}
		f := b.Function(profile.Function{Name: "f", Kind: profile.KindNative})
		stack := b.Stack([]profile.LocationID{b.Location(0, 0, profile.KindNative, profile.Line{Function: f})})
		b.Sample(profile.Sample{Stack: stack, Labels: b.Labels(labels), Count: counts[text], Value: counts[text] * 1e7})
	}
	cpu := profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	return b.Build(profile.Meta{ValueType: cpu, PeriodType: cpu, Period: 1e7, Start: at})
}

func condition(t *testing.T, text string) *where.Expr {
	t.Helper()
	e, err := where.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestLabels(t *testing.T) {
	e := memory.New()
	testLabels(t, func(context.Context, string) (engine.Engine, error) { return e, nil })
}

// testLabels has samples chosen and told apart by their labels, also after a restart, after
// the dictionary was written anew, and after an export.
func testLabels(t *testing.T, open OpenEngine) {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, open, quick(Options{}))
	if err != nil {
		t.Fatal(err)
	}
	put := func(back time.Duration, service string, counts map[string]int64) {
		appendProfile(t, s, labelled(testNow.Add(-back), counts), batch.Options{Labels: batch.Labels{Service: service, Host: "h-" + service, Tags: label.Of([]label.Pair{{Key: "environment", Value: "live"}})}})
	}
	put(30*time.Minute, "checkout", map[string]int64{"k8s.pod.name=web-1 thread=gc": 1, "k8s.pod.name=web-1 thread=main": 10, "k8s.pod.name=api-1 thread=main": 100})
	put(10*time.Hour, "search", map[string]int64{"k8s.pod.name=web-2": 1000, "deployment.environment=test": 10_000})
	flush(t, s)
	for round := range 3 {
		for text, want := range map[string]int64{
			`service="checkout" and pod=~"web-.*" and not thread="gc"`: 10,
			`pod=~"web-.*"`: 1011, `k8s.pod.name="web-2"`: 1000, `thread=""`: 11_000, `environment="live"`: 1111, `environment="test" or thread="main"`: 10_110,
			`service=~"che.*"`: 111, `not service="checkout"`: 11_000, `service="nothing"`: 0, `host="h-search" and version=""`: 11_000, `pod="web-3"`: 0,
		} {
			sel := lastDay()
			sel.Where = condition(t, text)
			if got := total(t, s, sel); got != want {
				t.Errorf("round %d: %s: %d, not %d", round, text, got, want)
			}
			p, basis, err := s.Profile(t.Context(), sel)
			if err != nil || p.Count() != want || basis.Count != want {
				t.Errorf("%s: a profile of %d, %v", text, p.Count(), err)
			}
			sel.Service, sel.Host = []string{"checkout"}, []string{"h-checkout"}
			if got := total(t, s, sel); got > 111 || want == 10 && got != 10 {
				t.Errorf("%s of a service and host: %d", text, got)
			}
		}
		values, err := s.Labels(t.Context(), lastDay(), "pod")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range values {
			got = append(got, fmt.Sprintf("%s:%d", v.Value, v.Count))
		}
		if want := ":10000 web-2:1000 api-1:100 web-1:11"; strings.Join(got, " ") != want {
			t.Errorf("pods %q, not %q", got, want)
		}
		line, err := s.Timeline(t.Context(), lastDay(), "thread", time.Hour, 10)
		if err != nil || len(line.Lines) != 3 || line.Basis.Count != 11_111 {
			t.Errorf("a time line of %+v, %v", line, err)
		}
		var keys []string
		for _, k := range s.LabelKeys() {
			keys = append(keys, fmt.Sprintf("%s:%d", k.Key, k.Values))
		}
		if want := "service:2 version:0 host:2 container:0 process:0 environment:2 thread:2 pod:3"; strings.Join(keys, " ") != want {
			t.Errorf("keys %q, not %q", keys, want)
		}
		switch round {
		case 0:
			closeStore(t, s)
			if s, err = Open(t.Context(), dir, open, quick(Options{})); err != nil {
				t.Fatal(err)
			}
		case 1:
			// What nothing refers to goes, and the labels of the rest stay.
			s.dict.Apply(&batch.Batch{Labels: []batch.Labels{{Service: "unused"}}}, 0, map[*engine.Table]*engine.Block{}, nil)
			if err := s.Age(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := s.Labels(t.Context(), lastDay(), "no key"); err == nil {
		t.Error("a dimension that is no key was answered")
	}
	closeStore(t, s)
}

// What a batch has too much of is kept under one name, and its sender is told.
func TestTooManyLabels(t *testing.T) {
	s := openStore(t, t.TempDir(), memory.New(), quick(Options{Labels: keep.Limits{Batch: 2, Keys: 1}}))
	defer closeStore(t, s)
	counts := map[string]int64{"zone=a": 1}
	for i := range 5 {
		counts[fmt.Sprint("request=", i)] = int64(10 + i)
	}
	r := appendProfile(t, s, labelled(testNow, counts), batch.Options{Labels: batch.Labels{Service: "web"}})
	flush(t, s)
	if len(r.Warnings) != 2 || !strings.Contains(r.Warnings[0], `"request": 3 of its 5 values are kept as (other)`) || !strings.Contains(r.Warnings[1], `"zone" is not kept`) {
		t.Errorf("%q", r.Warnings)
	}
	values, err := s.Labels(t.Context(), lastDay(), "request")
	if err != nil || len(values) != 4 || values[0].Value != label.Other || values[0].Count != 33 || values[1].Value != "4" || values[2].Value != "3" || values[3].Count != 1 {
		t.Errorf("%v, %v", values, err)
	}
}

// LabelSets has each combination once, of groups where these are enough and of series else.
func TestLabelSets(t *testing.T) {
	s := openStore(t, t.TempDir(), memory.New(), quick(Options{}))
	defer closeStore(t, s)
	for service, counts := range map[string]map[string]int64{"checkout": {"pod=a thread=x": 1, "pod=a thread=y": 1, "pod=b": 1}, "search": {"pod=a": 1}} {
		appendProfile(t, s, labelled(testNow.Add(-time.Minute), counts), batch.Options{Labels: batch.Labels{Service: service, Host: "h"}})
	}
	flush(t, s)
	sel := lastDay()
	for _, c := range []struct {
		where string
		keys  []Dimension
		want  string
	}{
		{"", []Dimension{ByService}, "[[checkout] [search]]"},
		{"", []Dimension{ByService, "pod"}, "[[checkout a] [checkout b] [search a]]"},
		{`service="checkout" and thread=""`, []Dimension{"pod", "thread", ByHost}, "[[b  h]]"},
		{`service="nothing"`, []Dimension{ByService}, "[]"},
	} {
		sel.Where = nil
		if c.where != "" {
			sel.Where = condition(t, c.where)
		}
		got, err := s.LabelSets(t.Context(), sel, c.keys)
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%s %v: %v, %v", c.where, c.keys, got, err)
		}
	}
	if _, err := s.LabelSets(t.Context(), sel, []Dimension{"no key"}); err == nil {
		t.Error("a dimension that is no key was answered")
	}
}
