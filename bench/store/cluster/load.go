package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Each sender sends batches of so many samples, one after the other, as an agent does: one
// that was not acknowledged is sent again until it is.
const (
	senders  = 8
	samples  = 25
	sendRest = 50 * time.Millisecond
	askRest  = 100 * time.Millisecond
)

// load is who sends and who asks.
type load struct {
	url    string
	client *http.Client
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu           sync.Mutex
	acknowledged int64
	again        int // sent again
	phase        string
	phases       []string
	asked        map[string]*asked
}

// asked is what became of the questions of one phase.
type asked struct {
	whole, partly, away, unreached, failed int
	slowest                                time.Duration
	texts                                  []string
}

func newLoad(url string) *load {
	return &load{url: url, client: &http.Client{Timeout: 30 * time.Second}, asked: map[string]*asked{}}
}

func (l *load) start(ctx context.Context) {
	ctx, l.cancel = context.WithCancel(ctx)
	l.during("before")
	for i := range senders {
		l.all.Go(func() { l.send(ctx, i) })
	}
	l.all.Go(func() { l.ask(ctx) })
}

// stop ends it; what is on its way is sent to its end.
func (l *load) stop() {
	l.cancel()
	l.all.Wait()
}

func (l *load) during(phase string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phase = phase
	if l.asked[phase] == nil {
		l.asked[phase] = &asked{}
		l.phases = append(l.phases, phase)
	}
}

func (l *load) send(ctx context.Context, sender int) {
	for n := 1; ctx.Err() == nil; n++ {
		body := fmt.Sprintf("main;work%d;f%d %d\n", n%40, n%400, samples)
		path := fmt.Sprintf("%s/api/v1/push?service=s%d&id=sender%d-%d&period=10ms", l.url, sender, sender, n)
		for {
			resp, err := l.client.Post(path, "text/plain", strings.NewReader(body)) //nolint:noctx // its fate is to be known
			if err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				if resp.StatusCode == http.StatusOK {
					break
				}
			}
			l.mu.Lock()
			l.again++
			l.mu.Unlock()
			time.Sleep(sendRest)
		}
		l.mu.Lock()
		l.acknowledged += samples
		l.mu.Unlock()
		time.Sleep(sendRest)
	}
}

func (l *load) ask(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		l.mu.Lock()
		phase := l.phase
		l.mu.Unlock()
		began := time.Now()
		resp, err := l.client.Get(fmt.Sprintf("%s/api/v1/top?from=now-%dm", l.url, 60+n%30)) //nolint:noctx // its time is measured
		took := time.Since(began)
		var text []byte
		if err == nil {
			text, err = io.ReadAll(resp.Body)
			_ = resp.Body.Close()
		}
		l.mu.Lock()
		a := l.asked[phase]
		a.slowest = max(a.slowest, took)
		switch {
		case err != nil:
			a.unreached++
		case resp.StatusCode == http.StatusOK && resp.Header.Get("Whyhot-Missing") == "":
			a.whole++
		case resp.StatusCode == http.StatusOK:
			a.partly++
		case resp.StatusCode == http.StatusServiceUnavailable && strings.Contains(string(text), `"away"`):
			a.away++
		default:
			a.failed++
			a.texts = append(a.texts, fmt.Sprintf("%d %.200s", resp.StatusCode, text))
		}
		l.mu.Unlock()
		time.Sleep(askRest)
	}
}

// settle waits until all that was taken can be asked for.
func (l *load) settle(ctx context.Context, most time.Duration) error {
	var last error
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		var stats struct {
			Journal struct {
				Segments int  `json:"segments"`
				Failing  bool `json:"failing"`
			} `json:"journal"`
		}
		if last = l.get(ctx, "/api/v1/stats", &stats); last == nil && stats.Journal.Segments == 0 {
			return nil
		}
	}
	return errors.Join(errors.New("what was taken does not reach the database"), last)
}

func (l *load) get(ctx context.Context, path string, to any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url+path, nil)
	if err != nil {
		return err
	}
	resp, err := l.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(to)
}

// report prints what became of all, and is an error where not each batch is there once.
func (l *load) report(ctx context.Context) error {
	fmt.Println("| while | whole | a part missing, said | database away, said | server not there | failed | slowest |")
	fmt.Println("|---|---|---|---|---|---|---|")
	var failed []string
	for _, phase := range l.phases {
		a := l.asked[phase]
		fmt.Printf("| %s | %d | %d | %d | %d | %d | %.1f s |\n", phase, a.whole, a.partly, a.away, a.unreached, a.failed, a.slowest.Seconds())
		failed = append(failed, a.texts...)
	}
	slices.Sort(failed)
	for _, text := range slices.Compact(failed) {
		fmt.Println(text)
	}
	var there int64
	for i := range senders {
		var top struct {
			Basis struct {
				Count int64 `json:"count"`
			} `json:"basis"`
		}
		if err := l.get(ctx, fmt.Sprintf("/api/v1/top?service=s%d&from=now-24h&exact=true", i), &top); err != nil {
			return err
		}
		there += top.Basis.Count
	}
	fmt.Printf("%d samples acknowledged (%d batches sent again), %d there\n", l.acknowledged, l.again, there)
	if there != l.acknowledged {
		return errors.New("not each batch is there once")
	}
	return nil
}
