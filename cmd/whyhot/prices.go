package main

import (
	"cmp"
	"fmt"
	"math"
	"os"

	"github.com/spf13/cobra"

	"whyhot/internal/finding"
	"whyhot/internal/finding/price"
	"whyhot/internal/profile"
)

// pricesVariable names a price file for those who give none.
const pricesVariable = "WHYHOT_PRICES"

// priceFlags say what a core costs.
type priceFlags struct {
	file  string
	cores float64
}

func (f *priceFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.file, "prices", "", "also show what shares cost by the price `FILE` (default $"+pricesVariable+"; docs/guide/prices.md)")
	flags.Float64Var(&f.cores, "cores", 0, "`N` cores are busy in production (default: as in the profile)")
}

// read gives the prices, nil where there are none. It is called before the profile is
// read, so that a mistake is told at once.
func (f *priceFlags) read(cmd *cobra.Command) (*price.Prices, error) {
	given := cmd.Flags().Changed("cores")
	if given && !(f.cores > 0 && !math.IsInf(f.cores, 0)) {
		return nil, fmt.Errorf("--cores %v: must be greater than 0", f.cores)
	}
	path := cmp.Or(f.file, os.Getenv(pricesVariable))
	if path == "" {
		if given {
			return nil, fmt.Errorf("--cores without prices: give --prices FILE or set %s", pricesVariable)
		}
		return nil, nil //nolint:nilnil // no prices are no mistake
	}
	p, err := price.Read(path)
	if err != nil {
		return nil, err
	}
	return &p, nil
}

// rate bills shares of p. Where the profile does not say how many cores it kept busy
// that is an error for who asked for costs, and a note for who always has a price file.
func (f *priceFlags) rate(cmd *cobra.Command, prices *price.Prices, p *profile.Profile) (*price.Rate, error) {
	if prices == nil {
		return nil, nil //nolint:nilnil // no prices are no mistake
	}
	r := &price.Rate{Prices: *prices, Cores: f.cores}
	if r.Cores > 0 {
		return r, nil
	}
	var err error
	if r.Cores, err = price.Cores(p); err == nil {
		return r, nil
	}
	err = fmt.Errorf("costs are not known: %w; say with --cores how many cores the program keeps busy", err)
	if f.file != "" {
		return nil, err
	}
	printOnce(cmd.ErrOrStderr(), []string{err.Error()})
	return nil, nil //nolint:nilnil // told above
}

// bill puts the cost of each finding into a report.
func bill(r *price.Rate, report *finding.Report) {
	if r == nil {
		return
	}
	for i := range report.Findings {
		f := &report.Findings[i]
		if f.Share.Inclusive != nil || f.Share.Exclusive != nil {
			b := r.Of(f.Share.Main())
			f.Bill = &b
		}
	}
}
