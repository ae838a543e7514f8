// Command agreement asks about loops in three ways, and says where the answers
// differ: with the whole unit (as scan does), with the loop's function alone (as
// explain does for a hot one) and by the loop's line (as explain-loop does).
//
//	go run ./bench/analyzer/agreement [-sample N] [-lines N] [-seed N] BUILD_DIR…
//
// Every BUILD_DIR holds a compile_commands.json. Of every unit, -lines lines with
// candidates are drawn, those with a confirmed one first. It ends with an error
// where two answers differ.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/source/loopfinding"
)

func main() {
	sample := flag.Int("sample", 0, "units of each build, drawn at random; 0 is all")
	lines := flag.Int("lines", 4, "lines of each unit")
	seed := flag.Uint64("seed", 1, "of the draws")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, flag.Args(), *sample, *lines, *seed)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "agreement:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dirs []string, sample, lines int, seed uint64) error {
	binary, err := analyzer.Find()
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // draws units, keeps no secret
	differ := 0
	for _, dir := range dirs {
		units, err := compdb.Load(dir)
		if err != nil {
			return err
		}
		rng.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
		if sample > 0 {
			units = units[:min(sample, len(units))]
		}
		var all tally
		for _, u := range units {
			t, err := compare(ctx, binary, u, lines, rng)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s: left out: %v\n", u.File, err)
				continue
			}
			all.units++
			all.add(t)
		}
		fmt.Printf("%s: %d units, %d candidates at %d lines, %d of them confirmed; asked again by line and by function: %d answers, %d differ\n",
			dir, all.units, all.loops, all.lines, all.confirmed, all.answers, all.differ)
		differ += all.differ
	}
	if differ > 0 {
		return errors.New("answers differ")
	}
	return nil
}

type tally struct{ units, lines, loops, confirmed, answers, differ int }

func (t *tally) add(o tally) {
	t.lines += o.lines
	t.loops += o.loops
	t.confirmed += o.confirmed
	t.answers += o.answers
	t.differ += o.differ
}

// compare asks of the loops at some lines of a unit in every way.
func compare(ctx context.Context, binary string, u compdb.Unit, lines int, rng *rand.Rand) (tally, error) {
	whole, err := ask(ctx, binary, u, analyzer.Options{})
	if err != nil {
		return tally{}, err
	}
	places := map[analyzer.At][]analyzer.Candidate{}
	for _, c := range whole {
		if len(c.Start) > 0 && c.Start[0].Line > 0 {
			at := analyzer.At{File: c.Start[0].File, Line: c.Start[0].Line}
			places[at] = append(places[at], c)
		}
	}
	order := make([]analyzer.At, 0, len(places))
	for at := range places {
		order = append(order, at)
	}
	slices.SortFunc(order, func(a, b analyzer.At) int { return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line) })
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	confirmed := func(at analyzer.At) int {
		if slices.ContainsFunc(places[at], func(c analyzer.Candidate) bool { return c.Confirmed }) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(order, func(a, b analyzer.At) int { return confirmed(a) - confirmed(b) })
	var t tally
	for _, at := range order[:min(lines, len(order))] {
		t.lines++
		byLine, err := ask(ctx, binary, u, analyzer.Options{At: &at})
		if err != nil {
			return t, err
		}
		for _, c := range places[at] {
			t.loops++
			if c.Confirmed {
				t.confirmed++
			}
			byFunction, err := ask(ctx, binary, u, analyzer.Options{Functions: []string{c.Function}})
			if err != nil {
				return t, err
			}
			for how, answers := range map[string][]analyzer.Candidate{"its line": byLine, "its function": byFunction} {
				t.answers++
				if got, want := find(answers, c), verdict(c); got != want {
					t.differ++
					fmt.Printf("%s:%d in %s, asked by %s:\n  %s\nwith the unit:\n  %s\n", at.File, at.Line, c.Function, how, got, want)
				}
			}
		}
	}
	return t, nil
}

func find(answers []analyzer.Candidate, c analyzer.Candidate) string {
	for _, a := range answers {
		if a.Function == c.Function && slices.Equal(a.Start, c.Start) {
			return verdict(a)
		}
	}
	return "no candidate"
}

func verdict(c analyzer.Candidate) string {
	var text strings.Builder
	fmt.Fprintf(&text, "confirmed %t %v %s", c.Confirmed, c.Reach, c.Effect)
	for _, world := range c.Reach {
		s := c.Worlds[world]
		fmt.Fprintf(&text, "; %s: %.3g loads, vectorised %t, gone %t", world, s.LoadsPerIteration, s.Vectorised, s.Idiom)
	}
	return text.String()
}

func ask(ctx context.Context, binary string, u compdb.Unit, o analyzer.Options) ([]analyzer.Candidate, error) {
	o.Binary, o.Workers, o.Predicates = binary, 1, []string{"char"}
	var got analyzer.Outcome
	if err := analyzer.Run(ctx, []compdb.Unit{u}, o, func(out analyzer.Outcome) { got = out }); err != nil {
		return nil, err
	}
	if got.Err != nil {
		return nil, got.Err
	}
	if len(got.Reply.Errors) > 0 {
		return nil, errors.New(got.Reply.Errors[0])
	}
	out := make([]analyzer.Candidate, 0, len(got.Reply.Candidates))
	for _, c := range got.Reply.Candidates {
		out = append(out, loopfinding.Judged(c, u.File))
	}
	return out, nil
}
