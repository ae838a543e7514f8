package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// asked is what became of one question to one server.
type asked struct {
	times  []time.Duration
	cpu    time.Duration
	last   answer
	failed string
}

// ask asks every server the same, one after the other, with whoever begins changing. No
// range is asked about twice, so that no answer is kept from before.
func ask(ctx context.Context, from string, servers []*server, rounds int, timeout time.Duration, only string) error {
	files, err := filesOf(from)
	if err != nil {
		return err
	}
	begin, end := files[0].at.Truncate(time.Minute), files[len(files)-1].at.Truncate(time.Minute).Add(time.Minute)
	service := files[0].service
	function, err := hottestOf(ctx, servers[0], service, begin, end)
	if err != nil {
		return err
	}
	fmt.Printf("service %s, function %s, %s to %s\n", service, function, begin.UTC().Format(time.RFC3339), end.UTC().Format(time.RFC3339))
	salt := 0
	for _, of := range []string{service, ""} {
		for _, hour := range []bool{true, false} {
			for _, kind := range []string{top, flame, calls} {
				if !strings.HasPrefix(describe(of, hour, kind), only) {
					salt += rounds // asked alone, a question is about the same ranges
					continue
				}
				results := make([]asked, len(servers))
				differ := 0
				for round := range rounds {
					salt++
					q := question{kind: kind, service: of, function: function, from: begin.Add(-time.Duration(salt) * time.Minute), to: end}
					if hour {
						room := max(1, int(end.Sub(begin)/time.Minute)-60)
						q.to = end.Add(-time.Duration(salt*7%room) * time.Minute)
						q.from = q.to.Add(-time.Hour)
					}
					for i := range servers {
						k := (i + round) % len(servers)
						results[k].one(ctx, servers[k], q, timeout)
					}
					if !sameTotals(results) {
						differ++
					}
				}
				print(servers, results, describe(of, hour, kind), kind == top, differ)
			}
		}
	}
	for _, s := range servers {
		fmt.Printf("%-10s most memory %d MiB, CPU in all %.1f s\n", s.kind, s.peak(), s.cpu().Seconds())
	}
	return ctx.Err()
}

func (a *asked) one(ctx context.Context, s *server, q question, timeout time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	before, began := s.cpu(), time.Now()
	got, err := s.ask(ctx, q)
	a.times = append(a.times, time.Since(began))
	a.cpu += s.cpu() - before
	a.last = got
	if err != nil {
		a.failed = err.Error()
	}
}

func sameTotals(results []asked) bool {
	for _, r := range results {
		if r.last.total != results[0].last.total {
			return false
		}
	}
	return true
}

// describe is what a question is about: "service 1 h top", "fleet all calls".
func describe(service string, hour bool, kind string) string {
	where, long := "fleet", "all"
	if service != "" {
		where = "service"
	}
	if hour {
		long = "1 h"
	}
	return where + " " + long + " " + kind
}

func print(servers []*server, results []asked, what string, names bool, differ int) {
	for k, s := range servers {
		r := &results[k]
		slices.Sort(r.times)
		n := len(r.times)
		fmt.Printf("%-17s %-9s  p50 %8.1f ms  p95 %8.1f ms  CPU %7.1f ms  %8d bytes %6d nodes  total %.3f s", what, s.kind,
			r.times[n/2].Seconds()*1e3, r.times[min(n-1, n*95/100)].Seconds()*1e3, r.cpu.Seconds()*1e3/float64(n), r.last.bytes, r.last.nodes, float64(r.last.total)/1e9)
		if r.failed != "" {
			fmt.Printf("  FAILED: %s", r.failed)
		}
		fmt.Println()
		if names {
			var hottest []string
			for _, h := range r.last.hottest[:min(3, len(r.last.hottest))] {
				hottest = append(hottest, fmt.Sprintf("%s %.3f", h.name, float64(h.self)/1e9))
			}
			fmt.Printf("          %s\n", strings.Join(hottest, " | "))
		}
	}
	if differ > 0 {
		fmt.Printf("          totals differ in %d of %d rounds\n", differ, len(results[0].times))
	}
}

// hottestOf is the function that is asked about.
func hottestOf(ctx context.Context, s *server, service string, from, to time.Time) (string, error) {
	a, err := s.ask(ctx, question{kind: top, service: service, from: from, to: to})
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.kind, err)
	}
	for _, h := range a.hottest {
		if len(h.name) > 5 && !strings.HasPrefix(h.name, "[") {
			return h.name, nil
		}
	}
	return "", fmt.Errorf("%s: %s has no functions with names", s.kind, service)
}
