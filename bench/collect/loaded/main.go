// Command loaded measures recordings of a machine that compiles: how long it takes from
// the start of `whyhot record -a` to the first moment of the profile, how many stacks are
// cut, what whyhot itself is of the profile, and the processor time that it took in all,
// loading included. That of two lengths tells what a second of recording takes, whatever
// else the machine does.
//
//	loaded [-rounds N] [-time 5s] [-loops 2] WHYHOT… -- COMMAND…
//
// COMMAND runs over and over in -loops loops meanwhile (each with its own number as LOOP
// in the environment). Several programs record in turn, in random order.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"whyhot/internal/ingest"
	"whyhot/internal/profile"
	"whyhot/internal/trial/stat"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "loaded:", err)
		os.Exit(1)
	}
}

func run() error {
	rounds := flag.Int("rounds", 5, "how often each program records")
	length := flag.Duration("time", 5*time.Second, "how long a recording is")
	loops := flag.Int("loops", 2, "how many loops there are")
	flag.Parse()
	at := slices.Index(flag.Args(), "--")
	if at < 1 || at+1 == flag.NArg() {
		return errors.New("programs, --, and a command are wanted")
	}
	programs, command := flag.Args()[:at], flag.Args()[at+1:]
	dir, err := os.MkdirTemp("", "whyhot-loaded-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, stop := context.WithCancel(context.Background())
	var load sync.WaitGroup
	for i := range *loops {
		load.Go(func() { repeat(ctx, i, command) })
	}
	defer load.Wait()
	defer stop()
	time.Sleep(time.Second) // until the load is what it is
	seen := make([]measured, len(programs))
	for range *rounds {
		for _, i := range rand.Perm(len(programs)) { //nolint:gosec // an order, not a secret
			if err := seen[i].record(ctx, programs[i], *length, filepath.Join(dir, "p.pb.gz")); err != nil {
				return err
			}
		}
	}
	fmt.Println("| program | to the first moment, s | samples | cut | whyhot itself | its CPU time, s |\n|---|---|---|---|---|---|")
	for i, p := range programs {
		m := &seen[i]
		fmt.Printf("| %s | %s | %s | %s%% | %s%% | %s |\n", p, middle(m.start, 2), middle(m.samples, 0), middle(m.cut, 1), middle(m.own, 1), middle(m.cpu, 2))
	}
	return nil
}

// repeat runs the command until the end.
func repeat(ctx context.Context, loop int, command []string) {
	for ctx.Err() == nil {
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Env = append(os.Environ(), fmt.Sprintf("LOOP=%d", loop))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		if err := cmd.Run(); err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "loaded:", err)
			return
		}
	}
}

// measured is what came of a program's recordings.
type measured struct{ start, samples, cut, own, cpu []float64 }

func (m *measured) record(ctx context.Context, program string, length time.Duration, path string) error {
	var said strings.Builder
	cmd := exec.CommandContext(ctx, program, "record", "-a", "-d", length.String(), "-o", path, "--no-symbols")
	cmd.Stderr = &said
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, said.String())
	}
	p, err := ingest.Open(ctx, path, ingest.Options{})
	if err != nil {
		return err
	}
	cut, own := int64(0), int64(0)
	for _, s := range p.Samples() {
		if l, ok := p.Label(s.Labels, profile.LabelProcess); ok && l.Str == comm(program) {
			own += s.Count
		}
		if stack := p.Stack(s.Stack); len(stack) > 0 && isCut(p, stack[len(stack)-1]) {
			cut += s.Count
		}
	}
	const percent = 100
	all := float64(p.Count())
	m.start = append(m.start, p.Meta.Start.Sub(begin).Seconds())
	m.samples = append(m.samples, all)
	m.cut = append(m.cut, percent*float64(cut)/all)
	m.own = append(m.own, percent*float64(own)/all)
	m.cpu = append(m.cpu, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	return nil
}

// comm is what the kernel calls a program.
func comm(program string) string {
	const most = 15
	base := filepath.Base(program)
	return base[:min(len(base), most)]
}

func isCut(p *profile.Profile, root profile.LocationID) bool {
	return slices.ContainsFunc(p.Lines(root), func(l profile.Line) bool { return p.Function(l.Function).Name == "[truncated stack]" })
}

// middle is the median with the range.
func middle(v []float64, digits int) string {
	return fmt.Sprintf("%.*f (%.*f to %.*f)", digits, stat.Median(v), digits, slices.Min(v), digits, slices.Max(v))
}
