package speedscope

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"whyhot/internal/profile"
)

const shared = `"shared":{"frames":[{"name":"main","file":"a.py","line":1},{"name":"_ZN1a1bEv"},{"name":"System.Private.CoreLib!System.String.Concat(string)"}]}`

func doc(profiles string) string {
	return `{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"x",` + shared + `,"profiles":[` + profiles + `]}`
}

func rows(p *profile.Profile) map[string]string {
	out := map[string]string{}
	for _, s := range p.Samples() {
		var names []string
		for _, l := range p.Stack(s.Stack) {
			names = append(names, p.Function(p.Lines(l)[0].Function).Name)
		}
		thread, _ := p.Label(s.Labels, profile.LabelThread)
		out[thread.Str+":"+strings.Join(names, "<")] = fmt.Sprintf("%d/%d", s.Count, s.Value)
	}
	return out
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       map[string]string
	}{
		{"sampled", doc(`{"type":"sampled","name":"t","unit":"none","samples":[[0],[0,1],[0,1]],"weights":[2,1,4]}`), map[string]string{":main": "2/2", ":a::b<main": "5/5"}},
		{"no weights", doc(`{"type":"sampled","unit":"none","samples":[[0],[0]]}`), map[string]string{":main": "2/2"}},
		{"seconds", doc(`{"type":"sampled","unit":"seconds","samples":[[0],[]],"weights":[0.25,1.5]}`), map[string]string{":main": "1/250000000", ":": "1/1500000000"}},
		{"threads", doc(`{"type":"sampled","name":"t1","unit":"milliseconds","samples":[[0]],"weights":[3]},{"type":"sampled","name":"t2","unit":"microseconds","samples":[[0]],"weights":[5]}`), map[string]string{"t1:main": "1/3000000", "t2:main": "1/5000"}},
		{"evented", doc(`{"type":"evented","unit":"nanoseconds","events":[{"type":"O","frame":0,"at":10},{"type":"O","frame":1,"at":12},{"type":"C","frame":1,"at":15},{"type":"C","frame":0,"at":16}]}`), map[string]string{":main": "2/3", ":a::b<main": "1/3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !Detect(c.text) {
				t.Error("not recognised")
			}
			p, err := Read(t.Context(), strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := rows(p); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestFrames(t *testing.T) {
	p, err := Read(t.Context(), strings.NewReader(strings.Replace(doc(`{"type":"sampled","unit":"none","samples":[[0,1,2]]}`), `"x"`, `"dotnet-trace"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	st := p.Stack(p.Samples()[0].Stack)
	for i, want := range []profile.Function{
		{Name: "System.Private.CoreLib!System.String.Concat(string)", Kind: profile.KindDotNet},
		{Name: "a::b", SystemName: "_ZN1a1bEv"},
		{Name: "main", File: "a.py", Kind: profile.KindPython},
	} {
		if got := *p.Function(p.Lines(st[i])[0].Function); got != want {
			t.Errorf("frame %d: %+v, want %+v", i, got, want)
		}
	}
	if l := p.Lines(st[2])[0].Line; l != 1 {
		t.Errorf("line %d", l)
	}
}

func TestRefused(t *testing.T) {
	for in, want := range map[string]string{
		doc(``): "no samples",
		doc(`{"type":"sampled","unit":"none","samples":[[7]]}`):                                                        "sample 0: frame 7 does not exist",
		doc(`{"type":"sampled","unit":"none","samples":[[0]],"weights":[1,2]}`):                                        "1 samples and 2 weights",
		doc(`{"type":"odd","name":"T","unit":"none"}`):                                                                 `profile 0 ("T"): the type "odd"`,
		doc(`{"type":"sampled","unit":"parsecs"}`):                                                                     "the unit",
		doc(`{"type":"sampled","unit":"none","samples":[[0]]},{"type":"sampled","unit":"bytes","samples":[[0]]}`):      "do not add up",
		doc(`{"type":"evented","unit":"none","events":[{"type":"C","frame":0,"at":1}]}`):                               "not the innermost open one",
		doc(`{"type":"evented","unit":"none","events":[{"type":"O","frame":0,"at":2},{"type":"C","frame":0,"at":1}]}`): "before the one in front",
		doc(`{"type":"sampled","unit":"seconds","samples":[[0]],"weights":[1e300]}`):                                   "more than a profile can hold",
		`{"shared":`: "unexpected EOF",
	} {
		if _, err := Read(context.Background(), strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v, want %q", in, err, want)
		}
	}
	if _, err := Read(context.Background(), strings.NewReader(doc(``))); !errors.Is(err, ErrEmpty) {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(doc(`{"type":"sampled","unit":"seconds","samples":[[0],[0,1]],"weights":[0.25,3]}`))
	f.Add(doc(`{"type":"evented","unit":"nanoseconds","events":[{"type":"O","frame":0,"at":10},{"type":"C","frame":0,"at":16}]}`))
	f.Fuzz(func(_ *testing.T, text string) {
		Detect(text)
		_, _ = Read(context.Background(), strings.NewReader(text))
	})
}
