package grow

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/grow/shrink"
)

// Placeholders in a command line.
const (
	NumberMark = "{n}"
	InputMark  = "{input}"
)

// The sizes of an experiment.
const (
	fewestSizes = 3
	mostSizes   = 5
	halvings    = 3 // of one input
)

// testCase is the command at one size.
type testCase struct {
	n     float64
	args  []string
	stdin string // a file, "" for none
}

// cases makes the command lines, smallest first, and says what a size is.
func (o *Options) cases(dir string) (all []testCase, unit string, err error) {
	if len(o.Command) == 0 {
		return nil, "", fmt.Errorf("missing command: give it after --, with %s where the size belongs: whyhot grow --sizes 1000,2000,4000 -- ./app %s", NumberMark, NumberMark)
	}
	switch {
	case len(o.Inputs) > 0:
		all, unit, err = o.fromInputs(dir)
	case !o.has(NumberMark):
		return nil, "", fmt.Errorf("the command has no %s: write it where the size of the input belongs, as in ./app %s, or give input files with --input", NumberMark, NumberMark)
	case len(o.Sizes) == 0:
		return nil, "", errors.New("missing --sizes: give three to five, such as --sizes 1000,2000,4000")
	default:
		unit = "n"
		for _, n := range o.Sizes {
			all = append(all, testCase{n: n, args: o.replaced(NumberMark, strconv.FormatFloat(n, 'f', -1, 64))})
		}
	}
	if err == nil {
		err = checkSizes(all)
	}
	return all, unit, err
}

func checkSizes(all []testCase) error {
	if len(all) < fewestSizes || len(all) > mostSizes {
		return fmt.Errorf("%d sizes: give %d to %d", len(all), fewestSizes, mostSizes)
	}
	for i := range all {
		if all[i].n <= 0 {
			return fmt.Errorf("invalid size %g: must be above 0", all[i].n)
		}
		if i > 0 && all[i].n <= all[i-1].n {
			return fmt.Errorf("the sizes do not increase: %g follows %g; give the smallest first", all[i].n, all[i-1].n)
		}
	}
	const apart = 2
	if first, last := all[0].n, all[len(all)-1].n; last < apart*first {
		return fmt.Errorf("the sizes are too near each other: the largest, %g, must be at least twice the smallest, %g", last, first)
	}
	return nil
}

// has tells whether an argument has a placeholder.
func (o *Options) has(mark string) bool {
	return slices.ContainsFunc(o.Command, func(a string) bool { return strings.Contains(a, mark) })
}

func (o *Options) replaced(mark, by string) []string {
	out := make([]string, 0, len(o.Command))
	for _, a := range o.Command {
		out = append(out, strings.ReplaceAll(a, mark, by))
	}
	return out
}

// fromInputs takes several files by what is in them, or parts of one.
func (o *Options) fromInputs(dir string) (all []testCase, unit string, err error) {
	var inputs []shrink.Input
	unit = "bytes"
	if len(o.Inputs) == 1 {
		if len(o.Sizes) > 0 {
			return nil, "", errors.New("--sizes goes with several inputs or with none: the sizes of one input's parts are known")
		}
		if inputs, err = shrink.Halves(o.Inputs[0], dir, halvings); err != nil {
			return nil, "", err
		}
		unit = inputs[0].Unit
	}
	for i, path := range o.Inputs {
		if len(o.Inputs) == 1 {
			break
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, "", fmt.Errorf("cannot read the input: %w", err)
		}
		if info.IsDir() && len(o.Sizes) == 0 {
			return nil, "", fmt.Errorf("%s is a directory: say how large each input is with --sizes", path)
		}
		n := int(info.Size())
		if len(o.Sizes) > 0 {
			if len(o.Sizes) != len(o.Inputs) {
				return nil, "", fmt.Errorf("%d sizes for %d inputs: give one for each", len(o.Sizes), len(o.Inputs))
			}
			n, unit = int(o.Sizes[i]), "n"
		}
		inputs = append(inputs, shrink.Input{Path: path, Records: n})
	}
	mark := InputMark
	if !o.has(mark) && o.has(NumberMark) {
		mark = NumberMark
	}
	for _, in := range inputs {
		c := testCase{n: float64(in.Records), args: o.replaced(mark, in.Path)}
		if !o.has(mark) {
			c.stdin = in.Path
		}
		all = append(all, c)
	}
	return all, unit, nil
}
