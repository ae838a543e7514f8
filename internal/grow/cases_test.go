package grow

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/explain/growth"
	"whyhot/internal/profile"
)

func files(t *testing.T, texts ...string) []string {
	t.Helper()
	var paths []string
	for i, text := range texts {
		path := filepath.Join(t.TempDir(), "input"+string(rune('a'+i))+".txt")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func TestSizesStandInTheCommand(t *testing.T) {
	o := Options{Command: []string{"./app", "--n={n}", "{n}"}, Sizes: []float64{1000, 2000, 1e6}}
	all, unit, err := o.cases(t.TempDir())
	if err != nil || unit != "n" || len(all) != 3 || !slices.Equal(all[2].args, []string{"./app", "--n=1000000", "1000000"}) || all[2].stdin != "" {
		t.Errorf("%+v, %s, %v", all, unit, err)
	}
}

func TestFilesStandInTheCommandOrAreItsInput(t *testing.T) {
	inputs := files(t, "1", "12", "12345678")
	o := Options{Command: []string{"./app", "{input}"}, Inputs: inputs}
	all, unit, err := o.cases(t.TempDir())
	if err != nil || unit != "bytes" || all[2].n != 8 || all[2].args[1] != inputs[2] || all[2].stdin != "" {
		t.Errorf("%+v, %s, %v", all, unit, err)
	}
	o = Options{Command: []string{"./app"}, Inputs: inputs, Sizes: []float64{1, 5, 9}}
	all, unit, err = o.cases(t.TempDir())
	if err != nil || unit != "n" || all[1].n != 5 || all[1].stdin != inputs[1] {
		t.Errorf("%+v, %s, %v", all, unit, err)
	}
	o = Options{Command: []string{"./app", "{input}"}, Inputs: files(t, strings.Repeat("line\n", 80))}
	all, unit, err = o.cases(t.TempDir())
	if err != nil || unit != "lines" || len(all) != 4 || all[0].n != 10 || all[3].args[1] != o.Inputs[0] {
		t.Errorf("%+v, %s, %v", all, unit, err)
	}
}

func TestWrongSizesAreRefused(t *testing.T) {
	inputs := files(t, "1", "12", "12345678")
	for want, o := range map[string]Options{
		"missing command":      {Sizes: []float64{1, 2, 4}},
		"has no {n}":           {Command: []string{"./app"}, Sizes: []float64{1, 2, 4}},
		"missing --sizes":      {Command: []string{"{n}"}},
		"do not increase":      {Command: []string{"{n}"}, Sizes: []float64{1, 4, 4}},
		"2 sizes":              {Command: []string{"{n}"}, Sizes: []float64{1, 4}},
		"6 sizes":              {Command: []string{"{n}"}, Sizes: []float64{1, 2, 3, 4, 5, 6}},
		"too near each other":  {Command: []string{"{n}"}, Sizes: []float64{10, 11, 12}},
		"2 sizes for 3 inputs": {Command: []string{"a"}, Inputs: inputs, Sizes: []float64{1, 4}},
		"is a directory":       {Command: []string{"a"}, Inputs: []string{inputs[0], t.TempDir(), inputs[2]}},
	} {
		if _, _, err := o.cases(t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Samples belong to the run in whose time they were taken; what is between runs is left out.
func TestSamplesAreToldApartByTheirTimes(t *testing.T) {
	b := profile.NewBuilder()
	stack := b.Stack(nil)
	for at := range int64(40) {
		b.Sample(profile.Sample{Stack: stack, Time: at, Count: 1, Value: 1})
	}
	moment := func(ns int64) time.Time { return time.Unix(0, ns) }
	e := &experiment{unit: "lines", runs: []ran{
		{n: 10, round: 0, begin: moment(5), end: moment(10)}, {n: 20, round: 0, begin: moment(12), end: moment(22)}, {n: 10, round: 1, begin: moment(30), end: moment(33)},
	}}
	got := map[[2]int64]int64{}
	p := e.labelled(b.Build(profile.Meta{}))
	for _, s := range p.Samples() {
		size, _ := p.Label(s.Labels, growth.LabelSize)
		round, _ := p.Label(s.Labels, growth.LabelRound)
		got[[2]int64{size.Num, round.Num}] += s.Count
	}
	if len(got) != 3 || got[[2]int64{10, 0}] != 5 || got[[2]int64{20, 0}] != 10 || got[[2]int64{10, 1}] != 3 || !growth.Measured(p) {
		t.Errorf("%v", got)
	}
}

func TestRoundsFollowTheRunTime(t *testing.T) {
	for _, c := range []struct {
		each time.Duration
		want int
	}{{10 * time.Millisecond, 30}, {200 * time.Millisecond, 20}, {2 * time.Second, 5}, {10 * time.Second, 4}, {time.Minute, 3}} {
		e := &experiment{all: []testCase{{n: 1}, {n: 2}, {n: 4}}}
		for _, s := range e.all {
			e.runs = append(e.runs, ran{n: s.n, end: time.Time{}.Add(c.each)})
		}
		if got := e.roundsFor(); got != c.want {
			t.Errorf("%s: %d rounds, want %d", c.each, got, c.want)
		}
	}
}
