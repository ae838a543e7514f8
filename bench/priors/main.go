// Priors measures how much of the CPU libraries and families take in profiles of real
// programs, for internal/explain/surprise/priors.json.
//
//	go run ./bench/priors SOURCE FILE… > internal/explain/surprise/priors.json
//
// SOURCE says in a sentence what was measured. One profile a program: several of one
// program would count it twice.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/rule"
	"whyhot/internal/explain/surprise"
	"whyhot/internal/fetch"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "priors:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return errors.New("usage: priors SOURCE FILE…")
	}
	cat, err := catalog.Builtin()
	if err != nil {
		return err
	}
	families := rule.NewFamilies(cat)
	var windows []surprise.Window
	for _, file := range args[1:] {
		p, err := fetch.Profile(ctx, file, fetch.Options{NamesOnly: true})
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		w := surprise.Measure(file, p.Profile, families)
		if w.Events < leastEvents {
			fmt.Fprintf(os.Stderr, "priors: %s has %d samples, too few\n", file, w.Events)
			continue
		}
		windows = append(windows, w)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(surprise.Learn(args[0], windows))
}

// leastEvents is the number of samples that a profile must have: a share of 5 % is then
// known to 3 points.
const leastEvents = 200
