package grow

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/collect/session"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/profile"
)

const shell = "/bin/sh"

// driver runs command lines in a shell that is recorded.
type driver struct {
	dir     string
	in      *os.File // to the shell
	answers *bufio.Reader
	done    chan struct{} // closed when the recording has ended
	result  *session.Result
	err     error
	close   func()
}

// precision keeps every sample's time: which run it is of must be told.
const precision = time.Microsecond

// startDriver begins the recording.
func startDriver(ctx context.Context, o *Options, dir string) (*driver, error) {
	toShell, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	out, fromShell, err := os.Pipe()
	if err != nil {
		_ = toShell.Close()
		_ = in.Close()
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	d := &driver{dir: dir, in: in, answers: bufio.NewReader(out), done: make(chan struct{})}
	d.close = func() {
		for _, f := range []*os.File{in, out} {
			_ = f.Close() // closed twice where all went well
		}
	}
	record := o.session(dir, []string{shell})
	record.Settings.Times = precision
	record.Streams = command.Streams{In: toShell, Out: fromShell, Err: o.Stderr}
	go func() {
		defer close(d.done)
		d.result, d.err = session.Record(ctx, record)
		_ = toShell.Close()
		_ = fromShell.Close() // a reader of answers is not to wait for ever
	}()
	return d, nil
}

// run runs one case and waits for its end.
func (d *driver) run(c *testCase) (ran, error) {
	path, err := command.Find(nil, c.args[0])
	if err != nil {
		return ran{}, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return ran{}, fmt.Errorf("finding %s: %w", c.args[0], err)
	}
	stdin := c.stdin
	if stdin == "" {
		stdin = os.DevNull
	}
	words := append([]string{path}, c.args[1:]...)
	for i, w := range words {
		words[i] = shellwords.Quote(w)
	}
	line := fmt.Sprintf("%s <%s >/dev/null 2>%s; echo $?\n", strings.Join(words, " "), shellwords.Quote(stdin), shellwords.Quote(d.stderr()))
	r := ran{begin: time.Now()}
	if _, err := io.WriteString(d.in, line); err != nil {
		return r, d.ended(err)
	}
	answer, err := d.answers.ReadString('\n')
	r.end = time.Now()
	if err != nil {
		return r, d.ended(err)
	}
	r.status, err = strconv.Atoi(strings.TrimSpace(answer))
	if err != nil {
		return r, fmt.Errorf("the shell that runs the command answered %q", answer)
	}
	return r, nil
}

// ended is why the shell takes no commands any more.
func (d *driver) ended(err error) error {
	<-d.done
	if d.err != nil {
		return d.err
	}
	return fmt.Errorf("the shell that runs the command ended: %w", err)
}

func (d *driver) stderr() string { return filepath.Join(d.dir, "stderr") }

// finish ends the recording and gives its profile.
func (d *driver) finish() (*profile.Profile, error) {
	_ = d.in.Close() // the shell ends
	<-d.done
	d.close()
	if d.err != nil {
		return nil, d.err
	}
	return d.result.Profile, nil
}

// recordDriven makes all runs one recording.
func (e *experiment) recordDriven(ctx context.Context) (*profile.Profile, error) {
	d, err := startDriver(ctx, e.o, e.dir)
	if err != nil {
		return nil, err
	}
	defer d.close()
	// The first run of all teaches the sampler the binaries; it does not count.
	warm, err := d.run(&e.all[0])
	if err == nil && warm.status != 0 {
		err = e.failed(&e.all[0], warm.status)
	}
	if err == nil {
		err = e.rounds(ctx, func(c *testCase) (ran, error) { return d.run(c) })
	}
	p, recordErr := d.finish()
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	if recordErr != nil {
		return nil, recordErr
	}
	return e.labelled(p), nil
}

// labelled tells the samples of one recording apart by when they were taken.
func (e *experiment) labelled(p *profile.Profile) *profile.Profile {
	return p.Retold(func(s *profile.Sample) ([]profile.Label, int64, bool) {
		for i := range e.runs {
			r := &e.runs[i]
			if s.Time >= r.begin.UnixNano() && s.Time < r.end.UnixNano() {
				return e.labels(r), 0, true
			}
		}
		return nil, 0, false
	})
}

// timed tells whether the sampler that will record knows the times of samples, and whether
// there is a shell.
func timed(ctx context.Context, o *Options) (bool, error) {
	s, err := session.Choose(ctx, session.Options{Target: collect.Target{Command: []string{shell}}, Sampler: o.Sampler, Settings: collect.Settings{Frequency: o.Frequency}})
	if err != nil {
		return false, err
	}
	return s.Name() == samplerWithTimes, nil
}
