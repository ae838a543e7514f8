package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"whyhot/internal/explain"
	"whyhot/internal/explain/inimage"
	"whyhot/internal/finding/price"
	"whyhot/internal/host/version"
	"whyhot/internal/image/inventory"
	"whyhot/internal/report/imageview"
	"whyhot/internal/report/term"
)

// imagesProgram is a program of its own, since reading images needs as much code again
// as whyhot has.
const imagesProgram = "whyhot-images"

func newImagesCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "images",
		Short: "Find packages with faster replacements in container images",
	}
	cmd.AddCommand(newImagesScanCmd())
	return cmd
}

type imagesFlags struct {
	load    loadFlags
	filter  filterFlags
	profile string
	rules   []string
	json    bool
	sarif   bool
	ask     inventory.Question
}

func newImagesScanCmd() *cobra.Command {
	var f imagesFlags
	cmd := &cobra.Command{
		Use:   "scan REF|TAR|DIR... [--profile FILE | --from URL --service NAME]",
		Short: "Check the packages of container images against the catalogue",
		Long: `Reads container images layer by layer, without a daemon, and holds their packages
against the catalogue of what has a faster replacement. With a profile it lists only
what the profile shows to be hot, what burns most first, with the package, its version
and the layer it came with. Without one it lists what the catalogue knows: nothing then
says that any of it matters.

REF is a reference such as debian:12 or localhost:5000/web:1.4; credentials are those
of docker's or podman's configuration. TAR is what "docker save", "podman save" or
"skopeo copy" wrote. DIR is an OCI layout, or the root directory of a system.

Packages are those of dpkg, apk and rpm, of Python, npm, Java, Ruby, PHP and .NET, and
the modules that are recorded in binaries of Go and (by cargo auditable) Rust.

Of the system that is running (/) home directories, /tmp, logs, caches, work trees of
git and what containers keep are left out: the answer says which, and --everywhere reads
them. A directory of them that is given by itself is read whole.`,
		Example: `  whyhot images scan web.tar --profile cpu.pb.gz
  whyhot images scan registry.example.com/web:1.4 --from http://localhost:7878 --service web --last 24h
  whyhot images scan /
  whyhot images scan debian:12 --platform linux/arm64 --sarif > images.sarif`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runImagesScan(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.profile, "profile", "", "list only what the profile `FILE` shows to be hot")
	flags.StringVar(&f.ask.Platform, "platform", "", "of an image for several: `OS/ARCH[/VARIANT]` (default: Linux on this processor)")
	flags.StringVar(&f.ask.Tag, "tag", "", "of an archive or layout with several images: the one with this `NAME`")
	flags.BoolVar(&f.ask.Insecure, "insecure", false, "speak HTTP to the registry, not HTTPS (localhost always is)")
	flags.StringArrayVar(&f.rules, "rules", nil, "also apply the catalogue entries in `DIR` (repeatable)")
	flags.BoolVar(&f.json, "json", false, "write JSON (docs/images.schema.json)")
	flags.BoolVar(&f.sarif, "sarif", false, "write SARIF 2.1.0")
	flags.BoolVar(&f.ask.Everywhere, "everywhere", false, "of this running system (/) also read home directories, work trees of git, caches and what containers keep")
	f.load.add(cmd)
	f.load.addRemote(cmd)
	f.filter.add(cmd)
	cmd.MarkFlagsMutuallyExclusive("json", "sarif")
	cmd.MarkFlagsMutuallyExclusive("profile", keyFrom)
	return cmd
}

func runImagesScan(cmd *cobra.Command, images []string, f imagesFlags) error {
	if err := f.load.remote.check(cmd); err != nil {
		return err
	}
	program, err := findBeside(imagesProgram, "make images")
	if err != nil {
		return err
	}
	rules, err := explain.LoadRules(f.rules...)
	if err != nil {
		return err
	}
	hot, err := f.hot(cmd, rules)
	if err != nil {
		return err
	}
	if hot != nil {
		f.ask.Files = inimage.Files(hot.Profile, hot.Report.Findings)
	}
	answers := make([]inimage.Answer, 0, len(images))
	for _, image := range images {
		f.ask.Image = image
		found, err := askImages(cmd.Context(), program, f.ask, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		answers = append(answers, inimage.Scan(inimage.Request{Inventory: found, Catalog: rules.Catalog, Hot: hot}))
	}
	return f.print(cmd, answers)
}

// hot is what the profile shows, nil where none was given.
func (f *imagesFlags) hot(cmd *cobra.Command, rules explain.Rules) (*inimage.Hot, error) {
	path := f.profile
	switch {
	case f.load.remote.on():
		path = f.load.remote.name()
	case path == "":
		if f.filter.String() != "" {
			return nil, fmt.Errorf("%s is about the samples of a profile: give it with --profile FILE or --from URL", &f.filter)
		}
		return nil, nil //nolint:nilnil // no profile is no mistake
	}
	_, p, err := loadSamples(cmd, path, f.load, f.filter)
	if err != nil {
		return nil, err
	}
	r := explain.Request{Path: path, Profile: p, Rules: rules, DebugDirs: f.load.debugDirs}
	if f.load.remote.on() {
		r.Path = ""
	}
	report, err := explain.Explain(cmd.Context(), r)
	if err != nil {
		return nil, stopped(err)
	}
	if report.Unjudged {
		return nil, fmt.Errorf("%s: %s", path, strings.Join(report.Notes, " "))
	}
	report.Profile.Path = path
	hot := &inimage.Hot{Profile: p, Report: report}
	if cores, err := price.Cores(p); err == nil { // shares are told without
		hot.Cores = cores
	}
	return hot, nil
}

func (f *imagesFlags) print(cmd *cobra.Command, answers []inimage.Answer) error {
	switch {
	case f.json:
		return writeJSON(cmd.OutOrStdout(), imagesAnswer{inimage.Version, answers})
	case f.sarif:
		return imageview.SARIF(cmd.OutOrStdout(), version.String(), answers)
	}
	out := term.New(cmd.OutOrStdout(), os.Environ())
	for i, a := range answers {
		if i > 0 {
			out.Line()
		}
		imageview.Table(out, a)
		if len(a.Rows) > 0 {
			out.Hint("what to do", programName, "rules", "show", a.Rows[0].Rule)
		}
	}
	return out.Err()
}

// imagesAnswer is the JSON form.
type imagesAnswer struct {
	Version int              `json:"version"`
	Images  []inimage.Answer `json:"images"`
}

// askImages starts whyhot-images for one question. What it says on stderr is the error.
func askImages(ctx context.Context, program string, q inventory.Question, w io.Writer) (inventory.Inventory, error) {
	q.Version = inventory.Version
	question, err := json.Marshal(q)
	if err != nil {
		return inventory.Inventory{}, err
	}
	var said bytes.Buffer
	run := exec.CommandContext(ctx, program)
	run.Stdin, run.Stderr = bytes.NewReader(question), &said
	run.Cancel = func() error { return run.Process.Signal(syscall.SIGTERM) }
	answer, err := run.StdoutPipe()
	if err != nil {
		return inventory.Inventory{}, err
	}
	if err := run.Start(); err != nil {
		return inventory.Inventory{}, fmt.Errorf("images scan: %w", err)
	}
	var doing atomic.Pointer[string]
	what := func() string {
		if d := doing.Load(); d != nil {
			return "reading " + q.Image + ": " + *d
		}
		return "reading " + q.Image
	}
	done := showDoing(w, what)
	log := repeated(w, what)
	found, readErr := inventory.ReadInventory(answer, func(d string) { doing.Store(&d) })
	_, _ = io.Copy(io.Discard, answer) // what comes after an answer that could not be read
	err = run.Wait()
	log()
	done()
	if err != nil {
		if ctx.Err() != nil {
			return inventory.Inventory{}, stopped(ctx.Err())
		}
		if text := strings.TrimSpace(said.String()); text != "" {
			err = errors.New(text)
		}
		return inventory.Inventory{}, fmt.Errorf("images scan: %w", err)
	}
	if readErr != nil {
		return found, fmt.Errorf("%s: %w", program, readErr)
	}
	return found, nil
}
