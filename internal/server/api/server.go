package api

import (
	"cmp"
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"whyhot/internal/host/version"
	"whyhot/internal/server/access"
	"whyhot/internal/server/access/session"
	"whyhot/internal/server/audit"
	"whyhot/internal/server/cookie"
	"whyhot/internal/server/limit"
	"whyhot/internal/server/peers"
	"whyhot/internal/server/project"
	"whyhot/internal/server/sources"
)

// Rate is how often one token may ask.
type Rate = limit.Rate

// Options are what a server is made of.
type Options struct {
	Projects *project.Projects
	Tokens   *access.Tokens
	Audit    *audit.Log
	Log      *slog.Logger
	Limits   Limits
	// Profiles takes OTLP requests. Their context has the project; see project.Of.
	Profiles http.Handler
	// Metrics serves the server's numbers.
	Metrics http.Handler
	// Page serves the page to browsers, where the server has one.
	Page Page
	// Sources are the source files that may be read; nil for none.
	Sources *sources.Tree
	// BinaryDirs have binaries and debug information by build ID.
	BinaryDirs []string
	// Served is told of each request that was answered, with its operation, project and
	// status. It may be nil.
	Served func(operation, project string, status int, took time.Duration)
	// Cookies say how browsers reach the page, and Attempts how often one address may sign in.
	Cookies  cookie.Jar
	Attempts *limit.Addresses
	// Sessions are those of browsers; nil for none.
	Sessions *session.Keeper
	// SignIn is how people sign in; nil where they cannot.
	SignIn SignIn
	// Cluster are the servers that share the database; nil for none.
	Cluster *peers.Peers
	// Ready says why the server cannot take profiles now, and why it cannot answer questions;
	// nil where it can. It may be nil.
	Ready func() (taking, answering error)
}

// Page is what serves the page.
type Page interface {
	http.Handler
	Serves(r *http.Request) bool
}

// SignIn says what people who signed in may do.
type SignIn interface {
	Rights(p *session.Person) []access.Right
	Issuer() string // for people
}

// Counts are what the server has served.
type Counts struct {
	Queries, Refused, Limited, Failed, Batches, Samples, Duplicates, Rejected atomic.Int64
}

// Server serves the API. It is an http.Handler.
type Server struct {
	o            Options
	mux          *http.ServeMux
	reads, sends *limit.Rates
	queries      *limit.Slots
	heavy        *limit.Slots
	pushes       *limit.Slots
	now          func() time.Time
	counts       Counts
	bodies       *semaphore.Weighted // bytes of profiles that arrive or are read
	leaving      *semaphore.Weighted // batches that wait for the disk without a place
	answering    sync.WaitGroup      // answers that are being worked out
	backingUp    sync.Mutex          // held by the one backup that is made at a time
	restoring    sync.Mutex          // and by the one that is restored
}

func (l Limits) withDefaults() Limits {
	const mib = 1 << 20
	l.QueryTime = cmp.Or(l.QueryTime, 10*time.Second)
	l.Queries = cmp.Or(l.Queries, 16)
	l.Slow = cmp.Or(l.Slow, 2)
	l.SlotWait = cmp.Or(l.SlotWait, l.QueryTime/2)
	l.Waiting = cmp.Or(l.Waiting, 1000)
	l.Reads = cmp.Or(l.Reads, Rate{PerSecond: 50, Burst: 200})
	l.Sends = cmp.Or(l.Sends, Rate{PerSecond: 2000, Burst: 4000})
	l.MaxBody = cmp.Or(l.MaxBody, 32*mib)
	l.MaxPushed = cmp.Or(l.MaxPushed, 128*mib)
	l.Pushes = cmp.Or(l.Pushes, int64(max(2, runtime.GOMAXPROCS(0))))
	return l
}

// New makes a server.
func New(o Options) *Server {
	o.Limits = o.Limits.withDefaults()
	l := o.Limits
	s := &Server{
		o: o, mux: http.NewServeMux(), reads: limit.NewRates(l.Reads), sends: limit.NewRates(l.Sends), now: time.Now,
		queries: limit.NewSlots(l.Queries, l.Waiting, l.SlotWait), heavy: limit.NewSlots(l.Slow, l.Waiting, l.SlotWait), pushes: limit.NewSlots(l.Pushes, l.Waiting, l.SlotWait),
		leaving: semaphore.NewWeighted(maxLeaving), bodies: semaphore.NewWeighted(bodiesAtATime * l.MaxBody),
	}
	go func() { _, _ = allClasses() }() // who asks first does not wait, and hears of an error
	for _, one := range routes() {
		s.mux.Handle(one.method+" "+one.path, s.serve(one))
	}
	return s
}

// Counts are what it has served so far.
func (s *Server) Counts() *Counts { return &s.counts }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Server", version.Agent("whyhot-server"))
	if err := s.sameSite(r); err != nil {
		s.refused(w, r, err)
		return
	}
	if _, pattern := s.mux.Handler(r); pattern == "" {
		if s.o.Page != nil && s.o.Page.Serves(r) {
			s.o.Page.ServeHTTP(w, r)
			return
		}
		s.notServed(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}
