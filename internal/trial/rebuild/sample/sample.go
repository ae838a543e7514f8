// Package sample counts where a program spends its time while a command runs, for
// BOLT to lay it out by and for compilers to optimise by.
//
// It records with this program's own samplers and gives the addresses of the
// running instructions, in the numbering of the program's file, or a file that Go or
// clang reads. It is a room of
// its own because it is the only one in trial that records and reads profiles.
package sample

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/collect/session"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/ingest"
	"whyhot/internal/profile"
	"whyhot/internal/trial/feedback"
	"whyhot/internal/trial/rebuild"
	"whyhot/internal/trial/rebuild/bolt"
	"whyhot/internal/trial/rebuild/wrapper"
)

// Leaves records a command and counts where a program was.
func Leaves(ctx context.Context, job rebuild.SampleJob) (bolt.Samples, error) {
	const frequency = 1999 // blocks are small: more samples than for a report
	p, err := record(ctx, job, session.Options{Settings: collect.Settings{Frequency: frequency, CallGraph: collect.CallGraphFP}, NoSymbols: true})
	if err != nil {
		return nil, err
	}
	return leaves(p, job.Program)
}

// Feedback records a command and writes what the compilers of a family read of its
// program. It gives the number of samples in it.
func Feedback(ctx context.Context, job rebuild.SampleJob, family wrapper.Family, to string) (int64, error) {
	const frequency = 999
	o, format := session.Options{Settings: collect.Settings{Frequency: frequency}}, feedback.GoPGO
	if family != wrapper.Go { // addresses say all
		o.Settings.CallGraph, o.NoSymbols, format = collect.CallGraphFP, true, feedback.LLVMSample
	}
	p, err := record(ctx, job, o)
	if err != nil {
		return 0, err
	}
	var said feedback.Summary
	err = wholefile.Write(to, 0o644, func(f *os.File) (err error) {
		said, err = feedback.Write(f, feedback.Request{Profile: p, Format: format, Binary: job.Program, File: job.Program})
		return err
	})
	return said.Used, err
}

// record runs a command as a recording of o's settings.
func record(ctx context.Context, job rebuild.SampleJob, o session.Options) (*profile.Profile, error) {
	temp, err := os.MkdirTemp("", "whyhot-bolt-")
	if err != nil {
		return nil, fmt.Errorf("a directory for the recording: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }() // nothing better can be done
	stdin, err := os.Open(os.DevNull)
	if job.Stdin != "" {
		_ = stdin.Close()
		stdin, err = os.Open(job.Stdin)
	}
	if err != nil {
		return nil, fmt.Errorf("standard input of the training: %w", err)
	}
	defer func() { _ = stdin.Close() }()
	sink, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("output of the training: %w", err)
	}
	defer func() { _ = sink.Close() }()
	// env(1) moves to the directory and changes what differs.
	words := []string{"env", "-C", job.Dir}
	for _, kv := range job.Env {
		if !slices.Contains(os.Environ(), kv) {
			words = append(words, kv)
		}
	}
	path := filepath.Join(temp, "training.pb.gz")
	o.Target, o.Sampler, o.Output = collect.Target{Command: append(words, job.Args...)}, session.Auto, path
	o.Streams = command.Streams{In: stdin, Out: sink, Err: sink}
	if _, err := session.Record(ctx, o); err != nil {
		return nil, err
	}
	return ingest.Open(ctx, path, ingest.Options{})
}

// leaves counts the samples of a program by the address of the running
// instruction, in the numbering of its file.
func leaves(p *profile.Profile, program string) (bolt.Samples, error) {
	f, err := elf.Open(program)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", program, err)
	}
	defer func() { _ = f.Close() }()
	out := bolt.Samples{}
	for _, s := range p.Samples() {
		frames := p.Stack(s.Stack)
		if len(frames) == 0 {
			continue
		}
		loc := p.Location(frames[0])
		m := p.Mapping(loc.Mapping)
		if m.Path != program || loc.Address < m.Start {
			continue
		}
		if a, ok := addressOf(f, loc.Address-m.Start+m.Offset); ok {
			out[a] += s.Count
		}
	}
	return out, nil
}

// addressOf is the address that a place in the file is loaded at.
func addressOf(f *elf.File, offset uint64) (uint64, bool) {
	for _, s := range f.Progs {
		if s.Type == elf.PT_LOAD && offset >= s.Off && offset < s.Off+s.Filesz {
			return offset - s.Off + s.Vaddr, true
		}
	}
	return 0, false
}
