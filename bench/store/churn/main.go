//go:build cgo

// Program churn shows what becomes of a store whose fleet is never the same.
//
//	churn year -data DIR [-days 365]    a year of days in minutes, with a clock of its own
//	churn push -to URL [-pushes 200]    profiles of stacks that no other profile has
//
// In a year each service has a new build a day, pods that live for an hour, and functions
// whose names an engine makes up at run time. Each day is taken by the hour, what is too old
// goes, and questions are timed now and then: memory, disk and latency should be flat once
// the retention is reached.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
	"whyhot/internal/store"
	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/duckdb"
	"whyhot/internal/store/journal"
)

func main() {
	flags := flag.NewFlagSet("churn", flag.ExitOnError)
	data := flags.String("data", "", "directory of the store")
	days := flags.Int("days", 365, "how many days")
	every := flags.Int("every", 20, "days between two lines")
	to := flags.String("to", "", "URL of the server")
	pushes := flags.Int("pushes", 200, "how many profiles")
	token := flags.String("token-file", "", "file of the token")
	if len(os.Args) < 2 || flags.Parse(os.Args[2:]) != nil {
		fmt.Fprintln(os.Stderr, "usage: churn year|push [flags]")
		os.Exit(2)
	}
	var err error
	switch os.Args[1] {
	case "year":
		err = year(context.Background(), *data, *days, *every)
	case "push":
		err = push(context.Background(), *to, *token, *pushes)
	default:
		err = fmt.Errorf("unknown command %q: year or push", os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "churn:", err)
		os.Exit(1)
	}
}

const (
	services = 6
	pods     = 10 // of a service, at a time
	stacks   = 60
	depth    = 20
	jitNames = 10 // of a service, by the hour

	samplesFor, hourlyFor = 7 * 24 * time.Hour, 30 * 24 * time.Hour
)

// year lives a fleet's days.
func year(ctx context.Context, dir string, days, every int) (err error) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	open := func(_ context.Context, dir string) (engine.Engine, error) { return duckdb.Open(dir, duckdb.Options{}) }
	s, err := store.Open(ctx, dir, open, store.Options{
		Retention: store.Retention{Samples: samplesFor, Hourly: hourlyFor, Thinned: hourlyFor},
		Journal:   journal.Options{SegmentAge: 100 * time.Millisecond}, Names: store.NameOptions{Off: true}, Now: func() time.Time { return now },
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a draw for a measurement
	began := time.Now()
	var ageing []time.Duration
	fmt.Println("| day | frames | functions | series | numbers of series given | dictionary | heap | resident | disk | ageing, longest | service 24 h | fleet 7 d |\n|---|---|---|---|---|---|---|---|---|---|---|---|")
	for day := 1; day <= days; day++ {
		for hour := range 24 {
			p := hourOf(random, now.Add(time.Duration(hour-12)*time.Hour), day, hour)
			b, err := batch.FromProfile(p, batch.Options{Now: now.Add(24 * time.Hour), ID: fmt.Sprintf("day%d-%d", day, hour)})
			if err != nil {
				return err
			}
			if _, err := s.Append(ctx, b); err != nil {
				return err
			}
		}
		if err := errors.Join(s.Checkpoint(ctx), s.Flush(ctx)); err != nil {
			return err
		}
		if err := s.Retain(ctx); err != nil {
			return err
		}
		at := time.Now()
		if err := s.Age(ctx); err != nil {
			return err
		}
		ageing = append(ageing, time.Since(at))
		if day%7 == 0 {
			if err := s.Compact(ctx); err != nil {
				return err
			}
		}
		if day%every == 0 {
			if err := line(ctx, s, now, day, slices.Max(ageing)); err != nil {
				return err
			}
			ageing = nil
		}
		now = now.Add(24 * time.Hour)
	}
	fmt.Printf("\n%d days in %.0f s\n", days, time.Since(began).Seconds())
	return nil
}

// hourOf is what the fleet sends in an hour.
func hourOf(random *rand.Rand, at time.Time, day, hour int) *profile.Profile {
	b := profile.NewBuilder()
	for service := range services {
		m := b.Mapping(profile.Mapping{Path: fmt.Sprintf("/srv/app%d", service), BuildID: fmt.Sprintf("%04x%04x", service, day)})
		frame := func(name string, kind profile.Kind) profile.LocationID {
			f := b.Function(profile.Function{Name: name, File: "/src/" + name + ".go", Mapping: m, Kind: kind})
			return b.Location(m, 0, kind, profile.Line{Function: f, Line: 1})
		}
		for i := range stacks {
			var list []profile.LocationID
			for d := depth; d > 0; d-- {
				list = append(list, frame(fmt.Sprintf("service%d.level%d.function%d", service, d, i*d/depth), profile.KindGo))
			}
			if i < jitNames {
				list[0] = frame(fmt.Sprintf("LambdaForm$MH/0x%016x.invoke", random.Uint64()), profile.KindJava)
			}
			pod := fmt.Sprintf("app%d-%d-%d-%d", service, day, hour, i%pods)
			labels := b.Labels([]profile.Label{{Key: "service.name", Str: fmt.Sprint("app", service)}, {Key: "service.version", Str: fmt.Sprint(day)}, {Key: "host.name", Str: fmt.Sprint("host", i%pods)}, {Key: profile.LabelContainer, Str: pod}})
			count := 1 + random.Int64N(20)
			b.Sample(profile.Sample{Stack: b.Stack(list), Labels: labels, Count: count, Value: count * 1e7, Time: at.Add(time.Duration(i%60) * time.Minute).UnixNano()})
		}
	}
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
}

// line measures.
func line(ctx context.Context, s *store.Store, now time.Time, day int, ageing time.Duration) error {
	st, err := s.Stats(ctx)
	if err != nil {
		return err
	}
	timed := func(sel store.Selection) (string, error) {
		var took []time.Duration
		for i := range 7 { // no two ranges are the same: none is answered from what is kept
			sel.To = now.Add(12*time.Hour - time.Duration(i)*time.Minute)
			at := time.Now()
			top, err := s.Top(ctx, sel, store.TopOptions{Limit: 50})
			if err != nil {
				return "", err
			}
			if len(top.Rows) == 0 || top.Basis.Cut > 0 || top.Basis.Merged > 0 {
				return "", fmt.Errorf("day %d: %d rows, %+v", day, len(top.Rows), top.Basis)
			}
			took = append(took, time.Since(at))
		}
		slices.Sort(took)
		return fmt.Sprintf("%d ms", took[len(took)/2].Milliseconds()), nil
	}
	service, err := timed(store.Selection{From: now.Add(-12 * time.Hour), Service: []string{"app3"}, Exact: true})
	if err != nil {
		return err
	}
	fleet, err := timed(store.Selection{From: now.Add(-6*24*time.Hour - 12*time.Hour), Exact: true})
	if err != nil {
		return err
	}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("| %d | %d | %d | %d | %d | %d MiB | %d MiB | %d MiB | %d MiB | %.1f s | %s | %s |\n", day, st.Nodes, st.Functions, st.Series, day*24*services*pods,
		st.Memory>>20, m.HeapInuse>>20, resident()>>20, st.Bytes>>20, ageing.Seconds(), service, fleet)
	return nil
}

// resident is the memory of this process, with DuckDB's.
func resident() (bytes int64) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	_, _ = fmt.Sscan(rest, &bytes)
	return bytes << 10
}

// push sends profiles of 1,000 stacks of 100 frames each, none of which another one has, and
// then one of a service that is new.
func push(ctx context.Context, to, tokenFile string, pushes int) error {
	token, err := os.ReadFile(tokenFile)
	if err != nil && tokenFile != "" {
		return err
	}
	send := func(service string, number, stacks int) error {
		b := profile.NewBuilder()
		m := b.Mapping(profile.Mapping{Path: "/usr/bin/" + service, BuildID: "abcdef0123"})
		for i := range stacks {
			var list []profile.LocationID
			for d := range 100 {
				f := b.Function(profile.Function{Name: fmt.Sprintf("%s_function_%d", service, (number*131+i*17+d*(1+number%50))%20_000), File: "/src/main.c", Mapping: m, Kind: profile.KindNative})
				list = append(list, b.Location(m, 0, profile.KindNative, profile.Line{Function: f, Line: int32(1 + (number*stacks+i)%10)}))
			}
			b.Sample(profile.Sample{Stack: b.Stack(list), Count: 1, Value: 1e7})
		}
		var body bytes.Buffer
		if err := pprof.Write(&body, b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Start: time.Now()})); err != nil {
			return err
		}
		for {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("%s/api/v1/push?service=%s&id=churn-%s-%d", to, service, service, number), bytes.NewReader(body.Bytes()))
			if err != nil {
				return err
			}
			if len(token) > 0 {
				req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return err
			}
			text, err := io.ReadAll(resp.Body)
			if err = errors.Join(err, resp.Body.Close()); err != nil {
				return err
			}
			switch resp.StatusCode {
			case http.StatusOK:
				if bytes.Contains(text, []byte("at the bound")) {
					fmt.Printf("push %d: %s\n", number, bytes.TrimSpace(text))
				}
				return nil
			case http.StatusServiceUnavailable, http.StatusTooManyRequests:
				time.Sleep(time.Second)
				continue
			}
			return fmt.Errorf("push %d: %s: %s", number, resp.Status, text)
		}
	}
	began := time.Now()
	for n := range pushes {
		if err := send("build", n, 1000); err != nil {
			return err
		}
	}
	fmt.Printf("%d pushes in %.0f s\n", pushes, time.Since(began).Seconds())
	return send("fresh", 1, 10)
}
