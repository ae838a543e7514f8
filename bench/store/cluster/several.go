package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// several runs some servers on one database, each reached by the others through a link that
// can be cut.
func several(ctx context.Context, o *options, shards []*process, store string) error {
	ports, err := freePorts(2 * o.servers)
	if err != nil {
		return err
	}
	secret := filepath.Join(o.dir, "secret")
	if err := os.WriteFile(secret, []byte(strings.Repeat("0123456789abcdef", 4)), 0o600); err != nil {
		return err
	}
	var servers []*process
	var urls []string
	var cut atomic.Bool
	for i := range o.servers {
		url := fmt.Sprintf("http://127.0.0.1:%d", ports[i])
		if err := link(ctx, ports[o.servers+i], ports[i], &cut); err != nil {
			return err
		}
		s := newServer(o, ports[i], store, fmt.Sprintf("data%d", i+1), "--advertise", fmt.Sprintf("http://127.0.0.1:%d", ports[o.servers+i]), "--cluster-secret", secret)
		s.name = fmt.Sprintf("server%d", i+1)
		defer s.kill()
		if err := s.start(ctx); err != nil {
			return err
		}
		servers, urls = append(servers, s), append(urls, url)
	}
	l := newMany(urls, o.try)
	if err := l.settle(ctx, time.Minute); err != nil {
		return err
	}
	if err := l.fill(o.stacks); err != nil {
		return err
	}
	if err := l.settle(ctx, 10*time.Minute); err != nil {
		return err
	}
	var struck *process
	writer := func(want bool) *process {
		at := l.writer(ctx)
		for i, s := range servers {
			if (urls[i] == at) == want {
				return s
			}
		}
		return servers[0]
	}
	blows := []blow{
		{"the server that writes killed", func() error { struck = writer(true); struck.kill(); return nil }, func() error { return struck.start(ctx) }},
		{"another server killed", func() error { struck = writer(false); struck.kill(); return nil }, func() error { return struck.start(ctx) }},
		{"the server that writes paused (SIGSTOP)", func() error { struck = writer(true); return struck.signal(syscall.SIGSTOP) }, func() error { return struck.signal(syscall.SIGCONT) }},
		{"servers cut off from each other", func() error { cut.Store(true); return nil }, func() error { cut.Store(false); return nil }},
		{"a shard killed", func() error { shards[1].kill(); return nil }, func() error { return shards[1].start(ctx) }},
		{"the shard with the dictionary killed", func() error { shards[0].kill(); return nil }, func() error { return shards[0].start(ctx) }},
	}
	if o.replicas > 1 {
		first, second := shards[:2], shards[2:]
		blows = append(blows[:4:4],
			blow{"a replica killed", func() error { second[0].kill(); return nil }, func() error { return second[0].start(ctx) }},
			blow{"a replica with the dictionary killed", func() error { first[0].kill(); return nil }, func() error { return first[0].start(ctx) }},
			blow{"a replica silent (SIGSTOP)", func() error { return first[1].signal(syscall.SIGSTOP) }, func() error { return first[1].signal(syscall.SIGCONT) }},
			blow{"the first replica silent (SIGSTOP)", func() error { return first[0].signal(syscall.SIGSTOP) }, func() error { return first[0].signal(syscall.SIGCONT) }})
	}
	l.start(ctx)
	began := time.Now()
	strikes, err := strike(o, blows, l.during)
	if err != nil {
		return err
	}
	l.cancel()
	l.all.Wait()
	if err := l.settle(ctx, 3*time.Minute); err != nil {
		return err
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("%d servers, %d blows in %.0f s, load %s", o.servers, strikes, time.Since(began).Seconds(), load)
	return l.report(ctx)
}

// many are clients of several servers: who is not served by one goes to the next.
type many struct {
	urls   []string
	client *http.Client
	asks   *http.Client // of questions
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu           sync.Mutex
	acknowledged [senders]int64
	again        int
	phase        string
	phases       []string
	times        map[string][]time.Duration // until a question was answered, by phase
	partly       map[string]int
	texts        map[string]int
}

// tryTime is how long a sender waits for one server before it goes to the next.
const tryTime = 4 * time.Second

func newMany(urls []string, ask time.Duration) *many {
	return &many{urls: urls, client: &http.Client{Timeout: tryTime}, asks: &http.Client{Timeout: ask}, times: map[string][]time.Duration{}, partly: map[string]int{}, texts: map[string]int{}}
}

func (l *many) during(phase string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phase = phase
	if !slices.Contains(l.phases, phase) {
		l.phases = append(l.phases, phase)
	}
}

func (l *many) start(ctx context.Context) {
	ctx, l.cancel = context.WithCancel(ctx)
	for i := range senders {
		l.all.Go(func() { l.send(ctx, i) })
	}
	l.all.Go(func() { l.ask(ctx) })
}

// fill sends so many different stacks, of 20 frames each, of a service that nobody asks about.
func (l *many) fill(stacks int) error {
	const at = 2000
	for begin := 0; begin < stacks; begin += at {
		var body strings.Builder
		for n := begin; n < begin+at; n++ {
			body.WriteString("main")
			for depth := range 19 {
				fmt.Fprintf(&body, ";f%d_%d", depth, n>>max(0, 18-depth))
			}
			body.WriteString(" 1\n")
		}
		resp, err := http.Post(fmt.Sprintf("%s/api/v1/push?service=many&id=fill-%d&period=10ms", l.urls[0], begin/at), "text/plain", strings.NewReader(body.String())) //nolint:noctx // all of it is needed
		if err != nil {
			return err
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s, %w", resp.Status, err)
		}
	}
	return nil
}

// send sends each batch until a server has acknowledged it, to one after the other; every
// tenth is sent to another one as well, as by a client that did not get the answer.
func (l *many) send(ctx context.Context, sender int) {
	at := sender
	for n := 1; ctx.Err() == nil; n++ {
		body := fmt.Sprintf("main;work%d;f%d %d\n", n%40, n%400, samples)
		for need := 1 + (n%10)/9; need > 0; at++ {
			path := fmt.Sprintf("%s/api/v1/push?service=s%d&id=sender%d-%d&period=10ms", l.urls[at%len(l.urls)], sender, sender, n)
			resp, err := l.client.Post(path, "text/plain", strings.NewReader(body)) //nolint:noctx // its fate is to be known
			if err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				if resp.StatusCode == http.StatusOK {
					need--
					continue
				}
			}
			l.mu.Lock()
			l.again++
			l.mu.Unlock()
			time.Sleep(sendRest)
		}
		l.mu.Lock()
		l.acknowledged[sender] += samples
		l.mu.Unlock()
		time.Sleep(sendRest)
	}
}

// ask asks one server after the other, the next one where there is no answer.
func (l *many) ask(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		l.mu.Lock()
		phase := l.phase
		l.mu.Unlock()
		began := time.Now()
		for try := n; ; try++ {
			resp, err := l.asks.Get(fmt.Sprintf("%s/api/v1/top?service=s%d&from=now-%dm", l.urls[try%len(l.urls)], n%senders, 60+n%30)) //nolint:noctx // its time is measured
			text := ""
			if err == nil {
				data, readErr := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if readErr == nil && resp.StatusCode == http.StatusOK {
					if resp.Header.Get("Whyhot-Missing") != "" {
						l.mu.Lock()
						l.partly[phase]++
						l.mu.Unlock()
					}
					break
				}
				text = fmt.Sprintf("%d %.150s", resp.StatusCode, data)
			}
			l.mu.Lock()
			l.texts[text]++
			l.mu.Unlock()
			time.Sleep(20 * time.Millisecond)
		}
		l.mu.Lock()
		l.times[phase] = append(l.times[phase], time.Since(began))
		l.mu.Unlock()
		time.Sleep(askRest)
	}
}

func (l *many) metric(ctx context.Context, url, name string) (value string) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/metrics", nil)
	if err != nil {
		return ""
	}
	resp, err := l.client.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			value = rest
		}
	}
	return value
}

// writer is the URL of the server that writes.
func (l *many) writer(ctx context.Context) string {
	for range 200 {
		for _, url := range l.urls {
			if l.metric(ctx, url, "whyhot_server_cluster_writing_projects") == "1" {
				return url
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return ""
}

// settle waits until nothing is on its way any more.
func (l *many) settle(ctx context.Context, most time.Duration) error {
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		writers, waiting := 0, 0
		for _, url := range l.urls {
			if l.metric(ctx, url, "whyhot_server_cluster_writing_projects") == "1" {
				writers++
			}
			if l.metric(ctx, url, "whyhot_server_cluster_waiting_bytes") != "0" || !slices.Contains([]string{"0", ""}, l.metric(ctx, url, "whyhot_server_journal_bytes")) {
				waiting++
			}
		}
		if writers == 1 && waiting == 0 {
			return nil
		}
	}
	return errors.New("what was taken does not reach the database")
}

// report prints what became of all, and is an error where not each batch is there once.
func (l *many) report(ctx context.Context) error {
	fmt.Println("| while | questions answered | of them a part missing, said | median | longest until an answer |")
	fmt.Println("|---|---|---|---|---|")
	for _, phase := range l.phases {
		times := l.times[phase]
		slices.Sort(times)
		if len(times) == 0 {
			fmt.Printf("| %s | 0 | | | |\n", phase)
			continue
		}
		fmt.Printf("| %s | %d | %d | %.0f ms | %.1f s |\n", phase, len(times), l.partly[phase], 1000*times[len(times)/2].Seconds(), times[len(times)-1].Seconds())
	}
	for text, n := range l.texts {
		fmt.Printf("%d tries: %s\n", n, text)
	}
	var there, acknowledged int64
	for i := range senders {
		acknowledged += l.acknowledged[i]
		one := newLoad(l.urls[i%len(l.urls)])
		var top struct {
			Basis struct {
				Count int64 `json:"count"`
			} `json:"basis"`
		}
		if err := one.get(ctx, fmt.Sprintf("/api/v1/top?service=s%d&from=now-24h&exact=true", i), &top); err != nil {
			return err
		}
		if top.Basis.Count != l.acknowledged[i] {
			fmt.Printf("sender %d: %d acknowledged, %d there\n", i, l.acknowledged[i], top.Basis.Count)
		}
		there += top.Basis.Count
	}
	fmt.Printf("%d samples acknowledged (%d tries failed), %d there\n", acknowledged, l.again, there)
	if there != acknowledged {
		return errors.New("not each batch is there once")
	}
	return nil
}
