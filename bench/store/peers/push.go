package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// push sends all files to each server, in parts: every server takes a part before the
// next part is sent, so that a machine that is busy for a while is busy for all of them.
func push(ctx context.Context, from string, servers []*server, parts, senders int) error {
	files, err := filesOf(from)
	if err != nil {
		return err
	}
	type sums struct {
		took, cpu time.Duration
		again     int64
	}
	spent := make([]sums, len(servers))
	for part := range parts {
		slice := files[len(files)*part/parts : len(files)*(part+1)/parts]
		for i := range servers {
			k := (i + part) % len(servers)
			began, before := time.Now(), servers[k].cpu()
			again, err := pushPart(ctx, slice, servers[k], senders)
			if err != nil {
				return fmt.Errorf("%s: %w", servers[k].kind, err)
			}
			took := time.Since(began)
			spent[k].took += took
			spent[k].cpu += servers[k].cpu() - before
			spent[k].again += again
			fmt.Fprintf(os.Stderr, "part %d: %s %.1f s\n", part+1, servers[k].kind, took.Seconds())
		}
	}
	for _, s := range servers {
		if err := arrived(ctx, s, from, files); err != nil {
			return err
		}
	}
	for k, s := range servers {
		fmt.Printf("%-10s %d profiles in %.1f s (%.0f/s), CPU meanwhile %.1f s, in all until now %.1f s, %d sent again, most memory %d MiB\n", s.kind, len(files),
			spent[k].took.Seconds(), float64(len(files))/spent[k].took.Seconds(), spent[k].cpu.Seconds(), s.cpu().Seconds(), spent[k].again, s.peak())
	}
	return nil
}

// arrived waits until an answer about everything has all that was sent.
func arrived(ctx context.Context, s *server, from string, files []file) error {
	sum, err := sumOf(from)
	if err != nil {
		return err
	}
	const patience = time.Minute
	q := question{kind: flame, from: files[0].at.Truncate(time.Minute), to: files[len(files)-1].at.Truncate(time.Minute).Add(time.Minute)}
	var got answer
	for began := time.Now(); time.Since(began) < patience && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		if got, err = s.ask(ctx, q); err == nil && got.total == sum {
			fmt.Printf("%-10s answers have all of it, %.1f s after the last push to any of them\n", s.kind, time.Since(began).Seconds())
			return nil
		}
		q.from = q.from.Add(-time.Minute) // not the answer from before
	}
	fmt.Printf("%-10s DIFFERS after %s: %.3f s of %.3f s (%v)\n", s.kind, patience, float64(got.total)/1e9, float64(sum)/1e9, err)
	return ctx.Err()
}

func pushPart(ctx context.Context, files []file, to *server, senders int) (again int64, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, repeats atomic.Int64
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			for ctx.Err() == nil {
				n := next.Add(1) - 1
				if n >= int64(len(files)) {
					return
				}
				data, err := os.ReadFile(files[n].path)
				for err == nil {
					if err = to.push(ctx, files[n], data); err == nil {
						break
					}
					if !errors.Is(err, errBusy) {
						continue
					}
					repeats.Add(1)
					time.Sleep(50 * time.Millisecond)
					err = ctx.Err()
				}
				if err != nil {
					cancel(fmt.Errorf("%s: %w", files[n].path, err))
				}
			}
		})
	}
	all.Wait()
	return repeats.Load(), context.Cause(ctx)
}
