// Command cost measures what the analyser costs beside a compiler: the CPU time
// and the peak memory of one process per unit, all arms in an order drawn anew
// for each unit.
//
//	go run ./bench/analyzer/cost [-sample N] [-arms A,B,…] BUILD_DIR…
//
// Every BUILD_DIR holds a compile_commands.json (scripts/compile-commands writes
// that of a build with make); -O3 is appended to every command line, so that all arms see the same one. The ratios are those of the
// sums over all units; their intervals come from drawing units with
// replacement. Arms that a unit fails in are left out for that unit altogether.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
)

func main() {
	sample := flag.Int("sample", 0, "measure so many units, drawn at random; 0 is all")
	arms := flag.String("arms", "", "only these arms, separated by commas")
	seed := flag.Uint64("seed", 1, "of the draws")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := measure(ctx, flag.Args(), *sample, *arms, *seed)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, dirs []string, sample int, only string, seed uint64) error {
	binary, err := analyzer.Find()
	if err != nil {
		return err
	}
	var units []compdb.Unit
	for _, dir := range dirs {
		us, err := compdb.Load(dir)
		if err != nil {
			return err
		}
		units = append(units, us...)
	}
	rng := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // draws units, keeps no secret
	rng.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
	if sample > 0 {
		units = units[:min(sample, len(units))]
	}
	chosen := slices.DeleteFunc(allArms(binary), func(a arm) bool {
		return only != "" && !slices.Contains(strings.Split(only, ","), a.name)
	})
	var table []map[string]cost
	left := 0
	for i, u := range units {
		row, err := measureUnit(ctx, u, chosen, rng)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			fmt.Fprintf(os.Stderr, "%s: left out: %v\n", u.File, err)
			left++
			continue
		}
		table = append(table, row)
		if i%20 == 19 {
			fmt.Fprintf(os.Stderr, "%d of %d units\n", i+1, len(units))
		}
	}
	fmt.Printf("%d units, %d left out\n", len(table), left)
	report(chosen, table, rng)
	return nil
}

// measureUnit runs every arm once.
func measureUnit(ctx context.Context, u compdb.Unit, arms []arm, rng *rand.Rand) (map[string]cost, error) {
	u.Arguments = append(slices.Clone(u.Arguments), "-O3")
	functions, err := someFunctions(ctx, u, rng)
	if err != nil {
		return nil, err
	}
	row := map[string]cost{}
	for _, i := range rng.Perm(len(arms)) {
		c, err := arms[i].run(ctx, u, functions)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", arms[i].name, err)
		}
		c.file = u.File
		row[arms[i].name] = c
	}
	return row, nil
}

// someFunctions compiles the unit and draws a twentieth of the functions it
// defines, one at least: as many as are hot in a usual profile.
func someFunctions(ctx context.Context, u compdb.Unit, rng *rand.Rand) ([]string, error) {
	object, err := os.CreateTemp("", "cost-*.o")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(object.Name()) }()
	_ = object.Close()
	if _, err := timed(ctx, u.Directory, append(clang(u), "-c", "-o", object.Name()), nil); err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "llvm-nm-19", "--defined-only", "--format=posix", object.Name()).Output()
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) > 1 && strings.ContainsAny(f[1], "tTwW") {
			names = append(names, f[0])
		}
	}
	if len(names) == 0 {
		return []string{"no function is defined here"}, nil
	}
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names[:max(1, len(names)/20)], nil
}
