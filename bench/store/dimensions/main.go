// Program dimensions measures what labels cost: the same samples are pushed to two servers of
// one build, with their labels and without, and the same questions are put to both.
//
//	dimensions -server bin/whyhot-server -dir DIR [-pods 100] [-minutes 60]
//
// The samples are made up: services of ten pods, each with a profile a minute in which threads
// and endpoints share stacks. With labels a sample has pod, namespace, zone, thread and endpoint.
// Without, the sender leaves out those five, and adds up what is then the same. Service, host and
// container are kept in both.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/google/pprof/profile"
	"golang.org/x/sync/errgroup"
)

const (
	podsPerService = 10
	stacksOf       = 2000 // different ones of a service
	depth          = 20
	samplesOf      = 300 // draws of a profile
	threads        = 8
	endpoints      = 12
	asks           = 40 // of each question
)

type fleet struct {
	pods, minutes int
	begin         time.Time
}

func main() {
	server := flag.String("server", "bin/whyhot-server", "the server's program, built with cgo")
	dir := flag.String("dir", "", "directory for all that is kept")
	f := fleet{begin: time.Now().Truncate(time.Hour).Add(-3 * time.Hour)}
	flag.IntVar(&f.pods, "pods", 100, "how many pods there are")
	flag.IntVar(&f.minutes, "minutes", 60, "for how many minutes each sends a profile a minute")
	flag.Parse()
	if err := run(context.Background(), *server, *dir, f); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, program, dir string, f fleet) error {
	if dir == "" {
		return errors.New("-dir: missing")
	}
	var both []*one
	for _, with := range []bool{false, true} {
		o, err := start(ctx, program, filepath.Join(dir, fmt.Sprintf("with-%v", with)), with)
		if err != nil {
			return err
		}
		defer o.stop()
		both = append(both, o)
	}
	for minute := range f.minutes { // both at the same time of a busy machine
		for _, o := range both {
			if err := o.push(ctx, f, minute); err != nil {
				return err
			}
		}
	}
	for _, o := range both {
		if err := o.settle(ctx); err != nil {
			return err
		}
		if err := o.size(ctx); err != nil {
			return err
		}
	}
	span := url.Values{"from": {f.begin.Format(time.RFC3339)}, "to": {f.begin.Add(time.Duration(f.minutes) * time.Minute).Format(time.RFC3339)}, "exact": {"true"}}
	for _, q := range []struct {
		name, path string
		more       url.Values
		labels     bool
	}{
		{"flame graph of the fleet", "tree", nil, false},
		{"top of one service", "top", url.Values{"service": {"service-3"}}, false},
		{"top of one service, one thread", "top", url.Values{"service": {"service-3"}, "where": {`thread="worker-3"`}}, true},
		{"top of the fleet, one endpoint", "top", url.Values{"where": {`endpoint=~"/v1/.*7"`}}, true},
	} {
		for _, o := range both {
			if q.labels && !o.with {
				continue
			}
			times, err := o.ask(ctx, q.path, span, q.more)
			if err != nil {
				return fmt.Errorf("%s: %w", q.name, err)
			}
			fmt.Printf("%-32s %-8s median %4.0f ms, p95 %4.0f ms\n", q.name, o.name(), ms(times[len(times)/2]), ms(times[len(times)*95/100]))
		}
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("load %s", load)
	return nil
}

func ms(d time.Duration) float64 { return 1000 * d.Seconds() }

// one is a server.
type one struct {
	with    bool
	url     string
	command *exec.Cmd
	bytes   int
	took    time.Duration
}

func (o *one) name() string {
	if o.with {
		return "with"
	}
	return "without"
}

func start(ctx context.Context, program, dir string, with bool) (*one, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	o := &one{with: with, url: "http://" + address, command: exec.Command(program, "serve", "--data", dir, "--listen", address, "--listen-grpc", "", "--rules-every", "0")} //nolint:noctx // it is stopped
	o.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	o.command.Stderr = os.Stderr
	if err := o.command.Start(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if _, err = o.get(ctx, "/readyz", nil); err == nil {
			return o, nil
		}
	}
	o.stop()
	return nil, err
}

func (o *one) stop() {
	_ = o.command.Process.Kill()
	_ = o.command.Wait()
}

// push sends the profiles of a minute, the same for both servers but for the labels.
func (o *one) push(ctx context.Context, f fleet, minute int) error {
	var senders errgroup.Group
	senders.SetLimit(4)
	bodies := make([][]byte, f.pods)
	for pod := range f.pods {
		data, err := o.profile(f, pod, minute)
		if err != nil {
			return err
		}
		o.bytes += len(data)
		bodies[pod] = data
	}
	began := time.Now()
	for pod, data := range bodies {
		q := url.Values{"service": {fmt.Sprintf("service-%d", pod/podsPerService)}, "host": {fmt.Sprintf("node-%d", pod%40)}, "container": {fmt.Sprintf("c%d", pod)}}
		senders.Go(func() error {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url+"/api/v1/push?"+q.Encode(), bytes.NewReader(data))
			if err != nil {
				return err
			}
			_, err = call(req)
			return err
		})
	}
	err := senders.Wait()
	o.took += time.Since(began)
	return err
}

// profile is that of a pod and minute.
func (o *one) profile(f fleet, pod, minute int) ([]byte, error) {
	random := rand.New(rand.NewPCG(uint64(pod), uint64(minute)))
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10_000_000,
		TimeNanos: f.begin.Add(time.Duration(minute) * time.Minute).UnixNano(), DurationNanos: int64(50 * time.Second),
	}
	locations := map[string]*profile.Location{}
	at := func(name string) *profile.Location {
		if locations[name] == nil {
			fn := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name}
			p.Function = append(p.Function, fn)
			locations[name] = &profile.Location{ID: fn.ID, Line: []profile.Line{{Function: fn}}}
			p.Location = append(p.Location, locations[name])
		}
		return locations[name]
	}
	sums := map[string]*profile.Sample{}
	for range samplesOf {
		stack := min(int(random.ExpFloat64()*stacksOf/10), stacksOf-1)
		thread, endpoint := random.IntN(threads), random.IntN(endpoints)
		key := fmt.Sprint(stack)
		if o.with {
			key = fmt.Sprint(stack, thread, endpoint)
		}
		s := sums[key]
		if s == nil {
			s = &profile.Sample{Value: []int64{0, 0}}
			for d := range depth {
				s.Location = append(s.Location, at(fmt.Sprintf("service%d.f%d_%d", pod/podsPerService, depth-d, stack>>d)))
			}
			if o.with {
				s.Label = map[string][]string{
					"pod": {fmt.Sprintf("service-%d-%d", pod/podsPerService, pod)}, "namespace": {fmt.Sprintf("team-%d", pod%5)}, "zone": {fmt.Sprintf("z%d", pod%3)},
					"thread": {fmt.Sprintf("worker-%d", thread)}, "endpoint": {fmt.Sprintf("/v1/endpoint-%d", endpoint)},
				}
			}
			sums[key], p.Sample = s, append(p.Sample, s)
		}
		s.Value[0]++
		s.Value[1] += p.Period
	}
	var out bytes.Buffer
	err := p.Write(&out)
	return out.Bytes(), err
}

type stats struct {
	Tables []struct {
		Name  string `json:"name"`
		Rows  int64  `json:"rows"`
		Bytes int64  `json:"bytes"`
	} `json:"tables"`
	Journal struct {
		Segments int `json:"segments"`
	} `json:"journal"`
}

func (o *one) stats(ctx context.Context, query url.Values) (s stats, err error) {
	data, err := o.get(ctx, "/api/v1/stats", query)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

// settle waits until all that was sent is in the engine.
func (o *one) settle(ctx context.Context) error {
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if s, err := o.stats(ctx, nil); err == nil && s.Journal.Segments == 0 {
			return nil
		}
	}
	return errors.New("what was pushed does not reach the engine")
}

// size prints what there is, after a compaction.
func (o *one) size(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url+"/api/v1/compact", nil)
	if err != nil {
		return err
	}
	if _, err := call(req); err != nil {
		return err
	}
	s, err := o.stats(ctx, nil)
	if err != nil {
		return err
	}
	var rows, all int64
	for _, t := range s.Tables {
		all += t.Bytes
		if t.Name == "samples" {
			rows = t.Rows
			fmt.Printf("%-8s samples: %d rows, %d bytes: %.1f bytes a row\n", o.name(), t.Rows, t.Bytes, float64(t.Bytes)/float64(t.Rows))
		}
	}
	fmt.Printf("%-8s all tables: %d bytes, %.1f for each row of samples; pushed %d bytes in %.1f s\n", o.name(), all, float64(all)/float64(rows), o.bytes, o.took.Seconds())
	return nil
}

// ask puts a question, each time of a minute less, which no answer is kept of.
func (o *one) ask(ctx context.Context, path string, span, more url.Values) (times []time.Duration, err error) {
	from, err := time.Parse(time.RFC3339, span.Get("from"))
	if err != nil {
		return nil, err
	}
	for i := range asks {
		q := url.Values{"from": {from.Add(-time.Duration(i) * time.Minute).Format(time.RFC3339)}, "to": span["to"], "exact": span["exact"]}
		for k, v := range more {
			q[k] = v
		}
		began := time.Now()
		if _, err := o.get(ctx, "/api/v1/"+path, q); err != nil {
			return nil, err
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	return times, nil
}

func (o *one) get(ctx context.Context, path string, query url.Values) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url+path+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	return call(req)
}

func call(req *http.Request) ([]byte, error) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	data, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s %.200s", req.URL.Path, resp.Status, data)
	}
	return data, err
}
