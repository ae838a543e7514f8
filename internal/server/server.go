package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"

	debuginfo "whyhot/internal/fleet/debuginfo/store"
	"whyhot/internal/fleet/receive"
	"whyhot/internal/host/httpserve"
	"whyhot/internal/server/access"
	"whyhot/internal/server/access/session"
	"whyhot/internal/server/access/shared"
	"whyhot/internal/server/api"
	"whyhot/internal/server/audit"
	"whyhot/internal/server/cookie"
	"whyhot/internal/server/limit"
	"whyhot/internal/server/message"
	"whyhot/internal/server/page"
	"whyhot/internal/server/peers"
	"whyhot/internal/server/project"
	"whyhot/internal/server/push"
	"whyhot/internal/server/signin"
	"whyhot/internal/server/sources"
	"whyhot/internal/server/watch"
)

// Options of a server.
type Options struct {
	Data string
	// Open opens the store of a project in dir; debug information lies in debugDir.
	Open func(ctx context.Context, dir, debugDir string) (project.Store, error)
	// Fill makes the store of a directory of a backup; nil where projects are not restored.
	Fill      func(ctx context.Context, dir string, from io.Reader, progress func(rows int64)) error
	DebugInfo debuginfo.Options
	// Idle is how long nobody has used a project that is closed; 0 is the default,
	// negative for never.
	Idle   time.Duration
	Listen string // HTTP, "" for none
	GRPC   string // "" for none
	TLS    *tls.Config
	// InsecureNoTLS says that somebody else, such as a proxy, does the encryption.
	InsecureNoTLS bool
	Limits        api.Limits
	MaxMessage    int // bytes of an OTLP request, decompressed; 0 is the receiver's default
	// Sources are directories with source files, which everybody with a token may read.
	Sources []string
	// BinaryDirs have binaries and debug information by build ID.
	BinaryDirs []string
	Watch      watch.Options
	NoWatch    bool
	// ProjectMetrics has /metrics show numbers of each project, with its name.
	ProjectMetrics bool
	// Cluster are the servers that share the database; nil for none.
	Cluster *peers.Peers
	// Sessions are those of browsers; nil for those of the data directory alone.
	Sessions *session.Keeper
	// Elsewhere says that rows are in a database that is not in the data directory.
	Elsewhere bool
	// ExternalURL is where people open the page, "" where it is not known. With https:// cookies go
	// over TLS alone, whatever a proxy says.
	ExternalURL string
	// SignIn is how people sign in, and SignInFile where that was read from; nil and "" where
	// they cannot.
	SignIn     *signin.Config
	SignInFile string
	// Tokens shares those of the data directory with other servers. nil: nobody has them.
	Tokens   *shared.Tokens
	Ended    *shared.Ended // the same for sessions that were ended
	Messages string        // the file that says who is told of findings; "" for none
	Log      *slog.Logger
	// Listening is told the addresses when they are open. It may be nil.
	Listening func(name string, addr net.Addr)
}

// Bounds of connections over HTTP.
const (
	maxClients    = 1024
	headerTime    = 10 * time.Second
	readTime      = time.Minute
	idleTime      = 2 * time.Minute
	maxHeader     = 32 << 10
	stopGrace     = 6 * time.Second
	watchStopTime = 2 * time.Second
	// A message under way is given three seconds.
	messageStopTime = 4 * time.Second
)

// Server is one that is open and does not listen yet.
type Server struct {
	o        Options
	projects *project.Projects
	tokens   *access.Tokens
	audit    *audit.Log
	api      *api.Server
	handler  http.Handler // api, and what other servers ask for
	receive  *receive.Server
	watcher  *watch.Watcher
	sources  *sources.Tree
	signIn   *signin.SignIn     // nil where people cannot
	messages *message.Messenger // nil for none
	served   *served
}

// Open opens the data directory.
func Open(ctx context.Context, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Listen == "" && o.GRPC == "" {
		return nil, errors.New("nothing to listen on: give an address for HTTP or for gRPC")
	}
	projects, err := project.Open(ctx, o.Data, project.Options{Open: o.Open, Fill: o.Fill, DebugInfo: o.DebugInfo, Idle: o.Idle, Elsewhere: o.Elsewhere, Log: o.Log})
	if err != nil {
		return nil, err
	}
	s := &Server{o: o, projects: projects, served: newServed(o.ProjectMetrics)}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) open(ctx context.Context) (err error) {
	o := &s.o
	if s.tokens, err = access.OpenTokens(o.Data); err != nil {
		return err
	}
	if o.SignIn != nil {
		s.tokens.Close()
	}
	if o.Tokens != nil { // who has none of its own may listen with those
		o.Tokens.Try(ctx)
	}
	if o.Ended != nil { // and who signed out is out before the first question
		o.Ended.Try(ctx)
	}
	if s.audit, err = audit.Open(filepath.Join(o.Data, "audit.log")); err != nil {
		return err
	}
	if o.Sessions == nil {
		if o.Sessions, err = session.Open(o.Data, ""); err != nil {
			return err
		}
	}
	for name, addr := range map[string]string{"--listen": o.Listen, "--listen-grpc": o.GRPC} {
		if err := s.mayListen(name, addr); err != nil {
			return err
		}
	}
	if o.Messages != "" {
		if s.messages, err = message.New(message.Options{File: o.Messages, Log: o.Log}); err != nil {
			return err
		}
		o.Watch.Looked = s.messages.Looked
	}
	metrics, err := s.metrics()
	if err != nil {
		return err
	}
	s.receive = receive.New(receive.Options{
		MaxMessage: o.MaxMessage, TLS: o.TLS, Intercept: s.intercept,
		Services: []func(grpc.ServiceRegistrar){s.registerDebugInfo, s.registerParca},
	}, push.OTLP(time.Now, s.count))
	site, err := page.New()
	if err != nil {
		return fmt.Errorf("opening the page: %w", err)
	}
	if s.sources, err = sources.Open(o.Sources); err != nil {
		return err
	}
	asked := api.Options{
		Projects: s.projects, Tokens: s.tokens, Audit: s.audit, Log: o.Log, Limits: o.Limits,
		Profiles: s.receive, Metrics: metrics, Page: site, Sources: s.sources, BinaryDirs: o.BinaryDirs, Ready: s.ready,
		Served: s.served.request, Cluster: o.Cluster, Sessions: o.Sessions,
	}
	asked.Cookies, asked.Attempts = s.cookies(), limit.NewAddresses(attempts)
	if o.SignIn != nil {
		s.signIn = signin.New(signin.Options{
			File: o.SignInFile, Config: o.SignIn, Keeper: o.Sessions, Audit: s.audit, Log: o.Log,
			Cookies: asked.Cookies, Attempts: asked.Attempts, EndBeyond: s.endBeyond,
		})
		asked.SignIn = s.signIn
	}
	s.api = api.New(asked)
	mux := http.NewServeMux()
	mux.Handle("/", s.api)
	if s.signIn != nil {
		mux.Handle(signin.Prefix, s.signIn.Handler())
	}
	if o.Cluster != nil {
		mux.Handle(peers.Prefix, o.Cluster.Handler(s.projects))
	}
	s.handler = mux
	o.Watch.Log = o.Log
	s.watcher = watch.New(o.Watch)
	return nil
}

// attempts are the sign-ins of one address. A proxy is one for all that come through it.
var attempts = limit.Rate{PerSecond: 5, Burst: 60}

// cookies go over TLS alone where people open the page by it.
func (s *Server) cookies() cookie.Jar {
	is := func(at string) bool {
		u, err := url.Parse(at)
		return err == nil && u.Scheme == "https"
	}
	return cookie.Jar{Secure: is(s.o.ExternalURL) || s.o.SignIn != nil && is(s.o.SignIn.RedirectURL)}
}

// endBeyond ends the tokens that a person made and has not the rights for any more.
func (s *Server) endBeyond(person access.Grant) {
	ended, err := s.tokens.EndBeyond(person, time.Now())
	if err != nil {
		s.o.Log.Error("ending tokens whose maker lost rights", "person", person.Person, "error", err)
	}
	for i := range ended {
		s.audit.Record(audit.Entry{Who: person.Person, Project: ended[i].Project, What: "token ended", Result: "ok", Detail: ended[i].ID + ": its maker has not the rights for it any more"})
		s.o.Log.Warn("a token was ended: its maker has not the rights for it any more", "token", ended[i].ID, "project", ended[i].Project, "person", person.Person)
	}
}

// mayListen refuses an address that others reach where nothing keeps them out.
func (s *Server) mayListen(flag, addr string) error {
	if addr == "" || loopback(addr) {
		return nil
	}
	closed, err := s.tokens.Any()
	switch {
	case err != nil:
		return err
	case !closed:
		return fmt.Errorf("%s %s: other machines reach this address, and there is no token yet: create one with `whyhot-server token create --data %s --project default --scope send,read`, or listen on 127.0.0.1", flag, addr, s.o.Data)
	case s.o.TLS == nil && !s.o.InsecureNoTLS:
		return fmt.Errorf("%s %s: other machines reach this address, and tokens must not travel unencrypted: give --tls-cert and --tls-key, or --insecure-no-tls behind a proxy that does TLS", flag, addr)
	}
	return nil
}

func loopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

// ready says why profiles cannot be taken now, and why questions cannot be answered.
func (s *Server) ready() (taking, answering error) {
	_, err := s.tokens.Any()
	both := errors.Join(err, s.audit.Err())
	taking, answering = both, both
	open, done := s.projects.Opened()
	defer done()
	for _, p := range open {
		take, answer := p.Ready()
		if take != nil {
			taking = errors.Join(taking, fmt.Errorf("project %s: %w", p.Name, take))
		}
		if answer != nil && p.Holder() == "" { // else that server answers
			answering = errors.Join(answering, fmt.Errorf("project %s: %w", p.Name, answer))
		}
	}
	return taking, answering
}

// Memory is how many bytes the requests that are being taken may hold together.
func (s *Server) Memory() int64 { return s.receive.Memory() }

// Serve listens until ctx is done.
func (s *Server) Serve(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	var serving []func() error
	for _, one := range []struct {
		name, addr string
		serve      func(context.Context, net.Listener) error
	}{{"HTTP", s.o.Listen, s.serveHTTP}, {"gRPC", s.o.GRPC, s.receive.ServeGRPC}} {
		if one.addr == "" {
			continue
		}
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", one.addr)
		if err != nil {
			return fmt.Errorf("listen for %s: %w", one.name, err)
		}
		defer func() { _ = l.Close() }() // a second time where it was served
		s.o.Log.Info("listening", "protocol", one.name, "address", l.Addr().String(), "tls", s.o.TLS != nil)
		if s.o.Listening != nil {
			s.o.Listening(one.name, l.Addr())
		}
		serving = append(serving, func() error { return one.serve(ctx, l) })
	}
	for _, serve := range serving {
		group.Go(serve)
	}
	if closed, err := s.tokens.Any(); err == nil && !closed {
		s.o.Log.Warn("there are no tokens: every user of this machine may send, read and administer")
	}
	group.Go(func() error { s.projects.Tend(ctx); return nil })
	if s.signIn != nil {
		go s.signIn.Warm(ctx) // it ends by itself, and nobody waits for it
	}
	if s.o.Tokens != nil {
		group.Go(func() error { s.o.Tokens.Keep(ctx); return nil })
	}
	if s.o.Ended != nil {
		group.Go(func() error { s.o.Ended.Keep(ctx); return nil })
	}
	defer func() { s.beside("answers that took too long", stopGrace, s.api.Wait)() }()
	if !s.o.NoWatch {
		defer s.beside("the rules", watchStopTime, func() { s.watcher.Run(ctx, s.projects) })()
	}
	if s.messages != nil {
		defer s.beside("messages", messageStopTime, func() { s.messages.Run(ctx, s.projects) })()
	}
	return group.Wait()
}

// beside runs what serves nobody. The function it gives waits until that has ended, but
// not for long.
func (s *Server) beside(what string, grace time.Duration, run func()) (wait func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run()
	}()
	return func() {
		select {
		case <-ended:
		case <-time.After(grace):
			s.o.Log.Warn(what + " did not stop in time")
		}
	}
}

// serveHTTP serves until ctx is done, and then waits a moment for requests under way.
func (s *Server) serveHTTP(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: 2 * readTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader, TLSConfig: s.o.TLS, ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
	return httpserve.Serve(ctx, server, l, maxClients, stopGrace)
}

// Close closes what is open. Nothing may be served any more.
func (s *Server) Close() error {
	errs := []error{s.projects.Close()}
	if s.o.Tokens != nil {
		errs = append(errs, s.o.Tokens.Close())
	}
	if s.o.Ended != nil {
		errs = append(errs, s.o.Ended.Close())
	}
	if s.audit != nil {
		errs = append(errs, s.audit.Close())
	}
	if s.sources != nil {
		errs = append(errs, s.sources.Close())
	}
	return errors.Join(errs...)
}

// parcaSlots is how many of Parca's requests are read at a time, pushTime how long one
// may take.
const (
	parcaSlots   = 4
	parcaWaiting = 1000 // requests in the queue
	slotWait     = 2 * time.Second
	pushTime     = 30 * time.Second
	maxPushed    = 128 << 20
)

func (s *Server) registerParca(to grpc.ServiceRegistrar) {
	slots := limit.NewSlots(parcaSlots, parcaWaiting, slotWait)
	take := func(ctx context.Context) (func(), error) { return slots.Take(ctx, from(ctx), nil) }
	(&push.Parca{Most: maxPushed, Now: time.Now, Counted: s.count, Slot: take, Time: pushTime}).Register(to)
}
