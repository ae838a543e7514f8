// Command debuginfo measures and checks what the agent makes of binaries before it
// uploads them.
//
// usage: go run ./bench/collect/debuginfo FILE…          bytes and CPU time, beside objcopy
//
//	go run ./bench/collect/debuginfo -check FILE…   compares what is read from the results
//	go run ./bench/collect/debuginfo -upload HOST:PORT FILE…   CPU time of uploading symbols
//
// -upload wants a "whyhot receive" that has none of the files.
// -check exits with 1 when a symbol, an address or (with llvm-symbolizer) a line differs
// from the original's.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/fleet/debuginfo/upload"
	"whyhot/internal/fleet/send"
	"whyhot/internal/host/tool"
	"whyhot/internal/symbol/elfsym"
)

func main() {
	check := flag.Bool("check", false, "compare what is read from the results with the originals")
	symbolizer := flag.String("symbolizer", "llvm-symbolizer", "compare lines by this `COMMAND`, \"\" for not at all")
	server := flag.String("upload", "", "upload symbols to this `HOST:PORT`")
	flag.Parse()
	var err error
	switch {
	case *check:
		err = compare(context.Background(), flag.Args(), *symbolizer)
	case *server != "":
		err = give(context.Background(), *server, flag.Args())
	default:
		err = measure(context.Background(), flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "debuginfo:", err)
		os.Exit(1)
	}
}

// source is an open file of which extracts are made.
type source struct {
	file *os.File
	elf  *extract.File
	size int64
}

func open(path string) (*source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	e, err := extract.Open(f, info.Size())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return &source{f, e, info.Size()}, nil
}

func write(s *source, kind extract.Kind, to io.Writer) (int64, error) {
	e, err := extract.New(kind, s.elf, nil)
	if err != nil {
		return 0, err
	}
	return io.Copy(to, e.Reader())
}

func cpuTime(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const rounds = 11

// measure interleaves both kinds and objcopy; the first round warms the page cache and
// does not count.
func measure(ctx context.Context, files []string) error {
	dir, err := os.MkdirTemp("", "whyhot-debuginfo")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	fmt.Println("| file | bytes | symbols | full | CPU of symbols, ms | of full, ms | of objcopy --only-keep-debug, ms |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, path := range files {
		var symbols, full int64
		var times [3][]float64
		out := filepath.Join(dir, "out")
		size := int64(0)
		for round := range rounds + 1 {
			for i, run := range []func() error{
				func() (err error) { symbols, size, err = once(path, extract.Symbols, out); return err },
				func() (err error) { full, size, err = once(path, extract.Full, out); return err },
				func() error { return exec.CommandContext(ctx, "objcopy", "--only-keep-debug", path, out).Run() },
			} {
				who := syscall.RUSAGE_SELF
				if i == 2 {
					who = syscall.RUSAGE_CHILDREN
				}
				before := cpuTime(who)
				if err := run(); err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
				if round > 0 {
					times[i] = append(times[i], float64(cpuTime(who)-before)/float64(time.Millisecond))
				}
			}
		}
		fmt.Printf("| `%s` | %d | %d | %d | %s | %s | %s |\n", filepath.Base(path), size, symbols, full, middle(times[0]), middle(times[1]), middle(times[2]))
	}
	return nil
}

func once(path string, kind extract.Kind, out string) (n, size int64, err error) {
	s, err := open(path)
	if err != nil {
		return 0, 0, err
	}
	to, err := os.Create(out)
	if err != nil {
		return 0, 0, errors.Join(err, s.file.Close())
	}
	n, err = write(s, kind, to)
	return n, s.size, errors.Join(err, to.Close(), s.file.Close())
}

// middle is the median and the range of all.
func middle(v []float64) string {
	slices.Sort(v)
	return fmt.Sprintf("%.1f (%.1f to %.1f)", v[len(v)/2], v[0], v[len(v)-1])
}

func compare(ctx context.Context, files []string, symbolizer string) error {
	if _, err := tool.Find(symbolizer); err != nil && symbolizer != "" {
		return fmt.Errorf("%w (give another with -symbolizer, or \"\")", err)
	}
	var in, out int64
	looked, lines, wrong := 0, 0, 0
	for _, path := range files {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		s, err := open(path)
		if errors.Is(err, extract.ErrNotELF) {
			continue
		}
		if err != nil {
			fmt.Println(err)
			continue
		}
		looked++
		in += s.size
		for _, kind := range []extract.Kind{extract.Symbols, extract.Full} {
			var data bytes.Buffer
			n, err := write(s, kind, &data)
			if err == nil {
				err = same(path, data.Bytes())
			}
			if kind == extract.Symbols {
				out += n
			} else if err == nil && symbolizer != "" && s.elf.HasDWARF() {
				lines++
				err = sameLines(ctx, symbolizer, path, data.Bytes())
			}
			if err != nil {
				wrong++
				fmt.Printf("%s: %s: %v\n", path, kind, err)
			}
		}
		_ = s.file.Close() // only read from
	}
	fmt.Printf("%d files, %d bytes, %d of them as symbols; lines of %d compared; %d differ\n", looked, in, out, lines, wrong)
	if wrong > 0 {
		return errors.New("some results differ from the originals")
	}
	return nil
}

// same compares symbols and the translation of offsets.
func same(path string, data []byte) error {
	a, err := elffile.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // only read from
	b, err := elffile.New("result", data)
	if err != nil {
		return err
	}
	before, err := elfsym.Read(a)
	if err != nil {
		return fmt.Errorf("the original: %w", err)
	}
	after, err := elfsym.Read(b)
	switch {
	case err != nil:
		return err
	case a.BuildID() != b.BuildID():
		return errors.New("another build ID")
	case !slices.Equal(before.Symbols(), after.Symbols()):
		return fmt.Errorf("%d symbols became %d, or others", before.Len(), after.Len())
	}
	for off := uint64(0); off < uint64(a.Size()); off += uint64(a.Size())/997 + 1 {
		v, ok := a.OffsetToVaddr(off)
		if w, still := b.OffsetToVaddr(off); v != w || ok != still {
			return fmt.Errorf("offset %#x is at %#x, was at %#x", off, w, v)
		}
	}
	return nil
}

// give uploads the files as the agent does.
func give(ctx context.Context, server string, files []string) error {
	endpoint, err := send.ParseEndpoint(server, false)
	if err != nil {
		return err
	}
	var failed error
	u, err := upload.New(upload.Options{
		Kind: extract.Symbols, Server: send.Options{Endpoint: endpoint}, Backoff: send.NewBackoff(send.FirstPause, send.LongestPause),
		Log: func(text string) { failed = errors.New(text) },
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	begin, before := time.Now(), cpuTime(syscall.RUSAGE_SELF)
	go u.Run(ctx)
	for _, path := range files {
		s, err := open(path)
		if err != nil {
			return err
		}
		one := upload.Binary{BuildID: s.elf.BuildID(), Path: path, PID: os.Getpid(), File: func() *os.File { return s.file }}
		for u.Offer(one) {
			time.Sleep(10 * time.Millisecond)
		}
	}
	got, used := u.Stats(), cpuTime(syscall.RUSAGE_SELF)-before
	fmt.Printf("%d files, %d bytes in %s: %s of CPU time, %.2f ms a MiB\n", got.Uploaded, got.Bytes, time.Since(begin).Round(time.Millisecond),
		used.Round(time.Millisecond), float64(used)/float64(time.Millisecond)/(float64(got.Bytes)/(1<<20)))
	return failed
}

// addresses is how many are compared in each file.
const addresses = 500

func sameLines(ctx context.Context, symbolizer, path string, data []byte) error {
	a, err := elffile.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // only read from
	var asked strings.Builder
	for _, r := range a.CodeRanges() {
		for at := r.Low; at < r.High; at += max((r.High-r.Low)/addresses, 1) {
			fmt.Fprintf(&asked, "%#x\n", at)
		}
	}
	temp, err := os.CreateTemp("", "whyhot-debuginfo-*.debug")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	if _, err := temp.Write(data); err != nil {
		return errors.Join(err, temp.Close())
	}
	if err := temp.Close(); err != nil {
		return err
	}
	var answers [2]string
	for i, file := range []string{path, temp.Name()} {
		cmd := exec.CommandContext(ctx, symbolizer, "--obj="+file, "--inlines")
		cmd.Stdin = strings.NewReader(asked.String())
		text, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", symbolizer, err)
		}
		answers[i] = string(text)
	}
	if answers[0] != answers[1] {
		return errors.New("other lines")
	}
	return nil
}
