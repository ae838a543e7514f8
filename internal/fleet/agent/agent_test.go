package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/fleet/agent/spool"
	"whyhot/internal/fleet/receive"
	"whyhot/internal/fleet/send"
	"whyhot/internal/profile"
)

// fakeNote is what the fake sampler says of its recording.
const fakeNote = "half of the machine is out of sight"

// fake is a sampler whose batches the test makes.
type fake struct {
	collect.Sampler

	batches chan *profile.Profile
	kept    chan struct{} // one for each batch that the sink returned for
}

func newFake() *fake {
	return &fake{batches: make(chan *profile.Profile), kept: make(chan struct{}, 1)}
}

func (f *fake) Record(ctx context.Context, r collect.Request, sink collect.Sink) (collect.Outcome, error) {
	r.Report(collect.Progress{Phase: collect.PhaseRecording, Notes: []string{fakeNote}})
	for {
		select {
		case p := <-f.batches:
			if err := sink(p); err != nil {
				return collect.Outcome{}, err
			}
			f.kept <- struct{}{}
		case <-ctx.Done():
			return collect.Outcome{}, nil
		}
	}
}

// give records one batch of n samples and waits until it is in the spool.
func (f *fake) give(n int64) {
	b := profile.NewBuilder()
	fn := b.Function(profile.Function{Name: fmt.Sprintf("work%d", n), Kind: profile.KindPython})
	loc := b.Location(0, 0, profile.KindPython, profile.Line{Function: fn})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: n, Value: 10 * n})
	cpu := profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	f.batches <- b.Build(profile.Meta{ValueType: cpu, PeriodType: cpu, Period: 10, Start: time.Unix(9, 0), Duration: time.Second})
	<-f.kept
}

// server is a receiver that can be stopped and started again at its address. What it
// took stays.
type server struct {
	t       *testing.T
	addr    string
	stop    func()
	mu      sync.Mutex
	changed *sync.Cond
	arrived map[string]int64
	samples int64
	lost    uint64
	again   int  // batches that came a second time
	deaf    bool // takes batches, and does not get round to saying so
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{t: t, addr: "127.0.0.1:0", arrived: map[string]int64{}, stop: func() {}}
	s.changed = sync.NewCond(&s.mu)
	s.start()
	t.Cleanup(func() { s.stop() })
	return s
}

func (s *server) start() {
	s.t.Helper()
	l, err := (&net.ListenConfig{}).Listen(s.t.Context(), "tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.addr = l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		if err := receive.New(receive.Options{}, s.take).ServeGRPC(ctx, l); err != nil {
			s.t.Error(err)
		}
	})
	s.stop = func() { cancel(); done.Wait(); s.stop = func() {} }
}

func (s *server) take(_ context.Context, b receive.Batch) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.arrived[b.ID]; there {
		s.again++
	} else {
		s.arrived[b.ID] = b.Profile.Count()
		s.samples += b.Profile.Count()
		s.lost += b.Profile.Meta.Lost
	}
	s.changed.Broadcast()
	if s.deaf {
		return nil, errors.New("crashed before the answer")
	}
	return nil, nil
}

// until waits for a state of the server.
func (s *server) until(cond func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !cond() {
		s.changed.Wait()
	}
}

// run starts an agent. finish ends it and gives what Run said.
func run(t *testing.T, f *fake, addr, dir string, limit int64) (a *Agent, finish func() error) {
	t.Helper()
	kept, err := spool.Open(dir, limit)
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := send.ParseEndpoint(addr, false)
	if err != nil {
		t.Fatal(err)
	}
	client, err := send.New(send.Options{Endpoint: endpoint})
	if err != nil {
		t.Fatal(err)
	}
	a = New(Options{
		Sampler: f, Spool: kept, Sender: client, Backoff: send.NewBackoff(time.Millisecond, 5*time.Millisecond),
		LastSends: time.Minute, Log: func(text string) { t.Log(text) }, Resource: map[string]string{"host.name": "h"},
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	var once sync.Once
	finish = func() error {
		var err error
		once.Do(func() {
			cancel()
			err = errors.Join(<-ended, client.Close(), kept.Close())
		})
		return err
	}
	t.Cleanup(func() { _ = finish() })
	return a, finish
}

// The server goes away and comes back, sometimes without a word about what it took
// last, and the agent is restarted while the server is away: every sample arrives
// once.
func TestEverySampleArrivesOnce(t *testing.T) {
	s, dir, made := newServer(t), t.TempDir(), int64(0)
	give := func(f *fake, n int) {
		for range n {
			made++
			f.give(made)
		}
	}
	total := func() int64 { return made * (made + 1) / 2 }
	for round := range 3 {
		f := newFake()
		_, finish := run(t, f, s.addr, dir, 1<<20)
		give(f, 5)
		s.until(func() bool { return s.samples == total() })
		s.mu.Lock()
		s.deaf = true
		s.mu.Unlock()
		give(f, 3)
		s.until(func() bool { return s.again > round }) // the first of them, again and again
		s.stop()
		s.deaf = false
		give(f, 4)
		s.start()
		s.until(func() bool { return s.samples == total() })
		s.stop()
		give(f, 2)
		if err := finish(); err != nil { // with the server away
			t.Fatal(err)
		}
		s.start()
	}
	a, finish := run(t, newFake(), s.addr, dir, 1<<20)
	s.until(func() bool { return s.samples == total() })
	if err := finish(); err != nil {
		t.Fatal(err)
	}
	if len(s.arrived) != int(made) || a.Lost() != 0 || s.lost != 0 {
		t.Errorf("%d batches arrived of %d; %d samples dropped, %d told", len(s.arrived), made, a.Lost(), s.lost)
	}
}

// With a spool that is too small for the time that the server is away, what is
// missing is counted, and the server is told.
func TestWhatDoesNotArriveIsCounted(t *testing.T) {
	s := newServer(t)
	s.stop()
	f := newFake()
	a, finish := run(t, f, s.addr, t.TempDir(), 2000)
	for n := range int64(40) {
		f.give(n + 1)
	}
	dropped := a.Lost()
	if dropped == 0 {
		t.Fatal("nothing was dropped: the spool is too large for this test")
	}
	s.start()
	f.give(41)
	s.until(func() bool { return s.samples+a.Lost() == 41*42/2 })
	f.give(42) // nothing waits any more: it tells
	s.until(func() bool { return s.lost == uint64(a.Lost()) })
	if err := finish(); err != nil {
		t.Fatal(err)
	}
	if s.samples+a.Lost() != 42*43/2 {
		t.Errorf("%d arrived, %d dropped of %d", s.samples, a.Lost(), 42*43/2)
	}
	handler, err := a.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	page := httptest.NewRecorder()
	handler.ServeHTTP(page, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	for _, want := range []string{
		"whyhot_agent_samples_total 903\n", fmt.Sprintf("whyhot_agent_samples_delivered_total %d\n", s.samples),
		fmt.Sprintf("whyhot_agent_samples_dropped_total{reason=\"spool_full\"} %d\n", a.Lost()), "process_cpu_seconds_total",
	} {
		if !strings.Contains(page.Body.String(), want) {
			t.Errorf("%q is not among the metrics:\n%s", want, page.Body)
		}
	}
}

// scripted is a sender that answers as it is told.
type scripted func(batch string) error

func (s scripted) Send(_ context.Context, batch string, _ []byte) (send.Result, error) {
	return send.Result{}, s(batch)
}

func TestRefusedBatchesDoNotBlock(t *testing.T) {
	kept, err := spool.Open(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	f, first, arrived := newFake(), "", make(chan struct{}, 9)
	a := New(Options{
		Sampler: f, Spool: kept, Backoff: send.NewBackoff(time.Millisecond, time.Millisecond), LastSends: time.Minute, Log: func(string) {},
		Sender: scripted(func(batch string) error {
			if first == "" || first == batch {
				first = batch
				return errors.New("malformed")
			}
			arrived <- struct{}{}
			return nil
		}),
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	f.give(7)
	f.give(8)
	<-arrived
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if a.Lost() != 7 || a.counts.delivered.Load() != 8 {
		t.Errorf("%d lost, %d delivered", a.Lost(), a.counts.delivered.Load())
	}
}

// What a server rejects for the token alone waits until the token is replaced: no sample
// is dropped for it, and those that wait are counted.
func TestARejectedTokenLosesNothing(t *testing.T) {
	kept, err := spool.Open(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	var valid atomic.Bool
	f, attempts, arrived := newFake(), make(chan struct{}, 1000), make(chan struct{}, 9)
	a := New(Options{
		Sampler: f, Spool: kept, Backoff: send.NewBackoff(time.Millisecond, time.Millisecond), LastSends: time.Minute, Log: func(string) {},
		Sender: scripted(func(string) error {
			if !valid.Load() {
				attempts <- struct{}{}
				return fmt.Errorf("sending: %w", &send.CredentialError{Err: errors.New("expired")})
			}
			arrived <- struct{}{}
			return nil
		}),
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	f.give(7)
	f.give(8)
	for range 3 {
		<-attempts
	}
	if s := kept.Stats(); a.Lost() != 0 || s.Samples != 15 {
		t.Errorf("%d lost, %d wait", a.Lost(), s.Samples)
	}
	valid.Store(true)
	<-arrived
	<-arrived
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if a.Lost() != 0 || a.counts.delivered.Load() != 15 {
		t.Errorf("%d lost, %d delivered", a.Lost(), a.counts.delivered.Load())
	}
}

// An agent that cannot give up its privileges ends, and says why. What the sampler has
// to say is said before.
func TestAttachedFails(t *testing.T) {
	kept, err := spool.Open(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	refused := errors.New("refused")
	var said []string
	a := New(Options{Sampler: newFake(), Spool: kept, Attached: func() error { return refused }, Log: func(text string) { said = append(said, text) }})
	if err := a.Run(t.Context()); !errors.Is(err, refused) {
		t.Error(err)
	}
	if !slices.Contains(said, fakeNote) {
		t.Errorf("the log has %q", said)
	}
}
