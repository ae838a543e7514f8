package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/explain"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/report/term"
	"whyhot/internal/server/client"
)

const (
	manySurprises = 10 // of huh
	fewSurprises  = 3  // of explain
)

type huhFlags struct {
	load   loadFlags
	filter filterFlags
	past   baselineFlags
	number int
	json   bool
}

func newHuhCmd() *cobra.Command {
	var f huhFlags
	cmd := &cobra.Command{
		Use:   "huh FILE|--from URL [--baseline FILE]...",
		Short: "List anomalies: shares that differ from the baselines",
		Long: `Says which functions, libraries and families take another share of the CPU than was
to be expected, a sentence each, with the reason where one stands out.

A FILE is compared with its baselines, earlier profiles of the same program. With
--from it is a server's samples, compared with their own past (the six windows before,
as long as this one, and the same time of the last seven days), and with one --service
against the other services. Both are also compared with programs that were measured
beforehand.

What is within the sampling error, or within what the past scatters by, is no
surprise.`,
		Example: `  whyhot huh now.pb.gz --baseline monday.pb.gz --baseline tuesday.pb.gz
  whyhot huh --from http://localhost:7878 --service web --last 6h`,
		Args: f.load.args(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, _ := f.load.source(args)
			return runHuh(cmd, path, f)
		},
	}
	flags := cmd.Flags()
	flags.IntVarP(&f.number, "number", "n", manySurprises, "surprises to show at most")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	f.past.add(cmd)
	f.load.add(cmd)
	f.load.addRemote(cmd)
	f.filter.add(cmd)
	return cmd
}

// huhAnswer is the JSON form.
type huhAnswer struct {
	Surprises []finding.Surprise `json:"surprises"`
	// Against says what the profile was held against.
	Against string `json:"held_against"`
}

func runHuh(cmd *cobra.Command, path string, f huhFlags) error {
	if f.number < 1 {
		return fmt.Errorf("-n %d: must be 1 or more", f.number)
	}
	if err := f.past.check(&f.load); err != nil {
		return err
	}
	rules, err := explain.LoadRules()
	if err != nil {
		return err
	}
	all, p, err := loadSamples(cmd, path, f.load, f.filter)
	if err != nil {
		return err
	}
	found, against, err := f.past.surprises(cmd, p, rules, &f.load, f.filter, f.number)
	if err != nil {
		return err
	}
	if f.json {
		if found == nil {
			found = []finding.Surprise{}
		}
		return writeJSON(cmd.OutOrStdout(), huhAnswer{found, against})
	}
	out := term.New(cmd.OutOrStdout(), os.Environ())
	printHeader(out, path, all, p, &f.filter, true)
	if len(found) == 0 {
		out.Line()
		out.Line("No anomalies. Compared with " + against + ".")
		return out.Err()
	}
	out.Surprises(found)
	out.Line()
	out.Line("compared with " + against)
	return out.Err()
}

// baselineFlags name what a profile is compared with.
type baselineFlags struct{ files []string }

func (f *baselineFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.files, "baseline", nil, "compare the shares with `FILE`, an earlier profile of the same program (repeatable, oldest first)")
}

// check refuses baselines where the server has them.
func (f *baselineFlags) check(load *loadFlags) error {
	if load.remote.on() && len(f.files) > 0 {
		return fmt.Errorf("--baseline %s: with --from the server's own past is the baseline", f.files[0])
	}
	return nil
}

// surprises are those of p, and what it was held against.
func (f *baselineFlags) surprises(cmd *cobra.Command, p *profile.Profile, rules explain.Rules, load *loadFlags, filter filterFlags, most int) ([]finding.Surprise, string, error) {
	if load.remote.on() {
		if filter.String() == "" {
			return askSurprises(cmd, &load.remote, most)
		}
	}
	r := explain.SurpriseRequest{Profile: p, Rules: rules, Most: most}
	for _, file := range f.files {
		b, err := loadProfile(cmd, file, loadFlags{debugDirs: load.debugDirs, noSymbols: load.noSymbols, sampleType: load.sampleType})
		if err == nil {
			b, err = filter.apply(b)
		}
		if err != nil {
			return nil, "", fmt.Errorf("--baseline %s: %w", file, err)
		}
		if x, y := b.Meta.ValueType, p.Meta.ValueType; x.Unit != y.Unit {
			return nil, "", fmt.Errorf("--baseline %s counts %s, and the profile %s: that is not comparable", file, x.Unit, y.Unit)
		}
		r.Baselines = append(r.Baselines, b)
	}
	found, programs, err := explain.Surprises(r)
	return found, against(len(f.files), 0, programs, "earlier profile"), err
}

func askSurprises(cmd *cobra.Command, remote *remoteFlags, most int) ([]finding.Surprise, string, error) {
	c, err := remote.client()
	if err != nil {
		return nil, "", fmt.Errorf("--from: %w", err)
	}
	v, err := remote.selection()
	if err != nil {
		return nil, "", err
	}
	var s client.Surprises
	if s, err = c.Surprises(cmd.Context(), v, most); err != nil {
		return nil, "", err
	}
	return s.Surprises, against(s.Windows, s.Services, s.Profiles, "earlier time"), nil
}

// against says in words what a profile was held against.
func against(past, services, programs int, what string) string {
	var parts []string
	for _, one := range []struct {
		n    int
		what string
	}{{past, what}, {services, "other service"}, {programs, "program"}} {
		switch {
		case one.n == 1:
			parts = append(parts, "1 "+one.what)
		case one.n == 0 && one.what == what:
			parts = append(parts, "no "+what)
		case one.n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", one.n, one.what))
		}
	}
	text := strings.Join(parts, ", ")
	if programs > 0 {
		text += " measured beforehand"
	}
	return text
}
